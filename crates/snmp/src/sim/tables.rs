//! What an OLT knows: a few scalars, then one column after another with a row for each ONU.
//!
//! Nothing is stored: every row follows from its number, so that a thousand OLTs cost no memory.
//! The columns of Huawei are those of HUAWEI-XPON-MIB, those of ZTE of ZXGPON-SERVICE-MIB; an OLT
//! of no brand has a table of its own, whose rows have three numbers.

use super::dice::{happens, throw};
use super::settings::{Brand, Settings};

const PER_PORT: u32 = 64;
const PORTS: u32 = 16;
const SLOTS: u32 = 18;
/// All slots and ports full.
pub const MAX_ONUS: u32 = SLOTS * PORTS * PER_PORT;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Column {
    /// Whether it runs, in the brand's numbers: what discovery walks.
    State,
    /// 1 activated, 2 not.
    Active,
    Description,
    Serial,
    Mac,
    /// Metres; −1 when it is off.
    Distance,
    Model,
    Plan,
    /// Hundredths of a dBm.
    Power,
}

const SYSTEM: [(&[u32], Scalar); 5] = [
    (&[1, 3, 6, 1, 2, 1, 1, 1, 0], Scalar::Description),
    (&[1, 3, 6, 1, 2, 1, 1, 2, 0], Scalar::Kind),
    (&[1, 3, 6, 1, 2, 1, 1, 3, 0], Scalar::Uptime),
    (&[1, 3, 6, 1, 2, 1, 1, 5, 0], Scalar::Name),
    (&[1, 3, 6, 1, 2, 1, 1, 6, 0], Scalar::Location),
];

type Columns = &'static [(&'static [u32], Column)];

const HUAWEI: Columns = &[
    (&[1, 3, 6, 1, 4, 1, 2011, 6, 128, 1, 1, 2, 43, 1, 3], Column::Serial),
    (&[1, 3, 6, 1, 4, 1, 2011, 6, 128, 1, 1, 2, 43, 1, 7], Column::Plan),
    (&[1, 3, 6, 1, 4, 1, 2011, 6, 128, 1, 1, 2, 43, 1, 9], Column::Description),
    (&[1, 3, 6, 1, 4, 1, 2011, 6, 128, 1, 1, 2, 45, 1, 4], Column::Model),
    (&[1, 3, 6, 1, 4, 1, 2011, 6, 128, 1, 1, 2, 45, 1, 10], Column::Mac),
    (&[1, 3, 6, 1, 4, 1, 2011, 6, 128, 1, 1, 2, 46, 1, 1], Column::Active),
    (&[1, 3, 6, 1, 4, 1, 2011, 6, 128, 1, 1, 2, 46, 1, 15], Column::State),
    (&[1, 3, 6, 1, 4, 1, 2011, 6, 128, 1, 1, 2, 46, 1, 20], Column::Distance),
    (&[1, 3, 6, 1, 4, 1, 2011, 6, 128, 1, 1, 2, 51, 1, 4], Column::Power),
];

const ZTE: Columns = &[
    (&[1, 3, 6, 1, 4, 1, 3902, 1012, 3, 11, 4, 1, 2], Column::Distance),
    (&[1, 3, 6, 1, 4, 1, 3902, 1012, 3, 28, 1, 1, 1], Column::Model),
    (&[1, 3, 6, 1, 4, 1, 3902, 1012, 3, 28, 1, 1, 3], Column::Description),
    (&[1, 3, 6, 1, 4, 1, 3902, 1012, 3, 28, 1, 1, 5], Column::Serial),
    (&[1, 3, 6, 1, 4, 1, 3902, 1012, 3, 28, 2, 1, 4], Column::State),
];

const PLAIN: Columns = &[
    (&[1, 3, 6, 1, 4, 1, 32473, 1, 1, 1, 1], Column::State),
    (&[1, 3, 6, 1, 4, 1, 32473, 1, 1, 1, 2], Column::Description),
    (&[1, 3, 6, 1, 4, 1, 32473, 1, 1, 1, 3], Column::Serial),
];

#[derive(Clone, Copy)]
enum Scalar {
    Description,
    Kind,
    Uptime,
    Name,
    Location,
}

pub(super) enum Datum {
    Integer(i32),
    Ticks(u32),
    Bytes(Vec<u8>),
    Oid(Vec<u32>),
}

/// Where something stands, in the order of names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Position {
    System(usize),
    Row { column: usize, row: u32 },
}

pub(super) enum Found {
    Position(Position),
    NoInstance,
    NoObject,
}

/// Two numbers, or three.
#[derive(Clone, Copy)]
struct Index {
    arcs: [u32; 3],
    length: usize,
}

