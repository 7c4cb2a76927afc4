//! Why a file was refused.

use std::io;

/// A refusal. The sentence is for the person who sent the file, the code for his program.
#[derive(Debug, thiserror::Error)]
pub enum Broken {
    #[error("The file is empty.")]
    Empty,
    #[error("The file cannot be read as {what}.")]
    Unreadable { what: &'static str },
    #[error("The document is protected by a password.")]
    Encrypted,
    #[error("The document is encrypted with a method that is not supported.")]
    UnknownEncryption,
    #[error("The password does not open the document.")]
    WrongPassword,
    #[error("The document has no pages.")]
    NoPages,
    #[error("The document has no page {page}.")]
    NoSuchPage { page: usize },
    #[error("The document has at least {found} pages; the limit is {limit}.")]
    TooManyPages { found: usize, limit: usize },
    #[error("The {what} is too large: {found}; the limit is {limit}.")]
    TooLarge { what: &'static str, found: u64, limit: u64 },
    #[error("The {what} would expand beyond {limit} bytes.")]
    Bomb { what: &'static str, limit: u64 },
    #[error("The archive holds more than {limit} files.")]
    TooManyFiles { limit: usize },
    #[error("The archive holds archives inside archives, beyond one level.")]
    NestedTooDeep,
    #[error("The page takes more than {seconds} seconds to read.")]
    Slow { seconds: u64 },
    #[error("The file broke the reader of {what}.")]
    Panicked { what: &'static str },
    #[error("“{name}” is not a PDF, TIFF, JPEG, PNG, ZIP or text file.")]
    UnknownKind { name: String },
    #[error("The file could not be read or stored: {0}.")]
    Io(#[from] io::Error),
}

impl Broken {
    /// The code on the wire.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Empty => "FILE_EMPTY",
            Self::Unreadable { .. } => "FILE_UNREADABLE",
            Self::Encrypted => "PASSWORD_REQUIRED",
            Self::UnknownEncryption => "ENCRYPTION_UNSUPPORTED",
            Self::WrongPassword => "PASSWORD_WRONG",
            Self::NoPages => "NO_PAGES",
            Self::NoSuchPage { .. } => "NO_SUCH_PAGE",
            Self::TooManyPages { .. } => "TOO_MANY_PAGES",
            Self::TooLarge { .. } => "TOO_LARGE",
            Self::Bomb { .. } => "DECOMPRESSION_BOMB",
            Self::TooManyFiles { .. } => "TOO_MANY_FILES",
            Self::NestedTooDeep => "NESTED_TOO_DEEP",
            Self::Slow { .. } => "TOO_SLOW",
            Self::Panicked { .. } => "READER_BROKE",
            Self::UnknownKind { .. } => "UNKNOWN_KIND",
            Self::Io(_) => "READ_FAILED",
        }
    }

    /// The sentence, in Spanish or in English.
    pub fn sentence(&self, spanish: bool) -> String {
        if spanish { self.sentence_es() } else { self.to_string() }
    }

    /// The sentence in Spanish.
    pub fn sentence_es(&self) -> String {
        match self {
            Self::Empty => "El archivo está vacío.".to_owned(),
            Self::Unreadable { what } => format!("El archivo no se puede leer como {what}."),
            Self::Encrypted => "El documento está protegido con contraseña.".to_owned(),
            Self::UnknownEncryption => {
                "El documento está cifrado con un método que no se admite.".to_owned()
            }
            Self::WrongPassword => "La contraseña no abre el documento.".to_owned(),
            Self::NoPages => "El documento no tiene páginas.".to_owned(),
            Self::NoSuchPage { page } => format!("El documento no tiene página {page}."),
            Self::TooManyPages { found, limit } => {
                format!("El documento tiene al menos {found} páginas; el máximo es {limit}.")
            }
            Self::TooLarge { what, found, limit } => {
                format!("Demasiado grande ({}): {found}; el máximo es {limit}.", part_es(what))
            }
            Self::Bomb { what, limit } => {
                format!("Se expandiría a más de {limit} bytes ({}).", part_es(what))
            }
            Self::TooManyFiles { limit } => format!("El ZIP contiene más de {limit} archivos."),
            Self::NestedTooDeep => {
                "El ZIP contiene otros ZIP anidados a más de un nivel.".to_owned()
            }
            Self::Slow { seconds } => {
                format!("La página tarda más de {seconds} segundos en leerse.")
            }
            Self::Panicked { what } => format!("El archivo hizo fallar el lector de {what}."),
            Self::UnknownKind { name } => {
                format!("«{name}» no es un archivo PDF, TIFF, JPEG, PNG, ZIP ni de texto.")
            }
            Self::Io(error) => format!("El archivo no se pudo leer o guardar: {error}."),
        }
    }
}

/// The parts that [`Broken::TooLarge`] and [`Broken::Bomb`] name.
fn part_es(what: &str) -> &str {
    match what {
        "file" => "archivo",
        "page" => "página",
        "picture" => "imagen",
        "stream" => "flujo del PDF",
        "archive" => "ZIP",
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::Broken;

    #[test]
    fn both_languages_say_the_number() {
        let broken = Broken::TooManyPages { found: 10_000, limit: 1000 };
        assert_eq!(broken.to_string(), "The document has at least 10000 pages; the limit is 1000.");
        assert_eq!(
            broken.sentence_es(),
            "El documento tiene al menos 10000 páginas; el máximo es 1000."
        );
        assert_eq!(broken.code(), "TOO_MANY_PAGES");
    }
}
