//! Turns a page into numbered features for the classifier.
//!
//! Words, pairs of words and pieces of words are hashed into a fixed number of buckets, so that
//! no dictionary is stored and words never seen cost nothing. Letters lose case and accents, digits
//! become `0`: a reader's slip in one letter spares the other pieces of the word. There are many more
//! buckets than words in training, so that a word nobody taught is nearly always known as such.

use page::PageText;

use super::{
    continuity::mrz_like,
    topics::{TOPICS, topics},
};

const WORD_BITS: u32 = 17;
const PAIR_BITS: u32 = 17;
const PIECE_BITS: u32 = 16;
const PAIRS: u32 = 1 << WORD_BITS;
const PIECES: u32 = PAIRS + (1 << PAIR_BITS);
const HINTS: u32 = PIECES + (1 << PIECE_BITS);
const HINT_COUNT: u32 = 128;
const MEANINGS: u32 = HINTS + HINT_COUNT;

/// All features have numbers below this.
pub(super) const FEATURES: usize = (MEANINGS + TOPICS) as usize;

/// Which of the groups are the meanings.
pub(super) const MEANINGS_AT: usize = 4;

/// Words beyond this add nothing to what a page is.
const WORD_LIMIT: usize = 1_500;
const LETTER_LIMIT: usize = 24;

/// Features that are present, each group with its weight: the members a model knows share it.
#[derive(Clone, Debug, Default)]
pub(super) struct Features {
    pub(super) groups: Vec<Group>,
    /// Words with at least two letters, and days and codes among them: how much the page says at all.
    pub(super) spoken: usize,
}

#[derive(Clone, Debug)]
pub(super) struct Group {
    pub(super) weight: f32,
    /// Words themselves: what a page in another language, or of another trade, does not share.
    pub(super) lexical: bool,
    pub(super) present: Vec<u32>,
}

impl Group {
    /// Presence counts, not frequency.
    fn new(weight: f32, lexical: bool, mut present: Vec<u32>) -> Self {
        present.sort_unstable();
        present.dedup();
        Self { weight, lexical, present }
    }

    /// What one known member counts when there are `known` of them: a group's length is its weight
    /// whatever the page's, and words that nobody taught take nothing away from the others.
    pub(super) fn share(&self, known: usize) -> f32 {
        self.weight / (known.max(1) as f32).sqrt()
    }
}

pub(super) fn features(page: &PageText) -> Features {
    let words = plain_words(page);
    let mut unigrams = Vec::with_capacity(words.len());
    let mut pairs = Vec::with_capacity(words.len());
    let mut pieces = Vec::with_capacity(words.len() * 12);
    let mut before = 0;
    for word in &words {
        let hash = fnv(word.as_bytes(), 1);
        unigrams.push(hash % (1 << WORD_BITS));
        if before != 0 {
            pairs.push(PAIRS + mix(before, hash) % (1 << PAIR_BITS));
        }
        before = hash;
        cut(word, &mut pieces);
    }
    let spoken = words.iter().filter(|w| w.bytes().filter(u8::is_ascii_alphabetic).count() > 1);
    let spoken = spoken.count();
    // Days and codes say something beside words; alone they say nothing.
    let coded = words.iter().filter(|word| word.contains("0000")).count();
    let spoken = spoken + coded.min(spoken / 2);
    let meanings = topics(page).into_iter().map(|topic| MEANINGS + topic).collect();
    let groups = vec![
        Group::new(1.0, true, unigrams),
        Group::new(0.7, true, pairs),
        Group::new(0.8, true, pieces),
        Group::new(0.7, false, hints(page, &words)),
        Group::new(1.3, false, meanings),
    ];
    Features { groups, spoken }
}

/// Lower case, no accents, digits as `0` (a run of them says how long it is up to four), no
/// punctuation around.
fn plain_words(page: &PageText) -> Vec<String> {
    let mut words = Vec::new();
    for line in page.lines() {
        for word in line.words {
            if words.len() >= WORD_LIMIT {
                return words;
            }
            let plain = plain(&page.words[word].text);
            if !plain.is_empty() {
                words.push(plain);
            }
        }
    }
    words
}

fn plain(word: &str) -> String {
    let mut out = String::new();
    let mut digits = 0;
    for letter in word.chars().take(LETTER_LIMIT * 2) {
        let letter = fold(letter);
        if letter.is_ascii_digit() {
            digits += 1;
            if digits <= 4 {
                out.push('0');
            }
            continue;
        }
        digits = 0;
        out.extend(letter.to_lowercase());
    }
    let trimmed = out.trim_matches(|c: char| !c.is_alphanumeric() && !"€$£%@<#".contains(c));
    trimmed.chars().take(LETTER_LIMIT).collect()
}

