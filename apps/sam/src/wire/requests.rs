//! What people send to describe a robot, a runner, a pool, a calendar or a mapping.

use std::collections::BTreeSet;

use host::{Failure, check::Check};
use jiff::{Timestamp, civil::Date};
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;
use utoipa::ToSchema;
use web::Lang;

use crate::{
    model::{
        Calendar, CalendarId, Licence, Limits, Pool, PoolId, Robot, RobotId, Runner, RunnerId,
    },
    store::mappings::Mapping,
};

/// A century of holidays.
const MOST_HOLIDAYS: usize = 5000;

#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = SamRobotNuevo)]
pub struct RobotRequest {
    /// The id of its file in the Control Room; chosen when absent.
    #[schema(minimum = 1)]
    pub id: Option<i64>,
    #[schema(min_length = 1, max_length = 100)]
    pub robot: String,
    pub descripcion: Option<String>,
    #[schema(value_type = Option<Object>)]
    pub parametros: Option<Json>,
    pub activo: Option<bool>,
    pub es_online: Option<bool>,
    #[schema(minimum = 0, maximum = 10_000)]
    pub min_equipos: Option<i64>,
    /// -1 = without limit.
    #[schema(minimum = -1, maximum = 10_000)]
    pub max_equipos: Option<i64>,
    /// The lower, the more important.
    #[schema(minimum = 0, maximum = 1000)]
    pub prioridad_balanceo: Option<i64>,
    #[schema(minimum = 1, maximum = 100_000)]
    pub tickets_por_equipo_adicional: Option<i64>,
    pub pool_id: Option<i64>,
}

impl From<&Robot> for RobotRequest {
    fn from(robot: &Robot) -> Self {
        Self {
            id: Some(robot.id.0),
            robot: robot.name.clone(),
            descripcion: robot.description.clone(),
            parametros: robot.parameters.clone(),
            activo: Some(robot.active),
            es_online: Some(robot.online),
            min_equipos: Some(robot.limits.least),
            max_equipos: Some(robot.limits.most.unwrap_or(-1)),
            prioridad_balanceo: Some(robot.priority),
            tickets_por_equipo_adicional: Some(robot.tickets_per_runner),
            pool_id: robot.pool.map(|pool| pool.0),
        }
    }
}

impl RobotRequest {
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
            seen_name: None,
            version: 1,
        })
    }
}

#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = SamEquipoNuevo)]
pub struct RunnerRequest {
    /// The id of its device in the Control Room; chosen when absent.
    #[schema(minimum = 1)]
    pub id: Option<i64>,
    #[schema(min_length = 1, max_length = 100)]
    pub equipo: String,
    /// The user it runs as.
    #[schema(minimum = 1)]
    pub user_id: i64,
    pub user_name: Option<String>,
    #[schema(example = "RUNTIME, ANALYTICS")]
    pub licencia: Option<String>,
    pub activo_sam: Option<bool>,
    pub permite_balanceo_dinamico: Option<bool>,
    pub pool_id: Option<i64>,
}

impl RunnerRequest {
    pub fn of(runner: &Runner, scheduled: bool) -> Self {
        Self {
            id: Some(runner.id.0),
            equipo: runner.name.clone(),
            user_id: runner.user_id,
            user_name: runner.user_name.clone(),
            licencia: Some(runner.licence.text()),
            activo_sam: Some(runner.active),
            permite_balanceo_dinamico: Some(runner.dynamic && !scheduled),
            pool_id: runner.pool.map(|pool| pool.0),
        }
    }

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

#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = SamPoolNuevo)]
pub struct PoolRequest {
    #[schema(min_length = 1, max_length = 100)]
    pub nombre: String,
    pub descripcion: Option<String>,
    /// A pool switched off is left alone by the balancer.
    pub activo: Option<bool>,
}

impl From<&Pool> for PoolRequest {
    fn from(pool: &Pool) -> Self {
        Self {
            nombre: pool.name.clone(),
            descripcion: pool.description.clone(),
            activo: Some(pool.active),
        }
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

#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = SamCalendarioNuevo)]
pub struct CalendarRequest {
    #[schema(min_length = 1, max_length = 100)]
    pub nombre: String,
    /// Dates as `YYYY-MM-DD`.
    pub feriados: Vec<String>,
}

impl From<&Calendar> for CalendarRequest {
    fn from(calendar: &Calendar) -> Self {
        let feriados = calendar.holidays.iter().map(Date::to_string).collect();
        Self { nombre: calendar.name.clone(), feriados }
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

#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = SamMapeoNuevo)]
pub struct MappingRequest {
    /// `General` when absent.
    pub proveedor: Option<String>,
    #[schema(min_length = 1, max_length = 255)]
    pub nombre_externo: String,
    pub robot_id: i64,
    pub descripcion: Option<String>,
}

impl From<&Mapping> for MappingRequest {
    fn from(mapping: &Mapping) -> Self {
        Self {
            proveedor: Some(mapping.provider.clone()),
            nombre_externo: mapping.external_name.clone(),
            robot_id: mapping.robot.0,
            descripcion: mapping.description.clone(),
        }
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
