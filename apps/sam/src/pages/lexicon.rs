//! The words of SAM's records, for people who read its events, its audit and its periodic work.

use host::{Lexicon, Subject};

pub(crate) const LEXICON: Lexicon = Lexicon { words: WORDS, subjects: SUBJECTS };

const WORDS: &[(&str, &str, &str)] = &[
    ("asignacion:liberada", "Se liberó un equipo", "A runner was released"),
    ("asignacion:reservada", "Se reservó un equipo", "A runner was reserved"),
    ("balanceo:aplicado", "El balanceador movió equipos", "The balancer moved runners"),
    ("ejecucion.desbloquear", "Se desbloqueó el equipo", "Runner unlocked"),
    ("ejecucion.resolver", "Se resolvió la duda", "Doubt resolved"),
    ("ejecucion:cerrada", "Terminó una ejecución", "A run ended"),
    ("ejecucion:creada", "Se lanzó una ejecución", "A run was launched"),
    ("ejecucion:estado", "Una ejecución cambió de estado", "A run changed its state"),
    ("ejecucion:retirada", "Se retiró una ejecución", "A run was withdrawn"),
    ("pool.miembros", "Cambiaron los miembros", "Members changed"),
    ("pool:miembros", "Cambiaron los miembros de un pool", "The members of a pool changed"),
    ("programacion.deshacer", "Se deshizo el cambio", "Change undone"),
    ("sam.balanceador", "Balanceador: reparte los equipos", "Balancer: shares the runners out"),
    (
        "sam.conciliador",
        "Conciliador: pregunta por lo que corre",
        "Reconciler: asks about what runs",
    ),
    ("sam.demo", "Control Room de la demostración", "Control Room of the demonstration"),
    ("sam.lanzador", "Lanzador: inicia lo que toca", "Launcher: starts what is due"),
    ("sam.limpieza", "Limpieza de lo antiguo", "Removal of what is old"),
    ("sam.sync", "Lectura del Control Room", "Reading of the Control Room"),
    ("suspension.levantar", "Se levantó la suspensión", "Suspension lifted"),
    ("sync", "Se leyó el Control Room", "The Control Room was read"),
    ("sync:hecha", "Se leyó el Control Room", "The Control Room was read"),
    ("turno:fallido", "Falló un turno", "A slot failed"),
    ("turno:perdido", "Se perdió un turno", "A slot was missed"),
    ("turno:reintento", "Se reintenta un turno", "A slot is tried again"),
];

const fn subject(
    kind: &'static str,
    title: (&'static str, &'static str),
    path: &'static str,
) -> Subject {
    Subject { kind, title, path }
}

const SUBJECTS: &[Subject] = &[
    subject("ejecucion", ("Ejecución", "Run"), "/sam/ejecuciones/{}"),
    subject("equipo", ("Equipo", "Runner"), "/sam/equipos/{}"),
    subject("pool", ("Pool", "Pool"), "/sam/pools"),
    subject("programacion", ("Programación", "Schedule"), "/sam/programaciones/{}"),
    subject("robot", ("Robot", "Robot"), "/sam/robots/{}"),
];
