//! Lines that stay as they are: code, sessions, drawn tables.

use super::Rst;
use crate::lists::{split_indent, without_indent};
use crate::out::fence;

impl<'a> Rst<'a> {
    pub(super) fn skip_blank(&mut self) {
        while self.at < self.lines.len() && self.get(self.at).trim().is_empty() {
            self.at += 1;
        }
    }

    /// The lines that are further in than `column`, from here on, without
    /// empty ones at the end.
    pub(super) fn block(&mut self, column: usize) -> (u32, Vec<&'a str>) {
        let start = self.at;
        let mut end = start;
        let mut at = start;
        while at < self.lines.len() {
            let line = self.get(at);
            if !line.trim().is_empty() {
                if split_indent(line).0 <= column {
                    break;
                }
                end = at + 1;
            }
            at += 1;
        }
        self.at = end;
        (start as u32 + 1, self.lines[start..end].to_vec())
    }

    /// The lines further in than `column` as code.
    pub(super) fn code(&mut self, language: &str, column: usize) {
        let (number, lines) = self.block(column);
        let inner = lines
            .iter()
            .filter(|line| !line.trim().is_empty())
            .map(|line| line.len() - line.trim_start_matches([' ', '\t']).len())
            .min()
            .unwrap_or(0);
        if lines.is_empty() {
            return;
        }
        let before = self.lists.text(usize::MAX);
        let fence = fence(lines.iter().copied());
        self.out.blank();
        self.out.at_line(number);
        self.out.push(&format!("{before}{fence}{language}\n"));
        for (number, line) in (number..).zip(&lines) {
            let line = line.get(inner..).unwrap_or_default().trim_end();
            self.out.line(number, &format!("{before}{line}"));
        }
        self.out.push(&format!("{before}{fence}\n"));
    }

    /// A session with Python goes on to the next empty line.
    pub(super) fn session(&mut self, column: usize) {
        let start = self.at;
        while !self.get(self.at).trim().is_empty() {
            self.at += 1;
        }
        let lines = self.lines[start..self.at].to_vec();
        let before = self.lists.text(column);
        let fence = fence(lines.iter().copied());
        self.head = false;
        self.out.at_line(start as u32 + 1);
        self.out.push(&format!("{before}{fence}python\n"));
        for (number, line) in (start as u32 + 1..).zip(lines) {
            let line = without_indent(line, column).trim_end();
            self.out.line(number, &format!("{before}{line}"));
        }
        self.out.push(&format!("{before}{fence}\n"));
    }

    /// A table drawn with signs stays as it is drawn.
    pub(super) fn table(&mut self) -> bool {
        let line = self.get(self.at).trim();
        let grid = line.starts_with("+-") && line.bytes().all(|byte| b"+-=".contains(&byte));
        let simple = line.starts_with("==")
            && line.split(' ').filter(|part| !part.is_empty()).count() > 1
            && line.bytes().all(|byte| b"= ".contains(&byte));
        if !grid && !simple {
            return false;
        }
        let start = self.at;
        let mut end = start + 1;
        let mut rules = 1;
        while end < self.lines.len() {
            let line = self.get(end).trim();
            if grid {
                if !line.starts_with(['+', '|']) {
                    break;
                }
            } else if line.starts_with("==") && line.bytes().all(|byte| b"= ".contains(&byte)) {
                rules += 1;
                let over = self.get(end + 1).trim().is_empty();
                if rules > 2 || over {
                    end += 1;
                    break;
                }
            } else if line.is_empty() && rules > 2 {
                break;
            }
            end += 1;
        }
        let lines = self.lines[start..end].to_vec();
        let fence = fence(lines.iter().copied());
        self.out.blank();
        self.out.at_line(start as u32 + 1);
        self.out.push(&format!("{fence}\n"));
        for (number, line) in (start as u32 + 1..).zip(lines) {
            self.out.line(number, line.trim_end());
        }
        self.out.push(&format!("{fence}\n"));
        self.at = end;
        true
    }
}
