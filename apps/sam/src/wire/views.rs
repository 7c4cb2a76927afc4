//! What people are shown of robots, runners, pools, schedules, runs and moves.

use engine::Word as _;
use jiff::{Timestamp, tz::TimeZone};
use serde::Serialize;
use serde_json::Value as Json;
use utoipa::ToSchema;
use web::Lang;

use crate::{
    model::{Assignment, Calendar, Hold, Pool, Robot, Run, Runner, Schedule},
    rules::{
        calendar::{check::Timing, sentence},
        why::{Answer, Because},
        world::Suspension,
    },
    store::{mappings::Mapping, moves::Kept, runs::Step},
};

#[derive(Debug, Clone, Serialize, ToSchema)]
#[schema(as = SamRobot)]
pub struct RobotView {
    pub id: i64,
    pub robot: String,
    pub descripcion: Option<String>,
    #[schema(value_type = Option<Object>)]
    pub parametros: Option<Json>,
    pub activo: bool,
    pub es_online: bool,
    pub min_equipos: i64,
    /// -1 = without limit.
    pub max_equipos: i64,
    pub prioridad_balanceo: i64,
    pub tickets_por_equipo_adicional: i64,
    pub pool_id: Option<i64>,
    /// What the Control Room calls it.
    pub nombre_a360: Option<String>,
    pub version: i64,
}

impl From<&Robot> for RobotView {
    fn from(robot: &Robot) -> Self {
        Self {
            id: robot.id.0,
            robot: robot.name.clone(),
            descripcion: robot.description.clone(),
            parametros: robot.parameters.clone(),
            activo: robot.active,
            es_online: robot.online,
            min_equipos: robot.limits.least,
            max_equipos: robot.limits.most.unwrap_or(-1),
            prioridad_balanceo: robot.priority,
            tickets_por_equipo_adicional: robot.tickets_per_runner,
            pool_id: robot.pool.map(|pool| pool.0),
            nombre_a360: robot.seen_name.clone(),
            version: robot.version,
        }
    }
}

#[derive(Debug, Clone, Serialize, ToSchema)]
#[schema(as = SamEquipo)]
pub struct RunnerView {
    pub id: i64,
    pub equipo: String,
    pub user_id: i64,
    pub user_name: Option<String>,
    pub licencia: String,
    pub activo_sam: bool,
    /// False while a schedule involves the runner, whatever the operator set.
    pub permite_balanceo_dinamico: bool,
    pub pool_id: Option<i64>,
    /// Whether the Control Room saw it connected; null = never synced.
    pub conectado: Option<bool>,
    pub nombre_a360: Option<String>,
    pub version: i64,
}

impl RunnerView {
    pub fn new(runner: &Runner, scheduled: bool) -> Self {
        Self {
            id: runner.id.0,
            equipo: runner.name.clone(),
            user_id: runner.user_id,
            user_name: runner.user_name.clone(),
            licencia: runner.licence.text(),
            activo_sam: runner.active,
            permite_balanceo_dinamico: runner.dynamic && !scheduled,
            pool_id: runner.pool.map(|pool| pool.0),
            conectado: runner.connected,
            nombre_a360: runner.seen_name.clone(),
            version: runner.version,
        }
    }
}

#[derive(Debug, Clone, Serialize, ToSchema)]
#[schema(as = SamPool)]
pub struct PoolView {
    pub id: i64,
    pub nombre: String,
    pub descripcion: Option<String>,
    pub activo: bool,
    pub robots: Vec<i64>,
    pub equipos: Vec<i64>,
    /// Until when nothing changes in it, if it rests.
    pub enfriamiento_hasta: Option<Timestamp>,
    pub version: i64,
}

impl PoolView {
    pub fn new(
        pool: &Pool,
        robots: Vec<i64>,
        runners: Vec<i64>,
        cooling: Option<Timestamp>,
    ) -> Self {
        Self {
            id: pool.id.0,
            nombre: pool.name.clone(),
            descripcion: pool.description.clone(),
            activo: pool.active,
            robots,
            equipos: runners,
            enfriamiento_hasta: cooling,
            version: pool.version,
        }
    }
}

#[derive(Debug, Clone, Serialize, ToSchema)]
#[schema(as = SamAsignacion)]
pub struct AssignmentView {
    pub id: i64,
    pub robot_id: i64,
    pub equipo_id: i64,
    pub es_programado: bool,
    pub reservado: bool,
    pub programacion_id: Option<i64>,
    pub fecha_asignacion: Timestamp,
    pub asignado_por: String,
}

impl From<&Assignment> for AssignmentView {
    fn from(one: &Assignment) -> Self {
        Self {
            id: one.id.0,
            robot_id: one.robot.0,
            equipo_id: one.runner.0,
            es_programado: one.hold == Hold::Scheduled,
            reservado: one.hold == Hold::Reserved,
            programacion_id: one.schedule.map(|schedule| schedule.0),
            fecha_asignacion: one.assigned_at,
            asignado_por: one.assigned_by.clone(),
        }
    }
}

