//! Documents with their truth, and the model trained on them.

#![allow(clippy::unwrap_used, reason = "a test may fail loudly")]

mod samples;
mod shipped;
