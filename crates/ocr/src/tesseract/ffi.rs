//! The part of Tesseract's C interface that is used, found when it is needed.
//!
//! Nothing is linked: a program without Tesseract on its system starts and says so when asked. The
//! signatures are those of `capi.h`, unchanged through the releases of version 5.

#![allow(unsafe_code, reason = "a C library can only be called this way")]

use std::ffi::{CStr, CString, c_char, c_float, c_int, c_uchar, c_void};
use std::ptr::{self, NonNull};
use std::sync::OnceLock;
use std::time::Duration;

use libloading::Library;

const LIBRARY: &str = "libtesseract.so.5";
/// `OEM_LSTM_ONLY`: the older engine needs other language files.
const NETWORK_ONLY: c_int = 1;
/// `PSM_SINGLE_BLOCK`.
const ONE_BLOCK: c_int = 6;
/// `RIL_WORD`.
const WORD: c_int = 3;

type Handle = *mut c_void;

macro_rules! interface {
    ($($field:ident = $symbol:literal: fn($($argument:ty),*) $(-> $result:ty)?;)*) => {
        /// Functions of the library, which is never unloaded.
        struct Interface {
            $($field: unsafe extern "C" fn($($argument),*) $(-> $result)?,)*
            /// Of the OpenMP runtime that Debian builds Tesseract with. It asks for four threads
            /// whatever the default is; only forbidding parallel regions keeps it on ours.
            set_parallel_levels: Option<unsafe extern "C" fn(c_int)>,
        }

        impl Interface {
            fn load() -> Result<Self, String> {
                // SAFETY: loading runs the library's initialisers; Tesseract's and Leptonica's only
                // set up their own tables.
                let library = unsafe { Library::new(LIBRARY) }.map_err(|error| error.to_string())?;
                let library: &'static Library = Box::leak(Box::new(library));
                Ok(Self {
                    $($field: {
                        // SAFETY: the type is that of the function in `capi.h`.
                        *unsafe { library.get($symbol) }.map_err(|error| error.to_string())?
                    },)*
                    // SAFETY: the type is that of the function in `omp.h`.
                    set_parallel_levels: unsafe { library.get(b"omp_set_max_active_levels\0") }
                        .ok()
                        .map(|symbol| *symbol),
                })
            }
        }
    };
}

interface! {
    version = b"TessVersion\0": fn() -> *const c_char;
    create = b"TessBaseAPICreate\0": fn() -> Handle;
    delete = b"TessBaseAPIDelete\0": fn(Handle);
    init = b"TessBaseAPIInit2\0": fn(Handle, *const c_char, *const c_char, c_int) -> c_int;
    set_variable = b"TessBaseAPISetVariable\0": fn(Handle, *const c_char, *const c_char) -> c_int;
    set_mode = b"TessBaseAPISetPageSegMode\0": fn(Handle, c_int);
    set_image = b"TessBaseAPISetImage\0": fn(Handle, *const c_uchar, c_int, c_int, c_int, c_int);
    set_resolution = b"TessBaseAPISetSourceResolution\0": fn(Handle, c_int);
    recognize = b"TessBaseAPIRecognize\0": fn(Handle, Handle) -> c_int;
    clear = b"TessBaseAPIClear\0": fn(Handle);
    monitor_create = b"TessMonitorCreate\0": fn() -> Handle;
    monitor_delete = b"TessMonitorDelete\0": fn(Handle);
    monitor_deadline = b"TessMonitorSetDeadlineMSecs\0": fn(Handle, c_int);
    iterator = b"TessBaseAPIGetIterator\0": fn(Handle) -> Handle;
    iterator_delete = b"TessResultIteratorDelete\0": fn(Handle);
    iterator_next = b"TessResultIteratorNext\0": fn(Handle, c_int) -> c_int;
    iterator_text = b"TessResultIteratorGetUTF8Text\0": fn(Handle, c_int) -> *mut c_char;
    iterator_confidence = b"TessResultIteratorConfidence\0": fn(Handle, c_int) -> c_float;
    iterator_page = b"TessResultIteratorGetPageIterator\0": fn(Handle) -> Handle;
    bounding_box = b"TessPageIteratorBoundingBox\0":
        fn(Handle, c_int, *mut c_int, *mut c_int, *mut c_int, *mut c_int) -> c_int;
    delete_text = b"TessDeleteText\0": fn(*mut c_char);
}

fn interface() -> Result<&'static Interface, String> {
    static LOADED: OnceLock<Result<Interface, String>> = OnceLock::new();
    LOADED.get_or_init(Interface::load).as_ref().map_err(Clone::clone)
}

pub(super) fn version() -> Result<String, String> {
    let interface = interface()?;
    // SAFETY: the function has no preconditions and returns a constant string.
    let version = unsafe { CStr::from_ptr((interface.version)()) };
    Ok(version.to_string_lossy().into_owned())
}

/// A word with its box: left, top, right, bottom.
pub(super) struct Found {
    pub(super) text: String,
    pub(super) confidence: f32,
    pub(super) sides: [i32; 4],
}

/// Grey pixels, row by row.
pub(super) struct Grey<'a> {
    pub(super) pixels: &'a [u8],
    pub(super) width: usize,
    pub(super) height: usize,
}

/// One engine of the library.
pub(super) struct Reader {
    interface: &'static Interface,
    handle: NonNull<c_void>,
}

// SAFETY: an engine has no ties to the thread that made it; it is used by one at a time because
// reading takes `&mut self`.
unsafe impl Send for Reader {}