impl Index {
    const fn two(port: u32, onu: u32) -> Self {
        Self { arcs: [port, onu, 0], length: 2 }
    }

    fn as_slice(&self) -> &[u32] {
        &self.arcs[..self.length]
    }
}

impl Brand {
    fn columns(self) -> Columns {
        match self {
            Self::Huawei => HUAWEI,
            Self::Zte => ZTE,
            Self::Plain => PLAIN,
        }
    }

    /// The name of a column that the brand has.
    pub fn oid(self, wanted: Column) -> crate::Oid {
        let found = self.columns().iter().find(|(_, column)| *column == wanted);
        crate::Oid::new(found.expect("the brand has this column").0)
    }

    /// What tells a row apart: the port by the brand's formula, and the ONU on it.
    fn index(self, row: u32) -> Index {
        let (port, onu) = (row / PER_PORT, row % PER_PORT);
        let (slot, port) = (port / PORTS, port % PORTS);
        match self {
            Self::Huawei => Index::two(4_194_304_000 + slot * 8192 + port * 256, onu),
            Self::Zte => Index::two(268_435_456 + (slot + 1) * 65_536 + (port + 1) * 256, onu + 1),
            Self::Plain => Index { arcs: [slot + 1, port + 1, onu + 1], length: 3 },
        }
    }

    /// The first row whose index comes after.
    fn row_after(self, index: &[u32], rows: u32) -> u32 {
        let (mut low, mut high) = (0, rows);
        while low < high {
            let middle = low + (high - low) / 2;
            if self.index(middle).as_slice() > index {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        low
    }
}

/// The tables of one OLT at one moment.
pub(super) struct Tables<'a> {
    pub settings: &'a Settings,
    pub seed: u64,
    pub number: u64,
    /// Hundredths of a second.
    pub uptime: u32,
}

impl Tables<'_> {
    pub(super) fn find(&self, name: &[u32]) -> Found {
        if let Some(at) = SYSTEM.iter().position(|(oid, _)| *oid == name) {
            return Found::Position(Position::System(at));
        }
        let brand = self.settings.brand;
        for (column, (prefix, _)) in brand.columns().iter().enumerate() {
            let Some(index) = name.strip_prefix(*prefix) else { continue };
            let row = brand.row_after(index, self.settings.onus).wrapping_sub(1);
            let exact = row < self.settings.onus && brand.index(row).as_slice() == index;
            return if exact && self.present(row) {
                Found::Position(Position::Row { column, row })
            } else {
                Found::NoInstance
            };
        }
        Found::NoObject
    }

    /// The first place whose name comes after.
    pub(super) fn after(&self, name: &[u32]) -> Option<Position> {
        if let Some(at) = SYSTEM.iter().position(|(oid, _)| *oid > name) {
            return Some(Position::System(at));
        }
        let brand = self.settings.brand;
        for (column, (prefix, _)) in brand.columns().iter().enumerate() {
            let row = match name.strip_prefix(*prefix) {
                Some(index) => brand.row_after(index, self.settings.onus),
                None if name < *prefix => 0,
                None => continue,
            };
            return self.seek(column, row);
        }
        None
    }

    pub(super) fn step(&self, place: Position) -> Option<Position> {
        match place {
            Position::System(at) if at + 1 < SYSTEM.len() => Some(Position::System(at + 1)),
            Position::System(_) => self.seek(0, 0),
            Position::Row { column, row } => self.seek(column, row + 1),
        }
    }

    /// The first ONU that is there, from this row on.
    fn seek(&self, column: usize, row: u32) -> Option<Position> {
        let here = (row..self.settings.onus).map(|row| (column, row));
        let columns = self.settings.brand.columns().len();
        let further = (column + 1..columns)
            .flat_map(|column| (0..self.settings.onus).map(move |row| (column, row)));
        let (column, row) = here.chain(further).find(|(_, row)| self.present(*row))?;
        Some(Position::Row { column, row })
    }

    fn present(&self, row: u32) -> bool {
        !happens(self.settings.vanish_pct, &[self.seed, self.number, u64::from(row), 1])
    }

    pub(super) fn name(&self, place: Position) -> Vec<u32> {
        match place {
            Position::System(at) => SYSTEM[at].0.to_vec(),
            Position::Row { column, row } => {
                let brand = self.settings.brand;
                [brand.columns()[column].0, brand.index(row).as_slice()].concat()
            }
        }
    }

    pub(super) fn datum(&self, place: Position) -> Datum {
        match place {
            Position::System(at) => self.scalar(SYSTEM[at].1),
            Position::Row { column, row } => {
                self.cell(self.settings.brand.columns()[column].1, row)
            }
        }
    }

