//! Which of the printed amounts is the one that is asked for, and what the others say about it.

use std::collections::{HashMap, HashSet};

use rust_decimal::Decimal;

use super::lexicon::Concept;
use super::money::{Money, Sense};
use super::reading::{Candidate, Reading};
use super::value::Normalised;

/// Pairs that are compared at most; a page of small print must not cost a second.
const MAX_AMOUNTS: usize = 400;
const MAX_PER_SENSE: usize = 12;
/// Sums stand at the end: amounts that are added up at random, and how far apart in rows.
const LAST: usize = 24;
const REACH: usize = 6;
const LEAST_TAX: Decimal = Decimal::from_parts(2, 0, 0, false, 2);
const MOST_TAX: Decimal = Decimal::from_parts(30, 0, 0, false, 2);

/// The amounts by sense, for arithmetic.
pub(super) struct Ledger<'r> {
    reading: &'r Reading,
    values: HashMap<Sense, Vec<Decimal>>,
    lines: Option<(Decimal, usize)>,
    /// Net and total by arithmetic alone.
    sums: Vec<(Decimal, Decimal)>,
    /// The largest amount that is neither handed over nor saved.
    largest: Decimal,
}

impl<'r> Ledger<'r> {
    pub(super) fn new(reading: &'r Reading) -> Self {
        let (lines, largest) = (None, Decimal::ZERO);
        let mut ledger = Self { reading, values: HashMap::new(), lines, sums: Vec::new(), largest };
        let plain = |money: &&Money| money.strength >= 0.4 && money.amount.decimals <= 2;
        for money in reading.money.iter().take(MAX_AMOUNTS).filter(plain) {
            let values = ledger.values.entry(money.sense).or_default();
            if values.len() < MAX_PER_SENSE && !values.contains(&money.value()) {
                values.push(money.value());
            }
        }
        ledger.lines = ledger.sum_of_lines();
        ledger.sums = ledger.sums();
        let counts = |money: &&Money| {
            use Sense::{Cash, Change, Discount, Quantity};
            money.priced() && !matches!(money.sense, Cash | Change | Discount | Quantity)
        };
        let largest = ledger.money().filter(counts).map(Money::value).max();
        ledger.largest = largest.unwrap_or_default();
        ledger
    }

