//! What the home page says of the documents.

use host::{Act, Figure, Glance, Glanced};
use jiff::{SignedDuration, Timestamp};
use web::Tone;

use crate::{Context, store::figures};

const DAY: SignedDuration = SignedDuration::from_hours(24);

pub(crate) async fn glance(context: Context) -> Glanced {
    let now = context.clock.now();
    let mut tx = context.store.read().await?;
    let yesterday = now.checked_sub(DAY).unwrap_or(Timestamp::MIN);
    let counts = figures::counts(&mut tx, yesterday, now).await?;
    if !counts.ever {
        return Ok(Glance::Empty {
            advice: (
                "Todavía no llegó ningún documento. Un PDF o una foto alcanza para empezar.",
                "No document has come yet. A PDF or a photograph is enough to begin.",
            ),
            first: Act {
                label: ("Subir un documento", "Upload a document"),
                href: "/docproc/subir",
            },
        });
    }
    let waiting = figures::waiting(&mut tx).await?.all();
    let open = "/docproc/solicitudes";
    Ok(Glance::Figures([
        Figure::new(&counts.open, ("en proceso", "in progress"), Tone::Plain, open),
        Figure::trouble(
            waiting,
            if waiting == 1 {
                ("espera a una persona", "waits for a person")
            } else {
                ("esperan a personas", "wait for people")
            },
            Tone::Warn,
            "/backoffice",
        ),
        Figure::trouble(counts.late, ("fuera de plazo", "past their deadline"), Tone::Bad, open),
    ]))
}