#[derive(Debug, Clone, Serialize, ToSchema)]
#[schema(as = SamProgramacion)]
pub struct ScheduleView {
    pub id: i64,
    pub robot_id: i64,
    pub tipo_programacion: &'static str,
    pub hora_inicio: Option<String>,
    pub tolerancia: Option<i64>,
    pub dias_semana: Vec<String>,
    pub dia_del_mes: Option<i64>,
    pub fecha_especifica: Option<String>,
    pub dia_inicio_mes: Option<i64>,
    pub dia_fin_mes: Option<i64>,
    pub ultimos_dias_mes: Option<i64>,
    pub es_ciclico: bool,
    pub hora_fin: Option<String>,
    pub intervalo_entre_ejecuciones: Option<i64>,
    pub fecha_inicio_ventana: Option<String>,
    pub fecha_fin_ventana: Option<String>,
    pub activo: bool,
    pub calendario_id: Option<i64>,
    pub equipos: Vec<i64>,
    /// The same for people.
    pub frase: String,
    pub proxima: Option<Timestamp>,
    pub version: i64,
}

impl ScheduleView {
    pub fn new(
        schedule: &Schedule,
        runners: Vec<i64>,
        next: Option<Timestamp>,
        lang: Lang,
    ) -> Self {
        let timing = Timing::of(schedule);
        let kind = timing.kind();
        let wanted = timing.wanted();
        Self {
            id: schedule.id.0,
            robot_id: schedule.robot.0,
            tipo_programacion: kind,
            hora_inicio: wanted.start,
            tolerancia: wanted.tolerance,
            dias_semana: wanted.weekdays,
            dia_del_mes: wanted.day,
            fecha_especifica: wanted.date,
            dia_inicio_mes: wanted.range_from,
            dia_fin_mes: wanted.range_to,
            ultimos_dias_mes: wanted.last_days,
            es_ciclico: wanted.cyclic.unwrap_or(false),
            hora_fin: wanted.end,
            intervalo_entre_ejecuciones: wanted.interval,
            fecha_inicio_ventana: wanted.valid_from,
            fecha_fin_ventana: wanted.valid_to,
            activo: schedule.active,
            calendario_id: schedule.calendar.map(|calendar| calendar.0),
            equipos: runners,
            frase: lang.say(&sentence(schedule)).to_owned(),
            proxima: next,
            version: schedule.version,
        }
    }
}

#[derive(Debug, Clone, Serialize, ToSchema)]
#[schema(as = SamCalendario)]
pub struct CalendarView {
    pub id: i64,
    pub nombre: String,
    #[schema(example = json!(["2026-12-25"]))]
    pub feriados: Vec<String>,
    pub version: i64,
}

impl From<&Calendar> for CalendarView {
    fn from(calendar: &Calendar) -> Self {
        Self {
            id: calendar.id.0,
            nombre: calendar.name.clone(),
            feriados: calendar.holidays.iter().map(ToString::to_string).collect(),
            version: calendar.version,
        }
    }
}

#[derive(Debug, Clone, Serialize, ToSchema)]
#[schema(as = SamEjecucion)]
pub struct RunView {
    pub id: i64,
    pub deployment_id: Option<String>,
    pub robot_id: i64,
    pub equipo_id: i64,
    #[schema(example = "RUNNING")]
    pub estado: &'static str,
    pub activa: bool,
    /// The time of the slot it stands for, local.
    pub hora: Option<String>,
    pub turno: Option<String>,
    pub programacion_id: Option<i64>,
    /// `PROGRAMADO`, `RESERVADO` or `DINAMICO`.
    pub origen: &'static str,
    pub fecha_inicio: Timestamp,
    pub fecha_inicio_real: Option<Timestamp>,
    pub fecha_fin: Option<Timestamp>,
    /// Who closed it: `CALLBACK`, `CONCILIADOR`, `INFERENCIA`, …
    pub cierre: Option<&'static str>,
    pub estado_a360: Option<String>,
    pub intentos: i64,
    pub intentos_conciliador_fallidos: i64,
    pub causa: Option<String>,
}

impl RunView {
    pub fn new(run: &Run, zone: &TimeZone) -> Self {
        let local = |at: Timestamp| at.to_zoned(zone.clone()).strftime("%H:%M").to_string();
        Self {
            id: run.id.0,
            deployment_id: run.deployment.clone(),
            robot_id: run.robot.0,
            equipo_id: run.runner.0,
            estado: run.state.word(),
            activa: run.live,
            hora: run.slot_at.map(local),
            turno: run.slot.map(|slot| slot.to_string()),
            programacion_id: run.schedule.map(|schedule| schedule.0),
            origen: run.hold.word(),
            fecha_inicio: run.claimed_at,
            fecha_inicio_real: run.started_at,
            fecha_fin: run.finished_at,
            cierre: run.closing.map(crate::model::Closing::word),
            estado_a360: run.raw_status.clone(),
            intentos: run.attempts,
            intentos_conciliador_fallidos: run.misses,
            causa: run.cause.clone(),
        }
    }
}

