//! Recalling: which vendor a document is of, and what stands where its values usually stand.

use jiff::civil::Date;
use page::PageText;

use super::super::{
    Evidence, Extraction, Field, RuleResult, judge,
    role::Role,
    schema::{FieldSpec, Schema},
    sheet::Span,
    text::fold,
    value::Normalised,
};
use super::scene::{Scene, Seen, Sort, cents, fits, form, is_name};
use super::{Anchor, DayOrder, Layout, Place, RULE};

/// From here on a machine's own reading is not overruled by memory: they disagree, and people look.
const SURE: f32 = 0.75;
/// What two readings that disagree are worth.
const DISPUTED: f32 = 0.6;
/// The share of marks that makes a stranger's document one of a known layout, and a vendor's document
/// one that still looks as it did.
const SAME_LAYOUT: f32 = 0.6;
const LIKE_BEFORE: f32 = 0.35;
/// An amount that memory alone finds, of a vendor whose amounts never added up.
const UNCONFIRMED: f32 = 0.7;
/// The vendor is another, only its paper is known.
const OTHERS_PAPER: f32 = 0.95;

/// How a document is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// The vendor's tax id or name is on it.
    Vendor,
    /// Only the layout is: somebody else uses the same.
    Layout,
}

/// What memory says about a document.
#[derive(Clone, Debug)]
pub struct Recall {
    /// Which of the layouts that were given.
    pub layout: usize,
    pub standing: Standing,
    /// The share of the layout's marks that are on the page.
    pub likeness: f32,
    pub fields: Vec<Recalled>,
    pub vendor: String,
}

/// A value where memory expects it.
#[derive(Clone, Debug)]
pub struct Recalled {
    pub field: String,
    pub value: String,
    pub printed: String,
    pub evidence: Vec<Evidence>,
    pub rules: Vec<RuleResult>,
    pub confidence: f32,
    pub sum: Sum,
    /// The machine's own reading was wrong when it was taught.
    pub overrules: bool,
}

/// What the other amounts of the page say about a recalled one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sum {
    /// They make it up, or it is no amount.
    Confirms,
    /// Nothing, nor did they before.
    Silent,
    /// They did before and do not now.
    Contradicts,
}

/// A value at a remembered place, and how well it fits there.
pub(super) struct Told {
    pub(super) seen: Seen,
    fit: f32,
}

/// The layout a document is of, if it is one of these, and what stands at its places.
pub fn recall(
    doc_type: &str,
    schema: &Schema,
    pages: &[&PageText],
    today: Date,
    layouts: &[&Layout],
) -> Option<Recall> {
    if layouts.iter().all(|one| one.doc_type != doc_type) {
        return None;
    }
    let scene = Scene::new(pages, today);
    let issuer = schema.fields.iter().find(|spec| Role::of(doc_type, spec) == Role::Issuer);
    let (layout, standing, likeness, by_id) = known(&scene, doc_type, issuer, layouts)?;
    let of = layouts[layout];
    let share = if standing == Standing::Vendor { 1.0 } else { OTHERS_PAPER };
    let mut fields = Vec::new();
    for spec in &schema.fields {
        let own = own_words(&scene, doc_type, spec, of, standing, by_id);
        let told = || {
            let looks = likeness >= LIKE_BEFORE;
            looks.then(|| placed(&scene, doc_type, spec, of, today)).flatten()
        };
        let mut told = match own {
            Some(own) => own,
            None => match told() {
                Some(told) => told,
                None => continue,
            },
        };
        told.confidence *= share;
        if told.rules.iter().all(|rule| rule.ok) {
            fields.push(told);
        }
    }
    let vendor = of.vendor.clone().or_else(|| of.tax_id.clone()).unwrap_or_default();
    (!fields.is_empty()).then_some(Recall { layout, standing, likeness, fields, vendor })
}

