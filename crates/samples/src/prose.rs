//! Running text on many subjects, so that the model learns what ordinary pages are made of.

use std::sync::LazyLock;

use crate::{Lang, dice::Dice, words};

/// The parts of a sentence on one subject, each in several wordings.
struct Subject {
    parts: Vec<Vec<&'static str>>,
}

/// Texts by language.
struct Shelf {
    es: Vec<Subject>,
    en: Vec<Subject>,
    fr: Vec<Subject>,
    pt: Vec<Subject>,
}

impl Shelf {
    fn of(&self, lang: Lang) -> &[Subject] {
        match lang {
            Lang::Es => &self.es,
            Lang::En => &self.en,
            Lang::Fr => &self.fr,
            Lang::Pt => &self.pt,
        }
    }
}

static PROSE: LazyLock<Shelf> = LazyLock::new(|| Shelf {
    es: subjects(include_str!("../text/prose-es.txt")),
    en: subjects(include_str!("../text/prose-en.txt")),
    fr: subjects(include_str!("../text/prose-fr.txt")),
    pt: subjects(include_str!("../text/prose-pt.txt")),
});

static RULES: LazyLock<Shelf> = LazyLock::new(|| Shelf {
    es: subjects(include_str!("../text/rules-es.txt")),
    en: subjects(include_str!("../text/rules-en.txt")),
    fr: subjects(include_str!("../text/rules-fr.txt")),
    pt: subjects(include_str!("../text/rules-pt.txt")),
});

/// Subjects are set apart by empty lines; each line is `part: wording | wording`.
fn subjects(text: &'static str) -> Vec<Subject> {
    let wordings = |line: &'static str| {
        let (_, wordings) = line.split_once(": ").unwrap_or(("", line));
        wordings.split(" | ").collect()
    };
    let subject = |text: &'static str| Subject { parts: text.lines().map(wordings).collect() };
    text.trim_end().split("\n\n").map(subject).collect()
}

/// Sentences on one subject, now and then with words of no language.
pub(crate) fn paragraph(lang: Lang, sentences: usize, dice: &mut Dice) -> String {
    write(PROSE.of(lang), sentences, dice)
}

/// Sentences about payslips, invoices, identity cards and contracts.
pub(crate) fn rules(lang: Lang, sentences: usize, dice: &mut Dice) -> String {
    write(RULES.of(lang), sentences, dice)
}

fn write(subjects: &[Subject], sentences: usize, dice: &mut Dice) -> String {
    let subject = &subjects[dice.below(subjects.len())];
    let text: Vec<String> = (0..sentences).map(|_| sentence(subject, dice)).collect();
    text.join(" ")
}

fn sentence(subject: &Subject, dice: &mut Dice) -> String {
    let mut words: Vec<String> = Vec::new();
    for part in &subject.parts {
        words.extend(dice.of(part).split(' ').map(str::to_owned));
    }
    for word in &mut words {
        if dice.chance(12) {
            *word = words::nonsense(dice);
        }
    }
    let mut text = words.join(" ");
    text.push('.');
    text
}

/// A heading of a few words.
pub(crate) fn heading(lang: Lang, dice: &mut Dice) -> String {
    let text = paragraph(lang, 1, dice);
    let few = dice.between(2, 5) as usize;
    let text: Vec<&str> = text.trim_end_matches('.').split(' ').take(few).collect();
    text.join(" ")
}