impl Reader {
    pub(super) fn open(languages: &str) -> Result<Self, String> {
        let interface = interface()?;
        let languages = CString::new(languages).map_err(|error| error.to_string())?;
        // SAFETY: the function has no preconditions.
        let handle = NonNull::new(unsafe { (interface.create)() }).ok_or("it has no memory")?;
        let reader = Self { interface, handle };
        // SAFETY: the handle is live; a null path means the library's own place for languages.
        let failed = unsafe {
            (interface.init)(handle.as_ptr(), ptr::null(), languages.as_ptr(), NETWORK_ONLY)
        };
        if failed != 0 {
            return Err(format!("the languages {} are not installed", languages.to_string_lossy()));
        }
        // SAFETY: the handle is live and the strings end with a zero.
        unsafe {
            // It would print remarks about every page.
            let (name, value) = (c"debug_file", c"/dev/null");
            (interface.set_variable)(handle.as_ptr(), name.as_ptr(), value.as_ptr());
            (interface.set_mode)(handle.as_ptr(), ONE_BLOCK);
        }
        Ok(reader)
    }

    /// `None`: not finished within the time that was left.
    pub(super) fn read(
        &mut self,
        grey: &Grey,
        left: Option<Duration>,
    ) -> Result<Option<Vec<Found>>, String> {
        let (width, height) = (grey.width as c_int, grey.height as c_int);
        if grey.width.checked_mul(grey.height) != Some(grey.pixels.len()) || width < 1 {
            return Err("the picture has no pixels".to_owned());
        }
        let handle = self.handle.as_ptr();
        if let Some(set_parallel_levels) = self.interface.set_parallel_levels {
            // SAFETY: the function has no preconditions; it counts for the calling thread.
            unsafe { set_parallel_levels(0) };
        }
        // SAFETY: the handle is live; the pixels are as many as announced and copied by the call.
        let failed = unsafe {
            (self.interface.set_image)(handle, grey.pixels.as_ptr(), width, height, 1, width);
            // Unknown: the size of letters is measured anyway, this only silences a guess.
            (self.interface.set_resolution)(handle, 200);
            self.recognise(left)
        };
        let words = if failed { None } else { Some(self.words()) };
        // SAFETY: the handle is live; nothing borrowed from the page is left.
        unsafe { (self.interface.clear)(handle) };
        match (words, left) {
            (Some(words), _) => Ok(Some(words)),
            (None, Some(_)) => Ok(None),
            (None, None) => Err("it could not read the picture".to_owned()),
        }
    }

    /// SAFETY: an image must have been set.
    unsafe fn recognise(&mut self, left: Option<Duration>) -> bool {
        let handle = self.handle.as_ptr();
        let Some(left) = left else {
            // SAFETY: the handle is live; without a monitor there is no deadline.
            return unsafe { (self.interface.recognize)(handle, ptr::null_mut()) } != 0;
        };
        let milliseconds = c_int::try_from(left.as_millis()).unwrap_or(c_int::MAX).max(1);
        // SAFETY: the handle is live; the monitor lives from its creation to its deletion, and a
        // null one is accepted.
        unsafe {
            let monitor = (self.interface.monitor_create)();
            if !monitor.is_null() {
                (self.interface.monitor_deadline)(monitor, milliseconds);
            }
            let failed = (self.interface.recognize)(handle, monitor) != 0;
            if !monitor.is_null() {
                (self.interface.monitor_delete)(monitor);
            }
            failed
        }
    }

    fn words(&mut self) -> Vec<Found> {
        let mut words = Vec::new();
        // SAFETY: the handle is live and has recognised a page.
        let iterator = unsafe { (self.interface.iterator)(self.handle.as_ptr()) };
        if iterator.is_null() {
            return words;
        }
        loop {
            // SAFETY: the iterator is live and stands on a word.
            words.extend(unsafe { self.word(iterator) });
            // SAFETY: the iterator is live.
            if unsafe { (self.interface.iterator_next)(iterator, WORD) } == 0 {
                break;
            }
        }
        // SAFETY: the iterator is live and not used again.
        unsafe { (self.interface.iterator_delete)(iterator) };
        words
    }

    /// SAFETY: the iterator must be live.
    unsafe fn word(&self, iterator: Handle) -> Option<Found> {
        let mut sides = [0; 4];
        let [left, top, right, bottom] = &mut sides;
        // SAFETY: the iterator is live; the text is ours until it is deleted; a page iterator is
        // another view of the same iterator; the four numbers outlive the call.
        unsafe {
            let text = NonNull::new((self.interface.iterator_text)(iterator, WORD))?;
            let owned = CStr::from_ptr(text.as_ptr()).to_string_lossy().into_owned();
            (self.interface.delete_text)(text.as_ptr());
            let confidence = (self.interface.iterator_confidence)(iterator, WORD) / 100.0;
            let page = (self.interface.iterator_page)(iterator);
            let boxed = (self.interface.bounding_box)(page, WORD, left, top, right, bottom) != 0;
            let confidence = confidence.clamp(0.0, 1.0);
            (boxed && !owned.trim().is_empty()).then(|| Found {
                text: owned.trim().to_owned(),
                confidence,
                sides,
            })
        }
    }
}

impl Drop for Reader {
    fn drop(&mut self) {
        // SAFETY: the handle is live and not used again.
        unsafe { (self.interface.delete)(self.handle.as_ptr()) };
    }
}
