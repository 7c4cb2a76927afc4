//! Reads what the page of figures shows, also as a sheet.

use std::collections::BTreeSet;

use axum::{
    http::header,
    response::{IntoResponse as _, Response},
};
use engine::sheet::csv;
use host::{Console, Failure};
use jiff::SignedDuration;
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;
use web::{Path, Query};

use super::{Desk, names, render};
use crate::{
    model::RobotId,
    pages::{AnalysisPage, analysis::Narrowed},
    policy::Action,
    routes::{
        analysis::{Asked, moved, runs},
        as_json, unknown,
    },
    rules::analysis::{self, Gap, MoveFact, Period, RunFact},
    store::assignments,
};

#[derive(Debug, Deserialize)]
pub(super) struct Wanted {
    dias: Option<String>,
    robot_id: Option<String>,
    pool_id: Option<String>,
}

/// What the reports are about. What is no number narrows nothing.
struct Scope {
    asked: Asked,
    period: Period,
    narrowed: Narrowed,
}

fn scope(desk: &Desk, wanted: &Wanted) -> Scope {
    let number = |text: Option<&str>| text.and_then(|text| text.trim().parse::<i64>().ok());
    let days = number(wanted.dias.as_deref()).unwrap_or(7).clamp(1, 366);
    let (robot, pool) = (number(wanted.robot_id.as_deref()), number(wanted.pool_id.as_deref()));
    let from = desk.now - SignedDuration::from_hours(24 * days);
    let told = |id: Option<i64>| id.map(|id| id.to_string()).unwrap_or_default();
    Scope {
        asked: Asked { dias: Some(days), robot_id: robot, pool_id: pool, modo: None },
        period: Period { from, to: desk.now },
        narrowed: Narrowed { days: days.to_string(), robot: told(robot), pool: told(pool) },
    }
}

/// Who may run where, of what the reports are about.
async fn assigned(
    desk: &Desk,
    scope: &Scope,
) -> Result<Vec<(RobotId, crate::model::RunnerId)>, Failure> {
    let mut tx = desk.context.store.read().await?;
    let members: BTreeSet<RobotId> = crate::store::robots::all(&mut tx)
        .await?
        .into_iter()
        .filter(|robot| scope.asked.pool_id.is_none_or(|id| robot.pool.is_some_and(|p| p.0 == id)))
        .filter(|robot| scope.asked.robot_id.is_none_or(|id| robot.id.0 == id))
        .map(|robot| robot.id)
        .collect();
    let all = assignments::all(&mut tx).await?;
    let mine = all.iter().filter(|one| members.contains(&one.robot));
    Ok(mine.map(|one| (one.robot, one.runner)).collect())
}

pub(super) async fn show(
    desk: Desk,
    console: Console,
    Query(wanted): Query<Wanted>,
) -> Result<Response, Failure> {
    desk.require(Action::Read)?;
    let page = console.page(console.lang.t("Análisis", "Analysis"));
    let scope = scope(&desk, &wanted);
    let runs: Vec<RunFact> = runs(&desk, &scope.asked, scope.period).await?;
    let moves: Vec<MoveFact> = moved(&desk, &scope.asked, scope.period).await?;
    let assigned = assigned(&desk, &scope).await?;
    let mut tx = desk.context.store.read().await?;
    let zone = &desk.context.zone;
    let robot = scope.asked.robot_id.map(RobotId);
    let spans = match scope.asked.dias {
        Some(1) => web::Period::Day,
        Some(2..=7) => web::Period::Week,
        _ => web::Period::Month,
    };
    let spans = spans.spans(desk.now, zone);
    let view = AnalysisPage {
        names: names(&mut tx).await?,
        use_of_runners: analysis::utilization(&runs, &assigned, scope.period, desk.now),
        success: analysis::success(&runs),
        trends: analysis::trend(&runs, spans.len(), |at| spans.of(at)),
        spans,
        times: analysis::times(&runs),
        latency: analysis::latency(&runs),
        callbacks: analysis::callbacks(&runs, zone),
        patterns: analysis::patterns(&runs, zone),
        balancing: analysis::balancer(&moves, zone),
        dispersion: robot
            .map(|robot| analysis::dispersion(&runs, robot, Gap::Starts))
            .unwrap_or_default(),
        wanted: scope.narrowed,
        page,
    };
    render(&desk, &view)
}

