//! How much one upload may cost.

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// The bounds of reading one file. The defaults fit a desk scanner's largest honest output.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Limits {
    /// Pages of one document.
    pub pages: usize,
    /// Bytes of one file, packed or unpacked.
    pub file_bytes: u64,
    /// Pixels of one picture as it is stored.
    pub pixels: u64,
    /// Pixels of one page as it is handed on; a larger one is handed on smaller.
    pub drawn: u64,
    /// Longest side of a PDF page in points; 14,400 is the format's own limit.
    pub page_points: f32,
    /// Bytes that one compressed stream inside a PDF may expand to.
    pub stream_bytes: u64,
    /// Files in one archive, those of inner archives included.
    pub zip_entries: usize,
    /// Bytes of all files of one archive together.
    pub zip_total: u64,
    /// How many times larger than its packed form an archived file may be.
    pub zip_ratio: u64,
    /// Working time for opening a file.
    pub open: Duration,
    /// Working time for reading or drawing one page.
    pub render: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            pages: 1000,
            file_bytes: 256 << 20,
            pixels: 80_000_000,
            // A4 at 500 dpi, A2 at 250: whoever reads it holds a few copies.
            drawn: 24_000_000,
            page_points: 14_400.0,
            stream_bytes: 256 << 20,
            zip_entries: 500,
            zip_total: 1 << 30,
            zip_ratio: 200,
            open: Duration::from_secs(20),
            render: Duration::from_secs(20),
        }
    }
}
