//! `winmail.dat`: the files in what Outlook sends to those who do not use it
//! ([MS-OXTNEF]).

const SIGNATURE: u32 = 0x223E_9F78;
const ATTACHMENT_LEVEL: u8 = 2;
const RENDER_DATA: u32 = 0x0006_9002;
const TITLE: u32 = 0x0001_8010;
const DATA: u32 = 0x0006_800F;
const PROPERTIES: u32 = 0x0006_9005;
/// `PidTagAttachLongFilename` as Unicode and as bytes.
const LONG_NAMES: [[u8; 4]; 2] = [[0x1F, 0, 0x07, 0x37], [0x1E, 0, 0x07, 0x37]];
/// More files are not looked for.
const MOST_FILES: usize = 1_000;

/// A file inside.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct File {
    pub(crate) name: String,
    pub(crate) content: Vec<u8>,
}

/// The files inside; nothing where the bytes are not of the format.
pub(crate) fn files(bytes: &[u8]) -> Option<Vec<File>> {
    let (signature, rest) = number(bytes)?;
    if signature != SIGNATURE {
        return None;
    }
    let mut rest = rest.get(2..)?;
    let mut files: Vec<File> = Vec::new();
    while let Some((level, id, value, after)) = attribute(rest) {
        rest = after;
        if level != ATTACHMENT_LEVEL {
            continue;
        }
        if id == RENDER_DATA {
            if files.len() == MOST_FILES {
                break;
            }
            files.push(File::default());
            continue;
        }
        let Some(file) = files.last_mut() else {
            continue;
        };
        match id {
            TITLE if file.name.is_empty() => file.name = text(value),
            DATA => file.content = value.to_vec(),
            PROPERTIES => file.name = long_name(value).unwrap_or(std::mem::take(&mut file.name)),
            _ => {}
        }
    }
    files.retain(|file| !file.content.is_empty());
    Some(files)
}

fn number(bytes: &[u8]) -> Option<(u32, &[u8])> {
    let (first, rest) = bytes.split_first_chunk::<4>()?;
    Some((u32::from_le_bytes(*first), rest))
}

/// Level, id, value, and what follows its checksum.
fn attribute(bytes: &[u8]) -> Option<(u8, u32, &[u8], &[u8])> {
    let (&level, rest) = bytes.split_first()?;
    let (id, rest) = number(rest)?;
    let (length, rest) = number(rest)?;
    let (value, rest) = rest.split_at_checked(usize::try_from(length).ok()?)?;
    Some((level, id, value, rest.get(2..).unwrap_or_default()))
}

fn text(bytes: &[u8]) -> String {
    let end = bytes
        .iter()
        .position(|&byte| byte == 0)
        .unwrap_or(bytes.len());
    crate::charset::header(&bytes[..end]).into_owned()
}

/// The long name among the properties of a file.
fn long_name(properties: &[u8]) -> Option<String> {
    LONG_NAMES.iter().find_map(|tag| {
        let at = memchr::memmem::find(properties, tag)?;
        // One value, its length, its bytes.
        let (values, rest) = number(&properties[at + tag.len()..])?;
        let (length, rest) = number(rest)?;
        let value = rest.get(..usize::try_from(length).ok()?)?;
        let name = if tag[0] == 0x1F {
            let units = value
                .chunks_exact(2)
                .map(|unit| u16::from_le_bytes([unit[0], unit[1]]));
            let name: String = char::decode_utf16(units.take_while(|&unit| unit != 0))
                .map(|c| c.unwrap_or('\u{FFFD}'))
                .collect();
            name
        } else {
            text(value)
        };
        (values == 1 && !name.is_empty()).then_some(name)
    })
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use proptest::prelude::*;

    fn write(level: u8, id: u32, value: &[u8]) -> Vec<u8> {
        let mut out = vec![level];
        out.extend(id.to_le_bytes());
        out.extend(u32::try_from(value.len()).unwrap().to_le_bytes());
        out.extend(value);
        out.extend([0, 0]);
        out
    }

    /// A `winmail.dat` with one file of a short and a long name.
    pub(crate) fn sample(long: &str, content: &[u8]) -> Vec<u8> {
        let mut properties = vec![1, 0, 0, 0];
        properties.extend(LONG_NAMES[0]);
        let units: Vec<u8> = long.encode_utf16().flat_map(u16::to_le_bytes).collect();
        properties.extend(1_u32.to_le_bytes());
        properties.extend(u32::try_from(units.len()).unwrap().to_le_bytes());
        properties.extend(units);
        let mut out = SIGNATURE.to_le_bytes().to_vec();
        out.extend([1, 0]);
        out.extend(write(1, 0x0008_9006, &[0, 0, 1, 0]));
        out.extend(write(ATTACHMENT_LEVEL, RENDER_DATA, &[0; 14]));
        out.extend(write(ATTACHMENT_LEVEL, TITLE, b"SHORT~1.TXT\0"));
        out.extend(write(ATTACHMENT_LEVEL, DATA, content));
        out.extend(write(ATTACHMENT_LEVEL, PROPERTIES, &properties));
        out
    }

    #[test]
    fn files_have_their_long_names() {
        let found = files(&sample("Grüße.txt", b"hello")).unwrap();
        let expected = File {
            name: "Grüße.txt".into(),
            content: b"hello".to_vec(),
        };
        assert_eq!(found, [expected]);
        assert_eq!(files(b"something else"), None);
    }

    proptest! {
        #[test]
        fn any_bytes_are_taken(at in 0_usize..150, value: u8, cut in 0_usize..200) {
            let mut bytes = sample("long.txt", b"hello");
            if let Some(byte) = bytes.get_mut(at) {
                *byte = value;
            }
            bytes.truncate(cut);
            let _ = files(&bytes);
        }
    }
}
