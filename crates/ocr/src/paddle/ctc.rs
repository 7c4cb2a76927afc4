//! Decodes what the recogniser answers (CTC) into words.

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

/// The network hesitates over narrow gaps: this much belief in a space is enough. Of 50 scanned
/// receipts 0.92 of the words are then read as they are printed, and 0.88 if only its first choice
/// counts.
const GAP: f32 = 0.05;
/// Beside a colon less is enough: `Date:15/03/2024` is a label and its value.
const GAP_AT_COLON: f32 = 0.005;

/// The words in the answer for one line: rows of one probability per letter.
///
/// The network says at every step which letter it sees, or none; equal neighbours are one letter.
/// `covered` is the share of the steps that show the strip; the others show padding.
pub(crate) fn words(answer: &[f32], letters: &[char], covered: f32) -> Vec<Piece> {
    let classes = letters.len().max(1);
    let space = letters.iter().position(|letter| *letter == ' ');
    let mut seen: Vec<Letter> = Vec::new();
    let mut previous = BLANK;
    // How likely a space is since the last letter.
    let mut gap: f32 = 0.0;
    for (step, row) in answer.chunks_exact(classes).enumerate() {
        gap = gap.max(space.map_or(0.0, |space| row[space]));
        let (class, probability) = likeliest(row);
        if class != BLANK && class != previous {
            let letter = Letter { char: letters[class], probability, step: step as f32 };
            seen.extend(parted(seen.last(), &letter, gap));
            seen.push(letter);
            gap = 0.0;
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

/// The space between two letters, if there seems to be one that was not seen outright.
fn parted(before: Option<&Letter>, next: &Letter, gap: f32) -> Option<Letter> {
    let before = before?;
    let colon = before.char == ':' || next.char == ':';
    let enough = if colon { GAP_AT_COLON } else { GAP };
    let step = f32::midpoint(before.step, next.step);
    let both = before.char != ' ' && next.char != ' ';
    (both && gap > enough).then_some(Letter { char: ' ', probability: gap, step })
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

/// Cuts at the spaces.
fn split(seen: &[Letter], steps: f32) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut from = 0_usize;
    for at in 0..=seen.len() {
        let next = seen.get(at);
        if next.is_none_or(|letter| letter.char == ' ') {
            let before = from.checked_sub(1).map_or(0.0, |space| seen[space].step);
            let behind = next.map_or(steps, |space| space.step + 1.0);
            pieces.extend(piece(&seen[from..at], before, behind, steps));
            from = at + 1;
        }
    }
    pieces
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
    fn a_likely_gap_parts_words_and_a_faint_one_only_at_a_colon() {
        let texts = |gap: f32, classes: &[usize]| -> Vec<String> {
            let mut answer = answer(classes);
            let between = answer.chunks_exact_mut(LETTERS.len()).nth(2).unwrap();
            between[3] = gap;
            words(&answer, &LETTERS, 1.0).into_iter().map(|word| word.text).collect()
        };
        assert_eq!(texts(0.06, &[1, 2, 0, 5, 0, 5]), ["ab", "77"]);
        assert_eq!(texts(0.04, &[1, 2, 0, 5, 0, 5]), ["ab77"]);
        assert_eq!(texts(0.04, &[1, 4, 0, 5, 0, 5]), ["a:", "77"]);
        assert_eq!(texts(0.0, &[5, 4, 0, 5, 0, 5]), ["7:77"]);
    }

    #[test]
    fn spaces_and_blanks_alone_are_no_words() {
        assert_eq!(words(&answer(&[0, 3, 0, 3, 3, 0]), &LETTERS, 1.0), []);
        assert_eq!(words(&[], &LETTERS, 0.5), []);
        assert_eq!(words(&[0.5], &[], 0.5), []);
    }
}
