//! What contracts agree, clause by clause.

use super::contract::Deal;
use crate::{Lang, dice::Dice};

type Clause = (&'static str, &'static str);

/// The clauses of a deal and those that any deal may have; one per line, `Title: text`.
fn texts(deal: Deal, lang: Lang) -> (&'static str, &'static str) {
    const COMMON_ES: &str = include_str!("../../text/clauses-common-es.txt");
    const COMMON_EN: &str = include_str!("../../text/clauses-common-en.txt");
    match (lang, deal) {
        (Lang::Es, Deal::Work) => (include_str!("../../text/clauses-work-es.txt"), COMMON_ES),
        (Lang::Es, Deal::Lease) => (include_str!("../../text/clauses-lease-es.txt"), COMMON_ES),
        (Lang::Es, Deal::Services) => {
            (include_str!("../../text/clauses-services-es.txt"), COMMON_ES)
        }
        (Lang::Es, Deal::Secrecy) => (COMMON_ES, COMMON_ES),
        (_, Deal::Work) => (include_str!("../../text/clauses-work-en.txt"), COMMON_EN),
        (_, Deal::Lease) => (include_str!("../../text/clauses-lease-en.txt"), COMMON_EN),
        (_, Deal::Services) => (include_str!("../../text/clauses-services-en.txt"), COMMON_EN),
        (_, Deal::Secrecy) => (COMMON_EN, COMMON_EN),
    }
}

/// What the two parties are called.
pub(super) fn roles(deal: Deal, lang: Lang) -> (&'static str, &'static str) {
    match (lang, deal) {
        (Lang::Es, Deal::Work) => ("la Empresa", "el Trabajador"),
        (Lang::Es, Deal::Lease) => ("el Arrendador", "el Arrendatario"),
        (Lang::Es, Deal::Services) => ("el Cliente", "el Prestador"),
        (Lang::Es, Deal::Secrecy) => ("la Parte Divulgadora", "la Parte Receptora"),
        (_, Deal::Work) => ("Employer", "Employee"),
        (_, Deal::Lease) => ("Landlord", "Tenant"),
        (_, Deal::Services) => ("Client", "Supplier"),
        (_, Deal::Secrecy) => ("Disclosing Party", "Receiving Party"),
    }
}

pub(super) fn choose(deal: Deal, lang: Lang, count: usize, dice: &mut Dice) -> Vec<Clause> {
    let (own, common) = texts(deal, lang);
    let (own, common): (Vec<&str>, Vec<&str>) = (own.lines().collect(), common.lines().collect());
    let mut chosen = dice.some(&own, count * 2 / 3);
    let rest = count.saturating_sub(chosen.len());
    chosen.extend(dice.some(&common, rest));
    chosen.into_iter().filter_map(|line| line.split_once(": ")).collect()
}

/// "PRIMERA.- Objeto", "1. Objeto", "Cláusula 1ª. Objeto".
pub(super) fn numbered(lang: Lang, n: usize, title: &str, layout: u32) -> String {
    const ORDINALS: [&str; 10] = [
        "PRIMERA", "SEGUNDA", "TERCERA", "CUARTA", "QUINTA", "SEXTA", "SÉPTIMA", "OCTAVA",
        "NOVENA", "DÉCIMA",
    ];
    match (lang, layout % 3) {
        (Lang::Es, 0) if n < ORDINALS.len() => format!("{}.- {title}", ORDINALS[n]),
        (Lang::Es, 1) => format!("Cláusula {}ª. {title}", n + 1),
        (_, 1) => format!("Clause {} - {title}", n + 1),
        _ => format!("{}. {}", n + 1, title.to_uppercase()),
    }
}
