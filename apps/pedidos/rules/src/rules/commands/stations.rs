//! Stations: each finishes its own lines, and the order is ready when all of them are.

use proptest::prelude::*;

use super::*;
use crate::model::{
    KitchenTicket, LineState, NO_STATION, Order, OrderId, OrderState, Role, TicketLine, progress,
};
use crate::rules::revise::open;
use crate::rules::samples::{at, line, preparing};

const TICKET: KitchenTicket = KitchenTicket {
    id: 7,
    order: OrderId(1),
    revision: 1,
    acknowledged_revision: 1,
    prints: 0,
    printed_at: None,
};
const STATIONS: [Option<&str>; 3] = [Some("Plancha"), Some("Barra"), None];

fn ticket(stations: &[Option<&str>]) -> Vec<TicketLine> {
    let lines: Vec<_> = stations
        .iter()
        .zip(1..)
        .map(|(station, n)| {
            let mut line = line("dish", 1, 1);
            line.n = n;
            line.station = station.map(str::to_owned);
            line
        })
        .collect();
    open(&lines)
}

/// A ticket as the store keeps it, with what was pressed.
#[derive(Clone)]
struct Pass {
    order: Order,
    lines: Vec<TicketLine>,
    bumps: Vec<Bump>,
}

impl Pass {
    fn new(stations: &[Option<&str>]) -> Self {
        Self { order: preparing(1, "20:00:00"), lines: ticket(stations), bumps: Vec::new() }
    }

    fn finish(&mut self, station: Option<&str>) -> Answer {
        let now = at("20:05:00");
        let answer =
            finish_station(&self.order, &TICKET, &self.lines, station, Role::Kitchen, now)?;
        self.apply(&answer);
        Ok(answer)
    }

    fn undo(&mut self, station: Option<&str>) -> Answer {
        let (order, lines, bumps) = (&self.order, &self.lines, &self.bumps);
        let answer = undo(order, &TICKET, lines, bumps, station, Role::Kitchen, at("20:06:00"))?;
        self.apply(&answer);
        Ok(answer)
    }

    fn apply(&mut self, changes: &[Change]) {
        for change in changes {
            match change {
                Change::MarkLines { lines, from, to, .. } => {
                    let batch = self.bumps.iter().map(|bump| bump.batch).max().unwrap_or(0) + 1;
                    for n in lines {
                        let line = self.lines.iter_mut().find(|line| line.n == *n).unwrap();
                        assert_eq!(line.state, *from);
                        line.state = *to;
                        self.bumps.retain(|bump| bump.line != Some(*n));
                        if *to == LineState::Done {
                            self.bumps.push(Bump { batch, line: Some(*n) });
                        }
                    }
                }
                Change::SetState { to, .. } => self.order.state = *to,
                other => panic!("{other:?}"),
            }
        }
    }

    fn states(&self) -> Vec<LineState> {
        self.lines.iter().map(|line| line.state).collect()
    }
}

#[test]
fn a_station_finishes_its_lines_and_not_the_order() {
    let mut pass = Pass::new(&[Some("Plancha"), Some("Barra"), Some("Barra")]);
    pass.finish(Some("barra")).unwrap();
    assert_eq!(pass.order.state, OrderState::Preparing, "the burger is raw");
    assert_eq!(pass.states(), [LineState::Pending, LineState::Done, LineState::Done]);
    assert_eq!(pass.finish(Some("Barra")), Ok(vec![]), "said twice");
    pass.finish(Some("Plancha")).unwrap();
    assert_eq!(pass.order.state, OrderState::Ready);
}

#[test]
fn a_station_takes_back_its_own_work_only() {
    let mut pass = Pass::new(&[Some("Plancha"), Some("Barra"), Some("Barra")]);
    pass.finish(Some("Barra")).unwrap();
    pass.finish(Some("Plancha")).unwrap();
    pass.undo(Some("Barra")).unwrap();
    assert_eq!(pass.order.state, OrderState::Preparing, "its drinks are missing again");
    assert_eq!(pass.states(), [LineState::Done, LineState::Pending, LineState::Pending]);
    assert_eq!(pass.undo(Some("Barra")), Err(Refusal::NothingToUndo));
}

#[test]
fn lines_of_no_station_and_strangers() {
    let mut pass = Pass::new(&[Some("Plancha"), None]);
    let unknown = pass.finish(Some("Horno")).unwrap_err();
    assert_eq!(unknown.code(), "ESTACION_INEXISTENTE");
    pass.finish(Some("Plancha")).unwrap();
    assert_eq!(pass.order.state, OrderState::Preparing, "someone still owes the other line");
    pass.finish(Some(NO_STATION)).unwrap();
    assert_eq!(pass.order.state, OrderState::Ready);
    let cashier = finish_station(
        &preparing(1, "20:00:00"),
        &TICKET,
        &ticket(&[None]),
        None,
        Role::Cashier,
        at("20:05:00"),
    );
    assert_eq!(cashier.unwrap_err().code(), "ROL_INSUFICIENTE");
}

#[test]
fn progress_is_told_by_station_whatever_its_capitals() {
    let mut lines = ticket(&[Some("Barra"), Some(" barra"), Some("Plancha"), None]);
    lines[1].state = LineState::Done;
    lines[2].state = LineState::Voided;
    let told: Vec<_> =
        progress(&lines).into_iter().map(|one| (one.station, one.pending, one.done)).collect();
    assert_eq!(told, [("Barra".to_owned(), 1, 1), (String::new(), 1, 0)]);
}

proptest! {
    /// Whatever is pressed in whatever order: ready exactly when nothing is pending, and a press
    /// changes no line of another station.
    #[test]
    fn ready_when_all_stations_are_and_not_before(
        kinds in prop::collection::vec(0_usize..3, 1..8),
        presses in prop::collection::vec((0_usize..3, any::<bool>()), 0..20),
    ) {
        let stations: Vec<_> = kinds.iter().map(|kind| STATIONS[*kind]).collect();
        let mut pass = Pass::new(&stations);
        for (which, back) in presses {
            let station = STATIONS[which].unwrap_or(NO_STATION);
            let before = pass.clone();
            let _ = if back { pass.undo(Some(station)) } else { pass.finish(Some(station)) };
            for (old, new) in before.lines.iter().zip(&pass.lines) {
                prop_assert!(old == new || new.is_at(Some(station)));
            }
            let pending = pass.states().contains(&LineState::Pending);
            prop_assert_eq!(pass.order.state == OrderState::Ready, !pending);
        }
    }

    #[test]
    fn what_a_station_finished_can_be_taken_back(
        kinds in prop::collection::vec(0_usize..3, 1..8), which in 0_usize..3,
    ) {
        let stations: Vec<_> = kinds.iter().map(|kind| STATIONS[*kind]).collect();
        let station = STATIONS[which].unwrap_or(NO_STATION);
        let mut pass = Pass::new(&stations);
        if pass.finish(Some(station)).is_ok() {
            pass.undo(Some(station)).unwrap();
            prop_assert_eq!(pass.states(), Pass::new(&stations).states());
            prop_assert_eq!(pass.order.state, OrderState::Preparing);
        }
    }
}