    fn money(&self) -> impl Iterator<Item = &'r Money> {
        self.reading.money.iter().take(MAX_AMOUNTS)
    }

    /// Distinct values said to be of this sense.
    fn values(&self, sense: Sense) -> Vec<Decimal> {
        self.values.get(&sense).cloned().unwrap_or_default()
    }

    /// Whether some net and tax make this total, roundings and discounts considered.
    fn net_and_tax_make(&self, total: Decimal) -> Option<(Decimal, Decimal)> {
        let taxes = self.taxes();
        let rounding = self.roundings();
        for net in self.values(Sense::Net).into_iter().filter(Decimal::is_sign_positive) {
            for tax in taxes.iter().filter(|tax| !tax.is_zero()) {
                let makes = |rounding: &Decimal| net + tax + rounding == total;
                if rounding.iter().any(makes) {
                    return Some((net, *tax));
                }
            }
        }
        None
    }

    /// Pairs of amounts, whatever they are called, that add up to one printed below or beside them,
    /// the smaller of them what a tax may be of the larger: net, tax and total.
    fn sums(&self) -> Vec<(Decimal, Decimal)> {
        let summing = [Sense::Total, Sense::Net, Sense::Tax, Sense::Item, Sense::Part];
        let money = self.money().filter(|money| money.priced() && summing.contains(&money.sense));
        let money: Vec<&Money> = money.collect();
        let last = &money[money.len().saturating_sub(LAST)..];
        let mut sums = Vec::new();
        // What is plainly called the total is no net, whatever cash and change add up to.
        for net in last.iter().filter(|net| net.sense != Sense::Total || net.strength < 0.8) {
            for tax in last.iter().filter(|tax| tax.span.row.abs_diff(net.span.row) <= REACH) {
                let (low, high) = (net.value() * LEAST_TAX, net.value() * MOST_TAX);
                if tax.value() <= low || tax.value() > high {
                    continue;
                }
                let makes = |sum: &&&Money| {
                    sum.value() == net.value() + tax.value()
                        && sum.span.row >= net.span.row
                        && sum.span.row - net.span.row <= REACH
                };
                if let Some(sum) = last.iter().find(makes) {
                    sums.push((net.value(), sum.value()));
                }
            }
        }
        sums
    }

    /// Single taxes and the sum of all distinct ones.
    fn taxes(&self) -> Vec<Decimal> {
        let mut taxes = self.values(Sense::Tax);
        if taxes.len() > 1 {
            let all: Decimal = taxes.iter().sum();
            for leave in taxes.clone() {
                taxes.push(all - leave);
            }
            taxes.push(all);
        }
        taxes
    }

    fn roundings(&self) -> Vec<Decimal> {
        let small = Decimal::ONE;
        let mut values = vec![Decimal::ZERO];
        for value in self.values(Sense::Rounding) {
            if value.abs() < small && !value.is_zero() {
                values.push(value);
                // The sign of a rounding is often lost by the reader, never added.
                if value.is_sign_positive() {
                    values.push(-value);
                }
            }
        }
        values
    }

    /// Whether the money given and the money returned differ by this total.
    fn cash_less_change_is(&self, total: Decimal) -> Option<(Decimal, Decimal)> {
        let changes = self.values(Sense::Change);
        let paid = [self.values(Sense::Cash), self.values(Sense::Card)].concat();
        let pairs = paid.iter().flat_map(|cash| changes.iter().map(move |change| (*cash, *change)));
        pairs.into_iter().find(|(cash, change)| cash.abs() - change.abs() == total)
    }

    /// Whether a total or net and the rounding printed below it make this total, printed further
    /// down.
    fn rounding_makes(&self, total: Decimal) -> bool {
        self.rounded().any(|(_, after)| after == total)
    }

    /// What was rounded and what it became.
    fn rounded(&self) -> impl Iterator<Item = (Decimal, Decimal)> {
        let summed = |money: &&Money| matches!(money.sense, Sense::Net | Sense::Total);
        let steps = self.money().filter(|money| money.sense == Sense::Rounding);
        steps.filter(|step| step.value().abs() < Decimal::ONE && !step.value().is_zero()).flat_map(
            move |step| {
                let before = self.money().filter(summed).filter(|m| m.span.row < step.span.row);
                before.filter_map(move |before| {
                    // The sign of a rounding is often lost by the reader, never added.
                    let signs = [step.value(), -step.value().abs()];
                    let after = signs.map(|sign| before.value() + sign);
                    let below = |money: &&Money| money.span.row > step.span.row;
                    let met = self.money().filter(below).find(|m| after.contains(&m.value()))?;
                    Some((before.value(), met.value()))
                })
            },
        )
    }

    /// The sum of the rightmost amounts above the first total, line by line.
    fn sum_of_lines(&self) -> Option<(Decimal, usize)> {
        let summing = [Sense::Total, Sense::Net, Sense::Gross, Sense::NetPay];
        let first = self.money().filter(|money| summing.contains(&money.sense) && money.priced());
        let first = first.filter(|money| money.strength > 0.6).map(|money| money.span.row).min()?;
        let mut sum = Decimal::ZERO;
        let mut lines = 0;
        for money in self.money().filter(|money| money.span.row < first && money.rightmost) {
            let listed = matches!(money.sense, Sense::Item | Sense::Total | Sense::Net);
            if listed && money.priced() {
                sum += money.value();
                lines += 1;
            }
        }
        (lines > 0).then_some((sum, lines))
    }

    /// Whether partial totals, at most three, make this total.
    fn parts_make(&self, total: Decimal) -> bool {
        let parts = self.values(Sense::Part);
        let from = |first: usize| parts.iter().enumerate().skip(first + 1);
        parts.iter().enumerate().any(|(n, a)| {
            from(n).any(|(m, b)| a + b == total || from(m).any(|(_, c)| a + b + c == total))
        })
    }

    /// Facts that agree with a value in this role.
    fn support(&self, sense: Sense, value: Decimal) -> f32 {
        let mut support = 0.0;
        match sense {
            Sense::Total => {
                let made = self.net_and_tax_make(value).is_some();
                let summed = self.sums.iter().any(|(_, total)| *total == value);
                support += if made { 1.0 } else { 0.7 * f32::from(u8::from(summed)) };
                support += f32::from(u8::from(self.cash_less_change_is(value).is_some()));
                support += f32::from(u8::from(self.rounding_makes(value)));
                if self.lines.is_some_and(|(sum, _)| sum == value) {
                    support += 1.0;
                }
                support += f32::from(u8::from(self.parts_make(value)));
                support += self.repeated(value);
            }
            Sense::Net | Sense::Tax => {
                let totals = self.values(Sense::Total);
                let others =
                    if sense == Sense::Net { self.taxes() } else { self.values(Sense::Net) };
                let agrees = |other: &Decimal| totals.contains(&(value + other));
                support += f32::from(u8::from(others.iter().any(agrees)));
                if sense == Sense::Net && self.lines.is_some_and(|(sum, _)| sum == value) {
                    support += 1.0;
                }
            }
            Sense::Gross | Sense::Deductions | Sense::NetPay => {
                let (gross, less, net) = (
                    self.values(Sense::Gross),
                    self.values(Sense::Deductions),
                    [self.values(Sense::NetPay), self.values(Sense::Total)].concat(),
                );
                let holds = |g: &Decimal, d: &Decimal, n: &Decimal| g - d.abs() == *n;
                let agrees = match sense {
                    Sense::Gross => less.iter().any(|d| net.iter().any(|n| holds(&value, d, n))),
                    Sense::Deductions => {
                        gross.iter().any(|g| net.iter().any(|n| holds(g, &value, n)))
                    }
                    _ => gross.iter().any(|g| less.iter().any(|d| holds(g, d, &value))),
                };
                support += f32::from(u8::from(agrees));
            }
            _ => {}
        }
        support
    }

    /// The same amount elsewhere, paid or repeated.
    fn repeated(&self, value: Decimal) -> f32 {
        let mut rows = HashSet::new();
        let mut support: f32 = 0.0;
        for money in self.money().filter(|money| money.value() == value) {
            if rows.insert(money.span.row) {
                support += match money.sense {
                    Sense::Cash | Sense::Card | Sense::Total => 0.5,
                    Sense::Net | Sense::Item | Sense::NetPay => 0.35,
                    _ => 0.0,
                };
            }
        }
        (support - 0.5).clamp(0.0, 1.0)
    }

    /// Whether the amount without its first digit is printed too: a currency sign was read as a digit.
    fn sign_as_digit(&self, value: Decimal) -> bool {
        let text = value.to_string();
        let rest = text.strip_prefix(['5', '8', '3', '6', '1']).and_then(|rest| rest.parse().ok());
        rest.is_some_and(|rest: Decimal| {
            rest > Decimal::ZERO && self.money().any(|money| money.value() == rest)
        })
    }

    /// Facts that disagree with a total.
    fn against_total(&self, value: Decimal, support: f32) -> f32 {
        let mut against = 0.0;
        let totals = self.values(Sense::Total);
        if self.rounded().any(|(before, _)| before == value) {
            against += 1.0;
        }
        let paid = !self.values(Sense::Change).is_empty() && !self.values(Sense::Cash).is_empty();
        // What is handed over may have been rounded where nothing prints the rounded total.
        let settled = |rounding: &Decimal| self.cash_less_change_is(value + rounding).is_some();
        if paid && !self.roundings().iter().any(settled) {
            against += 2.0;
        }
        let taxed = !self.values(Sense::Tax).is_empty() && !self.values(Sense::Net).is_empty();
        if support < 0.9 && taxed {
            against += 0.4;
        }
        // With its tax it makes a printed total: then it is the net.
        let rounding = self.roundings();
        let larger = |tax: &Decimal| {
            let with = |rounding: &Decimal| totals.contains(&(value + tax + rounding));
            *tax > Decimal::ZERO && rounding.iter().any(with)
        };
        if self.taxes().iter().any(larger) {
            against += 1.2;
        }
        // By arithmetic alone it is the net of a larger sum, and of none the total.
        let is_net = self.sums.iter().any(|(net, _)| *net == value);
        let is_sum = self.sums.iter().any(|(_, total)| *total == value);
        if is_net && !is_sum {
            against += 1.0;
        }
        // What a document comes to is no less than anything on it.
        if support < 0.9 && self.largest > value {
            against += 1.0;
        }
        if support < 0.9 && self.sign_as_digit(value) {
            against += 1.5;
        }
        // No tax makes a total a third larger than its lines.
        let third = Decimal::new(133, 2);
        if support < 0.9 && self.lines.is_some_and(|(sum, _)| value > sum * third) {
            against += 0.7;
        }
        against
    }
}

