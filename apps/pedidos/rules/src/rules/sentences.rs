//! Reasons and refusals as sentences a person understands, Spanish and English side by side so
//! that neither can be forgotten.

use engine::{Sentence, Word as _};
use jiff::Timestamp;
use jiff::tz::TimeZone;

use crate::model::{OrderState, Role};
use crate::rules::commands::Refusal;
use crate::rules::intake::Reason;
use crate::rules::promise::{Obstacle, Verdict};
use crate::rules::timetable::RuleProblem;

impl Reason {
    /// Instants are told in the zone of the shop.
    pub fn sentence(&self, zone: &TimeZone) -> Sentence {
        match self {
            Self::Paused { reason, until } => paused(reason, *until, zone),
            Self::OnHold { reason: None } => Sentence::new(
                "El pedido está retenido; alguien debe liberarlo o prepararlo.",
                "The order is on hold; someone has to release or start it.",
            ),
            Self::OnHold { reason: Some(reason) } => Sentence::new(
                format!("El pedido está retenido: {reason}."),
                format!("The order is on hold: {reason}."),
            ),
            Self::AwaitingPayment { .. } => Sentence::new(
                "Falta el pago: un pedido web con pago en línea entra cuando está pagado.",
                "Payment is missing: a web order paid online enters once it is paid.",
            ),
            Self::Stale { reference } => {
                let day = stamp(*reference, zone);
                Sentence::new(
                    format!("Quedó de otra jornada ({day}); una persona debe decidir qué hacer."),
                    format!("Left over from another day ({day}); a person has to decide."),
                )
            }
            Self::OtherDay { start_at, due } => {
                let (start, due) = (stamp(*start_at, zone), stamp(*due, zone));
                Sentence::new(
                    format!("Es para otra jornada ({due}); entra a partir del {start}."),
                    format!("It is for another day ({due}); it enters from {start}."),
                )
            }
            Self::NotYetDue { start_at } => {
                let start = clock(*start_at, zone);
                Sentence::new(
                    format!("Todavía no corresponde; entra a partir de las {start}."),
                    format!("Not due yet; it enters from {start}."),
                )
            }
            Self::KitchenFull { used, limit, needs, position } => {
                no_room(*used, *limit, *needs, *position)
            }
        }
    }
}

fn paused(reason: &str, until: Option<Timestamp>, zone: &TimeZone) -> Sentence {
    let Some(until) = until else {
        return Sentence::new(
            format!("La automatización está en pausa: {reason}."),
            format!("Automation is paused: {reason}."),
        );
    };
    let until = clock(until, zone);
    Sentence::new(
        format!("La automatización está en pausa hasta las {until}: {reason}."),
        format!("Automation is paused until {until}: {reason}."),
    )
}

fn no_room(used: u32, limit: u32, needs: u32, position: u32) -> Sentence {
    if needs == 1 {
        return Sentence::new(
            format!("La cocina está llena ({used}/{limit}); es el {position}.º de la fila."),
            format!("The kitchen is full ({used}/{limit}); it is number {position} in line."),
        );
    }
    Sentence::new(
        format!(
            "No hay lugar: necesita {needs} y hay {used}/{limit} en uso; es el {position}.º de \
             la fila."
        ),
        format!(
            "No room: it needs {needs} and {used}/{limit} are in use; it is number {position} in \
             line."
        ),
    )
}

