//! What people send to describe a robot, a runner, a pool, a calendar or a mapping.

use std::collections::BTreeSet;

use engine::Word as _;
use host::{Failure, check::Check};
use jiff::{SignedDuration, Timestamp, civil::Date};
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;
use utoipa::ToSchema;
use web::Lang;

use crate::{
    model::{
        Calendar, CalendarId, Licence, Limits, Pool, PoolId, Retry, RetryCause, Robot, RobotId,
        Runner, RunnerId,
    },
    store::mappings::Mapping,
};

/// A century of holidays.
const MOST_HOLIDAYS: usize = 5000;

views! {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    SamRobotNuevo = RobotRequest(robot: &Robot) {
        /// The id of its file in the Control Room; chosen when absent.
        #[schema(minimum = 1, maximum = 4_294_967_295_i64)]
        id: Option<i64> = Some(robot.id.0),
        #[schema(min_length = 1, max_length = 100)]
        robot: String = robot.name.clone(),
        descripcion: Option<String> = robot.description.clone(),
        #[schema(value_type = Option<Object>)]
        parametros: Option<Json> = robot.parameters.clone(),
        activo: Option<bool> = Some(robot.active),
        es_online: Option<bool> = Some(robot.online),
        #[schema(minimum = 0, maximum = 10_000)]
        min_equipos: Option<i64> = Some(robot.limits.least),
        /// -1 = without limit.
        #[schema(minimum = -1, maximum = 10_000)]
        max_equipos: Option<i64> = Some(robot.limits.most.unwrap_or(-1)),
        /// The lower, the more important.
        #[schema(minimum = 0, maximum = 1000)]
        prioridad_balanceo: Option<i64> = Some(robot.priority),
        #[schema(minimum = 1, maximum = 100_000)]
        tickets_por_equipo_adicional: Option<i64> = Some(robot.tickets_per_runner),
        pool_id: Option<i64> = robot.pool.map(|pool| pool.0),
        /// How often a slot whose run failed is tried again, within its tolerance; 0 unless told.
        #[schema(minimum = 0, maximum = 10)]
        reintentos: Option<i64> = Some(robot.retry.times),
        /// Seconds before the first; doubled with each that follows.
        #[schema(minimum = 0, maximum = 86_400)]
        reintento_espera_seg: Option<i64> = Some(robot.retry.wait.as_secs()),
        /// For what: `DEPLOY_FAILED`, `RUN_FAILED`, `RUN_ABORTED`, `RUN_TIMED_OUT`, `SIN_INICIO`.
        reintento_causas: Option<Vec<String>> = Some(causes(robot)),
    }

    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    SamEquipoNuevo = RunnerRequest(runner: &Runner, scheduled: bool) {
        /// The id of its device in the Control Room; chosen when absent.
        #[schema(minimum = 1, maximum = 4_294_967_295_i64)]
        id: Option<i64> = Some(runner.id.0),
        #[schema(min_length = 1, max_length = 100)]
        equipo: String = runner.name.clone(),
        /// The user it runs as.
        #[schema(minimum = 1, maximum = 4_294_967_295_i64)]
        user_id: i64 = runner.user_id,
        user_name: Option<String> = runner.user_name.clone(),
        #[schema(example = "RUNTIME, ANALYTICS")]
        licencia: Option<String> = Some(runner.licence.text()),
        activo_sam: Option<bool> = Some(runner.active),
        permite_balanceo_dinamico: Option<bool> = Some(runner.dynamic && !scheduled),
        pool_id: Option<i64> = runner.pool.map(|pool| pool.0),
    }

    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    SamPoolNuevo = PoolRequest(pool: &Pool) {
        #[schema(min_length = 1, max_length = 100)]
        nombre: String = pool.name.clone(),
        descripcion: Option<String> = pool.description.clone(),
        /// A pool switched off is left alone by the balancer.
        activo: Option<bool> = Some(pool.active),
    }

    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    SamCalendarioNuevo = CalendarRequest(calendar: &Calendar) {
        #[schema(min_length = 1, max_length = 100)]
        nombre: String = calendar.name.clone(),
        /// Dates as `YYYY-MM-DD`.
        feriados: Vec<String> = calendar.holidays.iter().map(Date::to_string).collect(),
    }

    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    SamMapeoNuevo = MappingRequest(mapping: &Mapping) {
        /// `General` when absent.
        proveedor: Option<String> = Some(mapping.provider.clone()),
        #[schema(min_length = 1, max_length = 255)]
        nombre_externo: String = mapping.external_name.clone(),
        robot_id: i64 = mapping.robot.0,
        descripcion: Option<String> = mapping.description.clone(),
    }
}

/// The words of what is tried again.
pub(super) fn causes(robot: &Robot) -> Vec<String> {
    robot.retry.causes.iter().map(|cause| cause.word().to_owned()).collect()
}

