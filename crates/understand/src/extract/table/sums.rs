//! The arithmetic of a table: quantity × price is the amount, and the amounts make the sum.

use rust_decimal::Decimal;

use super::grid::{Line, Number};
use super::words::Part;

const HUNDRED: Decimal = Decimal::ONE_HUNDRED;
const CENT: Decimal = Decimal::from_parts(1, 0, 0, false, 2);
/// What half a cent of a price that was rounded makes of each piece.
const HALF: Decimal = Decimal::from_parts(5, 0, 0, false, 3);

/// What a line's own numbers say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    Closes,
    Fails,
    /// There is nothing to multiply.
    Untold,
}

/// Judges a line, and settles how a number that can be read in two ways is meant.
pub(super) fn judge(line: &mut Line) -> Verdict {
    let has = |part: Part| line.number(part).is_some();
    if ![Part::Quantity, Part::Price, Part::Amount].into_iter().all(has) {
        return Verdict::Untold;
    }
    for price in readings(line.number(Part::Price)) {
        for quantity in readings(line.number(Part::Quantity)) {
            for amount in readings(line.number(Part::Amount)) {
                if closes(line, quantity, price, amount) {
                    line.settle(Part::Price, price);
                    line.settle(Part::Quantity, quantity);
                    line.settle(Part::Amount, amount);
                    return Verdict::Closes;
                }
            }
        }
    }
    Verdict::Fails
}

/// How a number may be meant: `1.250` is a thousand and something, or one and a quarter.
fn readings(number: Option<&Number>) -> Vec<Decimal> {
    let thousand = |number: &Number| number.grouped.then(|| number.value / Decimal::ONE_THOUSAND);
    number.into_iter().flat_map(|one| [Some(one.value), thousand(one)]).flatten().collect()
}

fn closes(line: &Line, quantity: Decimal, price: Decimal, amount: Decimal) -> bool {
    let Some(whole) = quantity.checked_mul(price) else { return false };
    let slack = CENT + quantity.abs().checked_mul(HALF).unwrap_or(CENT);
    // What is given back is printed with a sign on the amount alone.
    let near = |value: Option<Decimal>| {
        let apart = value.and_then(|value| value.abs().checked_sub(amount.abs()));
        apart.is_some_and(|by| by.abs() <= slack)
    };
    let part = |number: &Number, sign: Decimal| {
        let share = HUNDRED.checked_add(sign * number.value)? / HUNDRED;
        whole.checked_mul(share)
    };
    let less = line.number(Part::Discount).is_some_and(|less| {
        near(part(less, -Decimal::ONE)) || near(whole.checked_sub(less.value.abs()))
    });
    // The amount of a line may hold its tax.
    let taxed = line.number(Part::Tax).is_some_and(|tax| near(part(tax, Decimal::ONE)));
    near(Some(whole)) || less || taxed
}

/// The sum of the amounts.
pub(super) fn sum(lines: &[Line]) -> Decimal {
    let amounts = lines.iter().filter_map(|line| line.number(Part::Amount));
    amounts.fold(Decimal::ZERO, |sum, amount| sum.saturating_add(amount.value))
}
