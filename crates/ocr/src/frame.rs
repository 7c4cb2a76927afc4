//! How a picture lies, and where its points are once it is upright.

use page::{PageText, Rect, Source, Word};

/// A point, or a direction, in pixels: x to the right, y down.
pub(crate) type Point = (f32, f32);

/// Turns points of a picture whose lines lie into points of the upright, straightened page.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Frame {
    width: f32,
    height: f32,
    on_head: bool,
    /// (cos, sin) of the clockwise tilt.
    tilt: Point,
}

impl Frame {
    pub(crate) fn new((width, height): (u32, u32), on_head: bool, tilt: f32) -> Self {
        let tilt = (tilt.cos(), tilt.sin());
        Self { width: width as f32, height: height as f32, on_head, tilt }
    }

    fn upright(&self, (x, y): Point) -> Point {
        let (x, y) = (x - self.width / 2.0, y - self.height / 2.0);
        let (cos, sin) = self.tilt;
        let (x, y) = (x * cos + y * sin, y * cos - x * sin);
        let side = if self.on_head { -1.0 } else { 1.0 };
        (side * x + self.width / 2.0, side * y + self.height / 2.0)
    }

    /// The upright rectangle around picture points, as far as it is on the page.
    pub(crate) fn place(&self, corners: [Point; 4]) -> Rect {
        let (width, height) = (self.width, self.height);
        let (mut left, mut top, mut right, mut bottom) = (width, height, 0f32, 0f32);
        for corner in corners {
            let (x, y) = self.upright(corner);
            (left, top) = (left.min(x), top.min(y));
            (right, bottom) = (right.max(x), bottom.max(y));
        }
        let (left, top) = (left.clamp(0.0, width), top.clamp(0.0, height));
        let (right, bottom) = (right.clamp(left, width), bottom.clamp(top, height));
        Rect { x: left, y: top, w: right - left, h: bottom - top }
    }

    /// The page with these words, put in reading order.
    pub(crate) fn page(&self, words: Vec<Word>) -> PageText {
        let mut page = PageText {
            width: self.width,
            height: self.height,
            source: Source::Ocr,
            turned: if self.on_head { 180 } else { 0 },
            words,
        };
        let order: Vec<usize> = page.lines().into_iter().flat_map(|line| line.words).collect();
        let mut words: Vec<Option<Word>> = page.words.drain(..).map(Some).collect();
        page.words = order.into_iter().filter_map(|word| words[word].take()).collect();
        page
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(rect: Rect, expected: [f32; 4]) {
        let found = [rect.x, rect.y, rect.w, rect.h];
        let near = found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 0.05);
        assert!(near, "{found:?} instead of {expected:?}");
    }

    fn corners(x: f32, y: f32, w: f32, h: f32) -> [Point; 4] {
        [(x, y), (x + w, y), (x + w, y + h), (x, y + h)]
    }

    #[test]
    fn a_corner_moves_with_the_picture() {
        let place =
            |on_head| Frame::new((200, 100), on_head, 0.0).place(corners(0.0, 0.0, 20.0, 10.0));
        close(place(false), [0.0, 0.0, 20.0, 10.0]);
        close(place(true), [180.0, 90.0, 20.0, 10.0]);
    }

    #[test]
    fn a_tilted_line_becomes_level() {
        let tilt = 5f32.to_radians();
        let frame = Frame::new((200, 100), false, tilt);
        let end = (100.0 + 80.0 * tilt.cos(), 50.0 + 80.0 * tilt.sin());
        let start = (100.0, 50.0);
        close(frame.place([start, start, end, end]), [100.0, 50.0, 80.0, 0.0]);
    }
}
