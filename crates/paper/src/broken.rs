//! Why a file was refused.

use std::io;

use serde::{Deserialize, Serialize};

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
    #[error("Reading it takes more than {seconds} seconds of work.")]
    Slow { seconds: u64 },
    #[error("Reading it takes more memory than one file may have.")]
    Greedy,
    #[error("Each process that tried to read it broke.")]
    Died,
    #[error("The file broke the reader of {what}.")]
    Panicked { what: &'static str },
    #[error("The files of the archive lie over one another.")]
    Overlapping,
    #[error("Documents of an office program (DOCX, XLSX, ODT…) are not read; send them as PDF.")]
    Office,
    #[error("The PDF ends in the middle: a part of it is missing.")]
    Cut,
    #[error("The picture ends in the middle: a part of it is missing.")]
    PictureCut,
    #[error("It is a small picture in the text of the message, no document.")]
    Ornament,
    #[error("“{name}” is not a PDF, TIFF, JPEG, PNG, ZIP, e-mail or plain text file.")]
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
            Self::Greedy => "TOO_MUCH_MEMORY",
            Self::Died => "READER_DIED",
            Self::Panicked { .. } => "READER_BROKE",
            Self::Overlapping => "ZIP_OVERLAPPING",
            Self::Office => "OFFICE_DOCUMENT",
            Self::Cut => "PDF_CUT",
            Self::PictureCut => "PICTURE_CUT",
            Self::Ornament => "MAIL_ORNAMENT",
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
            Self::Unreadable { what } => {
                format!("El archivo no se puede leer como {}.", part_es(what))
            }
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
                format!("Leerlo lleva más de {seconds} segundos de trabajo.")
            }
            Self::Greedy => {
                "Leerlo necesita más memoria de la que puede tener un archivo.".to_owned()
            }
            Self::Died => "Cada proceso que intentó leerlo se rompió.".to_owned(),
            Self::Panicked { what } => format!("El archivo hizo fallar el lector de {what}."),
            Self::Overlapping => "Los archivos del ZIP están unos encima de otros.".to_owned(),
            Self::Office => "Los documentos de ofimática (DOCX, XLSX, ODT…) no se leen; \
                             se envían como PDF."
                .to_owned(),
            Self::Cut => "El PDF termina a la mitad: le falta una parte.".to_owned(),
            Self::PictureCut => "La imagen termina a la mitad: le falta una parte.".to_owned(),
            Self::Ornament => {
                "Es una imagen pequeña del texto del mensaje, no un documento.".to_owned()
            }
            Self::UnknownKind { name } => format!(
                "«{name}» no es un archivo PDF, TIFF, JPEG, PNG, ZIP, correo ni texto simple."
            ),
            Self::Io(error) => format!("El archivo no se pudo leer o guardar: {error}."),
        }
    }
}

/// The parts that [`Broken::TooLarge`] and [`Broken::Bomb`] name.
fn part_es(what: &str) -> &str {
    match what {
        "file" => "archivo",
        "page" => "página",
        "picture" | "a picture" => "imagen",
        "stream" => "flujo del PDF",
        "archive" => "ZIP",
        "text" => "texto",
        "e-mail" => "correo",
        "a document" => "documento",
        "TIFF fax" => "fax TIFF",
        "TIFF with a colour table" => "TIFF con tabla de colores",
        "TIFF with separate colour planes" => "TIFF con planos de color separados",
        "TIFF of this colour space" => "TIFF de este espacio de color",
        "TIFF of this sample format" => "TIFF de este formato de muestra",
        "TIFF of this compression" => "TIFF con esta compresión",
        other => other,
    }
}

/// Everything that a refusal may name.
const PARTS: [&str; 20] = [
    "PDF",
    "TIFF",
    "JPEG",
    "PNG",
    "ZIP",
    "file",
    "page",
    "picture",
    "stream",
    "archive",
    "text",
    "e-mail",
    "a picture",
    "a document",
    "TIFF fax",
    "TIFF with a colour table",
    "TIFF with separate colour planes",
    "TIFF of this colour space",
    "TIFF of this sample format",
    "TIFF of this compression",
];

/// A refusal as one process tells it to another.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Told {
    code: String,
    what: String,
    found: u64,
    limit: u64,
}

