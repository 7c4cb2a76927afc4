//! Index formulas: data, not code. One that does not lead back is refused with the place where it
//! fails.

use axum::http::StatusCode;
use engine::Word as _;
use host::{Failure, Listed, check::Check};
use serde::{Deserialize, Serialize};
use serde_json::json;
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use web::routes;
use web::{Path, Problem, Query};

use super::Desk;
use crate::{
    Context,
    decisions::formulas::{self as decide, missing},
    model::{Dot, Formula, FormulaId, Mode},
    policy::Action,
    rules::formula::{self, check as round_trip},
    store::formulas,
};

pub(super) fn routes() -> OpenApiRouter<Context> {
    OpenApiRouter::new()
        .routes(routes!(list, create))
        .routes(routes!(remove))
        .routes(routes!(decode))
}

#[derive(Debug, Clone, Serialize, ToSchema)]
#[schema(as = Formula)]
struct FormulaView {
    /// Absent for those that come with Turno.
    id: Option<i64>,
    formula: FormulaRequest,
}

#[derive(Debug, Clone, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = FormulaNueva)]
struct FormulaRequest {
    marca: String,
    modelo: Option<String>,
    /// `linear`, `bitshift`, or `partes` (three numbers: slot, port, ONU).
    modo: String,
    #[schema(minimum = 0, maximum = 4_294_967_295_i64)]
    base_index: Option<u64>,
    #[schema(minimum = 1, maximum = 4_294_967_295_i64)]
    step_slot: Option<u64>,
    #[schema(minimum = 1, maximum = 4_294_967_295_i64)]
    step_port: Option<u64>,
    #[schema(minimum = 0, maximum = 63)]
    shift_slot_bits: Option<u32>,
    #[schema(minimum = 0, maximum = 4_294_967_295_i64)]
    mask_slot: Option<u64>,
    #[schema(minimum = 0, maximum = 63)]
    shift_port_bits: Option<u32>,
    #[schema(minimum = 0, maximum = 4_294_967_295_i64)]
    mask_port: Option<u64>,
    /// `PUNTO`: the ONU stands after a dot; `DENTRO`: inside the index.
    onu: String,
    #[schema(minimum = 1, maximum = 256)]
    slots: Option<u32>,
    #[schema(minimum = 1, maximum = 256)]
    puertos: Option<u32>,
    #[schema(minimum = 1, maximum = 65_536)]
    onus: Option<u32>,
}

impl FormulaRequest {
    fn of(formula: &Formula) -> Self {
        let view = Self {
            marca: formula.brand.clone(),
            modelo: formula.model.clone(),
            onu: formula.dot.word().to_owned(),
            slots: Some(formula.slots),
            puertos: Some(formula.ports),
            onus: Some(formula.onus),
            ..Self::default()
        };
        match formula.mode {
            Mode::Linear { base, step_slot, step_port } => Self {
                modo: "linear".to_owned(),
                base_index: Some(base),
                step_slot: Some(step_slot),
                step_port: Some(step_port),
                ..view
            },
            Mode::Bitshift { slot_shift, slot_mask, port_shift, port_mask } => Self {
                modo: "bitshift".to_owned(),
                shift_slot_bits: Some(slot_shift),
                mask_slot: Some(slot_mask),
                shift_port_bits: Some(port_shift),
                mask_port: Some(port_mask),
                ..view
            },
            Mode::Parts => Self { modo: "partes".to_owned(), ..view },
        }
    }

    /// Parts of an OID are numbers of 32 bits.
    fn check(&self, check: &mut Check) {
        for (field, value, least, most) in [
            ("base_index", self.base_index, 0, u32::MAX),
            ("step_slot", self.step_slot, 1, u32::MAX),
            ("step_port", self.step_port, 1, u32::MAX),
            ("mask_slot", self.mask_slot, 0, u32::MAX),
            ("mask_port", self.mask_port, 0, u32::MAX),
            ("shift_slot_bits", self.shift_slot_bits.map(u64::from), 0, 63),
            ("shift_port_bits", self.shift_port_bits.map(u64::from), 0, 63),
        ] {
            let value = value.map(|value| i64::try_from(value).unwrap_or(i64::MAX));
            check.within(field, value.unwrap_or(least), least, i64::from(most));
        }
    }

    fn mode(&self, check: &mut Check) -> Option<Mode> {
        let mut needed = |field: &str, value: Option<u64>| {
            if value.is_none() {
                check.wrong(field, "falta", "is missing");
            }
            value
        };
        match self.modo.trim() {
            "linear" => {
                let base = needed("base_index", self.base_index);
                let step_slot = needed("step_slot", self.step_slot);
                let step_port = needed("step_port", self.step_port);
                let (base, step_slot, step_port) = (base?, step_slot?, step_port?);
                let steps = step_slot > 0 && step_port > 0;
                steps.then_some(Mode::Linear { base, step_slot, step_port })
            }
            "bitshift" => {
                let slot_mask = needed("mask_slot", self.mask_slot);
                let port_mask = needed("mask_port", self.mask_port);
                let slot_shift = needed("shift_slot_bits", self.shift_slot_bits.map(u64::from));
                let port_shift = needed("shift_port_bits", self.shift_port_bits.map(u64::from));
                let narrow = |shift: Option<u64>| {
                    shift.and_then(|shift| u32::try_from(shift).ok()).filter(|shift| *shift < 64)
                };
                let (slot_shift, port_shift) = (narrow(slot_shift)?, narrow(port_shift)?);
                let (slot_mask, port_mask) = (slot_mask?, port_mask?);
                Some(Mode::Bitshift { slot_shift, slot_mask, port_shift, port_mask })
            }
            "partes" => Some(Mode::Parts),
            _ => {
                let es = "debe ser linear, bitshift o partes";
                check.wrong("modo", es, "must be linear, bitshift or partes");
                None
            }
        }
    }

