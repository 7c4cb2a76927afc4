//! A pack that is missing or damaged is refused with what to do about it.

use std::path::{Path, PathBuf};
use std::{env, fs, process};

use ocr::{EngineKind, Pack};

struct Directory(PathBuf);

impl Directory {
    fn new(name: &str) -> Self {
        let dir = env::temp_dir().join(format!("turno-ocr-{}-{name}", process::id()));
        fs::create_dir_all(&dir).unwrap();
        Self(dir)
    }

    fn refusal(&self) -> String {
        Pack::find(&self.0).err().unwrap().to_string()
    }
}

impl Drop for Directory {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[test]
fn an_empty_directory_is_no_pack() {
    let dir = Directory::new("empty");
    let refusal = dir.refusal();
    assert!(refusal.contains("manifest") && refusal.contains("scripts/models"), "{refusal}");
}

#[test]
fn a_changed_file_is_noticed() {
    let dir = Directory::new("damaged");
    fs::write(dir.0.join("manifest"), "version x\nfile 00 detector.onnx\n").unwrap();
    fs::write(dir.0.join("detector.onnx"), "other").unwrap();
    assert!(dir.refusal().contains("detector.onnx is damaged"), "{}", dir.refusal());
}

#[test]
fn without_a_pack_ppocr_says_how_to_get_one() {
    let trouble = ocr::open(EngineKind::PpOcr, None).err().unwrap().to_string();
    assert!(trouble.contains("scripts/models"), "{trouble}");
}

#[test]
fn the_doctor_names_every_engine() {
    let found = ocr::doctor(Path::new("nowhere"));
    let names: Vec<&str> = found.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["ppocr", "tesseract"]);
    assert!(found[0].1.as_ref().unwrap_err().contains("scripts/models"));
}

#[test]
fn engine_words_are_found_again() {
    for kind in EngineKind::ALL {
        assert_eq!(EngineKind::from_word(kind.word()), Some(kind));
    }
    assert_eq!(EngineKind::from_word("other"), None);
}
