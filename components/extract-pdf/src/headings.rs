//! Which lines of the pages the outline's entries name.

use std::collections::HashMap;

use unicode_normalization::UnicodeNormalization;

use crate::layout::Block;
use crate::outline::Entry;

/// What a page has before it becomes text.
#[derive(Debug, Default)]
pub(crate) struct PageLines {
    pub(crate) blocks: Vec<Block>,
    /// From the page's own coordinates to the page as it is seen.
    pub(crate) to_seen: hayro_font::kurbo::Affine,
}

/// For each line of a page the level of the heading it is.
pub(crate) type Levels = Vec<Vec<Option<u8>>>;

/// A number before a title is at most so long.
const MOST_NUMBER: usize = 12;

/// The lines that are headings, by page, and the entries no line was found for.
pub(crate) fn find<'e>(
    pages: &[PageLines],
    entries: &'e [Entry],
) -> (HashMap<usize, Levels>, Vec<&'e Entry>) {
    let mut levels: HashMap<usize, Levels> = HashMap::new();
    let mut lost = Vec::new();
    let mut by_page: HashMap<usize, Vec<Candidate>> = HashMap::new();
    for entry in entries {
        let found = entry.page.and_then(|index| {
            let page = pages.get(index)?;
            let candidates = by_page.entry(index).or_insert_with(|| candidates(page));
            let page_levels = levels.entry(index).or_insert_with(|| no_levels(page));
            mark(page, candidates, page_levels, entry)
        });
        if found.is_none() {
            lost.push(entry);
        }
    }
    (levels, lost)
}

/// No line a heading.
pub(crate) fn no_levels(page: &PageLines) -> Levels {
    let blocks = page.blocks.iter();
    blocks.map(|block| vec![None; block.len()]).collect()
}

/// A line, by the letters it has.
struct Candidate {
    block: usize,
    line: usize,
    letters: String,
}

fn candidates(page: &PageLines) -> Vec<Candidate> {
    let mut out = Vec::new();
    for (block, lines) in page.blocks.iter().enumerate() {
        for (line, text) in lines.iter().enumerate() {
            out.push(Candidate {
                block,
                line,
                letters: letters(&text.text),
            });
        }
    }
    out
}

fn letters(text: &str) -> String {
    text.nfkc()
        .filter(|c| c.is_alphanumeric())
        .flat_map(char::to_lowercase)
        .collect()
}

/// Marks the lines that say the entry's title, those nearest to where it leads.
fn mark(page: &PageLines, candidates: &[Candidate], levels: &mut Levels, entry: &Entry) -> Option<()> {
    let title = letters(&entry.title);
    if title.is_empty() {
        return None;
    }
    let height = entry
        .top
        .map(|top| (page.to_seen * hayro_font::kurbo::Point::new(0.0, top)).y);
    let mut best: Option<(f64, usize, usize)> = None;
    for (index, candidate) in candidates.iter().enumerate() {
        if levels[candidate.block][candidate.line].is_some() {
            continue;
        }
        let Some(count) = lines_of_title(candidates, index, &title) else {
            continue;
        };
        let line = &page.blocks[candidate.block][candidate.line];
        let distance = match height {
            Some(height) => (line.base - line.size - height).abs(),
            // Headings are larger than where they are mentioned.
            None => -line.size,
        };
        if best.is_none_or(|(least, _, _)| distance < least) {
            best = Some((distance, index, count));
        }
    }
    let (_, index, count) = best?;
    let level = u8::try_from(entry.depth + 1).unwrap_or(6).min(6);
    for candidate in &candidates[index..index + count] {
        levels[candidate.block][candidate.line] = Some(level);
    }
    Some(())
}

/// How many lines, from that one on, make the title, perhaps with its number
/// before it; nothing where they do not.
fn lines_of_title(candidates: &[Candidate], index: usize, title: &str) -> Option<usize> {
    let first = &candidates[index];
    let mut letters = String::new();
    for (count, next) in candidates[index..].iter().take(4).enumerate() {
        if next.block != first.block {
            return None;
        }
        letters.push_str(&next.letters);
        if is_title(&letters, title) {
            return Some(count + 1);
        }
        if letters.len() > title.len() + MOST_NUMBER {
            return None;
        }
    }
    None
}

fn is_title(letters: &str, title: &str) -> bool {
    if letters == title {
        return true;
    }
    let (long, short) = if letters.len() > title.len() {
        (letters, title)
    } else {
        (title, letters)
    };
    // `2.1 Methods` and `Methods`, `Chapter 3 Results` and `Results`.
    long.strip_suffix(short).is_some_and(|number| {
        short.chars().count() > 2
            && number.len() <= MOST_NUMBER
            && (number.chars().any(|c| c.is_ascii_digit()) || is_roman(number))
    })
}

fn is_roman(number: &str) -> bool {
    !number.is_empty() && number.bytes().all(|byte| b"ivxlcm".contains(&byte))
}
