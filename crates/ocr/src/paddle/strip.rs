//! A line of text where the detector found it: a rectangle that may be tilted.

use crate::frame::Point;

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Strip {
    pub(crate) centre: Point,
    /// Unit vector in reading direction.
    pub(crate) along: Point,
    /// In reading direction.
    pub(crate) length: f32,
    /// Across it.
    pub(crate) height: f32,
}

impl Strip {
    /// The smallest rectangle around the points that is parallel to `along`.
    pub(crate) fn around(points: &[Point], along: Point) -> Self {
        let (cos, sin) = along;
        let (mut low, mut high) = ((f32::MAX, f32::MAX), (f32::MIN, f32::MIN));
        for (x, y) in points {
            let (u, v) = (x * cos + y * sin, y * cos - x * sin);
            low = (low.0.min(u), low.1.min(v));
            high = (high.0.max(u), high.1.max(v));
        }
        let (u, v) = (f32::midpoint(low.0, high.0), f32::midpoint(low.1, high.1));
        Self {
            centre: (u * cos - v * sin, u * sin + v * cos),
            along,
            length: high.0 - low.0,
            height: high.1 - low.1,
        }
    }

    /// The smallest rectangle around the points in any direction, lying along its longer side: one
    /// of its sides runs along a side of their convex hull.
    pub(crate) fn tightest(points: &[Point]) -> Option<Self> {
        let hull = hull(points);
        let ends = hull.iter().cycle().skip(1);
        let mut best: Option<Self> = None;
        for (from, to) in hull.iter().zip(ends) {
            let (dx, dy) = (to.0 - from.0, to.1 - from.1);
            let length = dx.hypot(dy);
            if length <= 0.0 {
                continue;
            }
            let strip = Self::around(&hull, (dx / length, dy / length));
            if best.is_none_or(|best| strip.length * strip.height < best.length * best.height) {
                best = Some(strip);
            }
        }
        best.map(|strip| if strip.length < strip.height { strip.on_its_side() } else { strip })
    }

    /// The same rectangle, with its reading direction across.
    fn on_its_side(self) -> Self {
        let (cos, sin) = self.along;
        Self { centre: self.centre, along: (-sin, cos), length: self.height, height: self.length }
    }

    /// Wider by `margin` on each side.
    #[must_use]
    pub(crate) fn grown(self, along: f32, across: f32) -> Self {
        Self { length: self.length + 2.0 * along, height: self.height + 2.0 * across, ..self }
    }

    /// Read from the other end, upside down.
    #[must_use]
    pub(crate) fn flipped(self) -> Self {
        Self { along: (-self.along.0, -self.along.1), ..self }
    }

    /// The picture point `u` of the length and `v` of the height away from the upper left corner.
    pub(crate) fn at(&self, u: f32, v: f32) -> Point {
        let (dx, dy) = ((u - 0.5) * self.length, (v - 0.5) * self.height);
        let (cos, sin) = self.along;
        (self.centre.0 + dx * cos - dy * sin, self.centre.1 + dx * sin + dy * cos)
    }

    /// How much longer than high.
    pub(crate) fn aspect(&self) -> f32 {
        self.length / self.height.max(1.0)
    }

    /// Clockwise angle of the reading direction in radians.
    pub(crate) fn tilt(&self) -> f32 {
        self.along.1.atan2(self.along.0)
    }
}

/// The corners of the convex hull in order: the monotone chain of Andrew.
fn hull(points: &[Point]) -> Vec<Point> {
    let mut sorted = points.to_vec();
    sorted.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
    sorted.dedup();
    let mut hull: Vec<Point> = Vec::new();
    let mut chain = |points: &mut dyn Iterator<Item = &Point>| {
        let start = hull.len();
        for point in points {
            while let [.., a, b] = hull[start..]
                && (b.0 - a.0) * (point.1 - a.1) <= (b.1 - a.1) * (point.0 - a.0)
            {
                hull.pop();
            }
            hull.push(*point);
        }
        // It is the first point of the next chain.
        hull.pop();
    };
    chain(&mut sorted.iter());
    chain(&mut sorted.iter().rev());
    hull
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_tilted_bar_is_measured_along_itself() {
        let bar = Strip { centre: (50.0, 40.0), along: (0.8, 0.6), length: 30.0, height: 5.0 };
        let points = [bar.at(0.0, 0.0), bar.at(1.0, 0.0), bar.at(1.0, 1.0), bar.at(0.0, 1.0)];
        let found = Strip::tightest(&points).unwrap();
        assert!((found.length - 30.0).abs() < 0.01, "{found:?}");
        assert!((found.height - 5.0).abs() < 0.01, "{found:?}");
        assert!((found.tilt().to_degrees().rem_euclid(180.0) - 36.87).abs() < 0.1);
    }

    proptest! {
        #[test]
        fn every_point_is_inside(
            points in prop::collection::vec((0f32..100.0, 0f32..100.0), 3..40),
        ) {
            if let Some(strip) = Strip::tightest(&points) {
                let (cos, sin) = strip.along;
                for (x, y) in points {
                    let (x, y) = (x - strip.centre.0, y - strip.centre.1);
                    prop_assert!((x * cos + y * sin).abs() <= strip.length / 2.0 + 0.01);
                    prop_assert!((y * cos - x * sin).abs() <= strip.height / 2.0 + 0.01);
                }
            }
        }
    }
}
