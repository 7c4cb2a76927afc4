//! How often something is right when it says it is so sure.

use std::fmt::Write as _;

use serde::Serialize;

const BINS: usize = 10;
const WIDTH: usize = 30;

/// *Curva de fiabilidad*: on the diagonal, what is said with 0.9 is right nine times in ten.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Curve {
    bins: [Bin; BINS],
}

/// Cases that were said with about the same confidence.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Bin {
    pub cases: u32,
    pub right: u32,
    confidence: f64,
}

impl Bin {
    /// The mean confidence.
    pub fn confidence(&self) -> f64 {
        self.confidence / f64::from(self.cases.max(1))
    }

    pub fn share_right(&self) -> f64 {
        f64::from(self.right) / f64::from(self.cases.max(1))
    }
}

impl Curve {
    pub fn add(&mut self, confidence: f64, right: bool) {
        let confidence = confidence.clamp(0.0, 1.0);
        let bin = &mut self.bins[((confidence * BINS as f64) as usize).min(BINS - 1)];
        bin.cases += 1;
        bin.confidence += confidence;
        bin.right += u32::from(right);
    }

    #[must_use]
    pub fn plus(mut self, other: &Self) -> Self {
        for (bin, more) in self.bins.iter_mut().zip(&other.bins) {
            bin.cases += more.cases;
            bin.right += more.right;
            bin.confidence += more.confidence;
        }
        self
    }

    pub fn bins(&self) -> impl Iterator<Item = &Bin> {
        self.bins.iter().filter(|bin| bin.cases > 0)
    }

    pub fn cases(&self) -> u32 {
        self.bins.iter().map(|bin| bin.cases).sum()
    }

    /// One line per bin: what was said, how many, a bar for how many were right, `|` where the
    /// bar should end.
    pub fn text(&self) -> String {
        let mut text = String::from("  said   cases   right\n");
        for bin in self.bins() {
            let (right, confidence) = (bin.share_right(), bin.confidence());
            let place = |share: f64| (share * WIDTH as f64).round() as usize;
            let mut bar: Vec<char> = vec!['█'; place(right)];
            bar.resize(WIDTH + 1, ' ');
            bar[place(confidence)] = '|';
            let bar: String = bar.into_iter().collect();
            let _ = writeln!(
                text,
                "  {confidence:.2}  {:>6}  {:>5.1} %  {}",
                bin.cases,
                right * 100.0,
                bar.trim_end()
            );
        }
        text
    }
}

/// Several curves in one drawing, each with a name and a colour.
pub(super) fn svg(curves: &[(&str, &str, &Curve)]) -> String {
    const SIDE: f64 = 320.0;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"-50 -16 {} {}\" role=\"img\" \
         font-family=\"sans-serif\" font-size=\"11\">\n\
         <title>Confidence said against share right</title>\n\
         <rect x=\"-50\" y=\"-16\" width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n\
         <path d=\"M0 0V{SIDE}H{SIDE}\" fill=\"none\" stroke=\"#334155\"/>\n\
         <path d=\"M0 {SIDE}L{SIDE} 0\" stroke=\"#94a3b8\" stroke-dasharray=\"4\"/>\n\
         <text x=\"{}\" y=\"{}\" text-anchor=\"middle\">confidence said</text>\n\
         <text transform=\"translate(-36 {}) rotate(-90)\" text-anchor=\"middle\">\
         share right</text>\n",
        SIDE + 80.0,
        SIDE + 66.0,
        SIDE / 2.0,
        SIDE + 32.0,
        SIDE / 2.0,
    );
    for tick in [0.0, 0.25, 0.5, 0.75, 1.0] {
        let at = tick * SIDE;
        let _ = writeln!(
            svg,
            "<text x=\"{at}\" y=\"{}\" text-anchor=\"middle\">{tick}</text>\
             <text x=\"-6\" y=\"{}\" text-anchor=\"end\">{tick}</text>",
            SIDE + 16.0,
            SIDE - at + 4.0,
        );
    }
    for (n, (name, colour, curve)) in curves.iter().enumerate() {
        let all = f64::from(curve.cases().max(1));
        let points: Vec<String> = curve
            .bins()
            .map(|bin| {
                format!("{:.1},{:.1}", bin.confidence() * SIDE, SIDE - bin.share_right() * SIDE)
            })
            .collect();
        let _ = writeln!(
            svg,
            "<polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\"/>\
             <text x=\"10\" y=\"{}\" fill=\"{colour}\">{name} ({})</text>",
            points.join(" "),
            14 + n * 16,
            curve.cases(),
        );
        for (bin, point) in curve.bins().zip(&points) {
            let radius = 3.0 + 9.0 * (f64::from(bin.cases) / all).sqrt();
            let (x, y) = point.split_once(',').unwrap_or(("0", "0"));
            let _ = writeln!(
                svg,
                "<circle cx=\"{x}\" cy=\"{y}\" r=\"{radius:.1}\" fill=\"{colour}\" \
                 fill-opacity=\"0.6\"><title>{} cases, {:.1} % right</title></circle>",
                bin.cases,
                bin.share_right() * 100.0,
            );
        }
    }
    svg.push_str("</svg>\n");
    svg
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_curve_counts_by_what_was_said() {
        let mut curve = Curve::default();
        for n in 0..10 {
            curve.add(0.95, n != 0);
        }
        curve.add(1.0, true);
        curve.add(f64::NAN, false);
        let last = curve.bins().last().unwrap();
        assert_eq!((last.cases, last.right), (11, 10));
        assert!(curve.text().contains("90.9 %"), "{}", curve.text());
        assert_eq!(curve.clone().plus(&curve).cases(), 24);
        let drawing = svg(&[("pages", "#2563eb", &curve)]);
        assert!(drawing.starts_with("<svg") && drawing.matches("<circle").count() == 2);
    }
}
