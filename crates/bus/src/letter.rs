//! Hints as they go between processes: who says it, then a line per topic.

use std::collections::BTreeMap;

/// `PostgreSQL` takes payloads below eight thousand bytes; names of processes and topics fit often.
const MOST_BYTES: usize = 7_900;

/// Marks by topic.
pub(crate) type Hints = BTreeMap<String, i64>;

/// All hints in as few letters as they fit. Without any there is one letter that only says who.
pub(crate) fn write(from: &str, hints: &Hints) -> Vec<String> {
    let mut letters = vec![from.to_owned()];
    for (topic, mark) in hints {
        let line = format!("\n{mark} {topic}");
        if from.len() + line.len() > MOST_BYTES || topic.contains(['\n', '\0']) {
            // No name in code is like this.
            continue;
        }
        match letters.last_mut() {
            Some(letter) if letter.len() + line.len() <= MOST_BYTES => letter.push_str(&line),
            _ => letters.push(format!("{from}{line}")),
        }
    }
    letters
}

/// Who says it, and what. What cannot be read is left out: another version may say more.
pub(crate) fn read(letter: &str) -> (&str, impl Iterator<Item = (&str, i64)>) {
    let mut lines = letter.split('\n');
    let from = lines.next().unwrap_or_default();
    let hints = lines.filter_map(|line| {
        let (mark, topic) = line.split_once(' ')?;
        Some((topic, mark.parse().ok()?))
    });
    (from, hints)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_hint_arrives_however_many_there_are_and_no_letter_is_too_long() {
        for many in [0, 1, 7, 2_000] {
            let hints: Hints = (0..many).map(|n| (format!("a topic {n}"), n * 31 - 5)).collect();
            let letters = write("ana/17/beef", &hints);
            assert!(letters.iter().all(|letter| letter.len() <= MOST_BYTES));
            let arrived: Hints = letters
                .iter()
                .flat_map(|letter| {
                    let (from, hints) = read(letter);
                    assert_eq!(from, "ana/17/beef");
                    hints.map(|(topic, mark)| (topic.to_owned(), mark)).collect::<Vec<_>>()
                })
                .collect();
            assert_eq!(arrived, hints);
        }
    }

    #[test]
    fn what_cannot_be_sent_or_read_is_left_out() {
        let broken = ["a\nb".to_owned(), "x".repeat(8_000)];
        let hints: Hints = broken.into_iter().map(|topic| (topic, 1)).collect();
        assert_eq!(write("me", &hints), ["me"]);
        let (from, hints) = read("you\nnot a mark\n7 good\n\n8");
        assert_eq!((from, hints.collect::<Vec<_>>()), ("you", vec![("good", 7)]));
    }
}
