//! What people send to describe a schedule.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json};
use utoipa::ToSchema;

use crate::{
    model::{RunnerId, Schedule},
    rules::calendar::check::{Timing, Wanted},
};

views! {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    SamProgramacionNueva = ScheduleRequest(
        schedule: &Schedule, runners: &[RunnerId];
        wanted = Timing::of(schedule).wanted()
    ) {
        robot_id: i64 = schedule.robot.0,
        /// `Diaria`, `Semanal`, `Mensual`, `RangoMensual` or `Especifica`.
        #[schema(example = "Diaria")]
        tipo_programacion: Option<String> = wanted.kind,
        #[schema(example = "09:00")]
        hora_inicio: Option<String> = wanted.start,
        /// Minutes after the start in which it may still be launched; 60 unless told.
        #[schema(minimum = 0, maximum = 1440)]
        tolerancia: Option<i64> = wanted.tolerance,
        #[serde(default)]
        #[schema(example = json!(["Lu", "Mi"]))]
        dias_semana: Option<Vec<String>> = Some(wanted.weekdays),
        #[schema(minimum = 1, maximum = 31)]
        dia_del_mes: Option<i64> = wanted.day,
        fecha_especifica: Option<String> = wanted.date,
        #[schema(minimum = 1, maximum = 31)]
        dia_inicio_mes: Option<i64> = wanted.range_from,
        #[schema(minimum = 1, maximum = 31)]
        dia_fin_mes: Option<i64> = wanted.range_to,
        #[schema(minimum = 1, maximum = 31)]
        primeros_dias_mes: Option<i64> = None,
        #[schema(minimum = 1, maximum = 31)]
        ultimos_dias_mes: Option<i64> = wanted.last_days,
        es_ciclico: Option<bool> = wanted.cyclic,
        hora_fin: Option<String> = wanted.end,
        #[schema(minimum = 1, maximum = 1440)]
        intervalo_entre_ejecuciones: Option<i64> = wanted.interval,
        fecha_inicio_ventana: Option<String> = wanted.valid_from,
        fecha_fin_ventana: Option<String> = wanted.valid_to,
        activo: Option<bool> = Some(schedule.active),
        calendario_id: Option<i64> = schedule.calendar.map(|one| one.0),
        #[serde(default)]
        #[schema(schema_with = web::bounds::ids)]
        equipos: Vec<i64> = runners.iter().map(|one| one.0).collect(),
        /// Accepts that slots of other schedules of the same runner overlap.
        permitir_solapamiento: Option<bool> = None,
    }
}

impl ScheduleRequest {
    pub fn wanted(&self) -> Wanted {
        Wanted {
            kind: self.tipo_programacion.clone(),
            start: self.hora_inicio.clone(),
            tolerance: self.tolerancia,
            weekdays: self.dias_semana.clone().unwrap_or_default(),
            day: self.dia_del_mes,
            date: self.fecha_especifica.clone(),
            range_from: self.dia_inicio_mes,
            range_to: self.dia_fin_mes,
            first_days: self.primeros_dias_mes,
            last_days: self.ultimos_dias_mes,
            cyclic: self.es_ciclico,
            end: self.hora_fin.clone(),
            interval: self.intervalo_entre_ejecuciones,
            valid_from: self.fecha_inicio_ventana.clone(),
            valid_to: self.fecha_fin_ventana.clone(),
        }
    }

    /// What stands under a change. Another kind, or another pace, begins without the fields of the one
    /// before: they would not belong.
    pub fn under(before: &Schedule, runners: &[RunnerId], change: &Map<String, Json>) -> Self {
        let mut standing = Self::new(before, runners);
        let kind = change.get("tipo_programacion").and_then(Json::as_str);
        if kind.is_some_and(|kind| Some(kind) != standing.tipo_programacion.as_deref()) {
            standing.dias_semana = None;
            standing.dia_del_mes = None;
            standing.fecha_especifica = None;
            standing.dia_inicio_mes = None;
            standing.dia_fin_mes = None;
            standing.ultimos_dias_mes = None;
        }
        let cyclic = change.get("es_ciclico").and_then(Json::as_bool);
        if cyclic.is_some_and(|cyclic| cyclic != standing.es_ciclico.unwrap_or(false)) {
            standing.tolerancia = None;
            standing.intervalo_entre_ejecuciones = None;
            standing.hora_fin = None;
        }
        standing
    }
}
