//! Why a message was given up, as people read it.

use web::Page;

use super::words;

/// A code from elsewhere is shown as its component wrote it.
pub fn trouble(page: &Page, code: &str) -> String {
    let (es, en) = match code {
        "FILE_EMPTY" => ("El archivo está vacío", "The file is empty"),
        "FILE_UNREADABLE" | "READ_FAILED" | "PDF_CUT" | "PICTURE_CUT" => {
            ("El archivo está dañado", "The file is damaged")
        }
        "FILE_GONE" | "NO_SUCH_PAGE" => ("El archivo ya no está", "The file is gone"),
        "PASSWORD_REQUIRED" => ("Falta la contraseña del PDF", "The PDF needs its password"),
        "PASSWORD_WRONG" => ("La contraseña no abre el PDF", "The password does not open the PDF"),
        "ENCRYPTION_UNSUPPORTED" => {
            ("El PDF está cifrado de un modo que no se lee", "The PDF's encryption cannot be read")
        }
        "NO_PAGES" => ("No tiene páginas", "It has no pages"),
        "TOO_MANY_PAGES" => ("Demasiadas páginas", "Too many pages"),
        "TOO_MANY_FILES" => ("Demasiados archivos", "Too many files"),
        "TOO_LARGE" => ("Demasiado grande", "Too large"),
        "DECOMPRESSION_BOMB" | "ZIP_OVERLAPPING" | "NESTED_TOO_DEEP" => {
            ("Un archivo comprimido que no es de fiar", "An archive that cannot be trusted")
        }
        "TOO_SLOW" => ("Dibujarlo lleva demasiado tiempo", "It takes too long to draw"),
        "TOO_MUCH_MEMORY" => {
            ("Dibujarlo pide demasiada memoria", "Drawing it needs too much memory")
        }
        "READER_DIED" | "READER_BROKE" | "PANICKED" => {
            ("Quien lo leía terminó antes de tiempo", "Whoever was reading it ended too soon")
        }
        "OFFICE_DOCUMENT" | "UNKNOWN_KIND" => {
            ("Una clase de archivo que no se lee", "A kind of file that is not read")
        }
        "MAIL_ORNAMENT" => ("Un adorno del correo", "An ornament of the mail"),
        "OCR_TIMEOUT" => ("La lectura tardó demasiado", "Reading took too long"),
        "OCR_FAILED" => ("La página no se pudo leer", "The page could not be read"),
        "OCR_ENGINE_MISSING" => {
            ("Falta el motor que lee imágenes", "The engine that reads pictures is missing")
        }
        "STORAGE_AWAY" => ("El almacenamiento no responde", "The storage does not answer"),
        "DATABASE" => ("La base de datos no respondió", "The database did not answer"),
        "HTTP_TIMEOUT" | "NO_ANSWER" => {
            ("El componente no respondió a tiempo", "The component did not answer in time")
        }
        "HTTP_UNREACHABLE" => ("No se llegó al componente", "The component could not be reached"),
        "HTTP_PRIVATE" => (
            "La dirección del componente no está permitida",
            "The component's address is not allowed",
        ),
        "HTTP_AUTHORIZATION" => {
            ("Falta la credencial del componente", "The component's credential is missing")
        }
        "HTTP_STATUS" | "COMPONENT_FAILED" => {
            ("El componente dijo que no pudo", "The component said that it could not")
        }
        "HTTP_ANSWER" | "HTTP_ANSWER_TOO_LARGE" | "REPLY_INVALID" => {
            ("La respuesta del componente no vale", "The component's answer makes no sense")
        }
        "MISPLACED" => {
            ("Una etapa en un lugar que no le toca", "A stage in a place that is not its own")
        }
        "WORKER_LOST" => (
            "Quien lo trabajaba desapareció, varias veces",
            "Whoever worked on it vanished, several times",
        ),
        own => return words::spaced(own),
    };
    page.t(es, en).to_owned()
}
