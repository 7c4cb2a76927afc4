//! Index formulas that the house adds; the shipped ones come after them.

use db::{Error, Row, Tx};
use engine::Word as _;
use serde_json::{Value as Json, json};

use crate::{
    model::{Dot, Formula, FormulaId, Mode},
    rules::formula,
};

fn read(row: &Row) -> Result<(FormulaId, Formula), Error> {
    let kept: Json = row.get("formula")?;
    let brand: String = row.get("brand")?;
    let formula = from_json(brand, row.maybe("model")?, &kept);
    let formula = formula.ok_or_else(|| Error::corrupt(format!("formula = {kept}")))?;
    Ok((FormulaId(row.get("id")?), formula))
}

fn from_json(brand: String, model: Option<String>, kept: &Json) -> Option<Formula> {
    let number = |name: &str| kept[name].as_u64();
    let small = |name: &str| u32::try_from(number(name)?).ok();
    let mode = match kept["mode"].as_str()? {
        "linear" => Mode::Linear {
            base: number("base")?,
            step_slot: number("step_slot")?,
            step_port: number("step_port")?,
        },
        "bitshift" => Mode::Bitshift {
            slot_shift: small("slot_shift")?,
            slot_mask: number("slot_mask")?,
            port_shift: small("port_shift")?,
            port_mask: number("port_mask")?,
        },
        "parts" => Mode::Parts,
        _ => return None,
    };
    Some(Formula {
        brand,
        model,
        mode,
        dot: Dot::from_word(kept["dot"].as_str()?)?,
        slots: small("slots")?,
        ports: small("ports")?,
        onus: small("onus")?,
    })
}

fn to_json(formula: &Formula) -> Json {
    let mut kept = match formula.mode {
        Mode::Linear { base, step_slot, step_port } => json!({
            "mode": "linear", "base": base, "step_slot": step_slot, "step_port": step_port,
        }),
        Mode::Bitshift { slot_shift, slot_mask, port_shift, port_mask } => json!({
            "mode": "bitshift", "slot_shift": slot_shift, "slot_mask": slot_mask,
            "port_shift": port_shift, "port_mask": port_mask,
        }),
        Mode::Parts => json!({ "mode": "parts" }),
    };
    kept["dot"] = formula.dot.word().into();
    kept["slots"] = formula.slots.into();
    kept["ports"] = formula.ports.into();
    kept["onus"] = formula.onus.into();
    kept
}

/// The house's own, by number.
pub async fn own(tx: &mut Tx) -> Result<Vec<(FormulaId, Formula)>, Error> {
    let sql = "SELECT id, brand, model, formula FROM index_formulas ORDER BY id";
    tx.all(sql, &[]).await?.iter().map(read).collect()
}

/// The house's own first, then what comes with Turno.
pub async fn all(tx: &mut Tx) -> Result<Vec<Formula>, Error> {
    let own = own(tx).await?.into_iter().map(|(_, formula)| formula);
    Ok(own.chain(formula::shipped()).collect())
}

pub async fn insert(tx: &mut Tx, formula: &Formula) -> Result<FormulaId, Error> {
    let sql = "INSERT INTO index_formulas (brand, model, formula) VALUES ($1, $2, $3)
               RETURNING id";
    let args =
        [formula.brand.as_str().into(), formula.model.clone().into(), to_json(formula).into()];
    Ok(FormulaId(tx.one(sql, &args).await?.get("id")?))
}

pub async fn remove(tx: &mut Tx, id: FormulaId) -> Result<(), Error> {
    tx.guarded("the formula is gone", "DELETE FROM index_formulas WHERE id = $1", &[id.into()])
        .await
}
