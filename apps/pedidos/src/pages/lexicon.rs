//! The words of Pedidos's records, for people who read its events, its audit and its periodic work.

use host::{Lexicon, Subject};

pub(crate) const LEXICON: Lexicon = Lexicon { words: WORDS, subjects: SUBJECTS };

const WORDS: &[(&str, &str, &str)] = &[
    ("automatizacion:cambiada", "Cambió la entrada automática", "Automatic entry changed"),
    ("capacidad:actualizada", "Cambió el uso de la cocina", "The use of the kitchen changed"),
    ("comanda:actualizada", "Cambió una comanda", "A ticket changed"),
    ("pedido.manual", "Se movió a mano", "Moved by hand"),
    ("pedido:actualizado", "Cambió un pedido", "An order changed"),
    ("pedido:cobrado", "Se cobró un pedido", "An order was paid"),
    ("pedido:creado", "Entró un pedido", "An order came in"),
    ("pedido:entregado", "Se entregó un pedido", "An order was handed over"),
    ("pedido:estado-cambiado", "Un pedido cambió de estado", "An order changed its state"),
    (
        "pedidos.cola",
        "Entrada a la cocina, promesas y atrasos",
        "Entry to the kitchen, promises and lateness",
    ),
    (
        "pedidos.demo",
        "Clientes y cocina de la demostración",
        "Customers and kitchen of the demonstration",
    ),
    ("pedidos:atrasados", "Hay pedidos atrasados", "There are late orders"),
];

const fn subject(
    kind: &'static str,
    title: (&'static str, &'static str),
    path: &'static str,
) -> Subject {
    Subject { kind, title, path }
}

const SUBJECTS: &[Subject] = &[
    subject("pedido", ("Pedido", "Order"), ""),
    subject("articulo", ("Artículo", "Article"), ""),
    subject("capacidad_horarios", ("Horario de capacidad", "Capacity timetable"), ""),
];
