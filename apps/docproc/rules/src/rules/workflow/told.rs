//! What the reader of YAML says, in both languages.

use engine::Sentence;

/// The first line of a message says what is wrong; the place is told beside it.
pub(super) fn told(message: &str) -> Sentence {
    let line = message.lines().next().unwrap_or_default();
    let said = match line.strip_prefix("error: ") {
        Some(placed) => placed.split_once(": ").map_or(placed, |(_, said)| said),
        None => line,
    };
    if let Some((field, known)) = cut(said, "unknown field `", "`, expected one of ") {
        return Sentence::new(
            format!("«{field}» no se conoce; se admite: {known}"),
            format!("“{field}” is not known; what may be there: {known}"),
        );
    }
    if let Some(field) = said.strip_prefix("unknown field `") {
        let field = field.split('`').next().unwrap_or_default();
        let (es, en) = (format!("«{field}» no se conoce"), format!("“{field}” is not known"));
        return Sentence::new(es, en);
    }
    if let Some(field) = said.strip_prefix("missing field `") {
        let field = field.trim_end_matches('`');
        return Sentence::new(format!("falta {field}"), format!("{field} is missing"));
    }
    if let Some(field) = said.strip_prefix("duplicate mapping key: ") {
        let field = field.split(", set ").next().unwrap_or(field);
        let (es, en) = (format!("{field} está dos veces"), format!("{field} is there twice"));
        return Sentence::new(es, en);
    }
    let shape = |es: &str| Sentence::new(es, said);
    match said {
        "expected mapping start" => shape("aquí van campos con su valor"),
        "expected sequence start" => shape("aquí va una lista"),
        "expected scalar" | "expected string scalar" => shape("aquí va un valor"),
        _ => shape("no es el YAML de un flujo: revisar la sangría, las comillas y el valor"),
    }
}

fn cut<'a>(said: &'a str, before: &str, between: &str) -> Option<(&'a str, &'a str)> {
    said.strip_prefix(before)?.split_once(between)
}

#[cfg(test)]
mod tests {
    use super::told;
    use crate::rules::workflow::parse;

    #[test]
    fn a_wrong_file_is_told_in_both_languages() {
        let first = |source: &str| parse(source).unwrap_err().remove(0).sentence;
        let stage = "name: a\nstages:\n  - {name: s, component: splitter, wat: 1}\n";
        let said = first(stage);
        assert!(said.es.starts_with("«wat» no se conoce; se admite: name, "), "{said:?}");
        assert!(said.en.starts_with("“wat” is not known"), "{said:?}");
        assert_eq!(first("name: a\n").es, "falta stages");
        for source in ["nada", "[]", "name: a\nstages: 7\n", "name: [a\n", "\tname: a"] {
            let said = first(source);
            assert_ne!(said.es, said.en, "{source:?}: {said:?}");
            assert!(!said.es.contains("expected"), "{source:?}: {said:?}");
        }
        assert_eq!(told("").en, "");
    }
}
