//! How a page is turned and tilted, from the lines found on it.

use std::f32::consts::FRAC_PI_4;

use super::detect::Blob;

/// Lines that are long enough to show a direction.
const TELLING: f32 = 3.0;

/// Whether the lines stand: then the page lies on one of its sides.
pub(crate) fn is_sideways(blobs: &[Blob]) -> bool {
    let (mut lying, mut standing) = (0.0, 0.0);
    for core in blobs.iter().map(|blob| &blob.core).filter(|core| core.aspect() >= TELLING) {
        if core.along.0.abs() >= core.along.1.abs() {
            lying += core.length;
        } else {
            standing += core.length;
        }
    }
    standing > lying
}

/// The clockwise tilt of most of the text on a page whose lines lie, in radians.
pub(crate) fn tilt(blobs: &[Blob]) -> f32 {
    let mut tilts = Vec::new();
    for core in blobs.iter().map(|blob| &blob.core).filter(|core| core.aspect() >= TELLING) {
        // The core has a direction but no sense: half turns are taken out.
        let tilt = if core.along.0 < 0.0 { core.flipped().tilt() } else { core.tilt() };
        if tilt.abs() < FRAC_PI_4 {
            tilts.push((tilt, core.length));
        }
    }
    tilts.sort_by(|a, b| a.0.total_cmp(&b.0));
    let half = tilts.iter().map(|(_, weight)| weight).sum::<f32>() / 2.0;
    let mut passed = 0.0;
    for (tilt, weight) in tilts {
        passed += weight;
        if passed >= half {
            return tilt;
        }
    }
    0.0
}