/// The rows of one report, for a spreadsheet.
pub(super) async fn export(
    desk: Desk,
    Path(name): Path<String>,
    Query(wanted): Query<Wanted>,
) -> Result<Response, Failure> {
    desk.require(Action::Read)?;
    let scope = scope(&desk, &wanted);
    let zone = &desk.context.zone;
    let runs: Vec<RunFact> = runs(&desk, &scope.asked, scope.period).await?;
    let told = match name.as_str() {
        "utilizacion.csv" => {
            let assigned = assigned(&desk, &scope).await?;
            json(analysis::utilization(&runs, &assigned, scope.period, desk.now).runners)?
        }
        "exito.csv" => json(analysis::success(&runs).pairs)?,
        "tiempos.csv" => json(analysis::times(&runs))?,
        "latencia.csv" => json(analysis::latency(&runs))?,
        "callbacks.csv" => json(analysis::callbacks(&runs, zone).robots)?,
        "patrones.csv" => json(analysis::patterns(&runs, zone).cells)?,
        "balanceador.csv" => {
            let moves = moved(&desk, &scope.asked, scope.period).await?;
            json(analysis::balancer(&moves, zone).robots)?
        }
        "dispersion.csv" => {
            let robot = RobotId(scope.asked.robot_id.unwrap_or_default());
            json(analysis::dispersion(&runs, robot, Gap::Starts))?
        }
        _ => {
            let (es, en) = ("No existe ese informe.", "There is no such report.");
            return Err(unknown(&desk, "INFORME_INEXISTENTE", es, en).into());
        }
    };
    let headers = [
        (header::CONTENT_TYPE, "text/csv; charset=utf-8".to_owned()),
        (header::CONTENT_DISPOSITION, format!("attachment; filename=\"sam-{name}\"")),
    ];
    Ok((headers, sheet(&told)).into_response())
}

fn json(rows: impl Serialize) -> Result<Vec<Json>, Failure> {
    Ok(match as_json(rows)? {
        Json::Array(rows) => rows,
        other => vec![other],
    })
}

/// One line for each row; what lies inside a row is named with a dot, lists are left out.
fn sheet(rows: &[Json]) -> String {
    let rows: Vec<Vec<(String, String)>> = rows
        .iter()
        .map(|row| {
            let mut cells = Vec::new();
            flatten("", row, &mut cells);
            cells
        })
        .collect();
    let mut columns: Vec<&str> = Vec::new();
    for (name, _) in rows.iter().flatten() {
        if !columns.contains(&name.as_str()) {
            columns.push(name);
        }
    }
    let cell = |row: &[(String, String)], column: &str| {
        row.iter().find(|(name, _)| name == column).map(|(_, text)| text.clone())
    };
    let mut text = csv::line(&columns);
    for row in &rows {
        let cells: Vec<String> =
            columns.iter().map(|column| cell(row, column).unwrap_or_default()).collect();
        let cells: Vec<&str> = cells.iter().map(String::as_str).collect();
        text.push_str(&csv::line(&cells));
    }
    text
}

fn flatten(name: &str, value: &Json, cells: &mut Vec<(String, String)>) {
    match value {
        Json::Object(fields) => {
            for (key, value) in fields {
                let path = if name.is_empty() { key.clone() } else { format!("{name}.{key}") };
                flatten(&path, value, cells);
            }
        }
        Json::Array(_) => {}
        Json::Null => cells.push((name.to_owned(), String::new())),
        Json::String(text) => cells.push((name.to_owned(), text.clone())),
        Json::Bool(_) | Json::Number(_) => cells.push((name.to_owned(), value.to_string())),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn rows_of_a_report_share_their_columns() {
        let rows = [
            json!({ "robot_id": 1, "inicio": { "p50": 2.5 }, "robots": [1] }),
            json!({ "robot_id": 2, "inicio": null }),
        ];
        let lines: Vec<String> = sheet(&rows).lines().map(|line| line.replace('"', "")).collect();
        assert_eq!(lines, ["inicio.p50,robot_id,inicio", "2.5,1,", ",2,"]);
        assert_eq!(sheet(&[]).trim_end().replace('"', ""), "");
    }
}
