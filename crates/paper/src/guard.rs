//! The one door to code that parses strangers' bytes.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::thread;
use std::time::Instant;

use crate::{Broken, Limits};

/// Nested PDF forms recurse some fifty levels deep with large frames; a worker's two megabytes are
/// not enough, and a stack overflow cannot be caught. Untouched stack costs nothing.
const STACK: usize = 64 << 20;

/// Runs a parser here. A panic becomes [`Broken::Panicked`].
pub(crate) fn here<T>(
    what: &'static str,
    read: impl FnOnce() -> Result<T, Broken>,
) -> Result<T, Broken> {
    catch_unwind(AssertUnwindSafe(read)).unwrap_or_else(|payload| Err(reason(what, payload)))
}

/// Runs a recursive parser on a deep stack of its own and waits for it.
pub(crate) fn deep<T: Send>(
    what: &'static str,
    read: impl FnOnce() -> Result<T, Broken> + Send,
) -> Result<T, Broken> {
    thread::scope(|scope| {
        let thread = thread::Builder::new().stack_size(STACK).spawn_scoped(scope, read)?;
        thread.join().unwrap_or_else(|payload| Err(reason(what, payload)))
    })
}

/// What a parser is unwound with when it has to stop in the middle.
struct Stop(Broken);

/// Leaves the parser that called back. Unwinding is the only way out of one that has no
/// cancellation; the panic hook is not run, nothing is printed.
pub(crate) fn stop(broken: Broken) -> ! {
    resume_unwind(Box::new(Stop(broken)))
}

fn reason(what: &'static str, payload: Box<dyn Any + Send>) -> Broken {
    payload.downcast::<Stop>().map_or(Broken::Panicked { what }, |stop| stop.0)
}

/// The time one page may take.
#[derive(Clone, Copy)]
pub(crate) struct Deadline {
    at: Instant,
    seconds: u64,
}

impl Deadline {
    pub(crate) fn new(limits: &Limits) -> Self {
        Self { at: Instant::now() + limits.render, seconds: limits.render.as_secs() }
    }

    pub(crate) fn slow(self) -> Broken {
        Broken::Slow { seconds: self.seconds }
    }

    pub(crate) fn check(self) -> Result<(), Broken> {
        if Instant::now() > self.at { Err(self.slow()) } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::{deep, here, stop};
    use crate::Broken;

    #[test]
    fn a_panic_is_an_error() {
        let broken = here::<()>("PDF", || panic!("inside"));
        assert!(matches!(broken, Err(Broken::Panicked { what: "PDF" })));
        let broken = deep::<()>("PDF", || panic!("inside"));
        assert!(matches!(broken, Err(Broken::Panicked { what: "PDF" })));
    }

    #[test]
    fn a_parser_can_be_left_from_a_callback() {
        let broken = deep::<()>("PDF", || stop(Broken::Slow { seconds: 20 }));
        assert!(matches!(broken, Err(Broken::Slow { seconds: 20 })));
    }
}