#[derive(Debug, Clone, Serialize, ToSchema)]
#[schema(as = SamPaso)]
pub struct StepView {
    pub fecha: Timestamp,
    pub estado: String,
    pub estado_a360: Option<String>,
    pub origen: String,
    pub detalle: Option<String>,
}

impl From<Step> for StepView {
    fn from(step: Step) -> Self {
        Self {
            fecha: step.at,
            estado: step.state,
            estado_a360: step.told,
            origen: step.source,
            detalle: step.detail,
        }
    }
}

#[derive(Debug, Clone, Serialize, ToSchema)]
#[schema(as = SamMapeo)]
pub struct MappingView {
    pub id: i64,
    pub proveedor: String,
    pub nombre_externo: String,
    pub robot_id: i64,
    pub descripcion: Option<String>,
    pub fecha_creacion: Timestamp,
}

impl From<&Mapping> for MappingView {
    fn from(mapping: &Mapping) -> Self {
        Self {
            id: mapping.id,
            proveedor: mapping.provider.clone(),
            nombre_externo: mapping.external_name.clone(),
            robot_id: mapping.robot.0,
            descripcion: mapping.description.clone(),
            fecha_creacion: mapping.created_at,
        }
    }
}

#[derive(Debug, Clone, Serialize, ToSchema)]
#[schema(as = SamBalanceo)]
pub struct MoveView {
    pub id: i64,
    pub fecha: Timestamp,
    pub pool_id: Option<i64>,
    pub robot_id: i64,
    pub equipo_id: i64,
    /// `ASIGNAR` or `DESASIGNAR`.
    pub accion: String,
    pub motivo: String,
    pub tickets_pendientes: Option<i64>,
    pub equipos_antes: i64,
    pub equipos_despues: i64,
    #[schema(example = "25 tickets ÷ 10 → 3 equipos; 2 libres, 1 de Robot B (prioridad 10)")]
    pub justificacion: String,
}

impl MoveView {
    pub fn new(kept: &Kept, lang: Lang) -> Self {
        Self {
            id: kept.id,
            fecha: kept.at,
            pool_id: kept.pool.map(|pool| pool.0),
            robot_id: kept.robot.0,
            equipo_id: kept.runner.0,
            accion: kept.action.clone(),
            motivo: kept.motive.clone(),
            tickets_pendientes: kept.tickets,
            equipos_antes: kept.before,
            equipos_despues: kept.after,
            justificacion: lang.say(&kept.arithmetic.sentence()).to_owned(),
        }
    }
}

#[derive(Debug, Clone, Serialize, ToSchema)]
#[schema(as = SamPorQue)]
pub struct WhyView {
    #[schema(value_type = Object)]
    pub subject: Json,
    pub ready: bool,
    pub reasons: Vec<BecauseView>,
}

#[derive(Debug, Clone, Serialize, ToSchema)]
#[schema(as = SamMotivo)]
pub struct BecauseView {
    #[schema(example = "EQUIPO_OCUPADO")]
    pub code: &'static str,
    pub detail: String,
    pub until: Option<Timestamp>,
    #[schema(value_type = Object)]
    pub data: Json,
}

impl WhyView {
    pub fn new(subject: Json, answer: &Answer, zone: &TimeZone, lang: Lang) -> Self {
        let reasons = answer.because.iter().map(|one| BecauseView::new(one, zone, lang)).collect();
        Self { subject, ready: answer.ready, reasons }
    }
}

impl BecauseView {
    fn new(because: &Because, zone: &TimeZone, lang: Lang) -> Self {
        let mut data = because.reason.data();
        let mut name = |key: &str, id: Option<i64>| {
            if let Some(id) = id.filter(|_| data.get(key).is_none()) {
                data[key] = id.into();
            }
        };
        name("equipo_id", because.runner.map(|runner| runner.0));
        name("robot_id", because.robot.map(|robot| robot.0));
        name("programacion_id", because.schedule.map(|schedule| schedule.0));
        Self {
            code: because.reason.code(),
            detail: lang.say(&because.reason.sentence(zone)).to_owned(),
            until: because.reason.until(),
            data,
        }
    }
}

/// What an error suspended.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[schema(as = SamSuspension)]
pub struct SuspensionView {
    #[schema(example = "robot/7/equipo/3")]
    pub sujeto: String,
    pub codigo: String,
    pub detalle: String,
    pub fallos: i64,
    pub desde: Timestamp,
    pub hasta: Timestamp,
}

impl SuspensionView {
    pub fn new(subject: String, one: &Suspension) -> Self {
        Self {
            sujeto: subject,
            codigo: one.code.clone(),
            detalle: one.detail.clone(),
            fallos: one.failures,
            desde: one.since,
            hasta: one.until,
        }
    }
}
