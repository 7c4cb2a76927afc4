//! What a line of an order costs and is called, against the menu.
//!
//! The menu says both. Another price or name needs the right to set them; what an open order has
//! already agreed with its customer stands, also when the menu has changed since.

use crate::model::Line;

/// More than any order of a shop comes to; above it somebody mistyped.
pub const MOST_TOTAL_CENTS: i64 = 10_000_000_000;
/// More kitchen time than a day has.
pub const MOST_MINUTES: i64 = 24 * 60;

/// An article as the menu has it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MenuItem<'a> {
    pub id: i64,
    pub name: &'a str,
    pub price_cents: i64,
    pub active: bool,
}

/// What a client wants of an article.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Asked<'a> {
    pub name: Option<&'a str>,
    /// Of one unit; with or without its extras, both are understood.
    pub price_cents: Option<i64>,
    /// The extras of one unit, as text to tell lines apart and what they cost.
    pub extras: Option<&'a str>,
    pub extras_cents: i64,
    /// Of this article in the whole request.
    pub units: i64,
}

/// Whether whoever asks may call or price things otherwise.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Right {
    MenuOnly,
    AnyPrice,
}

/// What was agreed: the price of one unit, extras included.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Agreed {
    pub name: String,
    pub price_cents: i64,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unfit {
    /// It left the menu; an open order may keep what it has of it, not have more.
    Retired,
    Name {
        menu: String,
    },
    /// What one unit costs, extras included.
    Price {
        cents: i64,
    },
}

/// Name and price of a line. `standing` are the lines the order has already.
pub fn agree(
    menu: MenuItem<'_>,
    standing: &[Line],
    asked: Asked<'_>,
    right: Right,
) -> Result<Agreed, Vec<Unfit>> {
    let kept = || standing.iter().filter(|line| line.article == Some(menu.id));
    let same = kept().find(|line| line.extras.as_deref() == asked.extras);
    let had = kept().map(|line| line.quantity).fold(0, i64::saturating_add);
    let mut unfit = Vec::new();
    if !menu.active && asked.units > had {
        unfit.push(Unfit::Retired);
    }
    let name = match asked.name {
        None => same.map_or(menu.name, |line| &line.name),
        Some(name) if right == Right::AnyPrice => name,
        Some(name) if same_text(name, menu.name) => menu.name,
        Some(name) => {
            if !kept().any(|line| same_text(name, &line.name)) {
                unfit.push(Unfit::Name { menu: menu.name.to_owned() });
            }
            name
        }
    };
    let listed = menu.price_cents.saturating_add(asked.extras_cents);
    let price_cents = match (asked.price_cents, same) {
        (None, Some(line)) => line.price_cents,
        (Some(price), Some(line)) if price == line.price_cents => price,
        (None, None) => listed,
        (Some(price), _) if price == listed || price == menu.price_cents => listed,
        (Some(price), _) if right == Right::AnyPrice => price,
        (Some(_), _) => {
            unfit.push(Unfit::Price { cents: same.map_or(listed, |line| line.price_cents) });
            listed
        }
    };
    if unfit.is_empty() { Ok(Agreed { name: name.to_owned(), price_cents }) } else { Err(unfit) }
}

/// What the lines come to.
pub fn total(lines: &[Line]) -> i64 {
    lines
        .iter()
        .map(|line| line.price_cents.saturating_mul(line.quantity))
        .fold(0, i64::saturating_add)
}

/// A name as people tell names apart: capitals and spaces do not make another one.
pub fn plain(name: &str) -> String {
    name.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase()
}

pub fn same_text(one: &str, other: &str) -> bool {
    plain(one) == plain(other)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::rules::samples::line;

    const BURGER: MenuItem<'_> =
        MenuItem { id: 7, name: "Hamburguesa", price_cents: 100_000, active: true };
    const CHEDDAR: Asked<'_> = Asked {
        name: None,
        price_cents: None,
        extras: Some("cheddar"),
        extras_cents: 20_000,
        units: 1,
    };

    fn standing(price_cents: i64, quantity: i64) -> Vec<Line> {
        let mut line = line("Hamburguesa vieja", 3, quantity);
        line.article = Some(7);
        line.price_cents = price_cents;
        vec![line]
    }

    fn price(asked: Asked<'_>, standing: &[Line], right: Right) -> Result<i64, Vec<Unfit>> {
        agree(BURGER, standing, asked, right).map(|agreed| agreed.price_cents)
    }

    #[test]
    fn extras_are_in_the_price_however_it_is_told() {
        assert_eq!(price(CHEDDAR, &[], Right::MenuOnly), Ok(120_000));
        for told in [100_000, 120_000] {
            let asked = Asked { price_cents: Some(told), ..CHEDDAR };
            assert_eq!(price(asked, &[], Right::MenuOnly), Ok(120_000), "{told}");
        }
    }

    #[test]
    fn another_price_or_name_needs_the_right() {
        let cheap =
            Asked { price_cents: Some(1), name: Some("Otra"), units: 1, ..Asked::default() };
        let unfit = price(cheap, &[], Right::MenuOnly).unwrap_err();
        let expected =
            [Unfit::Name { menu: "Hamburguesa".into() }, Unfit::Price { cents: 100_000 }];
        assert_eq!(unfit, expected);
        let agreed = agree(BURGER, &[], cheap, Right::AnyPrice).unwrap();
        assert_eq!(agreed, Agreed { name: "Otra".into(), price_cents: 1 });
        let shouted = Asked { name: Some(" HAMBURGUESA "), ..cheap };
        let agreed = agree(BURGER, &[], Asked { price_cents: None, ..shouted }, Right::MenuOnly);
        assert_eq!(agreed.unwrap().name, "Hamburguesa");
    }

    #[test]
    fn what_an_open_order_agreed_stands() {
        let had = standing(90_000, 2);
        let retired = MenuItem { active: false, ..BURGER };
        let keep = Asked { units: 2, ..Asked::default() };
        let agreed = agree(retired, &had, keep, Right::MenuOnly).unwrap();
        assert_eq!(agreed, Agreed { name: "Hamburguesa vieja".into(), price_cents: 90_000 });
        let told = Asked { price_cents: Some(90_000), name: Some("Hamburguesa vieja"), ..keep };
        assert_eq!(agree(retired, &had, told, Right::MenuOnly).unwrap(), agreed);
        let more = Asked { units: 3, ..keep };
        assert_eq!(agree(retired, &had, more, Right::AnyPrice), Err(vec![Unfit::Retired]));
        assert_eq!(agree(retired, &[], keep, Right::AnyPrice), Err(vec![Unfit::Retired]));
    }

    proptest! {
        /// Without the right nobody pays anything but the menu or what was agreed.
        #[test]
        fn without_the_right_the_menu_is_paid(
            told in prop::option::of(0_i64..300_000), agreed in prop::option::of(0_i64..300_000),
            extras_cents in 0_i64..50_000,
        ) {
            let had = agreed.map(|agreed| standing(agreed, 1)).unwrap_or_default();
            let asked = Asked { price_cents: told, extras_cents, units: 1, ..Asked::default() };
            if let Ok(price) = price(asked, &had, Right::MenuOnly) {
                prop_assert!(price == 100_000 + extras_cents || Some(price) == agreed);
            }
            let boss = price(asked, &had, Right::AnyPrice).unwrap();
            if let Some(told) = told.filter(|told| *told != 100_000) {
                prop_assert_eq!(boss, told);
            }
        }
    }
}
