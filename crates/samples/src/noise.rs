//! What a tired reader makes of a page.

use page::{PageText, Source, Word};

use crate::dice::Dice;

/// What is taken for what.
const LOOKALIKES: &str =
    "0>O O>0 1>l l>1 I>l rn>m m>rn 5>S S>5 8>B B>8 e>c c>e a>o é>e ó>o í>i ñ>n º>° €>E ,>. t>f";

/// The page as an OCR engine might have read it: words missing, mistaken, torn and run together,
/// and less sure of itself. Some pages come out nearly clean, some badly.
pub fn noisy_text(page: &PageText, seed: u64) -> PageText {
    let mut dice = Dice::new(seed ^ 0x6e6f_6973_6500);
    let wear = dice.unit() * dice.unit();
    let (missed, mistaken) = ((wear * 7.0) as u32, (wear * 18.0) as u32);
    let mut words: Vec<Word> = Vec::with_capacity(page.words.len());
    for (at, word) in page.words.iter().enumerate() {
        if dice.chance(missed) {
            continue;
        }
        let mut word = word.clone();
        let luck = dice.unit();
        if dice.chance(mistaken) {
            mistake(&mut word, &mut dice);
        }
        let slipped = word.text != page.words[at].text;
        word.confidence = 1.0 - 10f32.powf(-surety(luck, wear, slipped));
        shake(&mut word, wear, &mut dice);
        let joined = dice.chance(mistaken / 8);
        match words.last_mut() {
            Some(last) if joined && (last.place.y - word.place.y).abs() < word.place.h * 0.3 => {
                last.text.push_str(&word.text);
                last.place = last.place.union(&word.place);
            }
            _ if dice.chance(mistaken / 8) && word.text.chars().count() > 4 => {
                words.extend(torn(&word, &mut dice));
            }
            _ => words.push(word),
        }
    }
    PageText { source: Source::Ocr, words, ..page.clone() }
}

/// How many nines an engine is sure of a word by. On scans it was sure of two words in three by more
/// than three nines; of the words that it misread, of most by one, of one in eight by three.
fn surety(luck: f32, wear: f32, slipped: bool) -> f32 {
    if slipped {
        0.6 + 1.1 * luck + 2.0 * luck.powi(6)
    } else {
        4.2 - 4.0 * (0.5 + wear) * luck.powi(3)
    }
}

fn mistake(word: &mut Word, dice: &mut Dice) {
    let pairs = LOOKALIKES.split(' ').filter_map(|pair| pair.split_once('>'));
    let fitting: Vec<_> = pairs.filter(|(from, _)| word.text.contains(from)).collect();
    if !fitting.is_empty() {
        let (from, to) = fitting[dice.below(fitting.len())];
        word.text = word.text.replacen(from, to, 1);
    }
}

fn shake(word: &mut Word, wear: f32, dice: &mut Dice) {
    let reach = word.place.h * 0.12 * wear;
    word.place.x += dice.span(-reach, reach);
    word.place.y += dice.span(-reach, reach);
    word.place.h *= dice.span(1.0 - 0.15 * wear, 1.0 + 0.15 * wear);
}

fn torn(word: &Word, dice: &mut Dice) -> [Word; 2] {
    let letters: Vec<char> = word.text.chars().collect();
    let at = 1 + dice.below(letters.len() - 1);
    let share = at as f32 / letters.len() as f32;
    let mut parts = [word.clone(), word.clone()];
    parts[0].text = letters[..at].iter().collect();
    parts[1].text = letters[at..].iter().collect();
    parts[0].place.w *= share * 0.95;
    parts[1].place.x += word.place.w * share;
    parts[1].place.w *= 1.0 - share;
    parts
}

/// Only a part of the page: what a crop, a fold or a bad photograph leaves.
pub(crate) fn partial(page: &PageText, seed: u64) -> PageText {
    let mut dice = Dice::new(seed ^ 0x0070_6172_7400);
    let keep = dice.span(0.3, 0.9);
    let from = dice.span(0.0, 1.0 - keep);
    let (top, low) = (from * page.height, (from + keep) * page.height);
    let mut part = page.clone();
    part.words.retain(|word| (top..low).contains(&word.place.y));
    part
}