/// The candidates for the amount of this sense, one per value.
pub(super) fn candidates(
    reading: &Reading,
    sense: Sense,
    custom: Option<Concept>,
) -> Vec<Candidate> {
    let ledger = Ledger::new(reading);
    // Who prints cents on the lines prints them on the total.
    let cents = ledger.money().filter(|money| money.amount.decimals == 2).count() > 2;
    let mut found: Vec<(Decimal, Candidate)> = Vec::new();
    for money in ledger.money() {
        let label = label_of(reading, money, sense, custom);
        let whole = money.amount.decimals == 0 && money.amount.currency.is_none();
        let positive = sense == Sense::Deductions || money.value() > Decimal::ZERO;
        let fits = !whole && positive && money.sense != Sense::Quantity;
        if label <= 0.0 && (sense != Sense::Total || !fits || money.sense != Sense::Item)
            || !positive
            || whole && !(custom.is_some() || !cents && round_sum(sense, money, label))
        {
            continue;
        }
        let big = reading.sheet.place(money.span).h / reading.sheet.letter(money.span.row) > 1.25;
        let mut score = 2.0 * label + 0.5 * money.amount.certainty;
        score += if money.value() == ledger.largest && sense == Sense::Total { 0.3 } else { 0.0 };
        score += if big { 0.25 } else { 0.0 };
        score += 0.1 * reading.sheet.depth(money.span.row);
        let mut candidate =
            reading.candidate(Normalised::Decimal(money.value()), money.span, score);
        candidate.signs.label = label;
        candidate.signs.certainty = money.amount.certainty;
        match found.iter_mut().find(|(value, _)| *value == money.value()) {
            Some((_, known)) => keep_better(known, candidate),
            None => found.push((money.value(), candidate)),
        }
    }
    for (value, candidate) in &mut found {
        let support = ledger.support(sense, *value);
        let against = match sense {
            Sense::Total => ledger.against_total(*value, support),
            _ => 0.0,
        };
        candidate.signs.support = support;
        candidate.signs.against = against;
        // What gross and deductions leave is the pay, whatever it is called.
        let told = if matches!(sense, Sense::Gross | Sense::Deductions | Sense::NetPay) {
            1.2
        } else {
            0.7
        };
        candidate.score += told * support - 0.8 * against;
    }
    found.into_iter().map(|(_, candidate)| candidate).collect()
}

