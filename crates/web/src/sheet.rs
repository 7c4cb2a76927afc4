//! What was wrong with a sheet, as an answer. Reading and writing one is `engine::sheet`.

use axum::http::StatusCode;
use engine::sheet::Bad;

use crate::{Lang, Problem};

/// 422 that names line and column of everything that was wrong.
pub fn refused(bad: Vec<Bad>, lang: Lang) -> Problem {
    let wrong = bad.into_iter().map(|one| {
        let place = place(one.line, &one.column.unwrap_or_default(), lang);
        (place, lang.t(&one.es, &one.en).to_owned())
    });
    told(wrong, lang)
}

/// What one row was refused for, said at its line. A server's error stays what it is.
pub fn at_line(line: usize, problem: &Problem, lang: Lang) -> Option<Problem> {
    if problem.status().is_server_error() {
        return None;
    }
    let wrong: Vec<_> = if problem.errors().is_empty() {
        vec![(place(line, "", lang), problem.detail_text().to_owned())]
    } else {
        let at = |one: &crate::FieldError| (place(line, &one.path, lang), one.message.clone());
        problem.errors().iter().map(at).collect()
    };
    Some(told(wrong.into_iter(), lang))
}

fn place(line: usize, column: &str, lang: Lang) -> String {
    let word = lang.t("línea", "line");
    if column.is_empty() { format!("{word} {line}") } else { format!("{word} {line}, {column}") }
}

fn told(wrong: impl Iterator<Item = (String, String)>, lang: Lang) -> Problem {
    let detail = lang
        .t("Hay filas con errores; no se tomó ninguna.", "Some rows are wrong; none was taken.");
    let problem = Problem::new(StatusCode::UNPROCESSABLE_ENTITY, "PLANILLA_CON_ERRORES");
    let problem = problem.lang(lang).detail(detail);
    wrong.fold(problem, |problem, (path, message)| problem.error(path, message))
}
