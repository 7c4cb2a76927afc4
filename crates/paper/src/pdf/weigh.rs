//! How long a page will take to draw, told before it is drawn.
//!
//! The rasteriser takes no callback and cannot be stopped. What it will do is known, though: the
//! same interpreter runs first into these scales, which look at every path, glyph, picture, mask
//! and pattern and add up what each costs. The bound that holds is this one: pixels of the page,
//! pixels of every picture and the number of operations are limited before drawing starts. The
//! time itself is an estimate, good to a factor of a few.

use std::collections::HashSet;

use hayro_interpret::font::{Glyph, GlyphRun};
use hayro_interpret::kurbo::{BezPath, Rect, Shape};
use hayro_interpret::pattern::Pattern;
use hayro_interpret::{
    BlendMode, CacheKey, ClipPath, Device, DrawMode, DrawProps, Image, ImageDrawProps, Paint,
    SoftMask,
};

use super::meter::Meter;
use super::streams;
use crate::guard::{self, Deadline};
use crate::{Broken, Limits};

// Nanoseconds of one core, rounded from timing each kind alone at 300 dpi in a development build; a
// release build is faster. Blending a group costs once over the page, and much more where something
// is drawn in it. The price of a mask is taken to lie between the two.
const PER_CALL: f64 = 5_000.0;
const PER_SEGMENT: f64 = 200.0;
const PER_GLYPH: f64 = 12_000.0;
const PER_FILLED_PIXEL: f64 = 0.3;
const PER_SHADED_PIXEL: f64 = 2.0;
const PER_GROUP_PAGE_PIXEL: f64 = 0.5;
const PER_GROUP_PIXEL: f64 = 40.0;
const PER_MASK_PAGE_PIXEL: f64 = 8.0;
const PER_STORED_PIXEL: f64 = 15.0;

/// A device that draws nothing and adds up what drawing would cost.
pub(super) struct Scales<'l> {
    meter: Meter,
    limits: &'l Limits,
    page: Rect,
    clips: Vec<Rect>,
    groups: Vec<Group>,
    /// Patterns and masks are drawn once and kept by the rasteriser.
    seen: HashSet<u128>,
}

/// An open transparency group: whether it is really blended, and what was drawn in it.
struct Group {
    blended: bool,
    touched: Option<Rect>,
}

impl<'l> Scales<'l> {
    pub(super) fn new((width, height): (f32, f32), limits: &'l Limits) -> Self {
        Self {
            meter: Meter::new(Deadline::new(limits), limits.render),
            limits,
            page: Rect::new(0.0, 0.0, f64::from(width), f64::from(height)),
            clips: Vec::new(),
            groups: Vec::new(),
            seen: HashSet::new(),
        }
    }

    /// The pixels of a drawing that can be seen.
    fn visible(&mut self, bounds: Rect) -> f64 {
        let clip = self.clips.last().copied().unwrap_or(self.page);
        let seen = if bounds.is_finite() { bounds.intersect(clip) } else { clip };
        if let Some(group) = self.groups.last_mut()
            && seen.area() > 0.0
        {
            group.touched = Some(group.touched.map_or(seen, |touched| touched.union(seen)));
        }
        seen.area()
    }

    fn pay_for_paint(&mut self, props: &DrawProps<'_>, bounds: Rect, stroke: bool) {
        let area = self.visible(bounds);
        match &props.paint {
            Paint::Color(_) => self.meter.pay(area * PER_FILLED_PIXEL),
            Paint::Pattern(pattern) => {
                self.meter.pay(area * PER_SHADED_PIXEL);
                if let Pattern::Tiling(tiling) = &**pattern
                    && self.seen.insert(pattern.cache_key())
                {
                    tiling.interpret(self, props.transform * tiling.matrix, stroke);
                }
            }
        }
        self.pay_for_mask(props.soft_mask.as_ref());
    }