impl Refusal {
    /// Instants are told in the zone of the shop.
    pub fn sentence(&self, zone: &TimeZone) -> Sentence {
        match self {
            Self::Promise { verdict } => promise(verdict, zone),
            Self::Role { role } => Sentence::new(
                format!("El rol {} no permite esta acción.", role.word()),
                format!("The role {} does not allow this action.", role.word()),
            ),
            Self::Transition { from, to } => Sentence::new(
                format!("Un pedido {} no puede pasar a {}.", es(*from), es(*to)),
                format!("An order that is {} cannot become {}.", en(*from), en(*to)),
            ),
            Self::KitchenFull { used, limit, .. } => Sentence::new(
                format!("La cocina está llena ({used}/{limit})."),
                format!("The kitchen is full ({used}/{limit})."),
            ),
            Self::AwaitingPayment => Sentence::new(
                "El pedido web debe estar pagado antes de prepararse.",
                "The web order has to be paid before it is prepared.",
            ),
            Self::NotPaid => Sentence::new(
                "El pedido no está cobrado; se cobra antes de entregarlo.",
                "The order is not paid; charge it before handing it over.",
            ),
            Self::NotEditable { state } => Sentence::new(
                format!("Un pedido {} no se puede editar.", es(*state)),
                format!("An order that is {} cannot be edited.", en(*state)),
            ),
            Self::AlreadyProcessed { state } => Sentence::new(
                format!("El pedido ya está {}.", es(*state)),
                format!("The order is already {}.", en(*state)),
            ),
            Self::Cancelled => {
                Sentence::new("El pedido está cancelado.", "The order is cancelled.")
            }
            Self::ReasonRequired => Sentence::new("Falta el motivo.", "A reason is required."),
            Self::NoLines => Sentence::new(
                "El pedido necesita al menos un artículo.",
                "The order needs at least one article.",
            ),
            Self::LineInvalid { n } => Sentence::new(
                format!(
                    "La línea {n} no es válida: hay que revisar nombre, peso, cantidad y precio."
                ),
                format!("Line {n} is not valid: check name, weight, quantity and price."),
            ),
            Self::LineUnknown { n } => Sentence::new(
                format!("La línea {n} no existe."),
                format!("Line {n} does not exist."),
            ),
            Self::LineVoided { n } => Sentence::new(
                format!("La línea {n} está anulada."),
                format!("Line {n} has been voided."),
            ),
            Self::RevisionUnknown { revision, latest } => Sentence::new(
                format!("La revisión {revision} no existe; la última es la {latest}."),
                format!("Revision {revision} does not exist; the latest is {latest}."),
            ),
            Self::NothingToUndo => {
                Sentence::new("No hay nada que deshacer.", "There is nothing to undo.")
            }
            Self::StationUnknown { station } => Sentence::new(
                format!("La comanda no tiene nada de la estación «{station}»."),
                format!("The ticket has nothing for station “{station}”."),
            ),
        }
    }

    /// What to do about it, when there is something to do.
    pub fn hint(&self) -> Option<Sentence> {
        match self {
            Self::KitchenFull { .. } => Some(Sentence::new(
                "Esperar a que se libere un lugar, o pedir a un gerente que fuerce la entrada.",
                "Wait for a free place, or ask a manager to force the entry.",
            )),
            Self::Promise { verdict } if verdict.quote.minutes_late == 0 => Some(Sentence::new(
                "Ofrecer otra hora, o insistir si el otro cliente puede esperar.",
                "Offer another time, or insist if the other customer can wait.",
            )),
            Self::Promise { .. } => Some(Sentence::new(
                "Ofrecer esa hora, o insistir si el cliente la acepta tarde.",
                "Offer that time, or insist if the customer accepts it late.",
            )),
            Self::NotEditable { state: OrderState::Ready } => Some(Sentence::new(
                "Hay que recuperarlo a la cocina antes de editarlo.",
                "Recall it to the kitchen before editing it.",
            )),
            Self::Role { role: Role::Cashier | Role::Kitchen } => {
                Some(Sentence::new("Hay que pedir ayuda a un gerente.", "Ask a manager for help."))
            }
            Self::Role { role: Role::Admin | Role::Manager }
            | Self::Transition { .. }
            | Self::AwaitingPayment
            | Self::NotPaid
            | Self::NotEditable { .. }
            | Self::AlreadyProcessed { .. }
            | Self::Cancelled
            | Self::ReasonRequired
            | Self::NoLines
            | Self::LineInvalid { .. }
            | Self::LineUnknown { .. }
            | Self::LineVoided { .. }
            | Self::RevisionUnknown { .. }
            | Self::NothingToUndo
            | Self::StationUnknown { .. } => None,
        }
    }
}

