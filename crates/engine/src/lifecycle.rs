//! States and the moves between them, declared once.

use std::fmt::Write;

use crate::Word;

/// A closed set of states. The one list of successors guards the rules and the store, feeds the
/// database checks and draws the diagram, so that the four cannot disagree.
pub trait Lifecycle: Word {
    /// The states that may follow directly. Staying is not a move and is never listed.
    fn successors(self) -> &'static [Self];
}

pub fn allows<S: Lifecycle>(from: S, to: S) -> bool {
    from.successors().contains(&to)
}

/// The diagram as Mermaid text. The first state of `ALL` is the initial one; a state without
/// successors is final.
pub fn mermaid<S: Lifecycle>() -> String {
    let mut text = String::from("stateDiagram-v2\n");
    if let Some(first) = S::ALL.first() {
        let _ = writeln!(text, "    [*] --> {}", first.word());
    }
    for state in S::ALL {
        for next in state.successors() {
            let _ = writeln!(text, "    {} --> {}", state.word(), next.word());
        }
        if state.successors().is_empty() {
            let _ = writeln!(text, "    {} --> [*]", state.word());
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    crate::words! {
        enum Door { Open = "OPEN", Shut = "SHUT", Gone = "GONE" }
    }

    impl Lifecycle for Door {
        fn successors(self) -> &'static [Self] {
            match self {
                Self::Open => &[Self::Shut],
                Self::Shut => &[Self::Open, Self::Gone],
                Self::Gone => &[],
            }
        }
    }

    #[test]
    fn only_listed_successors_are_allowed() {
        assert!(allows(Door::Open, Door::Shut));
        assert!(!allows(Door::Open, Door::Gone));
        assert!(!allows(Door::Gone, Door::Open));
        assert!(!allows(Door::Open, Door::Open), "staying is not a move");
    }

    #[test]
    fn the_diagram_names_start_moves_and_ends() {
        let expected = "stateDiagram-v2\n    [*] --> OPEN\n    OPEN --> SHUT\n    SHUT --> OPEN\n\
                        \x20   SHUT --> GONE\n    GONE --> [*]\n";
        assert_eq!(mermaid::<Door>(), expected);
    }
}
