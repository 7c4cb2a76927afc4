//! Which storage is ours (R-15c). A database gives itself a name, a storage is given one together
//! with the database's, and the database keeps it: from then on they know each other, and another
//! storage or another database is refused before it can do harm.

use engine::Sentence;
use serde::{Deserialize, Serialize};

/// What is written into a storage.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mark {
    /// The database whose files are here.
    pub database: String,
    /// This storage and no other.
    pub storage: String,
}

/// What a database knows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Known {
    /// Its own name.
    pub database: String,
    /// Its storage, once there was one, and the address under which that was met.
    pub storage: Option<(String, String)>,
}

/// The stored files that the database knows of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Files {
    None,
    /// Some of the newest are in this storage.
    There,
    /// None of the newest is.
    Elsewhere,
}

/// What a process that starts has to do next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// Give the database a name.
    Name,
    /// Mark the storage, unless somebody else does it first.
    Mark,
    /// Keep the mark in the database.
    Keep,
    Begin,
    Refuse(Mismatch),
}

/// Why a storage is not used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mismatch {
    /// The others use another one.
    Other,
    /// It has no mark, and the database knows one that has.
    Unmarked,
    /// The files of another database are here.
    Foreign,
    /// It is new, and the files that the database knows of are not here.
    Empty,
}

/// The next step of a start. Steps of several processes may come in any order.
pub fn next(known: Option<&Known>, mark: Option<&Mark>, files: Files) -> Step {
    let Some(known) = known else { return Step::Name };
    match (mark, &known.storage) {
        (None, Some(_)) => Step::Refuse(Mismatch::Unmarked),
        (None, None) if files == Files::Elsewhere => Step::Refuse(Mismatch::Empty),
        (None, None) => Step::Mark,
        (Some(mark), _) if mark.database != known.database => Step::Refuse(Mismatch::Foreign),
        (Some(_), None) => Step::Keep,
        (Some(mark), Some((storage, _))) if mark.storage != *storage => {
            Step::Refuse(Mismatch::Other)
        }
        (Some(_), Some(_)) => Step::Begin,
    }
}

impl Mismatch {
    /// Names both: the storage at `here`, and what the database knows.
    pub fn sentence(self, here: &str, mark: Option<&Mark>, known: Option<&Known>) -> Sentence {
        let mark = mark.map(|mark| short(&mark.storage)).unwrap_or_default();
        let (theirs, at) = known
            .and_then(|known| known.storage.as_ref())
            .map_or(("", ""), |(storage, at)| (short(storage), at.as_str()));
        match self {
            Self::Other => Sentence::new(
                format!(
                    "El almacén {here} (marca {mark}) no es el que usa esta base de datos: {at} \
                     (marca {theirs})."
                ),
                format!(
                    "the storage {here} (mark {mark}) is not the one that this database uses: {at} \
                     (mark {theirs})"
                ),
            ),
            Self::Unmarked => Sentence::new(
                format!(
                    "El almacén {here} no tiene marca, y esta base de datos guarda sus archivos en \
                     {at} (marca {theirs})."
                ),
                format!(
                    "the storage {here} carries no mark, and this database keeps its files in {at} \
                     (mark {theirs})"
                ),
            ),
            Self::Foreign => Sentence::new(
                format!("El almacén {here} (marca {mark}) es de otra base de datos."),
                format!("the storage {here} (mark {mark}) belongs to another database"),
            ),
            Self::Empty => Sentence::new(
                format!(
                    "El almacén {here} es nuevo y no tiene los archivos de esta base de datos."
                ),
                format!("the storage {here} is new and has none of the files of this database"),
            ),
        }
    }
}

