//! How far a command is: a bar on a terminal, a line now and then elsewhere, always on standard
//! error so that answers stay clean.

use std::io::IsTerminal as _;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// What is being counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measure {
    Bytes,
    Documents,
    /// Nothing to count, only something to wait for.
    Wait,
}

#[derive(Clone, Debug)]
pub struct Bar {
    bar: ProgressBar,
    terminal: bool,
}

impl Bar {
    pub fn new(measure: Measure, total: u64) -> Self {
        let terminal = std::io::stderr().is_terminal();
        let target =
            if terminal { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
        let template = match measure {
            Measure::Bytes => "{bar:24} {bytes}/{total_bytes} {bytes_per_sec} {wide_msg}",
            Measure::Documents => "{bar:24} {pos}/{len} {eta} {wide_msg}",
            Measure::Wait => "{spinner} {elapsed} {wide_msg}",
        };
        let style = ProgressStyle::with_template(template).expect("the templates above are valid");
        let bar = ProgressBar::with_draw_target(Some(total), target).with_style(style);
        if terminal {
            bar.enable_steady_tick(std::time::Duration::from_millis(120));
        }
        Self { bar, terminal }
    }

    pub fn add(&self, done: u64) {
        self.bar.inc(done);
    }

    /// Says what is going on; elsewhere than on a terminal, as a line of its own.
    pub fn say(&self, text: &str) {
        if self.terminal {
            self.bar.set_message(text.to_owned());
        } else if self.bar.message() != text {
            self.bar.set_message(text.to_owned());
            eprintln!("{text}");
        }
    }

    /// On a terminal only: details that would fill a log.
    pub fn whisper(&self, text: &str) {
        if self.terminal {
            self.bar.set_message(text.to_owned());
        }
    }

    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }
}
