//! What the home page says of an application: for whom it is, how it stands, what to do first.

use std::sync::Arc;

use futures::future::BoxFuture;
use web::Tone;

use crate::Context;

/// An application's part of the home page.
#[derive(Clone)]
pub struct Home {
    /// For whom it is and what it does for them, in one sentence.
    pub purpose: (&'static str, &'static str),
    /// What most people come for.
    pub act: Act,
    pub(crate) glance: Arc<Look>,
}

pub(crate) type Look = dyn Fn(Context) -> BoxFuture<'static, Glanced> + Send + Sync;
pub type Glanced = Result<Glance, db::Error>;

/// A button.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Act {
    pub label: (&'static str, &'static str),
    pub href: &'static str,
}

/// How an application stands now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Glance {
    /// There is nothing in it yet: what to do first, and where.
    Empty { advice: (&'static str, &'static str), first: Act },
    /// Three figures, the one that matters most first.
    Figures([Figure; 3]),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Figure {
    pub value: String,
    pub label: (&'static str, &'static str),
    pub tone: Tone,
    pub href: &'static str,
}

impl Figure {
    pub fn new(
        value: &impl ToString,
        label: (&'static str, &'static str),
        tone: Tone,
        href: &'static str,
    ) -> Self {
        Self { value: value.to_string(), label, tone, href }
    }

    /// A count of what should be none: it has a colour only when there is some.
    pub fn trouble(
        count: i64,
        label: (&'static str, &'static str),
        tone: Tone,
        href: &'static str,
    ) -> Self {
        Self::new(&count, label, if count > 0 { tone } else { Tone::Plain }, href)
    }
}

impl std::fmt::Debug for Home {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Home").field("purpose", &self.purpose).finish_non_exhaustive()
    }
}
