//! Who may do what.

use engine::Roles;

engine::words! {
    /// A role in this application.
    pub enum Role {
        Admin = "ADMIN",
        Supervisor = "SUPERVISOR",
        Operator = "OPERADOR",
        /// Sends documents and asks how they are doing: another system, usually.
        Sender = "EMISOR",
        /// A worker outside: fetches the messages of its component and brings results.
        Component = "COMPONENTE",
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    Submit,
    /// The state and result of a request.
    ReadStatus,
    /// Requests that somebody else sent.
    ReadOthers,
    /// Pages, texts, evidence: what the documents say.
    ReadContent,
    /// Cancel, restart, replay.
    Steer,
    ReadWorkflows,
    /// Take tasks and answer them.
    Review,
    /// Who the operators are, and who of them has which task.
    Staff,
    /// Add, retire and run golden cases.
    Judge,
    /// Put versions of workflows into force, or take them back.
    Promote,
    Configure,
    /// Fetch messages of components that are not ours, and bring results.
    Work,
}

impl Roles for Role {
    type Action = Action;
    const APP: &'static str = crate::NAME;

    fn can(self, action: Action) -> bool {
        match action {
            Action::Submit | Action::ReadStatus => self != Self::Component,
            Action::ReadOthers | Action::ReadContent | Action::ReadWorkflows | Action::Review => {
                !matches!(self, Self::Sender | Self::Component)
            }
            Action::Steer | Action::Staff | Action::Judge => {
                matches!(self, Self::Admin | Self::Supervisor)
            }
            Action::Promote | Action::Configure => self == Self::Admin,
            Action::Work => matches!(self, Self::Admin | Self::Component),
        }
    }
}
