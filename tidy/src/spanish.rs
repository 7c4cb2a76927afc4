//! One Spanish on every page: neutral, with infinitives and "se", and one word for each thing.

use crate::{Finding, Source};

/// What is not written, and what is written instead.
const WORDS: &[(&str, &str)] = &[
    ("acá", "aquí"),
    ("fichero", "archivo"),
    ("ficheros", "archivos"),
    ("toda la casa", "todas las aplicaciones"),
    ("manos", "trabajadores"),
    ("Mirar", "Ver"),
    ("vos", "«se» o un infinitivo"),
    ("podés", "se puede"),
    ("tenés", "hay que"),
    ("querés", "se quiere"),
    ("revisá", "revisar"),
    ("cargá", "cargar"),
    ("elegí", "elegir"),
    ("usá", "usar"),
    ("creá", "crear"),
    ("configurá", "configurar"),
    ("cerralos", "cerrarlos"),
    ("puedes", "se puede"),
    ("tienes", "hay que"),
    ("debes", "se debe"),
    ("pulsa", "pulsar"),
    ("tus", "propias"),
    ("leíste", "se leyó"),
    ("cambiá", "cambiar"),
    ("pedí", "pedir"),
    ("ponelo", "se pone"),
    ("copialo", "se copia"),
    ("cobralo", "se cobra"),
    ("guardalo", "se guarda"),
    ("recuperalo", "se recupera"),
    ("desactivalo", "se desactiva"),
    ("envíalos", "se envían"),
    ("sube documentos", "subir documentos"),
];

/// What people read stands in templates, scripts and sources; documents to be read by machines
/// (samples, models) are written as their authors write.
fn is_read(source: &Source) -> bool {
    let path = source.path.as_str();
    let aside =
        ["/tests/", "crates/samples/", "crates/understand/", "tidy/", "crates/ocr/", "bench/"];
    source.has_extension(&["rs", "html", "js"])
        && (path.starts_with("apps/") || path.starts_with("crates/") || path.starts_with("server/"))
        && !aside.iter().any(|part| path.contains(part))
        && !path.ends_with("tests.rs")
}

pub fn check(sources: &[Source]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for source in sources.iter().filter(|source| is_read(source)) {
        for (line, text) in source.lines() {
            if text.trim_start().starts_with("//") {
                continue;
            }
            let said = quoted(text).to_lowercase();
            for (word, instead) in WORDS {
                if holds(&said, &word.to_lowercase()) {
                    findings.push(Finding {
                        file: source.path.clone(),
                        line,
                        what: format!("`{word}`: {instead}"),
                        reason: "the four applications speak one neutral Spanish",
                    });
                }
            }
        }
    }
    findings
}

/// What stands between quotes, or the line of a string that goes on.
fn quoted(text: &str) -> &str {
    match (text.find('"'), text.rfind('"')) {
        (Some(from), Some(to)) if to > from => &text[from..to],
        _ => text,
    }
}

/// Whether the word stands there by itself.
fn holds(text: &str, word: &str) -> bool {
    text.match_indices(word).any(|(at, _)| {
        let letter = |found: Option<char>| {
            found.is_some_and(|one| one.is_alphanumeric() || matches!(one, '_' | '-' | '.'))
        };
        let before = text[..at].chars().next_back();
        let after = text[at + word.len()..].chars().next();
        !letter(before) && !after.is_some_and(|one| one.is_alphanumeric() || one == '_')
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_found_by_itself_only() {
        let found = |text: &str| {
            let source = Source { path: "apps/x/src/y.rs".into(), text: text.into() };
            check(&[source]).len()
        };
        assert_eq!(found("    page.t(\"Acá no hay ficheros\", \"No files here\")"), 2);
        assert_eq!(found("    page.t(\"hermanos\", \"brothers\")"), 0);
        assert_eq!(found("    // acá"), 0);
    }
}
