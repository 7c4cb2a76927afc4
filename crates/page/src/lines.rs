//! Words that stand on one printed line.

use crate::{PageText, Rect};

/// A printed line: indices into the words of its page, left to right.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    pub words: Vec<usize>,
    pub place: Rect,
}

impl PageText {
    /// The printed lines from top to bottom. A word joins the line whose middle runs through it.
    pub fn lines(&self) -> Vec<Line> {
        let mut order: Vec<usize> = (0..self.words.len()).collect();
        let middle = |word: usize| self.words[word].place.middle();
        order.sort_by(|a, b| middle(*a).1.total_cmp(&middle(*b).1));
        let mut lines: Vec<Line> = Vec::new();
        for word in order {
            let place = self.words[word].place;
            let y = place.middle().1;
            // Only the last few lines can still reach this far down.
            let fits = |line: &Line| {
                let (_, of_line) = line.place.middle();
                let reach = line.place.h.min(place.h) * 0.5;
                (of_line - y).abs() <= reach && !overlaps(&line.place, &place, self, line)
            };
            match lines.iter_mut().rev().take(4).find(|line| fits(line)) {
                Some(line) => {
                    line.words.push(word);
                    line.place = line.place.union(&place);
                }
                None => lines.push(Line { words: vec![word], place }),
            }
        }
        for line in &mut lines {
            line.words.sort_by(|a, b| self.words[*a].place.x.total_cmp(&self.words[*b].place.x));
        }
        lines.sort_by(|a, b| a.place.middle().1.total_cmp(&b.place.middle().1));
        lines
    }
}

/// Whether the word would be printed over one of the line's words: then it is another line.
fn overlaps(line: &Rect, place: &Rect, page: &PageText, of: &Line) -> bool {
    if place.x >= line.right() || place.right() <= line.x {
        return false;
    }
    of.words.iter().any(|word| {
        let other = &page.words[*word].place;
        let shared = other.right().min(place.right()) - other.x.max(place.x);
        shared > 0.5 * other.w.min(place.w)
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use crate::{PageText, Rect, Source, Word};

    fn page(words: &[(&str, f32, f32)]) -> PageText {
        let word = |(text, x, y): &(&str, f32, f32)| Word {
            text: (*text).to_owned(),
            place: Rect { x: *x, y: *y, w: 8.0 * text.len() as f32, h: 10.0 },
            confidence: 1.0,
        };
        PageText {
            width: 600.0,
            height: 800.0,
            source: Source::Plain,
            turned: 0,
            words: words.iter().map(word).collect(),
        }
    }

    #[test]
    fn words_of_a_slightly_crooked_line_stay_together() {
        let page = page(&[("Total", 10.0, 100.0), ("12,50", 300.0, 103.0), ("IVA", 10.0, 86.0)]);
        assert_eq!(page.text(), "IVA\nTotal 12,50");
    }

    proptest! {
        #[test]
        fn every_word_is_on_one_line(places in prop::collection::vec((0f32..500.0, 0f32..700.0), 0..60)) {
            let words: Vec<_> = places.iter().map(|(x, y)| ("word", *x, *y)).collect();
            let page = page(&words);
            let mut seen: Vec<_> = page.lines().into_iter().flat_map(|line| line.words).collect();
            seen.sort_unstable();
            prop_assert_eq!(seen, (0..places.len()).collect::<Vec<_>>());
        }
    }
}
