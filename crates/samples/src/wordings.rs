//! What is printed, by name and language: `text/wordings.list`.

use std::{collections::HashMap, sync::LazyLock};

use crate::Lang;

/// A name, then the wordings of each language on a line that begins with it (`fr` may be left out
/// where English will do and `pt` where Spanish will, `all` is for every language), which goes on while lines are indented.
/// Wordings are set apart by bars; `-` is an empty one.
static WORDINGS: LazyLock<HashMap<&str, [Vec<&str>; 4]>> =
    LazyLock::new(|| include_str!("../text/wordings.list").split("\n\n").map(entry).collect());

fn entry(text: &'static str) -> (&'static str, [Vec<&'static str>; 4]) {
    let mut lines = text.trim_end().lines();
    let name = lines.next().unwrap_or_default();
    let (mut found, mut at): ([Vec<&str>; 4], usize) = Default::default();
    for line in lines {
        let words = line.strip_prefix("    ").unwrap_or_else(|| {
            let (lang, words) = line.split_once(": ").expect("a language and its words");
            at = ["es", "en", "fr", "pt"].iter().position(|one| *one == lang).unwrap_or(0);
            words
        });
        let words = words.split(" |").map(str::trim_start).filter(|word| !word.is_empty());
        found[at].extend(words.map(|word| if word == "-" { "" } else { word }));
    }
    for lang in 1..found.len() {
        if found[lang].is_empty() {
            let same = found[if lang == 3 { 0 } else { lang - 1 }].clone();
            found[lang].extend(same);
        }
    }
    (name, found)
}

/// The wordings of a language.
pub(crate) fn of(what: &str, lang: Lang) -> &'static [&'static str] {
    let entry = WORDINGS.get(what).unwrap_or_else(|| panic!("no wordings of {what:?}"));
    match lang {
        Lang::Es => &entry[0],
        Lang::En => &entry[1],
        Lang::Fr => &entry[2],
        Lang::Pt => &entry[3],
    }
}
