//! A program that is nothing but a child of [`paper::Renderer`]: what the tests of this crate
//! start.

use std::process::ExitCode;

fn main() -> ExitCode {
    paper::work()
}
