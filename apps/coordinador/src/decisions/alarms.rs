//! What people are told through the house's channels: OLTs that do not answer, ONUs lost in masses,
//! walks that are held, quotas that press, plans that do not fit. One alert for each kind, however
//! many it is about; it is resolved when none is left.

use db::{Error, Tx};
use engine::Sentence;
use host::{Alert, Next, Severity};
use jiff::{SignedDuration, Timestamp};

use crate::{
    Context,
    model::{NodeId, OltId},
    policy::QuotaPolicy,
    rules::quota::{self, Level, Usage},
    store::{nodes, olts, policy, world},
};

pub const TICK: &str = "coordinador.alertas";

/// One packet that was lost is no OLT that is down: so many tries in a row are.
const SILENT: i64 = 2;
/// Names in one notice; the others are counted.
const NAMED: usize = 20;
/// An alert that fires is looked at again after this, in case nothing else happens.
const AGAIN: SignedDuration = SignedDuration::from_mins(5);

/// One kind of trouble and whom it is about.
struct Trouble {
    fingerprint: &'static str,
    severity: Severity,
    /// What follows the number, about one and about several.
    es: [&'static str; 2],
    en: [&'static str; 2],
    about: Vec<String>,
    /// The pages of what is wrong, and of why.
    shown_at: (String, String),
}

pub async fn tick(context: Context, now: Timestamp) -> Next {
    let mut tx = context.store.read().await?;
    let policy = policy::load(&context, &mut tx).await?;
    let mut all = Vec::from(of_olts(&mut tx).await?);
    all.push(of_quotas(&mut tx, &policy.quota, now).await?);
    all.push(of_plan(&mut tx).await?);
    drop(tx);
    let mut fires = false;
    for trouble in all {
        fires |= !trouble.about.is_empty();
        tell(&context, trouble, now).await?;
    }
    Ok(fires.then(|| now + AGAIN))
}

async fn of_olts(tx: &mut Tx) -> Result<[Trouble; 3], Error> {
    let all = olts::in_trouble(tx).await?;
    let down = all.iter().filter(|one| one.down_since.is_some() && one.failures >= SILENT);
    let lost = all.iter().filter_map(|one| Some((one, one.lost?)));
    let held = || all.iter().filter(|one| one.held);
    Ok([
        Trouble {
            fingerprint: "coordinador/olt-sin-respuesta",
            severity: Severity::Critical,
            es: ["OLT no responde", "OLT no responden"],
            en: ["OLT does not answer", "OLTs do not answer"],
            shown_at: olt(&down.clone().map(|one| one.id).collect::<Vec<_>>()),
            about: down.map(|one| one.name.clone()).collect(),
        },
        Trouble {
            fingerprint: "coordinador/recorrido-retenido",
            severity: Severity::Critical,
            es: [
                "recorrido retenido: faltaron demasiadas ONU",
                "recorridos retenidos: faltaron demasiadas ONU",
            ],
            en: ["held walk: too many ONUs were missing", "held walks: too many ONUs were missing"],
            shown_at: olt(&held().map(|one| one.id).collect::<Vec<_>>()),
            about: held().map(|one| one.name.clone()).collect(),
        },
        Trouble {
            fingerprint: "coordinador/perdida-masiva",
            severity: Severity::Critical,
            es: ["OLT perdió muchas ONU a la vez", "OLT perdieron muchas ONU a la vez"],
            en: ["OLT lost many ONUs at once", "OLTs lost many ONUs at once"],
            shown_at: olt(&lost.clone().map(|(one, _)| one.id).collect::<Vec<_>>()),
            about: lost.map(|(one, lost)| format!("{} ({lost})", one.name)).collect(),
        },
    ])
}

/// The page of the only one and what ran on it, or the list of all and what failed.
fn olt(which: &[OltId]) -> (String, String) {
    if let [id] = which {
        (format!("/coordinador/olts/{id}"), format!("/coordinador/ejecuciones?olt_id={id}"))
    } else {
        let failed = "/coordinador/ejecuciones?status=FAILED".to_owned();
        ("/coordinador/olts".to_owned(), failed)
    }
}

/// At its normal pace a node uses its whole quota: only who goes faster, or will be held, is told.
async fn of_quotas(tx: &mut Tx, policy: &QuotaPolicy, now: Timestamp) -> Result<Trouble, Error> {
    let starts = world::starts_of_the_hour(tx, now, false).await?;
    let (mut about, mut last) = (Vec::new(), None);
    for node in nodes::of(tx, starts.keys().copied()).await? {
        let own = starts.get(&node.id).map_or(&[][..], Vec::as_slice);
        let Some(cadence) = node.role.cadence() else { continue };
        let usage = Usage::at(own, cadence.interval, now);
        let next = node.role.next_run_at();
        if usage.level(policy) >= Level::Alert
            && quota::is_pressed(own, cadence.interval, next, policy, now)
        {
            last = Some(node.id);
            about.push(named(node.id, &node.name, &format!("{}/{}", usage.used, usage.max)));
        }
    }
    Ok(Trouble {
        fingerprint: "coordinador/cuota",
        severity: Severity::Warning,
        es: [
            "nodo con la cuota casi agotada, sobre su ritmo",
            "nodos con la cuota casi agotada, sobre su ritmo",
        ],
        en: [
            "node with its quota almost used, above its pace",
            "nodes with their quota almost used, above their pace",
        ],
        shown_at: node(last.filter(|_| about.len() == 1), "/coordinador/nodos"),
        about,
    })
}

/// The page of the only one and its reasons, or the page where all are.
fn node(only: Option<NodeId>, all: &str) -> (String, String) {
    match only {
        Some(id) => (format!("/coordinador/nodos/{id}"), format!("/coordinador/nodos/{id}#why")),
        None => (all.to_owned(), "/coordinador/plan".to_owned()),
    }
}

async fn of_plan(tx: &mut Tx) -> Result<Trouble, Error> {
    let over = nodes::overflowing(tx).await?;
    Ok(Trouble {
        fingerprint: "coordinador/desborde",
        severity: Severity::Warning,
        es: ["nodo no cabe en su ventana del plan", "nodos no caben en su ventana del plan"],
        en: [
            "node does not fit into its window of the plan",
            "nodes do not fit into their window of the plan",
        ],
        shown_at: node(
            over.first().filter(|_| over.len() == 1).map(|one| one.id),
            "/coordinador/plan",
        ),
        about: over.iter().map(|node| named(node.id, &node.name, "")).collect(),
    })
}

fn named(id: NodeId, name: &str, more: &str) -> String {
    format!("{name} #{id} {more}").trim_end().to_owned()
}

/// Raises it if there is news, and resolves it when nobody is left.
async fn tell(context: &Context, trouble: Trouble, now: Timestamp) -> Result<(), Error> {
    let Trouble { fingerprint, severity, es, en, about, shown_at } = trouble;
    if about.is_empty() {
        context.runtime.quiet(fingerprint);
        return context.resolve(fingerprint).await;
    }
    let (count, hidden) = (about.len(), about.len().saturating_sub(NAMED));
    let named = about.into_iter().take(NAMED).collect::<Vec<_>>().join(", ");
    let detail = if hidden > 0 { format!("{named} … +{hidden}") } else { named };
    if !context.runtime.is_news(fingerprint, &detail, now) {
        return Ok(());
    }
    let many = usize::from(count > 1);
    let title = Sentence::new(format!("{count} {}", es[many]), format!("{count} {}", en[many]));
    let detail = Sentence::same(detail);
    let alert = Alert::new(crate::NAME, fingerprint, severity, title, detail);
    context.raise(alert.shown_at(shown_at.0, shown_at.1)).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_alert_of_one_olt_leads_to_what_ran_on_it() {
        let (page, why) = olt(&[OltId(7)]);
        assert_eq!(page, "/coordinador/olts/7");
        assert_eq!(why, "/coordinador/ejecuciones?olt_id=7");
        let (page, why) = olt(&[OltId(7), OltId(8)]);
        assert_eq!(page, "/coordinador/olts");
        assert_eq!(why, "/coordinador/ejecuciones?status=FAILED");
    }
}
