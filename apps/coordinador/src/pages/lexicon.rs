//! The words of Coordinador's records, for people who read its events, its audit and its periodic work.

use host::{Lexicon, Subject};

pub(crate) const LEXICON: Lexicon = Lexicon { words: WORDS, subjects: SUBJECTS };

const WORDS: &[(&str, &str, &str)] = &[
    ("coordinador.alertas", "Alertas de la red", "Alerts of the network"),
    ("coordinador.demo", "Red de la demostración", "Network of the demonstration"),
    ("coordinador.despacho", "Despacho: inicia lo que toca", "Dispatcher: starts what is due"),
    ("coordinador.limpieza", "Limpieza de lo antiguo", "Removal of what is old"),
    ("coordinador.redistribucion", "Redistribución del plan", "Redistribution of the plan"),
    ("cuota:nivel", "Cambió el nivel de una cuota", "The level of a quota changed"),
    ("ejecucion.abortar", "Se abortó", "Aborted"),
    ("ejecucion:iniciada", "Empezó una lectura", "A poll began"),
    ("ejecucion:pedida", "Se pidió una lectura", "A poll was asked for"),
    ("ejecucion:terminada", "Terminó una lectura", "A poll ended"),
    ("nodo:borrado", "Se borró un nodo", "A node was deleted"),
    ("nodo:cambiado", "Cambió un nodo", "A node changed"),
    ("nodo:replanificado", "Se replanificó un nodo", "A node was planned anew"),
    ("olt.aceptar_recorrido", "Se aceptó el recorrido", "Walk accepted"),
    ("olt:borrada", "Se borró una OLT", "An OLT was deleted"),
    ("olt:cambiada", "Cambió una OLT", "An OLT changed"),
    ("olt:creada", "Se creó una OLT", "An OLT was created"),
    ("olt:importadas", "Se importaron OLT", "OLTs were imported"),
    ("olt:onus", "Cambiaron las ONU de una OLT", "The ONUs of an OLT changed"),
    ("olt:salud", "Cambió la salud de una OLT", "The health of an OLT changed"),
    ("plan:redistribuido", "Se redistribuyó el plan", "The plan was redistributed"),
    ("plantilla:borrada", "Se borró una plantilla", "A template was deleted"),
    ("plantilla:cambiada", "Cambió una plantilla", "A template changed"),
];

const fn subject(
    kind: &'static str,
    title: (&'static str, &'static str),
    path: &'static str,
) -> Subject {
    Subject { kind, title, path }
}

const SUBJECTS: &[Subject] = &[
    subject("ejecucion", ("Ejecución", "Run"), "/coordinador/ejecuciones/{}"),
    subject("formula", ("Fórmula", "Formula"), "/coordinador/limites"),
    subject("nodo", ("Nodo", "Node"), "/coordinador/nodos/{}"),
    subject("olt", ("OLT", "OLT"), "/coordinador/olts/{}"),
    subject("plantilla", ("Plantilla", "Template"), "/coordinador/plantillas/{}"),
];
