//! Marks, packed: an item with a mark on each line has as many as it has lines.
//!
//! For each mark: how far its offset lies beyond the one before, as a varint;
//! one byte for the kind of place; the place. Pages and lines are kept as the
//! difference to the last of their kind (zigzag varint), seconds as eight bytes
//! (little-endian), parts as length and UTF-8.

use crate::{Mark, Place};

/// The packed form; none when there are no marks.
pub(super) fn pack(marks: &[Mark]) -> Option<Vec<u8>> {
    if marks.is_empty() {
        return None;
    }
    let mut out = Vec::with_capacity(marks.len() * 3);
    let (mut offset, mut page, mut line) = (0, 0, 0);
    for mark in marks {
        put_varint(&mut out, mark.offset.wrapping_sub(offset));
        offset = mark.offset;
        match &mark.place {
            Place::Page(number) => {
                out.push(0);
                put_difference(&mut out, &mut page, *number);
            }
            Place::Line(number) => {
                out.push(1);
                put_difference(&mut out, &mut line, *number);
            }
            Place::Second(seconds) => {
                out.push(2);
                out.extend_from_slice(&seconds.to_le_bytes());
            }
            Place::Part(name) => {
                out.push(3);
                put_varint(&mut out, name.len() as u64);
                out.extend_from_slice(name.as_bytes());
            }
        }
    }
    Some(out)
}

/// The marks again; none when the bytes are not of [`pack`]'s making.
pub(super) fn unpack(mut bytes: &[u8]) -> Option<Vec<Mark>> {
    let mut marks = Vec::new();
    let (mut offset, mut page, mut line) = (0_u64, 0, 0);
    while !bytes.is_empty() {
        offset = offset.wrapping_add(varint(&mut bytes)?);
        let kind = take(&mut bytes, 1)?[0];
        let place = match kind {
            0 => Place::Page(difference(&mut bytes, &mut page)?),
            1 => Place::Line(difference(&mut bytes, &mut line)?),
            2 => Place::Second(f64::from_le_bytes(take(&mut bytes, 8)?.try_into().ok()?)),
            3 => {
                let length = usize::try_from(varint(&mut bytes)?).ok()?;
                Place::Part(String::from_utf8(take(&mut bytes, length)?.to_vec()).ok()?)
            }
            _ => return None,
        };
        marks.push(Mark { offset, place });
    }
    Some(marks)
}

/// Of ascending `marks` those that say where `start..end` stands: of each kind
/// the last at or before `start`, and all within.
pub(super) fn covering(marks: &[Mark], start: u64, end: u64) -> Vec<Mark> {
    let first_after = marks.partition_point(|mark| mark.offset <= start);
    let mut found: Vec<Mark> = Vec::new();
    for mark in marks[..first_after].iter().rev() {
        let kind = std::mem::discriminant(&mark.place);
        if found
            .iter()
            .all(|other| std::mem::discriminant(&other.place) != kind)
        {
            found.push(mark.clone());
            if found.len() == 4 {
                break;
            }
        }
    }
    found.reverse();
    let within = marks[first_after..]
        .iter()
        .take_while(|mark| mark.offset < end);
    found.extend(within.cloned());
    found
}

fn put_varint(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push((value & 0x7f) as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

fn varint(bytes: &mut &[u8]) -> Option<u64> {
    let mut value = 0;
    for shift in (0..64).step_by(7) {
        let byte = take(bytes, 1)?[0];
        value |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Some(value);
        }
    }
    None
}

fn put_difference(out: &mut Vec<u8>, last: &mut i64, number: u32) {
    let number = i64::from(number);
    let step = number - *last;
    put_varint(out, ((step << 1) ^ (step >> 63)).cast_unsigned());
    *last = number;
}

fn difference(bytes: &mut &[u8], last: &mut i64) -> Option<u32> {
    let zigzag = varint(bytes)?;
    let step = (zigzag >> 1).cast_signed() ^ -((zigzag & 1).cast_signed());
    *last = last.checked_add(step)?;
    u32::try_from(*last).ok()
}

fn take<'a>(bytes: &mut &'a [u8], length: usize) -> Option<&'a [u8]> {
    let (taken, rest) = bytes.split_at_checked(length)?;
    *bytes = rest;
    Some(taken)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn place() -> impl Strategy<Value = Place> {
        prop_oneof![
            any::<u32>().prop_map(Place::Page),
            any::<u32>().prop_map(Place::Line),
            (0.0..1e9).prop_map(Place::Second),
            ".{0,12}".prop_map(Place::Part),
        ]
    }

    proptest! {
        #[test]
        fn packed_marks_come_back(places in prop::collection::vec((0_u64..300, place()), 0..50)) {
            let mut offset = 0;
            let marks: Vec<Mark> = places
                .into_iter()
                .map(|(step, place)| {
                    offset += step;
                    Mark { offset, place }
                })
                .collect();
            let packed = pack(&marks);
            prop_assert_eq!(packed.is_none(), marks.is_empty());
            prop_assert_eq!(unpack(&packed.unwrap_or_default()), Some(marks));
        }

        #[test]
        fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..60)) {
            let _ = unpack(&bytes);
        }
    }

    #[test]
    fn covering_takes_the_last_before_and_all_within() {
        let mark = |offset, place| Mark { offset, place };
        let marks = [
            mark(0, Place::Page(1)),
            mark(0, Place::Line(1)),
            mark(5, Place::Line(2)),
            mark(10, Place::Line(3)),
            mark(20, Place::Page(2)),
        ];
        assert_eq!(
            covering(&marks, 6, 20),
            [&marks[..1], &marks[2..4]].concat()
        );
        assert_eq!(covering(&marks, 5, 6), [&marks[..1], &marks[2..3]].concat());
        assert_eq!(covering(&marks, 20, 21), marks[3..]);
        assert!(covering(&[], 0, 9).is_empty());
    }
}
