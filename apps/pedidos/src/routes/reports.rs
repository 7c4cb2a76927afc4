//! How the kitchen has been doing, what the learning rules advise, and what would have been.

use std::collections::{BTreeMap, BTreeSet};

use axum::response::{IntoResponse as _, Response};
use engine::Roles as _;
use host::Failure;
use jiff::{SignedDuration, Timestamp, ToSpan as _, civil::Date, tz::TimeZone};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use web::routes;
use web::{Json, Lang, Notice, Page, Period, Tone};

use super::{Desk, check, look};
use crate::{
    Context,
    model::{Order, OrderId, OrderState},
    pages::{
        PanelPage,
        panel::{Advice, ArticleTime, Figures, HourUse, OnBoard, Standing},
    },
    policy::{Action, Policy},
    rules::{
        adaptive::Direction,
        business_day::BusinessDay,
        delay, estimate,
        intake::Reason,
        lateness::minutes_late,
        learning::Dish,
        replay::{self, PastOrder, Setup},
        stats::percentile,
    },
    store::{
        KitchenView, advice,
        orders::{self, Cooked},
    },
};

/// Names written by hand are many; the most cooked tell enough.
const ROWS: usize = 200;
/// Stations in the chart; a kitchen has few.
const STATIONS: usize = 5;
/// More than the busiest shop of its kind takes in a week; the panel says so when it is passed.
const MOST_ORDERS: u32 = 50_000;

pub(super) fn routes() -> OpenApiRouter<Context> {
    OpenApiRouter::new().routes(routes!(simulate))
}

#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = PedidoDeSimulacion)]
struct SimulationRequest {
    /// A past business day.
    #[schema(example = "2026-06-19")]
    dia: String,
    #[schema(minimum = 1, maximum = 200)]
    capacidad: i64,
    #[schema(example = "estricta")]
    politica: Option<String>,
}

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Simulacion)]
struct SimulationView {
    pedidos: usize,
    espera_p50: f64,
    espera_p90: f64,
    atrasados: usize,
    /// Percent of the places taken, by local hour.
    utilizacion: Vec<f64>,
}

/// Runs a past day again under another capacity or policy.
#[utoipa::path(post, path = "/api/pedidos/simulacion", request_body = SimulationRequest,
    tag = "capacidad", responses((status = 200, body = SimulationView)))]
async fn simulate(desk: Desk, Json(wanted): Json<SimulationRequest>) -> Result<Response, Failure> {
    desk.require(Action::ReadConfiguration)?;
    let mut check = check(&desk);
    let date = check.date("dia", Some(&wanted.dia));
    let capacity = check.within("capacidad", wanted.capacidad, 1, 200) as u32;
    let policy = check.word("politica", wanted.politica.as_deref());
    check.finish()?;
    let (mut tx, kitchen) = look(&desk).await?;
    let day =
        BusinessDay::of(date.unwrap_or_default(), &kitchen.policy.zone, kitchen.policy.cutoff);
    let mut past = Vec::new();
    let hear = |order: &Order| past.extend(past_order(order));
    orders::each_between(&mut tx, day.begins, day.ends, MOST_ORDERS, hear).await?;
    let setup = Setup {
        capacity,
        unit: kitchen.policy.unit,
        priority: policy.unwrap_or(kitchen.policy.priority),
        ageing_minutes: kitchen.policy.ageing_minutes,
    };
    let outcome = replay::replay(&past, setup, &kitchen.policy.zone);
    Ok(axum::Json(SimulationView {
        pedidos: outcome.orders,
        espera_p50: outcome.wait_p50,
        espera_p90: outcome.wait_p90,
        atrasados: outcome.late,
        utilizacion: outcome.utilisation.to_vec(),
    })
    .into_response())
}

fn past_order(order: &Order) -> Option<PastOrder> {
    (order.state != OrderState::Cancelled).then(|| PastOrder {
        id: order.id,
        received_at: order.received_at,
        due: order.due,
        estimate_minutes: order.estimate_minutes,
        effort: order.effort,
        actual_minutes: preparation(order).map(|minutes| minutes.round() as i64),
    })
}

fn preparation(order: &Order) -> Option<f64> {
    Some(order.ready_at?.duration_since(order.started_at?).as_secs_f64() / 60.0)
}

fn wait(order: &Order) -> Option<f64> {
    let could = order.planned_start.map_or(order.received_at, |at| at.max(order.received_at));
    Some((order.started_at?.duration_since(could).as_secs_f64() / 60.0).max(0.0))
}

