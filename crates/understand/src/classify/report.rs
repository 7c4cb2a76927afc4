//! How well a model did on pages whose type is known.

use std::fmt::{self, Write as _};

use page::PageText;
use serde::{Deserialize, Serialize};

use super::{features::features, model::Classifier};

/// Pages whose best type got about the same probability.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Bin {
    pub from: f32,
    pub to: f32,
    pub pages: u32,
    /// The mean probability of the best type.
    pub said: f32,
    /// The share of pages whose best type was the right one.
    pub right: f32,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Report {
    pub labels: Vec<String>,
    pub pages: u32,
    pub accuracy: f32,
    pub log_loss: f32,
    /// The share of pages told with a probability of at least 0.80.
    pub confident: f32,
    /// The share of pages told wrong with a probability of at least 0.80.
    pub confident_wrong: f32,
    pub bins: Vec<Bin>,
    /// Row: the true type. Column: the type told.
    pub confusion: Vec<Vec<u32>>,
}

const BINS: usize = 10;
const CONFIDENT: f32 = 0.80;

impl Report {
    /// Asks the model about labelled pages. Pages of types that it does not know are left out.
    pub fn measure<'a>(
        model: &Classifier,
        pages: impl IntoIterator<Item = (&'a PageText, &'a str)>,
    ) -> Self {
        let outcomes = pages.into_iter().filter_map(|(page, label)| {
            let label = model.labels().iter().position(|l| l == label)?;
            Some((label, model.probabilities(&features(page))))
        });
        Self::of(model.labels(), outcomes)
    }

    pub(super) fn of(labels: &[String], outcomes: impl Iterator<Item = (usize, Vec<f32>)>) -> Self {
        let mut confusion = vec![vec![0; labels.len()]; labels.len()];
        let mut bins = [(0u32, 0f32, 0u32); BINS];
        let (mut pages, mut right, mut loss) = (0u32, 0u32, 0f32);
        let (mut confident, mut confident_wrong) = (0u32, 0u32);
        for (truth, probabilities) in outcomes {
            let best = (0..labels.len())
                .max_by(|a, b| probabilities[*a].total_cmp(&probabilities[*b]))
                .expect("a model has labels");
            let said = probabilities[best];
            let hit = u32::from(best == truth);
            pages += 1;
            right += hit;
            loss -= probabilities[truth].max(1e-6).ln();
            confusion[truth][best] += 1;
            let bin = &mut bins[((said * BINS as f32) as usize).min(BINS - 1)];
            *bin = (bin.0 + 1, bin.1 + said, bin.2 + hit);
            if said >= CONFIDENT {
                confident += 1;
                confident_wrong += 1 - hit;
            }
        }
        let share = |part: u32| part as f32 / pages.max(1) as f32;
        let bins = bins.iter().enumerate().map(|(n, (pages, said, right))| Bin {
            from: n as f32 / BINS as f32,
            to: (n + 1) as f32 / BINS as f32,
            pages: *pages,
            said: said / (*pages).max(1) as f32,
            right: *right as f32 / (*pages).max(1) as f32,
        });
        Self {
            labels: labels.to_vec(),
            pages,
            accuracy: share(right),
            log_loss: loss / pages.max(1) as f32,
            confident: share(confident),
            confident_wrong: share(confident_wrong),
            bins: bins.collect(),
            confusion,
        }
    }

    /// The reliability curve: on the diagonal the model is right as often as it says.
    pub fn svg(&self) -> String {
        const SIDE: f32 = 300.0;
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"-40 -10 {0} {0}\" role=\"img\" \
             font-family=\"sans-serif\" font-size=\"11\">\n\
             <title>Probability said against share right, {1} pages</title>\n\
             <path d=\"M0 0V{SIDE}H{SIDE}\" fill=\"none\" stroke=\"currentColor\"/>\n\
             <path d=\"M0 {SIDE}L{SIDE} 0\" stroke=\"currentColor\" stroke-dasharray=\"4\"/>\n",
            SIDE + 60.0,
            self.pages,
        );
        for tick in [0.0f32, 0.5, 1.0] {
            let at = tick * SIDE;
            let _ = writeln!(
                svg,
                "<text x=\"{at}\" y=\"{}\" text-anchor=\"middle\">{tick}</text>\
                 <text x=\"-6\" y=\"{}\" text-anchor=\"end\">{tick}</text>",
                SIDE + 15.0,
                SIDE - at + 4.0,
            );
        }
        for bin in self.bins.iter().filter(|bin| bin.pages > 0) {
            let radius = 3.0 + 9.0 * (bin.pages as f32 / self.pages.max(1) as f32).sqrt();
            let _ = writeln!(
                svg,
                "<circle cx=\"{:.1}\" cy=\"{:.1}\" r=\"{radius:.1}\" fill=\"#2563eb\" \
                 fill-opacity=\"0.7\"><title>{} pages</title></circle>",
                bin.said * SIDE,
                SIDE - bin.right * SIDE,
                bin.pages,
            );
        }
        svg.push_str("</svg>\n");
        svg
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{} pages, {:.2} % right, log loss {:.3}",
            self.pages,
            self.accuracy * 100.0,
            self.log_loss
        )?;
        writeln!(
            f,
            "{:.2} % told with at least {CONFIDENT:.2}, {:.2} % so and wrong",
            self.confident * 100.0,
            self.confident_wrong * 100.0
        )?;
        writeln!(f, "\nsaid     pages  right")?;
        for bin in self.bins.iter().filter(|bin| bin.pages > 0) {
            writeln!(f, "{:.2}  {:8}  {:5.1} %", bin.said, bin.pages, bin.right * 100.0)?;
        }
        write!(f, "\n{:>12}", "")?;
        for label in &self.labels {
            write!(f, " {label:>9}")?;
        }
        for (label, row) in self.labels.iter().zip(&self.confusion) {
            write!(f, "\n{label:>12}")?;
            for told in row {
                write!(f, " {told:>9}")?;
            }
        }
        writeln!(f)
    }
}
