//! How much of a page was read: the words found against the words that are there.

use std::collections::HashMap;

/// Counts over one page or, added up, over many.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Score {
    /// Words that are there and were read.
    pub found: usize,
    /// Words that are there.
    pub there: usize,
    /// Words that were read.
    pub read: usize,
}

impl Score {
    /// Compares words without regard to case and place; a word that occurs twice counts twice.
    pub fn of(read: &str, there: &str) -> Self {
        let mut open: HashMap<String, usize> = HashMap::new();
        let mut score = Self::default();
        for word in there.split_whitespace() {
            score.there += 1;
            *open.entry(word.to_lowercase()).or_default() += 1;
        }
        for word in read.split_whitespace() {
            score.read += 1;
            if let Some(left @ 1..) = open.get_mut(&word.to_lowercase()) {
                *left -= 1;
                score.found += 1;
            }
        }
        score
    }

    /// The same, but of letters and digits alone: signs at the edges of words and between them are
    /// passed over, since people disagree whether a colon belongs to its word.
    pub fn of_bare(read: &str, there: &str) -> Self {
        Self::of(&bare(read), &bare(there))
    }

    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self {
            found: self.found + other.found,
            there: self.there + other.there,
            read: self.read + other.read,
        }
    }

    /// Of the words that are there, the share that was read.
    pub fn recall(&self) -> f64 {
        share(self.found, self.there)
    }

    /// Of the words that were read, the share that is there.
    pub fn precision(&self) -> f64 {
        share(self.found, self.read)
    }
}

/// Words without signs, except between digits: `12.50`, `11/01/2019`.
fn bare(text: &str) -> String {
    let letters: Vec<char> = text.chars().collect();
    let digit = |at: usize| letters.get(at).is_some_and(char::is_ascii_digit);
    let mut bare = String::with_capacity(text.len());
    for (at, letter) in letters.iter().enumerate() {
        let inside = matches!(letter, '.' | ',' | '/' | '-' | ':')
            && at.checked_sub(1).is_some_and(digit)
            && digit(at + 1);
        bare.push(if letter.is_alphanumeric() || inside { *letter } else { ' ' });
    }
    bare
}

fn share(part: usize, whole: usize) -> f64 {
    if whole == 0 { 1.0 } else { part as f64 / whole as f64 }
}

/// The text of a `.boxes.csv` file: each line has eight coordinates of a box, then its text.
pub fn text_of_boxes(csv: &str) -> String {
    let mut text = String::new();
    for line in csv.lines() {
        if let Some(words) = line.splitn(9, ',').nth(8) {
            text.push_str(words.trim());
            text.push('\n');
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_read_once_covers_one_of_two() {
        let score = Score::of("Total 12.50 XX", "TOTAL total 12.50");
        assert_eq!(score, Score { found: 2, there: 3, read: 3 });
    }

    #[test]
    fn signs_count_only_inside_numbers() {
        let score = Score::of_bare("Tel:012-34 total 1.50", "TEL : 012-34 Total: 1.50 /");
        assert_eq!(score, Score { found: 4, there: 4, read: 4 });
        assert_eq!(Score::of_bare("150", "1.50").found, 0);
    }

    #[test]
    fn the_text_of_a_box_may_hold_commas() {
        let text = text_of_boxes("1,2,3,4,5,6,7,8,NO.53, JALAN\r\nbroken\n1,2,3,4,5,6,7,8,A\n");
        assert_eq!(text, "NO.53, JALAN\nA\n");
    }
}
