//! Watches the broker that the house named, whatever applications run: `/ready` says when it is away or
//! refuses, and an alert rings.

use std::time::Duration;

use broker::Health;
use engine::Sentence;
use tokio::time::Instant;

use crate::{Alert, Context, Severity};

/// How the broker is called where things are listed that are away.
pub const BROKER: &str = "broker";
/// How often somebody looks, beside being told of its coming and going.
const LOOK: Duration = Duration::from_secs(5);
/// An alert rings after this long.
const ALERT_AFTER: Duration = Duration::from_secs(10);
/// Who watches over the hints between processes.
const HINTS: &str = "hints";
const FINGERPRINT: &str = "host/broker";

/// Runs from start to shutdown, where there is a broker.
pub(crate) async fn watch(context: Context) {
    let Some(broker) = context.bus.broker().cloned() else { return };
    let mut changes = broker.changes();
    let (mut since, mut ringing) = (None, None);
    loop {
        let away = match broker.health() {
            Health::Up => None,
            Health::Down { fault, .. } => Some(format!("{}: {fault}", broker.address())),
        };
        context.shortages.set_by(BROKER, HINTS, away);
        // Whatever else is missed of it is said by whoever needs it.
        let missed = context.shortages.all().remove(BROKER);
        since = missed.as_ref().and(since.or_else(|| Some(Instant::now())));
        let rings = missed.filter(|_| since.is_some_and(|at| at.elapsed() > ALERT_AFTER));
        // One that rang when this process was not there yet is over, too.
        if ringing != Some(rings.is_some()) && tell(&context, rings.as_deref()).await.is_ok() {
            ringing = Some(rings.is_some());
        }
        tokio::select! {
            () = context.stopping.cancelled() => return,
            () = changes.next() => {}
            () = tokio::time::sleep(LOOK) => {}
        }
    }
}

async fn tell(context: &Context, missed: Option<&str>) -> Result<(), db::Error> {
    let Some(missed) = missed else { return context.resolve(FINGERPRINT).await };
    let title = Sentence::new(
        "RabbitMQ no está como debe: el trabajo sigue, más despacio",
        "RabbitMQ is not as it should be: work goes on, more slowly",
    );
    let detail = Sentence::same(missed.to_owned());
    let alert = Alert::new("host", FINGERPRINT, Severity::Warning, title, detail);
    context.raise(alert.shown_at("/sistema", "")).await
}