/// Enough of a name to tell two apart.
fn short(name: &str) -> &str {
    name.get(..8).unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[derive(Clone, Debug, Default)]
    struct World {
        databases: [Option<Known>; 2],
        storages: [Option<Mark>; 2],
        names: u32,
    }

    impl World {
        fn name(&mut self) -> String {
            self.names += 1;
            format!("name-{}", self.names)
        }

        /// One step of a process, judged on what it read and done on what is there by then.
        fn step(&mut self, (database, storage): (usize, usize), step: &Step) {
            let name = self.name();
            match step {
                Step::Name if self.databases[database].is_none() => {
                    self.databases[database] = Some(Known { database: name, storage: None });
                }
                Step::Mark if self.storages[storage].is_none() => {
                    let database = self.databases[database].as_ref().unwrap().database.clone();
                    self.storages[storage] = Some(Mark { database, storage: name });
                }
                // The commit plans again under its lock.
                Step::Keep if self.next((database, storage)) == Step::Keep => {
                    let mark = self.storages[storage].as_ref().unwrap().storage.clone();
                    let known = self.databases[database].as_mut().unwrap();
                    known.storage = Some((mark, format!("storage {storage}")));
                }
                _ => {}
            }
        }

        fn next(&self, (database, storage): (usize, usize)) -> Step {
            let known = self.databases[database].as_ref();
            next(known, self.storages[storage].as_ref(), Files::None)
        }
    }

    proptest! {
        /// Whoever starts with whatever at the same moment: those who begin agree, and everybody
        /// comes to an end.
        #[test]
        fn of_all_that_start_at_once_those_who_begin_share_one_storage(
            processes in prop::collection::vec((0..2_usize, 0..2_usize), 1..6),
            order in prop::collection::vec((0..6_usize, any::<bool>()), 0..80),
        ) {
            let mut world = World::default();
            let mut looked: Vec<Option<Step>> = vec![None; processes.len()];
            let mut turn = |world: &mut World, n: usize, look: bool| {
                let at = processes[n];
                match looked[n].take() {
                    Some(step) if !look => world.step(at, &step),
                    _ => looked[n] = Some(world.next(at)),
                }
            };
            for (n, look) in order {
                turn(&mut world, n % processes.len(), look);
            }
            for _ in 0..6 {
                for n in 0..processes.len() {
                    turn(&mut world, n, true);
                    turn(&mut world, n, false);
                }
            }
            let ends: Vec<Step> = processes.iter().map(|at| world.next(*at)).collect();
            for (end, (database, storage)) in ends.iter().zip(&processes) {
                let over = matches!(end, Step::Begin | Step::Refuse(_));
                prop_assert!(over, "{end:?}");
                if *end == Step::Begin {
                    let mark = world.storages[*storage].clone().unwrap();
                    let known = world.databases[*database].clone().unwrap();
                    prop_assert_eq!(&mark.database, &known.database);
                    prop_assert_eq!(Some(mark.storage), known.storage.map(|(name, _)| name));
                }
            }
            // One storage for each database and one database for each storage.
            for one in 0..2 {
                let begins = |side: usize| {
                    let mine = processes.iter().zip(&ends).filter(|(at, end)| {
                        **end == Step::Begin && [at.0, at.1][side] == one
                    });
                    let mut others: Vec<usize> = mine.map(|(at, _)| [at.1, at.0][side]).collect();
                    others.sort_unstable();
                    others.dedup();
                    others.len()
                };
                prop_assert!(begins(0) <= 1 && begins(1) <= 1);
            }
        }
    }

    #[test]
    fn every_mismatch_names_both_sides() {
        let mark = Mark { database: "d1".to_owned(), storage: "11111111-x".to_owned() };
        let known = |database: &str, storage: Option<&str>| Known {
            database: database.to_owned(),
            storage: storage.map(|name| (name.to_owned(), "/mnt/papers".to_owned())),
        };
        let other = known("d1", Some("22222222-y"));
        assert_eq!(next(Some(&other), Some(&mark), Files::None), Step::Refuse(Mismatch::Other));
        let said = Mismatch::Other.sentence("/data", Some(&mark), Some(&other)).en;
        for part in ["/data", "11111111", "/mnt/papers", "22222222"] {
            assert!(said.contains(part), "{said}");
        }
        assert_eq!(next(Some(&other), None, Files::There), Step::Refuse(Mismatch::Unmarked));
        let stranger = known("d2", None);
        assert_eq!(
            next(Some(&stranger), Some(&mark), Files::None),
            Step::Refuse(Mismatch::Foreign)
        );
    }

    #[test]
    fn files_from_before_there_were_marks_stay_where_they_are() {
        let known = Known { database: "d".to_owned(), storage: None };
        assert_eq!(next(Some(&known), None, Files::There), Step::Mark);
        assert_eq!(next(Some(&known), None, Files::None), Step::Mark);
        let empty = next(Some(&known), None, Files::Elsewhere);
        assert_eq!(empty, Step::Refuse(Mismatch::Empty));
    }
}
