//! The words and shapes of the outside contract: the seed's names in `snake_case`.

/// Shapes of the contract: each field with its worth, made of what stands in parentheses.
macro_rules! views {
    ($($(#[$about:meta])* $schema:ident = $view:ident(
        $($arg:ident: $kind:ty),+ $(; $local:ident = $worth:expr)?
    ) {
        $($(#[$meta:meta])* $field:ident: $type:ty = $value:expr,)+
    })+) => {$(
        $(#[$about])*
        #[derive(Debug, Clone, Serialize, ToSchema)]
        #[schema(as = $schema)]
        pub struct $view {
            $($(#[$meta])* pub $field: $type,)+
        }

        impl $view {
            pub fn new($($arg: $kind),+) -> Self {
                $(let $local = $worth;)?
                Self { $($field: $value),+ }
            }
        }
    )+};
}

mod requests;
mod schedule;
mod views;

use engine::Word as _;
use host::Actor;
use serde_json::{Value as Json, json};

pub use requests::{CalendarRequest, MappingRequest, PoolRequest, RobotRequest, RunnerRequest};
pub use schedule::ScheduleRequest;
pub use views::{
    AssignmentView, BecauseView, CalendarView, MappingView, MoveView, PoolView, RobotView, RunView,
    RunnerView, ScheduleView, StepView, SuspensionView, WhyView,
};

use crate::{
    model::{Robot, RunState},
    policy::Role,
    rules::world::Suspended,
};

/// The role an actor has here.
pub fn role_of(actor: &Actor) -> Option<Role> {
    actor.role_in(crate::NAME).and_then(Role::from_word)
}

/// Events hold no personal words; whoever may read here may hear them.
pub fn redact(actor: &Actor, _: &str, data: Json) -> Option<Json> {
    let role = role_of(actor)?;
    crate::policy::can(role, crate::policy::Action::Read).then_some(data)
}

/// `botInput`: the robot's own parameters, or how often it repeats (F-C3).
pub fn bot_input(robot: &Robot, repetitions: i64) -> Json {
    let own =
        robot.parameters.as_ref().filter(|own| own.as_object().is_some_and(|o| !o.is_empty()));
    own.cloned().unwrap_or_else(
        || json!({ "in_NumRepeticion": { "type": "NUMBER", "number": repetitions.to_string() } }),
    )
}

/// How often a run of this robot repeats.
pub fn repetitions(robot: &Robot, usual: i64) -> i64 {
    let own = robot.parameters.as_ref().map(|own| &own["in_NumRepeticion"]["number"]);
    let number = own.and_then(|n| n.as_i64().or_else(|| n.as_str()?.trim().parse().ok()));
    number.filter(|n| *n >= 1).unwrap_or(usual)
}

pub fn suspended_word(what: Suspended) -> String {
    match what {
        Suspended::Robot(robot) => format!("robot/{robot}"),
        Suspended::Runner(runner) => format!("equipo/{runner}"),
        Suspended::Pair(robot, runner) => format!("robot/{robot}/equipo/{runner}"),
    }
}

/// Every state by its word, for filters and documents.
pub fn states() -> Vec<&'static str> {
    RunState::ALL.iter().map(|state| state.word()).collect()
}
