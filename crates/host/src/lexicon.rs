//! What people call what an application records: its actions, events, periodic work and the things they
//! are about. Codes are for programs; pages show these words, and the code small beside them.

use web::Lang;

use crate::{App, Context};

/// The words of an application.
#[derive(Clone, Copy, Debug, Default)]
pub struct Lexicon {
    /// A code with what it says in Spanish and in English.
    pub words: &'static [(&'static str, &'static str, &'static str)],
    pub subjects: &'static [Subject],
}

/// A kind of thing that is written `kind/id`.
#[derive(Clone, Copy, Debug)]
pub struct Subject {
    pub kind: &'static str,
    pub title: (&'static str, &'static str),
    /// Where one of them is seen, its id at `{}`; empty: nowhere.
    pub path: &'static str,
}

/// A thing as a page shows it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Named {
    pub(crate) text: String,
    pub(crate) href: String,
}

/// What the house itself records.
const HOUSE: &[(&str, &str, &str)] = &[
    ("alert.acknowledge", "Alguien se hizo cargo", "Somebody looks after it"),
    ("alert.mute", "Se silenció", "Muted"),
    ("alert.test", "Aviso de prueba", "Test notice"),
    ("alert.unmute", "Se vuelve a avisar", "No longer muted"),
    ("alerta:activa", "Alerta", "Alert"),
    ("alerta:audible", "Alerta que vuelve a avisar", "Alert no longer muted"),
    ("alerta:reconocida", "Alerta con alguien a cargo", "Alert looked after"),
    ("alerta:resuelta", "Alerta resuelta", "Alert resolved"),
    ("alerta:silenciada", "Alerta silenciada", "Alert muted"),
    ("configuracion:cambiada", "Cambió un ajuste", "A setting changed"),
    ("session.end", "Se cerró la sesión", "Signed out"),
    ("setting.change", "Se cambió el ajuste", "Setting changed"),
    ("token.create", "Se creó la llave de API", "API key created"),
    ("token.revoke", "Se revocó la llave de API", "API key revoked"),
    ("user.active", "Se habilitó o deshabilitó", "Enabled or disabled"),
    ("user.put", "Se guardó la persona", "Person saved"),
];

/// What is done to things of any kind: the end of an action's code.
const VERBS: &[(&str, &str, &str)] = &[
    ("add", "Se agregó", "Added"),
    ("borrar", "Se borró", "Deleted"),
    ("cambiar", "Se cambió", "Changed"),
    ("cancel", "Se canceló", "Cancelled"),
    ("change", "Se cambió", "Changed"),
    ("crear", "Se creó", "Created"),
    ("detener", "Se detuvo", "Stopped"),
    ("editar", "Se cambió", "Changed"),
    ("ejecutar", "Se pidió ejecutar", "Asked to run"),
    ("importar", "Se importó", "Imported"),
    ("iniciar", "Se pidió iniciar", "Asked to start"),
    ("liberar", "Se liberó", "Released"),
    ("quitar", "Se quitó", "Removed"),
    ("reservar", "Se reservó", "Reserved"),
];

fn found(words: &[(&str, &'static str, &'static str)], code: &str, lang: Lang) -> &'static str {
    let known = words.iter().find(|(known, ..)| *known == code);
    known.map_or("", |(_, es, en)| lang.t(es, en))
}

/// What a code says; empty when nobody gave it words.
pub(crate) fn word(app: Option<&App>, code: &str, lang: Lang) -> &'static str {
    let own = app.map_or("", |app| found(app.lexicon.words, code, lang));
    let tail = code.rsplit('.').next().filter(|tail| tail.len() < code.len()).unwrap_or_default();
    let all = [own, found(HOUSE, code, lang), found(VERBS, tail, lang)];
    all.into_iter().find(|word| !word.is_empty()).unwrap_or_default()
}

/// What a line is about, with the way there.
pub(crate) fn subject(app: Option<&App>, written: &str, lang: Lang) -> Named {
    let plain = || Named { text: written.to_owned(), href: String::new() };
    let Some(app) = app else { return plain() };
    if let Some(setting) = app.settings.iter().find(|setting| setting.key == written) {
        let href = format!("/ajustes/{}#{written}", app.name);
        return Named { text: lang.t(setting.label.0, setting.label.1).to_owned(), href };
    }
    let Some((kind, id)) = written.split_once('/') else { return plain() };
    let known = app.lexicon.subjects.iter().find(|subject| subject.kind == kind);
    let Some(known) = known else { return plain() };
    // A long id tells people nothing; its end is enough to tell two apart.
    let short = if id.len() > 20 { &id[id.floor_char_boundary(id.len() - 6)..] } else { id };
    let text = format!("{} {short}", lang.t(known.title.0, known.title.1));
    let plain = id.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    let href = if plain { known.path.replace("{}", id) } else { String::new() };
    Named { text, href }
}

impl Context {
    /// The words of a code that this application, or the house, records.
    pub(crate) fn word(&self, app: &str, code: &str, lang: Lang) -> &'static str {
        word(self.app(app), code, lang)
    }

    pub(crate) fn subject(&self, app: &str, written: &str, lang: Lang) -> Named {
        subject(self.app(app), written, lang)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn app() -> App {
        let lexicon = Lexicon {
            words: &[("robot:visto", "Se vio un robot", "A robot was seen")],
            subjects: &[Subject { kind: "robot", title: ("Robot", "Robot"), path: "/robots/{}" }],
        };
        App { name: "demo", lexicon, ..App::default() }
    }

    #[test]
    fn codes_have_words_and_things_a_way_there() {
        let app = app();
        assert_eq!(word(Some(&app), "robot:visto", Lang::En), "A robot was seen");
        assert_eq!(word(Some(&app), "robot.crear", Lang::Es), "Se creó");
        assert_eq!(word(None, "setting.change", Lang::En), "Setting changed");
        assert_eq!(word(Some(&app), "crear", Lang::Es), "", "no code of an action");
        let seven = Named { text: "Robot 7".into(), href: "/robots/7".into() };
        assert_eq!(subject(Some(&app), "robot/7", Lang::Es), seven);
        let long = subject(Some(&app), "robot/01a1ef99-d43d-76ce-a5cb-088f50050ba5", Lang::Es);
        assert_eq!(long.text, "Robot 050ba5");
        assert_eq!(subject(Some(&app), "nube/7", Lang::Es).text, "nube/7");
    }
}
