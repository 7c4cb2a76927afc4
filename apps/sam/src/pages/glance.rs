//! What the home page says of the robots.

use host::{Act, Figure, Glance, Glanced};
use jiff::{SignedDuration, Timestamp};
use web::Tone;

use crate::{
    Context,
    rules::analysis,
    store::{facts, robots, runners, runs},
};

const DAY: SignedDuration = SignedDuration::from_hours(24);
/// Failures of a day beyond this many are told as this many.
const MOST: i64 = 10_000;

pub(crate) async fn glance(context: Context) -> Glanced {
    let now = context.clock.now();
    let mut tx = context.store.read().await?;
    let (robots, runners) = (robots::all(&mut tx).await?, runners::all(&mut tx).await?);
    if robots.is_empty() && runners.is_empty() {
        return Ok(Glance::Empty {
            advice: (
                "Falta conectar un Control Room: de ahí vienen los robots y los equipos.",
                "No Control Room is connected: robots and runners come from there.",
            ),
            first: Act {
                label: ("Conectar un Control Room", "Connect a Control Room"),
                href: "/ajustes/sam#A360_URL",
            },
        });
    }
    let live = runs::live(&mut tx).await?.len();
    let working = runners.iter().filter(|runner| runner.active).count();
    let yesterday = now.checked_sub(DAY).unwrap_or(Timestamp::MIN);
    let failed = facts::between(&mut tx, yesterday, now, MOST).await?;
    let failed = analysis::failed(&failed, usize::MAX).len() as i64;
    let busy = format!("{live}/{working}");
    let occupied = match working {
        1 => ("equipo ocupado", "runner busy"),
        _ => ("equipos ocupados", "runners busy"),
    };
    let ended = match failed {
        1 => ("fallida en 24 h", "failed in 24 h"),
        _ => ("fallidas en 24 h", "failed in 24 h"),
    };
    let known = match robots.len() {
        1 => ("robot", "robot"),
        _ => ("robots", "robots"),
    };
    Ok(Glance::Figures([
        Figure::new(&busy, occupied, Tone::Plain, "/sam"),
        Figure::trouble(failed, ended, Tone::Bad, "/sam/ejecuciones"),
        Figure::new(&robots.len(), known, Tone::Plain, "/sam/robots"),
    ]))
}