/// Which layout: the vendor's own first, else the one that looks most alike.
fn known(
    scene: &Scene,
    doc_type: &str,
    issuer: Option<&FieldSpec>,
    layouts: &[&Layout],
) -> Option<(usize, Standing, f32, bool)> {
    let ids = scene.tax_ids();
    let mut best: Option<(usize, Standing, f32, bool)> = None;
    let each = layouts.iter().enumerate().filter(|(_, one)| one.doc_type == doc_type);
    for (at, layout) in each {
        let likeness = likeness(scene, layout);
        let by_id = layout.tax_id.as_ref().is_some_and(|id| {
            // An id that several vendors' papers carry is the customer's.
            let others = layouts.iter().filter(|one| one.tax_id.as_ref() == Some(id));
            ids.contains(id) && others.filter(|one| one.key() != layout.key()).count() == 0
        });
        let standing = if by_id || name_span(scene, layout, issuer).is_some() {
            Standing::Vendor
        } else if likeness >= SAME_LAYOUT {
            Standing::Layout
        } else {
            continue;
        };
        let rank = |standing, likeness: f32| (standing == Standing::Vendor, likeness);
        let better =
            best.is_none_or(|(_, held, most, _)| rank(standing, likeness) > rank(held, most));
        if better {
            best = Some((at, standing, likeness, by_id));
        }
    }
    best
}

/// The share of the marks that stand on the first page where they stood.
fn likeness(scene: &Scene, layout: &Layout) -> f32 {
    let (mut met, mut all) = (0.0, 0.0);
    for mark in &layout.marks {
        let weight = mark.seen as f32 / (mark.seen + mark.missed).max(1) as f32;
        all += weight;
        let here = scene.sightings(&mark.text).into_iter().any(|(span, _)| {
            scene.page(span) == 0 && (scene.spot(span).left - mark.x).abs() < 0.03
        });
        if here {
            met += weight;
        }
    }
    // Few words are on many papers.
    if layout.marks.len() < 4 { 0.0 } else { met / all }
}

/// Where the vendor's name is printed, if it stands where it stood.
fn name_span(scene: &Scene, layout: &Layout, issuer: Option<&FieldSpec>) -> Option<Span> {
    let name = super::super::text::shape(&fold(layout.vendor.as_deref()?));
    let issuer = issuer.filter(|_| name.len() > 3)?;
    let sightings = scene.sightings(&name);
    let mut places = layout.places.iter().filter(|place| place.field == issuer.name);
    places.find_map(|place| {
        let sighted = sighted(scene, place);
        let here = |(span, alike): &&(Span, f32)| {
            *alike > 0.85 && geometry(scene, place, &sighted, *span) > 0.4
        };
        sightings.iter().find(here).map(|(span, _)| *span)
    })
}

/// What names the vendor: as people confirmed it, once it is certain who it is.
fn own_words(
    scene: &Scene,
    doc_type: &str,
    spec: &FieldSpec,
    layout: &Layout,
    standing: Standing,
    by_id: bool,
) -> Option<Recalled> {
    if standing != Standing::Vendor {
        return None;
    }
    let (value, span) = match Role::of(doc_type, spec) {
        Role::Issuer => (layout.vendor.clone()?, name_span(scene, layout, Some(spec))),
        Role::Currency => (layout.currency.clone()?, None),
        _ => return None,
    };
    // A logo cannot be read; the tax id says whose it is.
    if span.is_none() && !by_id {
        return None;
    }
    let legible = span.map_or(1.0, |span| scene.reading.sheet.confidence(span));
    Some(Recalled {
        field: spec.name.clone(),
        printed: value.clone(),
        value,
        evidence: span.map(|span| scene.evidence(span)).into_iter().collect(),
        rules: Vec::new(),
        confidence: if by_id { 0.97 } else { 0.95 } * legibility(legible).max(0.9),
        sum: Sum::Confirms,
        overrules: true,
    })
}

