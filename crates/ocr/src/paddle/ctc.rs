//! From the recogniser's answer to words.

use super::alphabet::BLANK;

/// A word and the part of its strip that it covers.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Piece {
    pub(crate) text: String,
    pub(crate) confidence: f32,
    /// Begin and end along the strip, 0 to 1.
    pub(crate) begin: f32,
    pub(crate) end: f32,
}

/// A letter and the step it was seen at.
struct Letter {
    char: char,
    probability: f32,
    step: f32,
}

/// The words in the answer for one line: rows of one probability per letter.
///
/// The network says at every step which letter it sees, or none; equal neighbours are one letter.
/// `covered` is the share of the steps that show the strip; the others show padding.
pub(crate) fn words(answer: &[f32], letters: &[char], covered: f32) -> Vec<Piece> {
    let classes = letters.len().max(1);
    let mut seen: Vec<Letter> = Vec::new();
    let mut previous = BLANK;
    for (step, row) in answer.chunks_exact(classes).enumerate() {
        let (class, probability) = likeliest(row);
        if class != BLANK && class != previous {
            seen.push(Letter { char: letters[class], probability, step: step as f32 });
        } else if class != BLANK
            && let Some(last) = seen.last_mut()
        {
            last.probability = last.probability.max(probability);
            last.step += 0.5;
        }
        previous = class;
    }
    let steps = (answer.len() / classes) as f32 * covered;
    split(&seen, steps.max(1.0))
}

fn likeliest(row: &[f32]) -> (usize, f32) {
    let mut best = (BLANK, f32::NEG_INFINITY);
    for (class, probability) in row.iter().enumerate() {
        if *probability > best.1 {
            best = (class, *probability);
        }
    }
    best
}

/// Cuts at the spaces, and behind the colon of a label: the network rarely sees the narrow gap in
/// `Date: 15/03/2024`, and a value must be a word of its own.
fn split(seen: &[Letter], steps: f32) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut from = 0;
    for at in 1..=seen.len() {
        let gap = seen.get(at).is_none_or(|letter| letter.char == ' ');
        if gap || ends_label(&seen[from..at], seen[at].char) {
            let before = if from > 0 { seen[from - 1].step } else { 0.0 };
            let behind = seen.get(at).map_or(steps, |next| next.step + 1.0);
            let word = &seen[from..at];
            let word = if word[0].char == ' ' { &word[1..] } else { word };
            pieces.extend(piece(word, before, behind, steps));
            from = at;
        }
    }
    pieces
}

/// Not so within a time of day.
fn ends_label(word: &[Letter], next: char) -> bool {
    let [.., before, Letter { char: ':', .. }] = word else { return false };
    next.is_alphanumeric() && !before.char.is_ascii_digit() && before.char != ' '
}

fn piece(word: &[Letter], gap_before: f32, gap_behind: f32, steps: f32) -> Option<Piece> {
    let (first, last) = (word.first()?.step, word.last()?.step);
    // Half a letter before the first and behind the last, but not beyond the gaps.
    let pitch = if word.len() > 1 { (last - first) / (word.len() - 1) as f32 } else { 1.5 };
    let half = (pitch / 2.0).clamp(0.5, 3.0);
    let begin = (first + 0.5 - half).max(gap_before);
    let end = (last + 0.5 + half).min(gap_behind);
    let sum: f32 = word.iter().map(|letter| letter.probability).sum();
    Some(Piece {
        text: word.iter().map(|letter| letter.char).collect(),
        confidence: (sum / word.len() as f32).clamp(0.0, 1.0),
        begin: (begin / steps).clamp(0.0, 1.0),
        end: (end / steps).clamp(0.0, 1.0),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const LETTERS: [char; 6] = ['\0', 'a', 'b', ' ', ':', '7'];

    fn answer(classes: &[usize]) -> Vec<f32> {
        let row = |class: &usize| {
            let mut row = [0.1, 0.0, 0.0, 0.0, 0.0, 0.0];
            row[*class] = 0.8;
            row
        };
        classes.iter().flat_map(row).collect()
    }

    #[test]
    fn repeated_steps_are_one_letter_unless_a_blank_parts_them() {
        let words = words(&answer(&[0, 1, 1, 0, 1, 2, 0, 3, 2, 0]), &LETTERS, 1.0);
        let texts: Vec<&str> = words.iter().map(|word| word.text.as_str()).collect();
        assert_eq!(texts, ["aab", "b"]);
        assert!((words[0].confidence - 0.8).abs() < 1e-6);
        assert!(words[0].end <= words[1].begin, "{words:?}");
        assert!(words[0].begin < 0.2 && words[1].end > 0.85, "{words:?}");
    }

    #[test]
    fn a_label_is_parted_from_its_value() {
        let texts = |classes| -> Vec<String> {
            words(&answer(classes), &LETTERS, 1.0).into_iter().map(|word| word.text).collect()
        };
        assert_eq!(texts(&[3, 1, 2, 4, 5, 0, 5]), ["ab:", "77"]);
        assert_eq!(texts(&[5, 4, 5, 3, 4, 5]), ["7:7", ":7"]);
    }

    #[test]
    fn spaces_and_blanks_alone_are_no_words() {
        assert_eq!(words(&answer(&[0, 3, 0, 3, 3, 0]), &LETTERS, 1.0), []);
        assert_eq!(words(&[], &LETTERS, 0.5), []);
        assert_eq!(words(&[0.5], &[], 0.5), []);
    }
}
