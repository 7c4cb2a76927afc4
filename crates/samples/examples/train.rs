//! Retrains what ships inside the binary: the classifier into `pages.bin` and the weights of fields
//! into `fields.txt`:
//! `cargo run --release -p samples --example train -- crates/understand/model [pages|fields]`.

use std::{env, fs, path::Path, process::ExitCode};

fn main() -> ExitCode {
    let Some(dir) = env::args().nth(1) else {
        eprintln!("Name the directory to write the models to.");
        return ExitCode::from(2);
    };
    let only = env::args().nth(2);
    let wanted = |name: &str| only.as_deref().is_none_or(|only| only == name);
    let mut written = Ok(());
    if wanted("pages") {
        let (model, report) = samples::train_shipped();
        println!("{report}\n{} bytes", model.len());
        written = written.and(fs::write(Path::new(&dir).join("pages.bin"), model));
    }
    if wanted("fields") {
        let weights = samples::train_fields().to_string();
        println!("{weights}");
        written = written.and(fs::write(Path::new(&dir).join("fields.txt"), weights));
    }
    match written {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{dir} could not be written to: {error}");
            ExitCode::FAILURE
        }
    }
}