    fn pay_for_mask(&mut self, mask: Option<&SoftMask<'_>>) {
        if let Some(mask) = mask
            && self.seen.insert(mask.cache_key())
        {
            self.meter.pay(self.page.area() * PER_MASK_PAGE_PIXEL);
            mask.interpret(self);
        }
    }
}

impl<'a> Device<'a> for Scales<'_> {
    fn draw_path(&mut self, path: &BezPath, props: DrawProps<'a>, mode: &DrawMode) {
        self.meter.pay(PER_CALL + path.elements().len() as f64 * PER_SEGMENT);
        let bounds = props.transform.transform_rect_bbox(path.bounding_box());
        self.pay_for_paint(&props, bounds, matches!(mode, DrawMode::Stroke(_)));
    }

    fn draw_rect(&mut self, rect: &Rect, props: DrawProps<'a>, mode: &DrawMode) {
        self.meter.pay(PER_CALL);
        let bounds = props.transform.transform_rect_bbox(*rect);
        self.pay_for_paint(&props, bounds, matches!(mode, DrawMode::Stroke(_)));
    }

    fn push_clip_path(&mut self, clip: &ClipPath) {
        self.push_clip_rect(&clip.path.bounding_box());
        self.meter.pay(clip.path.elements().len() as f64 * PER_SEGMENT);
    }

    fn push_clip_rect(&mut self, rect: &Rect) {
        self.meter.pay(PER_CALL);
        let clip = self.clips.last().copied().unwrap_or(self.page);
        self.clips.push(clip.intersect(*rect));
    }

    fn push_transparency_group(
        &mut self,
        opacity: f32,
        mask: Option<SoftMask<'a>>,
        blend_mode: BlendMode,
    ) {
        self.meter.pay(PER_CALL);
        self.pay_for_mask(mask.as_ref());
        let blended = opacity < 1.0 || mask.is_some() || blend_mode != BlendMode::Normal;
        self.groups.push(Group { blended, touched: None });
    }

    fn draw_glyph_run(&mut self, run: &GlyphRun<'_, 'a>, props: DrawProps<'a>, mode: &DrawMode) {
        self.meter.pay(PER_CALL);
        for glyph in run.glyphs() {
            self.meter.pay(PER_GLYPH);
            let place = props.transform * glyph.transform();
            match &**glyph {
                Glyph::Outline(_) => {
                    let em = place.transform_rect_bbox(Rect::new(0.0, -250.0, 1000.0, 1000.0));
                    self.pay_for_paint(&props, em, matches!(mode, DrawMode::Stroke(_)));
                }
                Glyph::Type3(drawn) => {
                    drawn.interpret(self, props.transform, glyph.transform(), &props.paint);
                }
            }
        }
    }

    fn draw_image(&mut self, image: Image<'a, '_>, props: ImageDrawProps<'a>) {
        let found = match &image {
            Image::Stencil(stencil) => streams::picture_pixels(stencil.stream()),
            Image::Raster(raster) => streams::picture_pixels(raster.stream()),
        };
        if found > self.limits.pixels {
            let limit = self.limits.pixels;
            guard::stop(Broken::TooLarge { what: "picture", found, limit });
        }
        let bounds = Rect::new(0.0, 0.0, f64::from(image.width()), f64::from(image.height()));
        let shown = self.visible(props.transform.transform_rect_bbox(bounds));
        self.meter.pay(PER_CALL + found as f64 * PER_STORED_PIXEL + shown * PER_SHADED_PIXEL);
        self.pay_for_mask(props.soft_mask.as_ref());
    }

    fn pop_clip(&mut self) {
        self.clips.pop();
    }

    fn pop_transparency_group(&mut self) {
        let Some(group) = self.groups.pop() else { return };
        let touched = group.touched.map_or(0.0, |touched| self.visible(touched));
        if group.blended {
            self.meter.pay(self.page.area() * PER_GROUP_PAGE_PIXEL + touched * PER_GROUP_PIXEL);
        }
    }
}
