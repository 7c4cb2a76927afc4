//! Time travel: `POST /debug/clock`, only with `--clock manual`.

use axum::extract::State;
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use web::{Json, Lang, Problem};

use crate::{Actor, Context, Failure};

pub(crate) const PATH: &str = "/debug/clock";
/// The farthest one call may go: each due tick runs for real.
const FARTHEST: SignedDuration = SignedDuration::from_hours(24 * 31);

/// Where to move the clock: by seconds, or to an instant.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Move {
    /// Zero runs what is due now.
    #[schema(minimum = 0, maximum = 2_678_400)]
    advance_seconds: Option<f64>,
    now: Option<Timestamp>,
}

#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Moved {
    now: Timestamp,
    /// How many ticks ran on the way.
    ticks: u64,
}

/// Moves the clock and answers when nothing is left to do.
#[utoipa::path(post, path = "/debug/clock", request_body = Move, tag = "debug",
    responses((status = 200, body = Moved)))]
pub(crate) async fn move_clock(
    State(context): State<Context>,
    lang: Lang,
    actor: Actor,
    Json(wanted): Json<Move>,
) -> Result<axum::Json<Moved>, Failure> {
    actor.require_admin(lang)?;
    if !context.clock.is_manual() || context.clock.runs_on() {
        return Err(Problem::no_such_route(lang).await.into());
    }
    let now = context.clock.now();
    let target = target(&wanted, now).ok_or_else(|| {
        Problem::bad_request("RELOJ_INVALIDO").lang(lang).detail(lang.t(
            "Indicar advance_seconds (0 a 2678400) o now, no anterior a la hora actual ni más de \
             31 días después.",
            "Give advance_seconds (0 to 2678400) or now, not before the present nor more than 31 \
             days after it.",
        ))
    })?;
    let ticks = context.travel(target).await;
    Ok(axum::Json(Moved { now: context.clock.now(), ticks }))
}

fn target(wanted: &Move, now: Timestamp) -> Option<Timestamp> {
    let target = match (wanted.advance_seconds, wanted.now) {
        (Some(seconds), None) => {
            now.checked_add(SignedDuration::try_from_secs_f64(seconds).ok()?).ok()?
        }
        (None, Some(instant)) => instant,
        _ => return None,
    };
    (target >= now && target.duration_since(now) <= FARTHEST).then_some(target)
}

impl Context {
    /// Moves a manual clock to `target`, stopping at every instant at which something falls due.
    pub async fn travel(&self, target: Timestamp) -> u64 {
        let _alone = self.ticks.travelling.lock().await;
        let ticks = self.all_ticks();
        let mut ran = 0;
        loop {
            let due = self.first_due(&ticks).await.filter(|(_, at)| *at <= target);
            let until = due.as_ref().map_or(target, |(_, at)| *at);
            // What effects brought may have woken a tick.
            if self.perform_effects_before(until).await {
                continue;
            }
            let Some((tick, at)) = due else { break };
            self.clock.set(at);
            self.run_tick(&tick).await;
            ran += 1;
            self.perform_due_effects().await;
        }
        self.clock.set(target);
        self.perform_due_effects().await;
        if let Err(error) = self.relay_once().await {
            tracing::warn!(error = %error, "events wait: the database does not answer");
        }
        ran
    }

    /// Performs the effects that fall due next, if they do so before `at`: an attempt that is to be
    /// repeated in five seconds is repeated then, whatever ticks.
    async fn perform_effects_before(&self, at: Timestamp) -> bool {
        let next = self.store.next_effect().await.ok().flatten();
        let Some(next) = next.filter(|next| *next < at) else { return false };
        let now = self.clock.now();
        self.clock.set(next.max(now));
        self.perform_due_effects().await;
        // One that is due and that nobody performs would hold time for ever.
        let after = self.store.next_effect().await.ok().flatten();
        next > now || after != Some(next)
    }
}