impl RobotRequest {
    fn retry(&self, check: &mut Check) -> Retry {
        let usual = Retry::default();
        let times = self.reintentos.unwrap_or(usual.times);
        let wait = self.reintento_espera_seg.unwrap_or(usual.wait.as_secs());
        let causes = match &self.reintento_causas {
            None => usual.causes,
            Some(words) => words
                .iter()
                .enumerate()
                .filter_map(|(n, word)| {
                    let cause = RetryCause::from_word(word.trim());
                    if cause.is_none() {
                        let known: Vec<_> = RetryCause::ALL.iter().map(|one| one.word()).collect();
                        let (es, en) = (
                            format!("no es una causa: {}", known.join(", ")),
                            format!("is no cause: {}", known.join(", ")),
                        );
                        check.wrong(&format!("reintento_causas[{n}]"), &es, &en);
                    }
                    cause
                })
                .collect(),
        };
        Retry {
            times: check.within("reintentos", times, 0, Retry::MOST_TIMES),
            wait: SignedDuration::from_secs(check.within(
                "reintento_espera_seg",
                wait,
                0,
                Retry::LONGEST_WAIT,
            )),
            causes,
        }
    }

    pub fn typed(&self, lang: Lang) -> Result<Robot, Failure> {
        let mut check = Check::new(lang);
        let id = self.id.unwrap_or(0);
        if self.id.is_some() {
            check.within("id", id, 1, i64::from(u32::MAX));
        }
        let name = check.name("robot", &self.robot, 100);
        let description = check.text("descripcion", self.descripcion.as_deref(), 4000);
        let parameters = check.json("parametros", self.parametros.as_ref());
        let least = check.within("min_equipos", self.min_equipos.unwrap_or(1), 0, 10_000);
        let most = check.within("max_equipos", self.max_equipos.unwrap_or(-1), -1, 10_000);
        let most = Some(most).filter(|most| *most != -1);
        if most.is_some_and(|most| most < least) {
            check.wrong(
                "max_equipos",
                "no puede ser menor que min_equipos",
                "must not be below min_equipos",
            );
        }
        let priority =
            check.within("prioridad_balanceo", self.prioridad_balanceo.unwrap_or(100), 0, 1000);
        let per = self.tickets_por_equipo_adicional.unwrap_or(10);
        let tickets_per_runner = check.within("tickets_por_equipo_adicional", per, 1, 100_000);
        let retry = self.retry(&mut check);
        check.finish()?;
        Ok(Robot {
            id: RobotId(id),
            name,
            description,
            parameters,
            active: self.activo.unwrap_or(true),
            online: self.es_online.unwrap_or(false),
            limits: Limits { least, most },
            priority,
            tickets_per_runner,
            pool: self.pool_id.map(PoolId),
            retry,
            seen_name: None,
            version: 1,
        })
    }
}

impl RunnerRequest {
    pub fn typed(&self, lang: Lang) -> Result<Runner, Failure> {
        let mut check = Check::new(lang);
        let id = self.id.unwrap_or(0);
        if self.id.is_some() {
            check.within("id", id, 1, i64::from(u32::MAX));
        }
        let name = check.name("equipo", &self.equipo, 100).to_uppercase();
        let user_id = check.within("user_id", self.user_id, 1, i64::from(u32::MAX));
        let user_name = check.text("user_name", self.user_name.as_deref(), 100);
        let licence = check.text("licencia", self.licencia.as_deref(), 500).unwrap_or_default();
        check.finish()?;
        Ok(Runner {
            id: RunnerId(id),
            name,
            user_id,
            user_name,
            licence: Licence::parse(&licence),
            active: self.activo_sam.unwrap_or(true),
            dynamic: self.permite_balanceo_dinamico.unwrap_or(false),
            pool: self.pool_id.map(PoolId),
            connected: None,
            seen_name: None,
            version: 1,
        })
    }
}

impl PoolRequest {
    pub fn typed(&self, lang: Lang) -> Result<Pool, Failure> {
        let mut check = Check::new(lang);
        let name = check.name("nombre", &self.nombre, 100);
        let description = check.text("descripcion", self.descripcion.as_deref(), 500);
        check.finish()?;
        let active = self.activo.unwrap_or(true);
        Ok(Pool { id: PoolId(0), name, description, active, version: 1 })
    }
}

impl CalendarRequest {
    pub fn typed(&self, lang: Lang) -> Result<Calendar, Failure> {
        let mut check = Check::new(lang);
        let name = check.name("nombre", &self.nombre, 100);
        if self.feriados.len() > MOST_HOLIDAYS {
            check.wrong("feriados", "son demasiados", "are too many");
        }
        let mut holidays = BTreeSet::new();
        for (n, text) in self.feriados.iter().take(MOST_HOLIDAYS).enumerate() {
            match text.trim().parse::<Date>() {
                Ok(date) => {
                    holidays.insert(date);
                }
                Err(_) => check.wrong(
                    &format!("feriados[{n}]"),
                    "no es una fecha AAAA-MM-DD",
                    "is not a date YYYY-MM-DD",
                ),
            }
        }
        check.finish()?;
        Ok(Calendar { id: CalendarId(0), name, holidays, version: 1 })
    }
}

impl MappingRequest {
    pub fn typed(&self, lang: Lang, now: Timestamp) -> Result<Mapping, Failure> {
        let mut check = Check::new(lang);
        let provider = check.text("proveedor", self.proveedor.as_deref(), 50);
        let external_name = check.name("nombre_externo", &self.nombre_externo, 255);
        let description = check.text("descripcion", self.descripcion.as_deref(), 500);
        check.finish()?;
        Ok(Mapping {
            id: 0,
            provider: provider.unwrap_or_else(|| "General".to_owned()),
            external_name,
            robot: RobotId(self.robot_id),
            description,
            created_at: now,
        })
    }
}
