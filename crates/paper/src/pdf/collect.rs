//! The glyphs of a page, as the interpreter draws them.

use std::time::Duration;

use hayro_interpret::font::{Glyph, GlyphRun};
use hayro_interpret::hayro_cmap::BfString;
use hayro_interpret::kurbo::{Affine, BezPath, Point, Rect, Vec2};
use hayro_interpret::{
    BlendMode, ClipPath, Device, DrawMode, DrawProps, Image, ImageDrawProps, SoftMask,
};
use page::{PageText, Source};

use super::meter::Meter;
use super::words::{self, Letter};
use crate::Layer;
use crate::guard::Deadline;

/// No printed page has more; what has is not text.
const LETTERS: usize = 500_000;
/// The page is looked at as a chessboard to tell how much of it pictures cover.
const BOARD: usize = 48;
/// Glyph space: a thousand units are one em, letters reach from here to there.
const DESCENT: f64 = -210.0;
const ASCENT: f64 = 760.0;
const UNKNOWN_WIDTH: f64 = 500.0;

/// A device that draws nothing and keeps the letters.
pub(super) struct Collector {
    meter: Meter,
    size: (f32, f32),
    letters: Vec<Letter>,
    invisible: usize,
    unmapped: usize,
    board: Vec<bool>,
}

impl Collector {
    pub(super) fn new(size: (f32, f32), deadline: Deadline) -> Self {
        // Time is watched, work is not estimated: nothing is drawn.
        let meter = Meter::new(deadline, Duration::MAX);
        let board = vec![false; BOARD * BOARD];
        Self { meter, size, letters: Vec::new(), invisible: 0, unmapped: 0, board }
    }

    /// The words, when there is at least one.
    pub(super) fn layer(self) -> Option<Layer> {
        let letters = self.letters.len().max(1) as f32;
        let (width, height) = self.size;
        let words = words::words(self.letters, self.size);
        if words.is_empty() {
            return None;
        }
        let mut text = PageText { width, height, source: Source::TextLayer, turned: 0, words };
        words::in_reading_order(&mut text);
        let covered = self.board.iter().filter(|square| **square).count();
        Some(Layer {
            text,
            pictures: covered as f32 / self.board.len() as f32,
            invisible: self.invisible as f32 / letters,
            unmapped: self.unmapped as f32 / letters,
        })
    }

    fn keep(&mut self, glyph: &Glyph<'_>, place: Affine, invisible: bool) {
        let width = match glyph {
            Glyph::Outline(outline) => outline.advance_width(),
            Glyph::Type3(drawn) => drawn.advance_width(),
        };
        let width = width.map_or(UNKNOWN_WIDTH, f64::from);
        let origin = place * Point::ZERO;
        let end = place * Point::new(width, 0.0);
        let em = (place * Point::new(0.0, 1000.0) - origin).hypot();
        let along = place * Point::new(1.0, 0.0) - origin;
        let bounds = place.transform_rect_bbox(Rect::new(0.0, DESCENT, width, ASCENT));
        let numbers = [origin.x, origin.y, end.x, end.y, em, bounds.x0, bounds.y1];
        if numbers.iter().any(|n| !n.is_finite()) || em < 0.01 {
            return;
        }
        let text = match glyph.as_unicode() {
            Some(BfString::Char(c)) => c.to_string(),
            Some(BfString::String(text)) => text,
            None => char::REPLACEMENT_CHARACTER.to_string(),
        };
        let readable =
            !text.chars().any(|c| (c.is_control() && !c.is_whitespace()) || c == '\u{fffd}');
        self.unmapped += usize::from(!readable);
        self.invisible += usize::from(invisible);
        let along = if along.hypot() > 0.0 { along.normalize() } else { Vec2::new(1.0, 0.0) };
        self.letters.push(Letter { text, origin, end, along, em, bounds });
    }
}

impl<'a> Device<'a> for Collector {
    fn draw_path(&mut self, _: &BezPath, _: DrawProps<'a>, _: &DrawMode) {
        self.meter.pay(1.0);
    }

    fn draw_rect(&mut self, _: &Rect, _: DrawProps<'a>, _: &DrawMode) {
        self.meter.pay(1.0);
    }

    fn push_clip_path(&mut self, _: &ClipPath) {
        self.meter.pay(1.0);
    }

    fn push_clip_rect(&mut self, _: &Rect) {
        self.meter.pay(1.0);
    }

    fn push_transparency_group(&mut self, _: f32, _: Option<SoftMask<'a>>, _: BlendMode) {
        self.meter.pay(1.0);
    }

    fn draw_glyph_run(&mut self, run: &GlyphRun<'_, 'a>, props: DrawProps<'a>, mode: &DrawMode) {
        self.meter.pay(1.0);
        for glyph in run.glyphs() {
            if self.letters.len() >= LETTERS {
                return;
            }
            let invisible = matches!(mode, DrawMode::Invisible);
            self.keep(glyph, props.transform * glyph.transform(), invisible);
        }
    }

    fn draw_image(&mut self, image: Image<'a, '_>, props: ImageDrawProps<'a>) {
        self.meter.pay(1.0);
        let stored = Rect::new(0.0, 0.0, f64::from(image.width()), f64::from(image.height()));
        let shown = props.transform.transform_rect_bbox(stored);
        let square = |value: f64, side: f32| {
            (value / f64::from(side) * BOARD as f64).round().clamp(0.0, BOARD as f64) as usize
        };
        let (left, right) = (square(shown.x0, self.size.0), square(shown.x1, self.size.0));
        let (top, bottom) = (square(shown.y0, self.size.1), square(shown.y1, self.size.1));
        for row in top..bottom {
            self.board[row * BOARD + left..row * BOARD + right.max(left)].fill(true);
        }
    }

    fn pop_clip(&mut self) {}

    fn pop_transparency_group(&mut self) {}
}
