//! The files of the tree, read once.

use std::fs;
use std::path::Path;

use crate::lexer;

/// Made by tools, by a run of the program, or by somebody else.
const SKIPPED: [&str; 6] = [".git", "data", "node_modules", "target", "vendor", "venv"];

/// One text file, with its path from the top of the tree.
#[derive(Debug, Clone)]
pub struct Source {
    pub path: String,
    pub text: String,
}

impl Source {
    pub fn new(path: &str, text: &str) -> Self {
        Self { path: path.to_owned(), text: text.to_owned() }
    }

    pub fn has_extension(&self, extensions: &[&str]) -> bool {
        let extension = Path::new(&self.path).extension().and_then(|name| name.to_str());
        extension.is_some_and(|extension| extensions.contains(&extension))
    }

    /// Lines with their numbers.
    pub fn lines(&self) -> impl Iterator<Item = (usize, &str)> {
        self.text.lines().enumerate().map(|(i, line)| (i + 1, line))
    }

    /// Rust without comments, literals and test modules, line by line.
    pub fn code(&self) -> Vec<(usize, String)> {
        numbered(&lexer::without_tests(&lexer::split(&self.text).code))
    }

    /// Only what stands in comments of Rust, line by line.
    pub fn comments(&self) -> Vec<(usize, String)> {
        numbered(&lexer::comments(&self.text))
    }

    /// Only what stands inside string literals, line by line.
    pub fn literals(&self) -> Vec<(usize, String)> {
        numbered(&lexer::split(&self.text).literals)
    }
}

fn numbered(text: &str) -> Vec<(usize, String)> {
    text.lines().enumerate().map(|(i, line)| (i + 1, line.to_owned())).collect()
}

/// All text files under `top`, by path.
pub fn read_tree(top: &Path) -> Vec<Source> {
    let mut sources = Vec::new();
    collect(top, top, &mut sources);
    sources.sort_by(|a, b| a.path.cmp(&b.path));
    sources
}

fn collect(top: &Path, dir: &Path, sources: &mut Vec<Source>) {
    let entries = fs::read_dir(dir).unwrap_or_else(|error| panic!("{}: {error}", dir.display()));
    for entry in entries.flatten() {
        let path = entry.path();
        let name = entry.file_name();
        let skipped = name.to_str().is_none_or(|name| SKIPPED.contains(&name));
        let Ok(kind) = entry.file_type() else {
            continue;
        };
        if kind.is_dir() && !skipped {
            collect(top, &path, sources);
        } else if kind.is_file()
            && let Ok(text) = fs::read_to_string(&path)
        {
            let path = path.strip_prefix(top).expect("found below the top").to_string_lossy();
            sources.push(Source { path: path.replace('\\', "/"), text });
        }
    }
}
