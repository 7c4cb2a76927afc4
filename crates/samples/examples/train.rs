//! Retrains the shipped classifier: `cargo run --release -p samples --example train -- model.bin`.

use std::{env, fs, process::ExitCode};

fn main() -> ExitCode {
    let Some(path) = env::args().nth(1) else {
        eprintln!("Name the file to write the model to.");
        return ExitCode::from(2);
    };
    let (model, report) = samples::train_shipped();
    println!("{report}\n{} bytes", model.len());
    if let Err(error) = fs::write(&path, model) {
        eprintln!("{path} could not be written: {error}");
        return ExitCode::FAILURE;
    }
    ExitCode::SUCCESS
}
