//! What a planner decided, and why it left the rest alone.

/// What any planner answers: what it wants changed, and what it leaves alone and why. A planner with
/// more to say (the arithmetic of a balance, the next instant that matters) has a type of its own.
pub trait Planned {
    type Change;
    type Held;

    fn changes(&self) -> &[Self::Change];
    fn held(&self) -> &[Self::Held];
}

/// The plain answer of a planner: what to change, and for every candidate left alone, what held it.
///
/// `held` is not a log: it feeds the "why is it waiting" panel and serves as a test oracle, so a
/// planner must name each candidate exactly once, in one of the two lists.
#[must_use = "a plan does nothing until its changes are applied"]
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan<Change, Held> {
    pub changes: Vec<Change>,
    pub held: Vec<Held>,
}

impl<Change, Held> Plan<Change, Held> {
    pub const fn new() -> Self {
        Self { changes: Vec::new(), held: Vec::new() }
    }

    /// True when applying the plan would change nothing: the fixpoint every planner reaches.
    pub fn is_settled(&self) -> bool {
        self.changes.is_empty()
    }
}

impl<Change, Held> Planned for Plan<Change, Held> {
    type Change = Change;
    type Held = Held;

    fn changes(&self) -> &[Change] {
        &self.changes
    }

    fn held(&self) -> &[Held] {
        &self.held
    }
}

impl<Change, Held> Default for Plan<Change, Held> {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plan_without_changes_is_settled_whatever_it_holds() {
        let mut plan: Plan<u8, &str> = Plan::new();
        assert!(plan.is_settled());
        plan.held.push("kitchen full");
        assert!(plan.is_settled());
        plan.changes.push(1);
        assert!(!plan.is_settled());
    }
}
