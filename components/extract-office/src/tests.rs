use crate::{Settings, extract};

#[test]
fn look() {
    let Ok(path) = std::env::var("LOOK") else {
        return;
    };
    for path in path.split(',') {
        let bytes = std::fs::read(path).unwrap();
        eprintln!("==== {path}");
        let name = path.rsplit('/').next().unwrap();
        match extract(name, Box::new(bytes), &Settings::default()) {
            Ok(document) => {
                eprintln!("{}", document.text);
                eprintln!(
                    "{:?}",
                    extract_core::Document {
                        text: String::new(),
                        ..document
                    }
                );
            }
            Err(failure) => eprintln!("{failure:?}"),
        }
    }
}