/// What the places of a field say: nothing when they say different things.
fn placed(
    scene: &Scene,
    doc_type: &str,
    spec: &FieldSpec,
    layout: &Layout,
    today: Date,
) -> Option<Recalled> {
    let sort = Sort::of(doc_type, spec);
    let places = layout.places.iter().filter(|place| place.field == spec.name);
    let mut best: Option<(Told, f32)> = None;
    let (mut overrules, mut summed) = (false, false);
    for place in places {
        let Some(told) = at_place(scene, spec, sort, place, layout.order, today) else { continue };
        let confidence = told.fit * place.trust();
        overrules |= place.overrules;
        summed |= place.sums;
        match &mut best {
            None => best = Some((told, confidence)),
            Some((held, most)) if held.seen.value == told.seen.value => {
                *most = most.max(confidence);
            }
            Some(_) => return None,
        }
    }
    let (told, confidence) = best?;
    let seen = told.seen;
    let legible = legibility(scene.reading.sheet.confidence(seen.span));
    let sum = match &seen.value {
        Normalised::Decimal(amount) if !scene.adds_up(*amount) => {
            if summed {
                Sum::Contradicts
            } else {
                Sum::Silent
            }
        }
        _ => Sum::Confirms,
    };
    Some(Recalled {
        field: spec.name.clone(),
        rules: judge::rules(spec, &seen.printed, &seen.value, None, today),
        value: seen.value.to_string(),
        printed: seen.printed,
        evidence: vec![scene.evidence(seen.span)],
        confidence: 0.97 * confidence * legible,
        sum,
        overrules,
    })
}

/// How far a reader of pictures is to be believed.
fn legibility(confidence: f32) -> f32 {
    match confidence {
        0.97.. => 1.0,
        0.93.. => 0.95,
        0.85.. => 0.85,
        _ => 0.6,
    }
}

/// The one value that stands at a place; nothing when two fit about as well.
pub(super) fn at_place(
    scene: &Scene,
    spec: &FieldSpec,
    sort: Sort,
    place: &Place,
    order: Option<DayOrder>,
    today: Date,
) -> Option<Told> {
    if sort == Sort::Words && !place.ends {
        return None;
    }
    let sighted = sighted(scene, place);
    let standing = |span: Span| geometry(scene, place, &sighted, span);
    let mut found: Vec<Told> = Vec::new();
    for seen in scene.values(spec, sort, order, today, |span| standing(span) > 0.0) {
        let shape = form(&seen.printed);
        let fit = match sort {
            Sort::Words => f32::from(u8::from(is_name(&shape))),
            Sort::Amount => {
                if cents(&shape) == cents(&place.form) {
                    1.0
                } else {
                    0.7
                }
            }
            Sort::Day | Sort::Code => fits(&place.form, &shape),
        };
        found.push(Told { fit: fit * standing(seen.span), seen });
    }
    let length = |told: &Told| told.seen.span.to - told.seen.span.from;
    found.sort_by(|a, b| b.fit.total_cmp(&a.fit).then(length(b).cmp(&length(a))));
    let rival = found.iter().find(|one| {
        // The end of a name is no other name.
        let part = sort == Sort::Words && one.seen.span.overlaps(found[0].seen.span);
        one.seen.value != found[0].seen.value && !part
    });
    let margin = rival.map_or(1.0, |rival| found[0].fit - rival.fit);
    let best = found.into_iter().next()?;
    (best.fit >= 0.5 && margin >= 0.05).then_some(best)
}

/// Where the words beside a place are printed.
type Sighted<'p> = (&'p Anchor, Vec<(Span, f32)>);

fn sighted<'p>(scene: &Scene, place: &'p Place) -> Vec<Sighted<'p>> {
    place.anchors.iter().map(|one| (one, scene.sightings(&one.text))).collect()
}

