//! Pools are created, changed and removed, and get their members.

use std::collections::{BTreeSet, HashMap};

use db::{Decision, Error, Tx};
use host::{Failure, check::Check, conflict, edit::Editable};
use jiff::Timestamp;
use serde_json::{Map, Value as Json, json};

use super::{emit, wake_all};
use crate::{
    Desk,
    model::{Pool, PoolId, RobotId, RunnerId},
    store::{self, policy, pools, robots, runners},
    wire::{PoolRequest, PoolView},
};

/// How pools are edited.
#[derive(Debug)]
pub struct Pools;

impl Editable for Pools {
    editable! {
        pools: Pool, PoolId, PoolRequest => PoolView, "pool",
        "POOL_INEXISTENTE", "No existe ese pool.", "There is no such pool."
    }

    async fn view(pool: &Pool, desk: &Desk, tx: &mut Tx) -> Result<PoolView, Error> {
        let found = views(desk, tx, std::slice::from_ref(pool)).await?.pop();
        found.ok_or_else(|| Error::corrupt("a pool without its view"))
    }

    async fn standing(
        pool: &Pool,
        _: &mut Tx,
        _: &Map<String, Json>,
    ) -> Result<PoolRequest, Error> {
        Ok(PoolRequest::new(pool))
    }

    async fn save(
        desk: &Desk,
        decision: &mut Decision,
        before: Option<&Pool>,
        request: &PoolRequest,
    ) -> Result<Pool, Failure> {
        let mut pool = request.typed(desk.lang)?;
        let other = pools::by_name(&mut decision.tx, &pool.name).await?;
        if other.is_some_and(|other| Some(other.id) != before.map(|before| before.id)) {
            let (es, en) = ("Ya hay un pool con ese nombre.", "There is a pool with that name.");
            return Err(conflict(desk.lang, "NOMBRE_REPETIDO", es, en).into());
        }
        if let Some(before) = before {
            (pool.id, pool.version) = (before.id, before.version);
            pools::update(&mut decision.tx, &pool).await?;
            pool.version += 1;
        } else {
            pool.id = pools::insert(&mut decision.tx, &pool).await?;
        }
        wake_all(decision);
        Ok(pool)
    }

    /// Its members go on without one.
    async fn remove(pool: &Pool, _: &Desk, decision: &mut Decision) -> Result<(), Failure> {
        pools::remove(&mut decision.tx, pool.id).await?;
        wake_all(decision);
        Ok(())
    }
}

pub async fn views(desk: &Desk, tx: &mut Tx, pools: &[Pool]) -> Result<Vec<PoolView>, Error> {
    let mut members: HashMap<PoolId, (Vec<i64>, Vec<i64>)> = HashMap::new();
    for robot in robots::all(tx).await? {
        if let Some(pool) = robot.pool {
            members.entry(pool).or_default().0.push(robot.id.0);
        }
    }
    for runner in runners::all(tx).await? {
        if let Some(pool) = runner.pool {
            members.entry(pool).or_default().1.push(runner.id.0);
        }
    }
    let rules = policy::load(&desk.context.settings, &desk.context.zone, tx).await?;
    let changes = pools::changes(tx).await?;
    let rests = |pool: &Pool| {
        let until: Timestamp = *changes.get(&pool.id.0)? + rules.cooling;
        (desk.now < until).then_some(until)
    };
    Ok(pools
        .iter()
        .map(|pool| {
            let (robots, runners) = members.remove(&pool.id).unwrap_or_default();
            PoolView::new(pool, robots, runners, rests(pool))
        })
        .collect())
}

/// Makes these, and only these, the members; each leaves the pool it was in.
pub async fn set_members(
    desk: &Desk,
    id: i64,
    robots: &[i64],
    equipos: &[i64],
) -> Result<PoolView, Failure> {
    let mut decision = desk.context.store.decide(&store::scope(), desk.now).await?;
    let pool = Pools::find(&mut decision.tx, id).await?.ok_or_else(|| Pools::missing(desk))?;
    let before = Pools::view(&pool, desk, &mut decision.tx).await?;
    let known: BTreeSet<i64> =
        store::robots::all(&mut decision.tx).await?.iter().map(|one| one.id.0).collect();
    let known_runners: BTreeSet<i64> =
        store::runners::all(&mut decision.tx).await?.iter().map(|one| one.id.0).collect();
    let mut check = Check::new(desk.lang);
    let strangers = |path: &str, ids: &[i64], known: &BTreeSet<i64>, check: &mut Check| {
        for (n, id) in ids.iter().enumerate().filter(|(_, id)| !known.contains(id)) {
            let (es, en) = (format!("no existe {id}"), format!("there is no {id}"));
            check.wrong(&format!("{path}[{n}]"), &es, &en);
        }
    };
    strangers("robots", robots, &known, &mut check);
    strangers("equipos", equipos, &known_runners, &mut check);
    check.finish()?;
    let robots: Vec<_> = robots.iter().copied().map(RobotId).collect();
    let runners: Vec<_> = equipos.iter().copied().map(RunnerId).collect();
    pools::set_members(&mut decision.tx, pool.id, &robots, &runners).await?;
    let after = Pools::view(&pool, desk, &mut decision.tx).await?;
    let shown = |view: &PoolView| json!({ "robots": view.robots, "equipos": view.equipos });
    let mut entry = desk.by().did("pool.miembros", format!("pool/{id}"));
    entry.before = Some(shown(&before));
    entry.after = Some(shown(&after));
    decision.audit(entry);
    emit(&mut decision, "pool:miembros", format!("pool/{id}"), shown(&after));
    wake_all(&mut decision);
    decision.commit().await?;
    Ok(after)
}
