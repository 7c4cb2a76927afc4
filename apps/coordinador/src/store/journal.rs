//! What was decided about a node, and why: kept some days, so that "why did this not run?" has an
//! answer for the past too.

use db::{Error, Row, Tx, Value};
use engine::Word as _;
use jiff::Timestamp;
use serde_json::Value as Json;

use crate::model::{NodeId, OltId, RunId};

engine::words! {
    pub enum Level {
        Debug = "DEBUG",
        Info = "INFO",
        Warning = "WARNING",
        Alert = "ALERT",
    }
}

engine::words! {
    /// What is told, as people may ask for it.
    pub enum Kind {
        QuotaSkipped = "CUOTA_OMITIDA",
        QuotaWarning = "CUOTA_ADVERTENCIA",
        QuotaAlert = "CUOTA_ALERTA",
        QuotaFull = "CUOTA_COMPLETA",
        RunFailed = "EJECUCION_FALLIDA",
        RunInterrupted = "EJECUCION_INTERRUMPIDA",
        PutOff = "POSTERGADA",
        OltSilent = "OLT_SIN_RESPUESTA",
        OltBack = "OLT_RECUPERADA",
        WalkHeld = "RECORRIDO_RETENIDO",
        MassLoss = "PERDIDA_MASIVA",
        OnuGone = "ONU_DESAPARECIDA",
        OnuBack = "ONU_REAPARECIDA",
        Spread = "REDISTRIBUCION",
        Overflow = "DESBORDE",
        Settled = "ARRANQUE",
        Repaired = "PLAN_REPARADO",
    }
}

#[derive(Debug, Clone)]
pub struct Entry {
    pub level: Level,
    pub kind: Kind,
    pub reason: Option<&'static str>,
    pub olt: Option<OltId>,
    pub node: Option<NodeId>,
    pub run: Option<RunId>,
    pub data: Json,
}

impl Entry {
    /// About the fleet; whom it is about is added.
    pub const fn new(level: Level, kind: Kind, reason: Option<&'static str>, data: Json) -> Self {
        Self { level, kind, reason, olt: None, node: None, run: None, data }
    }
}

pub async fn write(tx: &mut Tx, entry: &Entry, now: Timestamp) -> Result<(), Error> {
    let sql = "INSERT INTO node_events (at, level, kind, reason, olt_id, node_id, run_id, data)
               VALUES ($1, $2, $3, $4, $5, $6, $7, $8)";
    let args: [Value; 8] = [
        now.into(),
        entry.level.word().into(),
        entry.kind.word().into(),
        entry.reason.into(),
        entry.olt.map(|id| id.0).into(),
        entry.node.map(|id| id.0).into(),
        entry.run.map(|id| id.0).into(),
        entry.data.clone().into(),
    ];
    tx.execute(sql, &args).await.map(drop)
}

/// An entry as it is read back.
#[derive(Debug, Clone)]
pub struct Kept {
    pub id: i64,
    pub at: Timestamp,
    pub level: Level,
    pub kind: String,
    pub reason: Option<String>,
    pub olt: Option<OltId>,
    pub node: Option<NodeId>,
    pub run: Option<RunId>,
    pub data: Json,
}

fn read(row: &Row) -> Result<Kept, Error> {
    Ok(Kept {
        id: row.get("id")?,
        at: row.get("at")?,
        level: row.word("level", Level::from_word)?,
        kind: row.get("kind")?,
        reason: row.maybe("reason")?,
        olt: row.maybe("olt_id")?.map(OltId),
        node: row.maybe("node_id")?.map(NodeId),
        run: row.maybe("run_id")?.map(RunId),
        data: row.get("data")?,
    })
}

#[derive(Debug, Clone, Default)]
pub struct Filter {
    pub node: Option<NodeId>,
    pub olt: Option<OltId>,
    pub kind: Option<String>,
    pub level: Option<Level>,
    pub before: Option<i64>,
}

/// The newest first.
pub async fn list(tx: &mut Tx, filter: &Filter, limit: i64) -> Result<Vec<Kept>, Error> {
    let sql = "SELECT id, at, level, kind, reason, olt_id, node_id, run_id, data FROM node_events
               WHERE ($1 IS NULL OR node_id = $1) AND ($2 IS NULL OR olt_id = $2)
                 AND ($3 IS NULL OR kind = $3) AND ($4 IS NULL OR level = $4)
                 AND ($5 IS NULL OR id < $5) ORDER BY id DESC LIMIT $6";
    let args: [Value; 6] = [
        filter.node.map(|id| id.0).into(),
        filter.olt.map(|id| id.0).into(),
        filter.kind.clone().into(),
        filter.level.map(Level::word).into(),
        filter.before.into(),
        limit.into(),
    ];
    tx.all(sql, &args).await?.iter().map(read).collect()
}

/// The newest above a level: DEBUG is for whoever asks.
pub async fn latest(tx: &mut Tx, above: Level, limit: i64) -> Result<Vec<Kept>, Error> {
    let sql = "SELECT id, at, level, kind, reason, olt_id, node_id, run_id, data FROM node_events
               WHERE level <> $1 ORDER BY id DESC LIMIT $2";
    tx.all(sql, &[above.word().into(), limit.into()]).await?.iter().map(read).collect()
}

pub async fn oldest(tx: &mut Tx) -> Result<Option<Timestamp>, Error> {
    tx.one("SELECT MIN(at) AS at FROM node_events", &[]).await?.maybe("at")
}

pub async fn forget(tx: &mut Tx, before: Timestamp) -> Result<u64, Error> {
    tx.execute("DELETE FROM node_events WHERE at < $1", &[before.into()]).await
}
