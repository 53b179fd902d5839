//! Tables: rows of facts, or a way to place things.

use crate::dom::{Dom, NodeId};
use crate::names::{Attribute, Name};

/// Cells of more text than this, in bytes, are places on a page, not facts.
const LONG_CELL: usize = 1_000;
/// The same for the average of all cells.
const LONG_AVERAGE: usize = 200;
/// Wider cells are counted as this many.
const MAX_SPAN: usize = 64;
/// Empty cells are written for what spans several, up to so many for each cell.
const MAX_PADDING: usize = 4;

/// A table of facts.
pub(crate) struct Grid {
    pub(crate) caption: Option<NodeId>,
    pub(crate) rows: Vec<Row>,
    pub(crate) columns: usize,
}

pub(crate) struct Row {
    /// Each cell and the number of columns before the next, at least 1. A cell
    /// that reaches down from the row above is a nothing.
    pub(crate) cells: Vec<(Option<NodeId>, usize)>,
}

/// The rows of a table, where it is one of facts: two columns and two rows at
/// least, no tables or long texts in it. Other tables only place their content.
pub(crate) fn grid(dom: &Dom, table: NodeId) -> Option<Grid> {
    if let Some(role) = dom.attribute(table, Attribute::Role)
        && matches!(role, "presentation" | "none")
    {
        return None;
    }
    let mut caption = None;
    let mut rows = Vec::new();
    let mut says_so = false;
    let mut bytes = 0;
    for id in dom.descendants(table) {
        match dom.name(id) {
            Name::Table
            | Name::Pre
            | Name::Blockquote
            | Name::Form
            | Name::Article
            | Name::Section
            | Name::H1
            | Name::H2
            | Name::H3 => return None,
            Name::Caption if caption.is_none() => caption = Some(id),
            Name::Thead | Name::Th => says_so = true,
            Name::Tr => rows.push(id),
            Name::Text => bytes += dom.text(id).trim_ascii().len(),
            _ => {}
        }
    }
    let rows = lay_out(dom, &rows, says_so)?;
    let width = |row: &Row| row.cells.iter().map(|&(_, span)| span).sum::<usize>();
    let columns = rows.iter().map(width).max().unwrap_or(0);
    let cells: usize = rows.iter().map(|row| row.cells.len()).sum();
    let facts = columns >= 2
        && rows.len() >= 2
        && (says_so || caption.is_some() || bytes <= cells * LONG_AVERAGE);
    facts.then_some(Grid {
        caption,
        rows,
        columns,
    })
}

fn lay_out(dom: &Dom, rows: &[NodeId], says_so: bool) -> Option<Vec<Row>> {
    // For each column how many more rows the cell in it reaches down.
    let mut down: Vec<usize> = Vec::new();
    let mut laid_out = Vec::with_capacity(rows.len());
    let mut padding = MAX_SPAN;
    for &row in rows {
        let mut cells = Vec::new();
        let mut column = 0;
        for cell in dom.children(row).filter(|&id| dom.name(id).is_cell()) {
            pass_over(&mut down, &mut column, &mut cells);
            let bytes: usize = dom.descendants(cell).map(|id| dom.text(id).len()).sum();
            if bytes > LONG_CELL && !says_so {
                return None;
            }
            padding += MAX_PADDING;
            let number = |name| {
                let value = dom.attribute(cell, name)?.trim().parse::<usize>().ok()?;
                Some(value.clamp(1, MAX_SPAN))
            };
            let mut span = number(Attribute::Colspan).unwrap_or(1);
            let mut height = number(Attribute::Rowspan).unwrap_or(1);
            if span * height - 1 > padding {
                (span, height) = (1, 1);
            }
            padding -= span * height - 1;
            if height > 1 {
                down.resize(down.len().max(column + span), 0);
                down[column..column + span].fill(height - 1);
            }
            cells.push((Some(cell), span));
            column += span;
        }
        pass_over(&mut down, &mut column, &mut cells);
        if cells.iter().any(|(cell, _)| cell.is_some()) {
            laid_out.push(Row { cells });
        }
    }
    Some(laid_out)
}

/// Goes on to the next column that no cell above reaches down to.
fn pass_over(down: &mut [usize], column: &mut usize, cells: &mut Vec<(Option<NodeId>, usize)>) {
    while let Some(rows) = down.get_mut(*column).filter(|rows| **rows > 0) {
        *rows -= 1;
        cells.push((None, 1));
        *column += 1;
    }
}