/// The page with its figures.
pub(super) async fn panel(
    desk: &Desk,
    mut page: Page,
    period: Period,
) -> Result<PanelPage, Failure> {
    let (mut tx, kitchen) = look(desk).await?;
    if let Some(pause) = &kitchen.pause {
        let reason = Reason::Paused { reason: pause.reason.clone(), until: pause.until };
        let text = desk.lang.say(&reason.sentence(&kitchen.policy.zone)).to_owned();
        page.notices.push(Notice { kind: Tone::Warn, text });
    }
    let today = kitchen.today;
    let since = today.begins - SignedDuration::from_hours(24 * i64::from(period.days() - 1));
    let mut tally = Tally::default();
    let hear = |order: &Order| tally.hear(order, &kitchen.policy);
    if !orders::each_between(&mut tx, since, today.ends, MOST_ORDERS, hear).await? {
        let text = match desk.lang {
            Lang::Es => format!("Las cifras son de los últimos {MOST_ORDERS} pedidos."),
            Lang::En => format!("The figures are of the latest {MOST_ORDERS} orders."),
        };
        page.notices.push(Notice { kind: Tone::Warn, text });
    }
    let past_days = (0..14_i64)
        .filter_map(|back| today.date.checked_sub(back.days()).ok())
        .map(|date| date.to_string())
        .collect();
    let hours = tally.hours(&kitchen.policy);
    let figures = tally.figures(&hours);
    let every = page.t("Todas", "All").to_owned();
    let mut cooking = Cooking::new(every, page.zone.clone());
    let hear = |cooked| cooking.hear(cooked);
    orders::each_cooked(&mut tx, since, today.ends, MOST_ORDERS, hear).await?;
    let stations = cooking.stations();
    let articles = cooking.articles(&kitchen);
    let advice = advice_list(desk, &mut tx, &kitchen).await?;
    Ok(PanelPage {
        page,
        period,
        board: on_board(&mut tx, &kitchen, desk.now).await?,
        figures,
        hours,
        stations,
        articles,
        advice,
        past_days,
        capacity: kitchen.policy.capacity,
        may_configure: desk.role.can(Action::Configure),
    })
}

/// What the counter's board shows now, counted the same way.
async fn on_board(
    tx: &mut db::Tx,
    kitchen: &KitchenView,
    now: Timestamp,
) -> Result<OnBoard, Failure> {
    let mut board = OnBoard::default();
    let (open, _) = orders::open(tx).await?;
    for order in open {
        let place = match order.state {
            _ if kitchen.is_leftover(&order, now) => &mut board.left_open,
            OrderState::Received if order.planned_start.is_some_and(|start| start > now) => {
                &mut board.scheduled
            }
            OrderState::Received => &mut board.received,
            OrderState::Preparing => &mut board.preparing,
            OrderState::Ready => &mut board.ready,
            OrderState::Delivered | OrderState::Cancelled => continue,
        };
        *place += 1;
    }
    Ok(board)
}

/// The orders of some days, added up one after another: of each only its figures are kept.
#[derive(Default)]
struct Tally {
    orders: u64,
    cancelled: u64,
    finished: u64,
    late: u64,
    waits: Vec<f64>,
    preparations: Vec<f64>,
    /// Minutes of places in use, by local hour.
    used: [f64; 24],
    days: BTreeSet<Date>,
}

impl Tally {
    fn hear(&mut self, order: &Order, policy: &Policy) {
        if order.state == OrderState::Cancelled {
            self.cancelled += 1;
        } else {
            self.orders += 1;
        }
        self.finished += u64::from(order.ready_at.is_some());
        self.late += u64::from(was_late(order));
        self.waits.extend(wait(order));
        let Some((start, minutes)) = order.started_at.zip(preparation(order)) else { return };
        self.preparations.push(minutes);
        self.days.insert(policy.zone.to_datetime(start).date());
        let places = f64::from(policy.unit.cost(order.effort));
        // A forgotten tap must not fill a day.
        for minute in 0..(minutes.round() as i64).clamp(0, 240) {
            let at = start + SignedDuration::from_mins(minute);
            self.used[policy.zone.to_datetime(at).hour() as usize] += places;
        }
    }

    /// Mean places in use by local hour, over the days with orders.
    fn hours(&self, policy: &Policy) -> Vec<HourUse> {
        let whole = 60.0 * self.days.len().max(1) as f64;
        let capacity = f64::from(policy.capacity);
        (0..24_u8)
            .map(|hour| HourUse { hour, used: self.used[usize::from(hour)] / whole, capacity })
            .collect()
    }

