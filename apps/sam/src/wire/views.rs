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

views! {
    SamRobot = RobotView(robot: &Robot) {
        id: i64 = robot.id.0,
        robot: String = robot.name.clone(),
        descripcion: Option<String> = robot.description.clone(),
        #[schema(value_type = Option<Object>)]
        parametros: Option<Json> = robot.parameters.clone(),
        activo: bool = robot.active,
        es_online: bool = robot.online,
        min_equipos: i64 = robot.limits.least,
        /// -1 = without limit.
        max_equipos: i64 = robot.limits.most.unwrap_or(-1),
        prioridad_balanceo: i64 = robot.priority,
        tickets_por_equipo_adicional: i64 = robot.tickets_per_runner,
        pool_id: Option<i64> = robot.pool.map(|pool| pool.0),
        reintentos: i64 = robot.retry.times,
        reintento_espera_seg: i64 = robot.retry.wait.as_secs(),
        reintento_causas: Vec<String> = super::requests::causes(robot),
        /// What the Control Room calls it.
        nombre_a360: Option<String> = robot.seen_name.clone(),
        version: i64 = robot.version,
    }

    SamEquipo = RunnerView(runner: &Runner, scheduled: bool) {
        id: i64 = runner.id.0,
        equipo: String = runner.name.clone(),
        user_id: i64 = runner.user_id,
        user_name: Option<String> = runner.user_name.clone(),
        licencia: String = runner.licence.text(),
        activo_sam: bool = runner.active,
        /// False while a schedule involves the runner, whatever the operator set.
        permite_balanceo_dinamico: bool = runner.dynamic && !scheduled,
        pool_id: Option<i64> = runner.pool.map(|pool| pool.0),
        /// Whether the Control Room saw it connected; null = never synced.
        conectado: Option<bool> = runner.connected,
        nombre_a360: Option<String> = runner.seen_name.clone(),
        version: i64 = runner.version,
    }

    SamPool = PoolView(
        pool: &Pool, robots: Vec<i64>, runners: Vec<i64>, cooling: Option<Timestamp>
    ) {
        id: i64 = pool.id.0,
        nombre: String = pool.name.clone(),
        descripcion: Option<String> = pool.description.clone(),
        activo: bool = pool.active,
        robots: Vec<i64> = robots,
        equipos: Vec<i64> = runners,
        /// Until when nothing changes in it, if it rests.
        enfriamiento_hasta: Option<Timestamp> = cooling,
        version: i64 = pool.version,
    }

    SamAsignacion = AssignmentView(one: &Assignment) {
        id: i64 = one.id.0,
        robot_id: i64 = one.robot.0,
        equipo_id: i64 = one.runner.0,
        es_programado: bool = one.hold == Hold::Scheduled,
        reservado: bool = one.hold == Hold::Reserved,
        programacion_id: Option<i64> = one.schedule.map(|schedule| schedule.0),
        fecha_asignacion: Timestamp = one.assigned_at,
        asignado_por: String = one.assigned_by.clone(),
    }

    SamProgramacion = ScheduleView(
        schedule: &Schedule, runners: Vec<i64>, next: Option<Timestamp>, lang: Lang;
        wanted = Timing::of(schedule).wanted()
    ) {
        id: i64 = schedule.id.0,
        robot_id: i64 = schedule.robot.0,
        tipo_programacion: &'static str = schedule.days.kind().word(),
        hora_inicio: Option<String> = wanted.start,
        tolerancia: Option<i64> = wanted.tolerance,
        dias_semana: Vec<String> = wanted.weekdays,
        dia_del_mes: Option<i64> = wanted.day,
        fecha_especifica: Option<String> = wanted.date,
        dia_inicio_mes: Option<i64> = wanted.range_from,
        dia_fin_mes: Option<i64> = wanted.range_to,
        ultimos_dias_mes: Option<i64> = wanted.last_days,
        es_ciclico: bool = wanted.cyclic.unwrap_or(false),
        hora_fin: Option<String> = wanted.end,
        intervalo_entre_ejecuciones: Option<i64> = wanted.interval,
        fecha_inicio_ventana: Option<String> = wanted.valid_from,
        fecha_fin_ventana: Option<String> = wanted.valid_to,
        activo: bool = schedule.active,
        calendario_id: Option<i64> = schedule.calendar.map(|calendar| calendar.0),
        equipos: Vec<i64> = runners,
        /// The same for people.
        frase: String = lang.say(&sentence(schedule)).to_owned(),
        proxima: Option<Timestamp> = next,
        version: i64 = schedule.version,
    }

    SamCalendario = CalendarView(calendar: &Calendar) {
        id: i64 = calendar.id.0,
        nombre: String = calendar.name.clone(),
        #[schema(example = json!(["2026-12-25"]))]
        feriados: Vec<String> = calendar.holidays.iter().map(ToString::to_string).collect(),
        version: i64 = calendar.version,
    }

    SamEjecucion = RunView(
        run: &Run, zone: &TimeZone, lang: Lang;
        local = |at: Timestamp| at.to_zoned(zone.clone()).strftime("%H:%M").to_string()
    ) {
        id: i64 = run.id.0,
        deployment_id: Option<String> = run.deployment.clone(),
        robot_id: i64 = run.robot.0,
        equipo_id: i64 = run.runner.0,
        #[schema(example = "RUNNING")]
        estado: &'static str = run.state.word(),
        activa: bool = run.live,
        /// The time of the slot it stands for, local.
        hora: Option<String> = run.slot_at.map(local),
        turno: Option<String> = run.slot.map(|slot| slot.to_string()),
        programacion_id: Option<i64> = run.schedule.map(|schedule| schedule.0),
        /// `PROGRAMADO`, `RESERVADO`, `DINAMICO`, or `MANUAL` for one that a person started.
        origen: &'static str = if run.asked_by.is_some() { "MANUAL" } else { run.hold.word() },
        fecha_inicio: Timestamp = run.claimed_at,
        fecha_inicio_real: Option<Timestamp> = run.started_at,
        fecha_fin: Option<Timestamp> = run.finished_at,
        /// Who closed it: `CALLBACK`, `CONCILIADOR`, `INFERENCIA`, …
        cierre: Option<&'static str> = run.closing.map(crate::model::Closing::word),
        estado_a360: Option<String> = run.raw_status.clone(),
        intentos: i64 = run.attempts,
        intentos_conciliador_fallidos: i64 = run.misses,
        causa: Option<String> = run.cause.as_deref().map(|cause| lang.told(cause)),
        /// What the Control Room says about its end.
        mensaje: Option<String> = run.message.clone(),
        /// From when on its slot is tried again.
        reintento_desde: Option<Timestamp> = run.retry_at,
        /// Since when it should have begun.
        sin_inicio_desde: Option<Timestamp> = run.overdue_at,
        /// Since when nobody knows whether the Control Room took it.
        en_duda_desde: Option<Timestamp> = run.posted_at.filter(|_| run.live),
        /// A deployment that may be this run; a person decides.
        posible_deployment_id: Option<String> = run.suspect.clone(),
        /// Since when somebody wants it stopped.
        detencion_pedida: Option<Timestamp> = run.stop.as_ref().map(|stop| stop.at),
        iniciada_por: Option<String> = run.asked_by.clone(),
        motivo: Option<String> = run.asked_why.clone(),
    }

    SamPaso = StepView(step: Step, lang: Lang) {
        fecha: Timestamp = step.at,
        estado: String = step.state,
        estado_a360: Option<String> = step.told,
        origen: String = step.source,
        detalle: Option<String> = step.detail.as_deref().map(|detail| lang.told(detail)),
    }

    SamMapeo = MappingView(mapping: &Mapping) {
        id: i64 = mapping.id,
        proveedor: String = mapping.provider.clone(),
        nombre_externo: String = mapping.external_name.clone(),
        robot_id: i64 = mapping.robot.0,
        descripcion: Option<String> = mapping.description.clone(),
        fecha_creacion: Timestamp = mapping.created_at,
    }

    SamBalanceo = MoveView(kept: &Kept, lang: Lang) {
        id: i64 = kept.id,
        fecha: Timestamp = kept.at,
        pool_id: Option<i64> = kept.pool.map(|pool| pool.0),
        robot_id: i64 = kept.robot.0,
        equipo_id: i64 = kept.runner.0,
        /// `ASIGNAR` or `DESASIGNAR`.
        accion: String = kept.action.clone(),
        motivo: String = kept.motive.clone(),
        tickets_pendientes: Option<i64> = kept.tickets,
        equipos_antes: i64 = kept.before,
        equipos_despues: i64 = kept.after,
        #[schema(example = "25 tickets ÷ 10 → 3 equipos; 2 libres, 1 de Robot B (prioridad 10)")]
        justificacion: String = lang.say(&kept.arithmetic.sentence()).to_owned(),
    }

    /// What an error suspended.
    SamSuspension = SuspensionView(subject: String, one: &Suspension, lang: Lang) {
        #[schema(example = "robot/7/equipo/3")]
        sujeto: String = subject,
        codigo: String = one.code.clone(),
        detalle: String = lang.told(&one.detail),
        fallos: i64 = one.failures,
        desde: Timestamp = one.since,
        hasta: Timestamp = one.until,
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
