//! Tables: a heading row and rows that may run over to further pages.

use page::Rect;

use crate::{draft::Draft, layout::wrap};

pub(crate) struct Table {
    pub(crate) titles: Vec<String>,
    /// Parts of the width; wide columns hold words, narrow ones numbers aligned to the right.
    pub(crate) shares: Vec<f32>,
    pub(crate) rows: Vec<Vec<String>>,
    pub(crate) grid: Grid,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Grid {
    None,
    UnderTitles,
    Lines,
    Shaded,
}

impl Grid {
    pub(crate) fn of(number: usize) -> Self {
        [Self::None, Self::UnderTitles, Self::Lines, Self::Shaded][number % 4]
    }
}

const WORDY: f32 = 0.2;

/// Prints the table; `turn` starts the next page when one is full.
pub(crate) fn print(draft: &mut Draft, table: &Table, turn: &mut dyn FnMut(&mut Draft)) {
    titles(draft, table);
    for row in &table.rows {
        if draft.y > draft.bottom() - 8.0 {
            turn(draft);
            titles(draft, table);
        }
        print_row(draft, table, row);
    }
}

fn titles(draft: &mut Draft, table: &Table) {
    let (left, width, size) = (draft.left(), draft.right() - draft.left(), draft.style.size);
    let (y, step) = (draft.y, draft.step());
    if table.grid == Grid::Shaded {
        let place = Rect { x: left - 2.0, y: y - size, w: width + 4.0, h: step };
        draft.page().fill(place, 215);
    }
    let face = draft.style.face.bold();
    let mut x = left;
    for (title, share) in table.titles.iter().zip(&table.shares) {
        if *share >= WORDY {
            draft.page().put(x, y, size, face, title);
        } else {
            draft.page().put_right(x + share * width - 3.0, y, size, face, title);
        }
        x += share * width;
    }
    match table.grid {
        Grid::None | Grid::Shaded => {}
        Grid::UnderTitles | Grid::Lines => draft.page().rule(left, y + size * 0.4, width),
    }
    draft.down(1.2);
}

fn print_row(draft: &mut Draft, table: &Table, row: &[String]) {
    let (left, width, size) = (draft.left(), draft.right() - draft.left(), draft.style.size);
    let (face, y, step) = (draft.style.face, draft.y, draft.step());
    let mut x = left;
    let mut lines = 1;
    for (cell, share) in row.iter().zip(&table.shares) {
        if *share >= WORDY {
            let wrapped = wrap(cell, share * width - 4.0, size, face);
            for (n, line) in wrapped.iter().enumerate() {
                draft.page().put(x, y + n as f32 * step, size, face, line);
            }
            lines = lines.max(wrapped.len());
        } else {
            draft.page().put_right(x + share * width - 3.0, y, size, face, cell);
        }
        x += share * width;
    }
    draft.down(lines as f32);
    if table.grid == Grid::Lines {
        let y = draft.y - step + size * 0.35;
        draft.page().rule(left, y, width);
    }
}