    fn figures(&self, hours: &[HourUse]) -> Figures {
        let busy: Vec<&HourUse> = hours.iter().filter(|hour| hour.used > 0.0).collect();
        let share = |hour: &&HourUse| hour.used / hour.capacity.max(1.0);
        Figures {
            orders: self.orders,
            cancelled: self.cancelled,
            wait_p50: percentile(&self.waits, 50.0),
            wait_p90: percentile(&self.waits, 90.0),
            prep_p50: percentile(&self.preparations, 50.0),
            prep_p90: percentile(&self.preparations, 90.0),
            late_rate: (self.finished > 0).then(|| self.late as f64 / self.finished as f64),
            late: self.late,
            utilisation: (!busy.is_empty())
                .then(|| busy.iter().map(share).sum::<f64>() / busy.len() as f64),
        }
    }
}

/// Ready after the kitchen's own estimate, or after the promise.
fn was_late(order: &Order) -> bool {
    let Some(ready) = order.ready_at else { return false };
    minutes_late(order, ready) > 0 || order.due.instant().is_some_and(|due| ready > due)
}

/// What was cooked, a line after another: minutes by dish, and by station and local hour.
struct Cooking {
    zone: TimeZone,
    /// What all stations together are called.
    every: String,
    dishes: BTreeMap<Dish, (String, i64, Vec<f64>)>,
    stations: BTreeMap<String, [(u32, f64); 24]>,
    /// The order heard last, and the stations it was counted for.
    heard: (Option<OrderId>, BTreeSet<String>),
}

impl Cooking {
    fn new(every: String, zone: TimeZone) -> Self {
        let (dishes, stations) = (BTreeMap::new(), BTreeMap::new());
        Self { zone, every, dishes, stations, heard: (None, BTreeSet::new()) }
    }

    /// Lines of one order come in a row. A ticket with lines of two stations counts for both.
    fn hear(&mut self, cooked: Cooked) {
        if self.heard.0 != Some(cooked.order) {
            self.heard = (Some(cooked.order), BTreeSet::new());
        }
        let hour = self.zone.to_datetime(cooked.started).hour() as usize;
        for name in cooked.station.into_iter().chain([self.every.clone()]) {
            if self.heard.1.insert(name.clone()) {
                let (count, sum) = &mut self.stations.entry(name).or_insert([(0, 0.0); 24])[hour];
                *count += 1;
                *sum += cooked.minutes;
            }
        }
        let dish = self.dishes.entry(cooked.dish);
        let (.., minutes) = dish.or_insert_with(|| (cooked.name, cooked.weight, Vec::new()));
        minutes.push(cooked.minutes);
    }

    /// Mean minutes of the tickets that began in each local hour, for the stations that cooked most.
    fn stations(&self) -> Vec<(String, Vec<Option<f64>>)> {
        let mut rows: Vec<_> = self.stations.iter().collect();
        let tickets = |hours: &[(u32, f64); 24]| hours.iter().map(|hour| hour.0).sum::<u32>();
        rows.sort_by_key(|(_, hours)| std::cmp::Reverse(tickets(hours)));
        rows.truncate(STATIONS + 1);
        let mean = |(count, sum): (u32, f64)| (count > 0).then(|| sum / f64::from(count));
        rows.into_iter().map(|(name, hours)| (name.clone(), hours.map(mean).to_vec())).collect()
    }

    fn articles(self, kitchen: &KitchenView) -> Vec<ArticleTime> {
        let floor = kitchen.policy.estimate_floor;
        let article = |(name, weight, minutes): (String, i64, Vec<f64>)| ArticleTime {
            name,
            sample: minutes.len() as u32,
            p50: percentile(&minutes, 50.0).unwrap_or(0.0),
            p90: percentile(&minutes, 90.0).unwrap_or(0.0),
            estimate: estimate::minutes(weight, floor) as f64,
        };
        let mut rows: Vec<_> = self.dishes.into_values().map(article).collect();
        rows.sort_by_key(|row| std::cmp::Reverse(row.sample));
        rows.truncate(ROWS);
        rows
    }
}