    fn typed(&self, desk: &Desk) -> Result<Formula, Failure> {
        let mut check = Check::new(desk.lang);
        let brand = check.name("marca", &self.marca, 60);
        let model = check.text("modelo", self.modelo.as_deref(), 60);
        self.check(&mut check);
        let mode = self.mode(&mut check);
        let dot = Dot::from_word(self.onu.trim());
        if dot.is_none() {
            check.wrong("onu", "debe ser PUNTO o DENTRO", "must be PUNTO or DENTRO");
        }
        let mut size = |field: &str, value: Option<u32>, usual: u32, most: i64| {
            check.within(field, i64::from(value.unwrap_or(usual)), 1, most) as u32
        };
        let slots = size("slots", self.slots, 64, 256);
        let ports = size("puertos", self.puertos, 64, 256);
        let onus = size("onus", self.onus, 128, 65_536);
        let whole = mode.zip(dot);
        if let Some((mode, dot)) = whole {
            let formula = Formula { brand, model, mode, dot, slots, ports, onus };
            let Err(bad) = round_trip(&formula) else {
                check.finish()?;
                return Ok(formula);
            };
            let raw = bad.raw.unwrap_or_else(|| "—".to_owned());
            let back = bad.read_as.map_or_else(|| "—".to_owned(), |place| place.to_string());
            let es = format!("no vuelve: {} da {raw}, que se lee {back}", bad.place);
            let en = format!("does not lead back: {} gives {raw}, read as {back}", bad.place);
            check.wrong("modo", &es, &en);
        }
        check.finish()?;
        Err(Problem::unprocessable("DATOS_INVALIDOS").lang(desk.lang).into())
    }
}

/// Formulas by which indexes are read: own ones, and those that came with the house.
#[utoipa::path(get, path = "/api/coordinador/formulas", tag = "coordinador",
    responses((status = 200, body = Listed<FormulaView>)))]
async fn list(desk: Desk) -> Result<axum::Json<Listed<FormulaView>>, Failure> {
    desk.require(Action::Read)?;
    let mut tx = desk.context.store.read().await?;
    let own = formulas::own(&mut tx).await?;
    let own = own.into_iter().map(|(id, formula)| (Some(id.0), formula));
    let all = own.chain(formula::shipped().into_iter().map(|formula| (None, formula)));
    let view = |(id, formula): (Option<i64>, Formula)| FormulaView {
        id,
        formula: FormulaRequest::of(&formula),
    };
    Ok(axum::Json(Listed::whole(all.map(view).collect())))
}

/// Adds a formula.
#[utoipa::path(post, path = "/api/coordinador/formulas", request_body = FormulaRequest,
    tag = "coordinador",
    responses((status = 201, body = FormulaView)))]
async fn create(
    desk: Desk,
    web::Json(request): web::Json<FormulaRequest>,
) -> Result<(StatusCode, axum::Json<FormulaView>), Failure> {
    desk.require(Action::Edit)?;
    let formula = request.typed(&desk)?;
    let shown = FormulaRequest::of(&formula);
    let id = decide::create(&desk, &formula, json!(shown)).await?;
    let view = FormulaView { id: Some(id.0), formula: shown };
    Ok((StatusCode::CREATED, axum::Json(view)))
}

/// Deletes a formula.
#[utoipa::path(delete, path = "/api/coordinador/formulas/{id}", params(("id" = i64, Path)),
    tag = "coordinador",
    responses((status = 204)))]
async fn remove(desk: Desk, Path(id): Path<i64>) -> Result<StatusCode, Failure> {
    desk.require(Action::Edit)?;
    let shown = |formula: &Formula| json!(FormulaRequest::of(formula));
    decide::remove(&desk, FormulaId(id), shown).await?;
    Ok(StatusCode::NO_CONTENT)
}

#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
struct Index {
    marca: String,
    modelo: Option<String>,
    /// Such as `4194312448.2`.
    indice: String,
}

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = IndiceLeido)]
struct SlotPortView {
    slot: u32,
    port: u32,
    logical: Option<u32>,
    normalized_id: String,
}

/// How an index of a device is read.
#[utoipa::path(get, path = "/api/coordinador/formulas/leer", tag = "coordinador",
    params(Index),
    responses((status = 200, body = SlotPortView), (status = 422, body = Problem)))]
async fn decode(
    desk: Desk,
    Query(index): Query<Index>,
) -> Result<axum::Json<SlotPortView>, Failure> {
    desk.require(Action::Read)?;
    let mut tx = desk.context.store.read().await?;
    let all = formulas::all(&mut tx).await?;
    let formula = formula::find(&all, &index.marca, index.modelo.as_deref());
    let formula = formula.ok_or_else(|| missing(desk.lang))?;
    let place = formula::decode(formula, index.indice.trim()).map_err(|fault| {
        let mut check = Check::new(desk.lang);
        let (es, en) = fault.sentence();
        check.wrong("indice", es, en);
        check.finish().err().unwrap_or_else(|| missing(desk.lang).into())
    })?;
    Ok(axum::Json(SlotPortView {
        slot: place.slot,
        port: place.port,
        logical: place.logical,
        normalized_id: place.to_string(),
    }))
}