impl Told {
    pub(crate) fn of(broken: &Broken) -> Self {
        let (what, found, limit) = match broken {
            Broken::Unreadable { what } | Broken::Panicked { what } => ((*what).to_owned(), 0, 0),
            Broken::NoSuchPage { page } => (String::new(), *page as u64, 0),
            Broken::TooManyPages { found, limit } => (String::new(), *found as u64, *limit as u64),
            Broken::TooLarge { what, found, limit } => ((*what).to_owned(), *found, *limit),
            Broken::Bomb { what, limit } => ((*what).to_owned(), 0, *limit),
            Broken::TooManyFiles { limit } => (String::new(), 0, *limit as u64),
            Broken::Slow { seconds } => (String::new(), 0, *seconds),
            Broken::UnknownKind { name } => (name.clone(), 0, 0),
            Broken::Io(error) => (error.to_string(), 0, 0),
            Broken::Empty
            | Broken::Encrypted
            | Broken::UnknownEncryption
            | Broken::WrongPassword
            | Broken::NoPages
            | Broken::NestedTooDeep
            | Broken::Overlapping
            | Broken::Office
            | Broken::Cut
            | Broken::PictureCut
            | Broken::Ornament
            | Broken::Greedy
            | Broken::Died => (String::new(), 0, 0),
        };
        Self { code: broken.code().to_owned(), what, found, limit }
    }

    pub(crate) fn broken(&self) -> Broken {
        let Self { code, found, limit, .. } = self;
        let (found, limit) = (*found, *limit);
        let what = || PARTS.into_iter().find(|part| *part == self.what).unwrap_or("a document");
        match code.as_str() {
            "FILE_EMPTY" => Broken::Empty,
            "FILE_UNREADABLE" => Broken::Unreadable { what: what() },
            "PASSWORD_REQUIRED" => Broken::Encrypted,
            "ENCRYPTION_UNSUPPORTED" => Broken::UnknownEncryption,
            "PASSWORD_WRONG" => Broken::WrongPassword,
            "NO_PAGES" => Broken::NoPages,
            "NO_SUCH_PAGE" => Broken::NoSuchPage { page: found as usize },
            "TOO_MANY_PAGES" => {
                Broken::TooManyPages { found: found as usize, limit: limit as usize }
            }
            "TOO_LARGE" => Broken::TooLarge { what: what(), found, limit },
            "DECOMPRESSION_BOMB" => Broken::Bomb { what: what(), limit },
            "TOO_MANY_FILES" => Broken::TooManyFiles { limit: limit as usize },
            "NESTED_TOO_DEEP" => Broken::NestedTooDeep,
            "ZIP_OVERLAPPING" => Broken::Overlapping,
            "OFFICE_DOCUMENT" => Broken::Office,
            "PDF_CUT" => Broken::Cut,
            "PICTURE_CUT" => Broken::PictureCut,
            "MAIL_ORNAMENT" => Broken::Ornament,
            "TOO_SLOW" => Broken::Slow { seconds: limit },
            "TOO_MUCH_MEMORY" => Broken::Greedy,
            "READER_BROKE" => Broken::Panicked { what: what() },
            "UNKNOWN_KIND" => Broken::UnknownKind { name: self.what.clone() },
            "READ_FAILED" => Broken::Io(io::Error::other(self.what.clone())),
            _ => Broken::Died,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Broken, PARTS, Told};

    #[test]
    fn a_refusal_is_the_same_on_the_other_side() {
        let parts = PARTS.into_iter().flat_map(|what| {
            [
                Broken::Unreadable { what },
                Broken::Panicked { what },
                Broken::TooLarge { what, found: 9, limit: 7 },
                Broken::Bomb { what, limit: 7 },
            ]
        });
        let all = parts.chain([
            Broken::Empty,
            Broken::Encrypted,
            Broken::UnknownEncryption,
            Broken::WrongPassword,
            Broken::NoPages,
            Broken::NoSuchPage { page: 3 },
            Broken::TooManyPages { found: 9, limit: 7 },
            Broken::TooManyFiles { limit: 7 },
            Broken::NestedTooDeep,
            Broken::Overlapping,
            Broken::Office,
            Broken::Cut,
            Broken::PictureCut,
            Broken::Ornament,
            Broken::Slow { seconds: 20 },
            Broken::Greedy,
            Broken::Died,
            Broken::UnknownKind { name: "x".to_owned() },
        ]);
        for broken in all {
            let told = Told::of(&broken).broken();
            assert_eq!(told.to_string(), broken.to_string());
            assert_eq!(told.sentence_es(), broken.sentence_es());
        }
    }

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