async fn advice_list(
    desk: &Desk,
    tx: &mut db::Tx,
    kitchen: &KitchenView,
) -> Result<Vec<Advice>, Failure> {
    let policy = &kitchen.policy;
    let lessons = advice::lessons(tx, policy, desk.now).await?;
    let adaptive = advice::adaptive(tx, policy, desk.now).await?;
    Ok(vec![
        learned(desk, &lessons, policy),
        adapted(desk, adaptive.as_ref(), policy),
        predicted(desk, kitchen),
    ])
}

fn learned(desk: &Desk, lessons: &crate::rules::learning::Lessons, policy: &Policy) -> Advice {
    let lang = desk.lang;
    let title = lang.t("Tiempos aprendidos", "Learned times").to_owned();
    let Some(overall) = lessons.overall else {
        let sentence = lang.t(
            "Todavía no hay pedidos preparados de los que aprender.",
            "There are no prepared orders to learn from yet.",
        );
        return silent(title, sentence);
    };
    let suggested = lessons.suggested_base(policy.base_minutes);
    let standing = match (policy.apply_learning, suggested) {
        (true, _) => Standing::Applied,
        (false, Some(_)) => Standing::Advises,
        (false, None) => Standing::Agrees,
    };
    let (minutes, percent) = (overall.median_minutes, overall.factor * 100.0);
    let sentence = match lang {
        Lang::Es => format!(
            "La mitad de los pedidos tarda {minutes:.0} min; eso es el {percent:.0} % de lo estimado."
        ),
        Lang::En => {
            format!("Half of the orders take {minutes:.0} min; {percent:.0}% of the estimate.")
        }
    };
    Advice {
        title,
        sentence,
        standing,
        sample: overall.sample as u32,
        current: format!("{} min", policy.base_minutes),
        suggested: suggested.map(|minutes| format!("{minutes} min")).unwrap_or_default(),
    }
}

fn adapted(
    desk: &Desk,
    advice: Option<&crate::rules::adaptive::Advice>,
    policy: &Policy,
) -> Advice {
    let lang = desk.lang;
    let title = lang.t("Capacidad adaptativa", "Adaptive capacity").to_owned();
    let Some(advice) = advice else {
        let sentence = lang.t(
            "Hacen falta al menos cinco pedidos preparados en las últimas cuatro horas.",
            "At least five orders prepared in the last four hours are needed.",
        );
        return silent(title, sentence);
    };
    let standing = match (policy.apply_adaptive, advice.direction) {
        (true, _) => Standing::Applied,
        (false, Direction::Keep) => Standing::Agrees,
        (false, Direction::Raise | Direction::Lower) => Standing::Advises,
    };
    let average = advice.average_minutes;
    let sentence = match lang {
        Lang::Es => {
            format!("En las últimas cuatro horas cada pedido tardó {average:.0} min en promedio.")
        }
        Lang::En => {
            format!("In the last four hours an order took {average:.0} min on average.")
        }
    };
    let changed = advice.direction != Direction::Keep;
    Advice {
        title,
        sentence,
        standing,
        sample: advice.sample as u32,
        current: advice.from.to_string(),
        suggested: if changed { advice.to.to_string() } else { String::new() },
    }
}

fn predicted(desk: &Desk, kitchen: &KitchenView) -> Advice {
    let lang = desk.lang;
    let finishes: Vec<_> =
        kitchen.cooking(desk.now).iter().map(|cooking| cooking.expected_finish).collect();
    let estimates: Vec<f64> =
        kitchen.preparing.iter().map(|order| order.estimate_minutes as f64).collect();
    let average = crate::rules::stats::mean(&estimates);
    let delay = delay::predict(kitchen.capacity, &finishes, average, desk.now);
    let sentence = match lang {
        Lang::Es => format!(
            "Un pedido nuevo esperaría {} min: {} hasta el próximo lugar y {} de margen.",
            delay.minutes, delay.until_first_finish, delay.half_estimate
        ),
        Lang::En => format!(
            "A new order would wait {} min: {} until the next place and {} of margin.",
            delay.minutes, delay.until_first_finish, delay.half_estimate
        ),
    };
    Advice {
        title: lang.t("Demora prevista", "Predicted delay").to_owned(),
        sentence,
        standing: if delay.minutes == 0 { Standing::Agrees } else { Standing::Advises },
        sample: finishes.len() as u32,
        current: String::new(),
        suggested: format!("{} min", delay.minutes),
    }
}

fn silent(title: String, sentence: &str) -> Advice {
    Advice {
        title,
        sentence: sentence.to_owned(),
        standing: Standing::Silent,
        sample: 0,
        current: String::new(),
        suggested: String::new(),
    }
}