fn promise(verdict: &Verdict, zone: &TimeZone) -> Sentence {
    let (due, ready) = (clock(verdict.due, zone), clock(verdict.quote.ready, zone));
    match verdict.obstacle {
        Some(Obstacle::Breaks { order, minutes_late: late }) => Sentence::new(
            format!(
                "Para las {due} haría llegar {late} min tarde al pedido #{order}, ya prometido."
            ),
            format!("For {due} it would make order #{order}, already promised, {late} min late."),
        ),
        Some(Obstacle::Crowded) | None => {
            let late = verdict.quote.minutes_late;
            Sentence::new(
                format!(
                    "Para las {due} ya está prometido todo lo que la cocina puede: estaría listo a \
                     las {ready}, {late} min tarde."
                ),
                format!(
                    "All that the kitchen can do for {due} is already promised: it would be ready \
                     at {ready}, {late} min late."
                ),
            )
        }
    }
}

impl RuleProblem {
    pub fn sentence(self) -> Sentence {
        match self {
            Self::Capacity { ceiling } => Sentence::new(
                format!("La capacidad debe estar entre 1 y {ceiling}."),
                format!("The capacity must be between 1 and {ceiling}."),
            ),
            Self::Weekday => Sentence::new(
                "El día de la semana va de 0 (domingo) a 6.",
                "The weekday goes from 0 (Sunday) to 6.",
            ),
            Self::Staff => {
                Sentence::new("El personal debe ser al menos 1.", "Staff must be at least 1.")
            }
            Self::Dates => Sentence::new(
                "La vigencia termina antes de empezar.",
                "The validity ends before it begins.",
            ),
            Self::Overlap { with } => Sentence::new(
                format!("Se solapa con la regla {with}, igual de específica."),
                format!("It overlaps rule {with}, which is just as specific."),
            ),
        }
    }
}

const fn es(state: OrderState) -> &'static str {
    match state {
        OrderState::Received => "recibido",
        OrderState::Preparing => "en preparación",
        OrderState::Ready => "listo",
        OrderState::Delivered => "entregado",
        OrderState::Cancelled => "cancelado",
    }
}

const fn en(state: OrderState) -> &'static str {
    match state {
        OrderState::Received => "received",
        OrderState::Preparing => "in preparation",
        OrderState::Ready => "ready",
        OrderState::Delivered => "delivered",
        OrderState::Cancelled => "cancelled",
    }
}

fn clock(instant: Timestamp, zone: &TimeZone) -> String {
    zone.to_datetime(instant).strftime("%H:%M").to_string()
}

fn stamp(instant: Timestamp, zone: &TimeZone) -> String {
    zone.to_datetime(instant).strftime("%d/%m %H:%M").to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::samples::{at, zone};

    #[test]
    fn a_full_kitchen_is_told_with_its_numbers() {
        let full = Reason::KitchenFull { used: 8, limit: 8, needs: 1, position: 3 };
        let told = full.sentence(&zone());
        assert_eq!(told.es, "La cocina está llena (8/8); es el 3.º de la fila.");
        assert_eq!(told.en, "The kitchen is full (8/8); it is number 3 in line.");
    }

    #[test]
    fn instants_are_told_in_the_zone_of_the_shop() {
        let early = Reason::NotYetDue { start_at: at("20:15:00") };
        assert!(early.sentence(&zone()).es.contains("20:15"));
        let (start_at, due) = (at("19:45:00"), at("20:00:00"));
        assert!(Reason::OtherDay { start_at, due }.sentence(&zone()).en.contains("19/06 19:45"));
    }

    #[test]
    fn refusals_speak_of_states_in_words() {
        let refusal = Refusal::Transition { from: OrderState::Delivered, to: OrderState::Ready };
        assert_eq!(refusal.sentence(&zone()).es, "Un pedido entregado no puede pasar a listo.");
        let ready = Refusal::NotEditable { state: OrderState::Ready };
        assert!(ready.hint().is_some());
    }
}