    fn scalar(&self, scalar: Scalar) -> Datum {
        let text = |text: String| Datum::Bytes(text.into_bytes());
        let (brand, enterprise) = match self.settings.brand {
            Brand::Huawei => ("Huawei MA5800-X17", vec![1, 3, 6, 1, 4, 1, 2011, 2, 329]),
            Brand::Zte => ("ZTE C320", vec![1, 3, 6, 1, 4, 1, 3902, 1082, 1001, 320]),
            Brand::Plain => ("OLT", vec![1, 3, 6, 1, 4, 1, 32473, 1]),
        };
        match scalar {
            Scalar::Description => text(format!("{brand} (simulated)")),
            Scalar::Kind => Datum::Oid(enterprise),
            Scalar::Uptime => Datum::Ticks(self.uptime),
            Scalar::Name => text(format!("OLT-{:03}", self.number)),
            Scalar::Location => text("Lima".to_owned()),
        }
    }

    fn cell(&self, column: Column, row: u32) -> Datum {
        let dice = throw(&[self.seed, self.number, u64::from(row), 2]);
        let off = dice.is_multiple_of(10);
        let pick = |from: &[&str]| from[(dice >> 8) as usize % from.len()].as_bytes().to_vec();
        match column {
            Column::State if self.settings.wrong_types => Datum::Bytes(b"active".to_vec()),
            Column::State => Datum::Integer(match (self.settings.brand, off) {
                (Brand::Huawei | Brand::Plain, false) => 1,
                (Brand::Huawei | Brand::Plain, true) => 2,
                (Brand::Zte, false) => 3,
                (Brand::Zte, true) => 6,
            }),
            // Nobody deactivated those that are off.
            Column::Active => Datum::Integer(1),
            Column::Description => {
                Datum::Bytes(format!("CLI-{:03}-{row:05}", self.number).into_bytes())
            }
            Column::Serial => {
                let maker = match self.settings.brand {
                    Brand::Huawei => b"HWTC",
                    Brand::Zte => b"ZTEG",
                    Brand::Plain => b"OLTX",
                };
                Datum::Bytes([&maker[..], &(dice as u32).to_be_bytes()].concat())
            }
            Column::Mac => Datum::Bytes([&[0x02, 0x11][..], &dice.to_be_bytes()[4..]].concat()),
            Column::Distance if off => Datum::Integer(-1),
            Column::Distance => Datum::Integer(((dice >> 16) % 20_000) as i32),
            Column::Model => Datum::Bytes(pick(&["HG8145V5", "EG8145V5", "F660", "F670L"])),
            // No light, and a number all the same.
            Column::Power if off => Datum::Integer(i32::MAX),
            Column::Power => {
                let plain = -1_500 - ((dice >> 24) % 1_200) as i32;
                Datum::Integer(plain + self.settings.power_shift)
            }
            Column::Plan => Datum::Bytes(pick(&["PLAN_50M", "PLAN_100M", "PLAN_200M", "PLAN_1G"])),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn walk(settings: &Settings) -> Vec<Vec<u32>> {
        let tables = Tables { settings, seed: 7, number: 3, uptime: 1 };
        let mut names = Vec::new();
        let mut place = tables.after(&[]);
        while let Some(here) = place {
            let name = tables.name(here);
            assert!(matches!(tables.find(&name), Found::Position(found) if found == here));
            assert_eq!(tables.after(&name), tables.step(here), "{name:?}");
            names.push(name);
            place = tables.step(here);
        }
        names
    }

    #[test]
    fn names_grow_and_every_one_is_found() {
        for brand in [Brand::Huawei, Brand::Zte, Brand::Plain] {
            for (onus, vanish_pct) in [(0, 0.0), (1, 0.0), (300, 0.0), (300, 40.0)] {
                let settings = Settings { brand, onus, vanish_pct, ..Settings::default() };
                let names = walk(&settings);
                assert!(names.is_sorted_by(|a, b| a < b));
                let rows = (names.len() - SYSTEM.len()) / brand.columns().len();
                assert!(
                    if vanish_pct > 0.0 { rows < 250 } else { rows == onus as usize },
                    "{rows}"
                );
            }
        }
    }

    #[test]
    fn ports_follow_the_formulas_of_their_brands() {
        let index = |brand: Brand, row| brand.index(row).as_slice().to_vec();
        assert_eq!(index(Brand::Huawei, 16 * 64 + 2), [4_194_312_192, 2]);
        assert_eq!(index(Brand::Huawei, 17 * 64 + 2), [4_194_312_448, 2]);
        assert_eq!(index(Brand::Zte, 16 * 64), [268_566_784, 1]);
        assert_eq!(index(Brand::Plain, 17 * 64 + 2), [2, 2, 3]);
    }
}