/// Whether a whole number without a currency may be this sum: some print `TOTAL 120`.
fn round_sum(sense: Sense, money: &Money, label: f32) -> bool {
    let summed = matches!(sense, Sense::Total | Sense::Gross | Sense::NetPay);
    summed && label >= 0.8 && money.value() < Decimal::from(1_000_000)
}

fn keep_better(known: &mut Candidate, again: Candidate) {
    let mut spans = known.spans.clone();
    spans.extend(&again.spans);
    spans.truncate(4);
    if again.score > known.score {
        *known = again;
    }
    known.spans = spans;
}

/// How plainly the words beside an amount say what is asked for.
fn label_of(reading: &Reading, money: &Money, sense: Sense, custom: Option<Concept>) -> f32 {
    if let Some(concept) = custom {
        let (label, _) = reading.announced(money.span, &[concept]);
        if label > 0.0 {
            return label;
        }
    }
    let related = match (sense, money.sense) {
        (wanted, said) if wanted == said => 1.0,
        // A payslip's net pay is often just its total, an invoice's total what is left to pay.
        (Sense::NetPay, Sense::Total) | (Sense::Total, Sense::NetPay) => 0.8,
        (Sense::Total, Sense::Net) => 0.45,
        (Sense::Net, Sense::Total) => 0.4,
        (Sense::Total, Sense::Card) | (Sense::NetPay | Sense::Gross, Sense::Net) => 0.5,
        _ => 0.0,
    };
    related * money.strength
}

/// Sentences about amounts that can be compared: name, verdict, words.
pub(super) fn checks(reading: &Reading, chosen: &[(Sense, Decimal)]) -> Vec<super::Check> {
    let ledger = Ledger::new(reading);
    let get = |sense| chosen.iter().find(|(of, _)| *of == sense).map(|(_, value)| *value);
    let mut checks = Vec::new();
    let mut say = |name: &str, ok: bool, sentence: String| {
        checks.push(super::Check { name: name.to_owned(), ok, sentence });
    };
    if let Some(total) = get(Sense::Total) {
        let (nets, taxes) = (ledger.values(Sense::Net), ledger.values(Sense::Tax));
        match ledger.net_and_tax_make(total) {
            Some((net, tax)) => {
                say("net_plus_tax", true, format!("{net} before tax plus {tax} tax is {total}"));
            }
            None if !nets.is_empty() && !taxes.is_empty() && !nets.contains(&total) => {
                let sentence = format!("no printed net and tax make the total {total}");
                say("net_plus_tax", false, sentence);
            }
            None => {}
        }
        if let Some((cash, change)) = ledger.cash_less_change_is(total) {
            say("cash_less_change", true, format!("{cash} paid less {change} returned is {total}"));
        } else if let (Some(cash), Some(change)) =
            (ledger.values(Sense::Cash).first(), ledger.values(Sense::Change).first())
        {
            let sentence = format!("{cash} paid less {change} returned is not {total}");
            say("cash_less_change", false, sentence);
        }
        if let Some((sum, lines)) = ledger.lines.filter(|(sum, _)| *sum == total) {
            say("lines_sum", true, format!("the {lines} lines sum to {sum}"));
        }
    }
    if let (Some(gross), Some(net)) = (get(Sense::Gross), get(Sense::NetPay)) {
        let less = ledger.values(Sense::Deductions);
        if let Some(less) = less.iter().find(|less| gross - less.abs() == net) {
            let sentence = format!("{gross} gross less {less} deductions is {net}");
            say("gross_less_deductions", true, sentence);
        } else if !less.is_empty() {
            let sentence = format!("no printed deductions turn {gross} gross into {net}");
            say("gross_less_deductions", false, sentence);
        }
    }
    checks
}
