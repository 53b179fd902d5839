use std::io::BufRead;
fn main() {
    if let Some(f) = std::env::args().nth(1) {
        let s = String::from_utf8_lossy(&std::fs::read(f).unwrap()).into_owned();
        let mut chunks = vec![];
        let mut r = &s[..];
        while !r.is_empty() {
            let n = r.floor_char_boundary(1500);
            let n = if n == 0 { r.len() } else { n };
            chunks.push(&r[..n]);
            r = &r[n..];
        }
        for _ in 0..3 {
            let t = std::time::Instant::now();
            let mut n = 0;
            for b in chunks.chunks(256) {
                n += analyze::analyze(b)
                    .unwrap()
                    .iter()
                    .map(Vec::len)
                    .sum::<usize>();
            }
            let e = t.elapsed();
            println!(
                "{} bytes {} terms {:?} {:.1} MB/s",
                s.len(),
                n,
                e,
                s.len() as f64 / 1e6 / e.as_secs_f64()
            );
        }
        return;
    }
    for l in std::io::stdin().lock().lines() {
        let l = l.unwrap();
        let t = analyze::analyze(&[l]).unwrap();
        let mut p = u32::MAX;
        let mut o = String::new();
        for t in &t[0] {
            if t.position != p {
                o.push(if p == u32::MAX { ' ' } else { '\t' });
                p = t.position
            } else {
                o.push(' ')
            }
            o.push_str(&t.text);
        }
        println!("{}", o.trim_start());
    }
}