/// The letter without its accent.
pub(super) fn fold(letter: char) -> char {
    match letter {
        'á' | 'à' | 'â' | 'ä' | 'ã' | 'Á' | 'À' | 'Â' | 'Ä' | 'Ã' => 'a',
        'é' | 'è' | 'ê' | 'ë' | 'É' | 'È' | 'Ê' | 'Ë' => 'e',
        'í' | 'ì' | 'î' | 'ï' | 'Í' | 'Ì' | 'Î' | 'Ï' => 'i',
        'ó' | 'ò' | 'ô' | 'ö' | 'õ' | 'Ó' | 'Ò' | 'Ô' | 'Ö' | 'Õ' => 'o',
        'ú' | 'ù' | 'û' | 'ü' | 'Ú' | 'Ù' | 'Û' | 'Ü' => 'u',
        'ñ' | 'Ñ' => 'n',
        'ç' | 'Ç' => 'c',
        other => other,
    }
}

/// Pieces of three to five letters, the ends of the word marked.
fn cut(word: &str, pieces: &mut Vec<u32>) {
    let letters: Vec<u8> =
        std::iter::once(b'^').chain(word.bytes()).chain(std::iter::once(b'$')).collect();
    for length in 3..=5usize {
        for piece in letters.windows(length) {
            if piece.iter().filter(|b| b.is_ascii_alphabetic()).count() >= 2 {
                pieces.push(PIECES + fnv(piece, 7) % (1 << PIECE_BITS));
            }
        }
    }
}

fn fnv(bytes: &[u8], seed: u32) -> u32 {
    let mut hash = 0x811c_9dc5 ^ seed.wrapping_mul(0x9e37_79b9);
    for byte in bytes {
        hash = (hash ^ u32::from(*byte)).wrapping_mul(0x0100_0193);
    }
    mix(hash, seed)
}

fn mix(a: u32, b: u32) -> u32 {
    let mut hash = a.rotate_left(13) ^ b.wrapping_mul(0x85eb_ca6b);
    hash = (hash ^ (hash >> 16)).wrapping_mul(0xc2b2_ae35);
    (hash ^ (hash >> 15)) | 1
}

/// What the page looks like, whatever it says: each measure falls into one of eight steps.
fn hints(page: &PageText, words: &[String]) -> Vec<u32> {
    let count = words.len() as f32;
    let share =
        |test: &dyn Fn(&&String) -> bool| words.iter().filter(test).count() as f32 / count.max(1.0);
    let numeric = share(&|w| w.bytes().filter(u8::is_ascii_digit).count() * 2 > w.len());
    let long = share(&|w| w.len() >= 8 && w.bytes().all(|b| b.is_ascii_alphabetic()));
    let short = share(&|w| w.len() <= 3);
    let decimals = share(&|w| {
        let tail = w.as_bytes();
        tail.len() >= 4 && matches!(tail[tail.len() - 3], b'.' | b',') && w.ends_with("00")
    });
    let lines = page.lines();
    let (left, right) = page.words.iter().fold((f32::MAX, 0f32), |(left, right), word| {
        (left.min(word.place.x), right.max(word.place.right()))
    });
    let top = page.words.iter().map(|w| w.place.y).fold(f32::MAX, f32::min);
    let low = page.words.iter().map(|w| w.place.bottom()).fold(0.0, f32::max);
    let block = (right - left).max(1.0) / (low - top).max(1.0);
    let mut heights: Vec<f32> = page.words.iter().map(|w| w.place.h).collect();
    heights.sort_by(f32::total_cmp);
    let middle = heights.get(heights.len() / 2).copied().unwrap_or(1.0).max(0.1);
    let largest = heights.last().copied().unwrap_or(1.0) / middle;
    let letters_across = (right - left).max(0.0) / middle;
    let per_line = count / (lines.len().max(1) as f32);
    let mrz = lines.iter().filter(|line| mrz_like(page, line)).count();
    let measures = [
        steps(count, &[5.0, 15.0, 40.0, 90.0, 180.0, 320.0, 500.0]),
        steps(numeric, &[0.02, 0.06, 0.12, 0.2, 0.3, 0.4, 0.5]),
        steps(long, &[0.03, 0.07, 0.12, 0.17, 0.22, 0.28, 0.35]),
        steps(short, &[0.1, 0.2, 0.27, 0.34, 0.42, 0.5, 0.6]),
        steps(decimals, &[0.005, 0.02, 0.05, 0.1, 0.16, 0.23, 0.3]),
        steps(block, &[0.25, 0.4, 0.6, 0.85, 1.2, 1.6, 2.2]),
        steps(largest, &[1.15, 1.4, 1.7, 2.1, 2.6, 3.3, 4.5]),
        steps(letters_across, &[14.0, 20.0, 26.0, 33.0, 42.0, 54.0, 70.0]),
        steps(per_line, &[1.5, 2.2, 3.0, 4.0, 5.5, 7.5, 10.0]),
        mrz.min(7) as u32,
    ];
    measures.iter().enumerate().map(|(n, step)| HINTS + n as u32 * 8 + step).collect()
}

fn steps(value: f32, bounds: &[f32; 7]) -> u32 {
    bounds.iter().filter(|bound| value > **bound).count() as u32
}
