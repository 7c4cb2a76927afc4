//! Who may do what in an application.

use crate::Word;

/// The roles of one application and what each may do. The one place that answers is `can`.
pub trait Roles: Word + Send + Sync {
    type Action: Copy;
    /// The application they are roles in.
    const APP: &'static str;

    fn can(self, action: Self::Action) -> bool;
}