/// How well a value stands where the place says: by the words beside and above it, else by itself.
fn geometry(scene: &Scene, place: &Place, sighted: &[Sighted<'_>], span: Span) -> f32 {
    let own = scene.spot(span);
    let page = scene.page(span);
    let letter = scene.letter(page);
    let mut best = 0.0f32;
    for (anchor, sightings) in sighted {
        for (at, alike) in sightings.iter().filter(|(at, _)| scene.page(*at) == page) {
            if at.overlaps(span) {
                continue;
            }
            let from = scene.spot(*at);
            let (left, right) = (own.left - from.left, own.right - from.left);
            let middle = f32::midpoint(left, right) - f32::midpoint(anchor.left, anchor.right);
            let aside = (left - anchor.left).abs().min((right - anchor.right).abs());
            let aside = aside.min(middle.abs());
            let off = (own.y - from.y - anchor.down).abs();
            let across = 1.2 * letter + 0.03 * anchor.left.abs();
            let down = 0.6 * letter + 0.05 * anchor.down.abs();
            if aside <= across && off <= down {
                let near = 1.0 - 0.3 * (aside / across).max(off / down);
                best = best.max(alike * near);
            }
        }
    }
    if let Some(spot) = place.spot.filter(|_| page == 0) {
        let aside = (own.left - spot.left).abs().min((own.right - spot.right).abs());
        let off = (own.y - spot.y).abs() / (0.7 * letter);
        let aside = aside / (1.5 * letter);
        if aside < 1.0 && off < 1.0 {
            if place.anchors.is_empty() {
                best = 0.95 - 0.2 * aside.max(off);
            } else if best > 0.0 {
                // Beside its words and where it was: both speak.
                best = (best + 0.2).min(1.0);
            }
        }
    }
    best
}

/// Whether two sightings of the same words put the value in the same place.
pub(super) fn agrees(a: &Anchor, b: &Anchor) -> bool {
    let aside = (a.left - b.left).abs().min((a.right - b.right).abs());
    aside < 0.02 && (a.down - b.down).abs() < 0.012
}

impl Recall {
    /// The fields with what was recalled, and whether anything of it was used.
    pub(super) fn applied(&self, mut found: Extraction, schema: &Schema) -> (Extraction, bool) {
        let mut used = false;
        for recalled in &self.fields {
            let field = found.fields.iter_mut().find(|field| field.name == recalled.field);
            let spec = schema.fields.iter().find(|spec| spec.name == recalled.field);
            if let (Some(field), Some(_)) = (field, spec) {
                used |= recalled.apply(field, &self.vendor);
            }
        }
        (Extraction::new(found.fields, found.checks), used)
    }
}

impl Recalled {
    fn apply(&self, field: &mut Field, vendor: &str) -> bool {
        let said = RuleResult { rule: RULE.to_owned(), ok: true, detail: vendor.to_owned() };
        let same = field.normalised.as_ref().is_some_and(|known| same(known, &self.value));
        if self.sum == Sum::Contradicts {
            // Misread, or no longer what it was: not one word for it.
            return false;
        }
        if same {
            // Two readings that know nothing of each other.
            field.confidence = 1.0 - (1.0 - field.confidence) * (1.0 - self.confidence);
            field.normalised = Some(self.value.clone());
            field.rules.push(said);
            return true;
        }
        let told = (self.printed.clone(), self.confidence.min(DISPUTED));
        if field.value.is_some() && field.confidence >= SURE && !self.overrules {
            field.confidence = field.confidence.min(DISPUTED);
            field.alternatives.insert(0, told);
            field.alternatives.truncate(3);
            return false;
        }
        let share = if self.sum == Sum::Silent { UNCONFIRMED } else { 1.0 };
        let confidence = self.confidence * share;
        if confidence <= field.confidence && !self.overrules {
            field.alternatives.insert(0, told);
            field.alternatives.truncate(3);
            return false;
        }
        if let Some(before) = field.value.replace(self.printed.clone()) {
            field.alternatives.insert(0, (before, field.confidence));
            field.alternatives.truncate(3);
        }
        field.normalised = Some(self.value.clone());
        field.evidence.clone_from(&self.evidence);
        field.rules.clone_from(&self.rules);
        field.rules.push(said);
        field.confidence = confidence;
        true
    }
}

pub(super) fn same(a: &str, b: &str) -> bool {
    let number = |text: &str| text.parse::<rust_decimal::Decimal>().ok();
    match (number(a), number(b)) {
        (Some(a), Some(b)) => a == b,
        _ => fold(a) == fold(b),
    }
}
