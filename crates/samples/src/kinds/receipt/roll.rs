//! The strip of paper that a till prints on.

use crate::{
    layout::{Layout, wrap},
    metrics::Face,
};

/// A roll while it is printed: its height is known when the last line is.
pub(super) struct Roll {
    pub(super) face: Face,
    pub(super) size: f32,
    pub(super) width: f32,
    /// Space around the printed strip: a receipt copied on a large sheet has much of it.
    pub(super) left: f32,
    pub(super) top: f32,
    pub(super) page: Layout,
    pub(super) y: f32,
}

impl Roll {
    pub(super) fn step(&mut self) {
        self.y += self.size * 1.35;
    }

    pub(super) fn centre(&mut self, text: &str) {
        for line in wrap(text, self.width, self.size, self.face) {
            let (middle, y) = (self.left + self.width / 2.0, self.y);
            self.page.put_centre(middle, y, self.size, self.face, &line);
            self.step();
        }
    }

    pub(super) fn line(&mut self, text: &str) {
        for line in wrap(text, self.width, self.size, self.face) {
            self.page.put(self.left, self.y, self.size, self.face, &line);
            self.step();
        }
    }

    /// A text at the left edge and one at the right.
    pub(super) fn ends(&mut self, left: &str, right: &str, face: Face) {
        let (y, edge) = (self.y, self.left + self.width);
        if face.width(&format!("{left}  {right}"), self.size) > self.width {
            self.page.put(self.left, y, self.size, face, left);
            self.step();
        } else {
            self.page.put(self.left, y, self.size, face, left);
        }
        self.page.put_right(edge, self.y, self.size, face, right);
        self.step();
    }

    pub(super) fn dashes(&mut self, mark: &str) {
        if mark.is_empty() {
            self.page.rule(self.left, self.y - self.size * 0.4, self.width);
        } else {
            let count = (self.width / self.face.width(mark, self.size)) as usize;
            self.page.put(self.left, self.y, self.size, self.face, &mark.repeat(count));
        }
        self.step();
    }
}
