//! The nouns of the application: orders, their lines, kitchen tickets and the closed word lists.

mod order;
mod ticket;
mod words;

use jiff::{SignedDuration, Timestamp};

pub use order::{Customer, Due, Line, Order};
pub use ticket::{KitchenTicket, NO_STATION, StationProgress, TicketLine, progress};
pub use words::{
    Channel, Intake, LineState, Mode, OrderState, PaymentMethod, PaymentState, Priority, Role,
};

engine::ids! {
    /// The number people call an order by; it never restarts.
    OrderId,
}

/// Saturates at the ends of time: an absurd estimate must not stop the planner.
pub fn later_by_minutes(instant: Timestamp, minutes: i64) -> Timestamp {
    let span = SignedDuration::from_secs(minutes.saturating_mul(60));
    instant.saturating_add(span).unwrap_or(instant)
}

pub fn earlier_by_minutes(instant: Timestamp, minutes: i64) -> Timestamp {
    later_by_minutes(instant, minutes.saturating_neg())
}

#[cfg(test)]
mod tests {
    use engine::Word as _;

    use super::*;

    #[test]
    fn every_word_can_be_read_back() {
        macro_rules! check {
            ($($name:ident),+) => {
                $(for value in $name::ALL {
                    assert_eq!($name::from_word(value.word()), Some(*value));
                    assert_eq!($name::from_word(&value.word().to_lowercase()), None);
                })+
            };
        }
        check!(OrderState, Priority, Intake, Mode, Channel, PaymentMethod, PaymentState, Role);
        check!(LineState);
        assert_eq!(PaymentState::from_word("DEBE"), None);
    }

    #[test]
    fn the_life_of_an_order_is_as_published() {
        let diagram = engine::mermaid::<OrderState>();
        let moves: Vec<&str> = diagram.lines().skip(1).map(str::trim).collect();
        let expected = [
            "[*] --> RECIBIDO",
            "RECIBIDO --> EN_PREPARACION",
            "RECIBIDO --> CANCELADO",
            "EN_PREPARACION --> LISTO",
            "EN_PREPARACION --> RECIBIDO",
            "EN_PREPARACION --> CANCELADO",
            "LISTO --> ENTREGADO",
            "LISTO --> EN_PREPARACION",
            "LISTO --> CANCELADO",
            "ENTREGADO --> [*]",
            "CANCELADO --> [*]",
        ];
        assert_eq!(moves, expected);
    }

    #[test]
    fn s6_the_planned_start_is_the_promise_less_the_estimate() {
        let due: Timestamp = "2026-06-19T21:30:00-03:00".parse().unwrap();
        let start: Timestamp = "2026-06-19T20:55:00-03:00".parse().unwrap();
        assert_eq!(Due::At(due).planned_start(35), Some(start));
        assert_eq!(Due::AsSoonAsPossible.planned_start(35), None);
        assert_eq!(Priority::of(Due::At(due)), Priority::Normal);
        assert_eq!(Priority::of(Due::AsSoonAsPossible), Priority::High);
    }

    #[test]
    fn an_absurd_estimate_saturates() {
        assert_eq!(later_by_minutes(Timestamp::UNIX_EPOCH, i64::MAX), Timestamp::MAX);
        assert_eq!(earlier_by_minutes(Timestamp::UNIX_EPOCH, i64::MAX), Timestamp::MIN);
    }
}
