//! The words of DocProc's records, for people who read its events, its audit and its periodic work.

use host::{Lexicon, Subject};

pub(crate) const LEXICON: Lexicon = Lexicon { words: WORDS, subjects: SUBJECTS };

const WORDS: &[(&str, &str, &str)] = &[
    (
        "correction.golden",
        "Una corrección pasó a los casos de prueba",
        "A correction became a test case",
    ),
    ("docproc.alertas", "Alertas de los documentos", "Alerts of the documents"),
    ("docproc.carpeta", "Carpeta vigilada", "Watched folder"),
    (
        "docproc.cola",
        "Cola de trabajo: reintentos y trabajo olvidado",
        "Work queue: retries and forgotten work",
    ),
    ("docproc.demo", "Correo y oficina de la demostración", "Post and office of the demonstration"),
    ("docproc.golden", "Casos de prueba", "Test cases"),
    ("docproc.limpieza", "Limpieza de lo antiguo", "Removal of what is old"),
    ("docproc.personas", "Reparto de tareas entre personas", "Tasks shared out among people"),
    ("docproc.sla", "Plazos de las solicitudes", "Deadlines of requests"),
    ("golden.refuse", "Se rechazó el caso de prueba", "Test case refused"),
    ("golden.retire", "Se retiró el caso de prueba", "Test case retired"),
    ("request.cancelled", "Se canceló una solicitud", "A request was cancelled"),
    ("request.clear", "Se borraron sus datos", "Its data was cleared"),
    ("request.completed", "Se completó una solicitud", "A request was completed"),
    ("request.escalated", "Se escaló una solicitud", "A request was escalated"),
    ("request.failed", "Falló una solicitud", "A request failed"),
    ("request.partial", "Se respondió lo que se sabe", "What is known was answered"),
    ("request.received", "Llegó una solicitud", "A request arrived"),
    ("request.replay", "Se procesó de nuevo", "Processed again"),
    ("request.restart", "Se empezó de nuevo", "Begun again"),
    ("request.restarted", "Una solicitud empezó de nuevo", "A request began again"),
    ("request.sla_alert", "Una solicitud está por vencer", "A request is about to be late"),
    ("request.sla_breached", "Venció el plazo de una solicitud", "A request is late"),
    ("request.sla_warning", "Se acerca un plazo", "A deadline comes near"),
    ("request.status", "Una solicitud avanzó", "A request moved on"),
    ("storage.adopt", "Se adoptó el almacenamiento", "Storage adopted"),
    ("task.assigned", "Se asignó una tarea", "A task was given to somebody"),
    ("task.completed", "Se respondió una tarea", "A task was answered"),
    ("task.created", "Se creó una tarea para personas", "A task for people was created"),
    ("task.reassign", "Se reasignó", "Given to somebody else"),
    ("task.released", "Se devolvió una tarea", "A task was given back"),
    ("task.submitted", "Se respondió", "Answered"),
    ("task.timeout", "Una tarea volvió a la cola", "A task went back to the queue"),
    ("task.undone", "Se deshizo una respuesta", "An answer was undone"),
    ("vendor.forget", "Se olvidó el formato del proveedor", "The vendor's layout was forgotten"),
    ("workflow.promote", "Se publicó la versión", "Version published"),
    ("workflow.refuse", "Se rechazó la versión", "Version refused"),
    ("workflow.rollback", "Se volvió a la versión anterior", "Went back to the version before"),
];

const fn subject(
    kind: &'static str,
    title: (&'static str, &'static str),
    path: &'static str,
) -> Subject {
    Subject { kind, title, path }
}

const SUBJECTS: &[Subject] = &[
    subject("operator", ("Operador", "Operator"), "/docproc/operadores"),
    subject("request", ("Solicitud", "Request"), "/docproc/solicitudes/{}"),
    subject("task", ("Tarea", "Task"), "/backoffice/tareas/{}"),
    subject("workflow", ("Flujo", "Flow"), ""),
];
