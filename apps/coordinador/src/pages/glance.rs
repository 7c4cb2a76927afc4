//! What the home page says of the network.

use host::{Act, Figure, Glance, Glanced};
use jiff::{SignedDuration, Timestamp};
use web::Tone;

use crate::{
    Context,
    model::RunState,
    store::{olts, runs},
};

const HOUR: SignedDuration = SignedDuration::from_hours(1);

pub(crate) async fn glance(context: Context) -> Glanced {
    let now = context.clock.now();
    let mut tx = context.store.read().await?;
    let all = olts::all(&mut tx).await?;
    if all.is_empty() {
        return Ok(Glance::Empty {
            advice: (
                "Todavía no hay ninguna OLT. Con su dirección y su comunidad SNMP se empieza.",
                "There is no OLT yet. Its address and its SNMP community are enough to begin.",
            ),
            first: Act {
                label: ("Agregar una OLT", "Add an OLT"),
                href: "/coordinador/olts?nueva=1",
            },
        });
    }
    let silent = all.iter().filter(|olt| olt.backoff.is_some()).count() as i64;
    let live = runs::live(&mut tx).await?;
    let running = live.iter().filter(|run| run.state == RunState::Running).count();
    let hour_ago = now.checked_sub(HOUR).unwrap_or(Timestamp::MIN);
    let started = runs::starts_since(&mut tx, hour_ago).await?.len();
    let mute = match silent {
        1 => ("OLT sin respuesta", "OLT not answering"),
        _ => ("OLT sin respuesta", "OLTs not answering"),
    };
    let read = match started {
        1 => ("lectura en la última hora", "reading in the last hour"),
        _ => ("lecturas en la última hora", "readings in the last hour"),
    };
    Ok(Glance::Figures([
        Figure::trouble(silent, mute, Tone::Bad, "/coordinador/olts"),
        Figure::new(&running, ("en ejecución", "running"), Tone::Plain, "/coordinador"),
        Figure::new(&started, read, Tone::Plain, "/coordinador/ejecuciones"),
    ]))
}
