//! Who may do what.

/// A role in this application.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    Admin,
    Supervisor,
    Operator,
    /// Sends documents and asks how they are doing: another system, usually.
    Sender,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    Submit,
    /// The state and result of a request.
    ReadStatus,
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
}

impl Role {
    pub const ALL: [Self; 4] = [Self::Admin, Self::Supervisor, Self::Operator, Self::Sender];

    pub const fn word(self) -> &'static str {
        match self {
            Self::Admin => "ADMIN",
            Self::Supervisor => "SUPERVISOR",
            Self::Operator => "OPERADOR",
            Self::Sender => "EMISOR",
        }
    }

    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|role| role.word() == word)
    }
}

pub const fn can(role: Role, action: Action) -> bool {
    match action {
        Action::Submit | Action::ReadStatus => true,
        Action::ReadContent | Action::ReadWorkflows | Action::Review => {
            !matches!(role, Role::Sender)
        }
        Action::Steer | Action::Staff | Action::Judge => {
            matches!(role, Role::Admin | Role::Supervisor)
        }
        Action::Promote | Action::Configure => matches!(role, Role::Admin),
    }
}
