//! Learning from labelled pages: multinomial logistic regression, one thread, no chance involved.

use page::PageText;
use thiserror::Error;

use super::{
    features::{FEATURES, Features, features},
    model::{Classifier, LABEL_LIMIT},
    report::Report,
};
use crate::maths::softmax;

const EPOCHS: usize = 8;
/// In so many of a hundred steps a page's own words are held back, so that meanings and looks alone
/// learn to tell it: most words of a new layout, trade or language were never taught.
const MUTED: u64 = 30;
const RATE: f32 = 0.25;
/// Pulls weights towards zero, so that no single word decides a page.
const L2: f32 = 2e-5;
/// A feature on fewer pages than this is chance.
const RARE: u16 = 3;
/// With no held-out pages given, every fifth of a label is held back to calibrate.
const HOLD_BACK: usize = 5;

/// Why nothing could be learnt.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum TrainError {
    #[error("at least two types need pages to learn from, and {found} has")]
    TooFewTypes { found: usize },
    #[error("more than {LABEL_LIMIT} types cannot be told apart by one model")]
    TooManyTypes,
    #[error("“{label}” is too long for the name of a type: at most 64 bytes")]
    LongLabel { label: String },
}

/// Collects labelled pages, then learns.
#[derive(Clone, Debug, Default)]
pub struct Trainer {
    labels: Vec<String>,
    learning: Vec<Example>,
    held_out: Vec<Example>,
}

#[derive(Clone, Debug)]
struct Example {
    features: Features,
    label: usize,
}

impl Trainer {
    pub fn new() -> Self {
        Self::default()
    }

    /// A page to learn from.
    pub fn add(&mut self, page: &PageText, label: &str) {
        let example = self.example(page, label);
        self.learning.push(example);
    }

    /// A page to calibrate and to report on, better of a layout that [`Self::add`] never saw.
    pub fn add_held_out(&mut self, page: &PageText, label: &str) {
        let example = self.example(page, label);
        self.held_out.push(example);
    }

    fn example(&mut self, page: &PageText, label: &str) -> Example {
        let known = self.labels.iter().position(|l| l == label);
        let label = known.unwrap_or_else(|| {
            self.labels.push(label.to_owned());
            self.labels.len() - 1
        });
        Example { features: features(page), label }
    }

    /// The model file, and how a model that never saw the held-out pages did on them. The file's
    /// model then learns from those too.
    pub fn train(&self) -> Result<(Vec<u8>, Report), TrainError> {
        self.check()?;
        let (learning, held_out) = self.split();
        let mut trial = self.fit(&learning);
        trial.temperature = calm(&trial, &held_out);
        let outcomes = held_out.iter().map(|e| (e.label, trial.probabilities(&e.features)));
        let report = Report::of(&self.labels, outcomes);
        let everything: Vec<&Example> = self.learning.iter().chain(&self.held_out).collect();
        let mut model = self.fit(&everything);
        model.temperature = trial.temperature;
        Ok((model.save(), report))
    }

    fn check(&self) -> Result<(), TrainError> {
        if self.labels.len() > LABEL_LIMIT {
            return Err(TrainError::TooManyTypes);
        }
        if let Some(label) = self.labels.iter().find(|label| label.len() > 64) {
            return Err(TrainError::LongLabel { label: label.clone() });
        }
        let learnt = |n: &usize| self.learning.iter().any(|e| e.label == *n);
        let found = (0..self.labels.len()).filter(learnt).count();
        if found < 2 { Err(TrainError::TooFewTypes { found }) } else { Ok(()) }
    }

    fn split(&self) -> (Vec<&Example>, Vec<&Example>) {
        if !self.held_out.is_empty() {
            return (self.learning.iter().collect(), self.held_out.iter().collect());
        }
        let mut seen = vec![0; self.labels.len()];
        self.learning.iter().partition(|example| {
            seen[example.label] += 1;
            !usize::is_multiple_of(seen[example.label], HOLD_BACK)
        })
    }

    /// Adagrad over the pages in a fixed shuffled order, types weighing alike.
    fn fit(&self, examples: &[&Example]) -> Classifier {
        let count = self.labels.len();
        let frequent = frequent(examples);
        let mut per_label = vec![0usize; count];
        for example in examples {
            per_label[example.label] += 1;
        }
        let fair =
            |n: usize| (examples.len() as f32 / (count * per_label[n].max(1)) as f32).min(5.0);
        let mut descent = Descent::new(count);
        let mut order: Vec<usize> = (0..examples.len()).collect();
        let mut state = 0x2545_f491_4f6c_dd1d_u64;
        for _ in 0..EPOCHS {
            for n in (1..order.len()).rev() {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                order.swap(n, (state >> 33) as usize % (n + 1));
            }
            for n in &order {
                let example = examples[*n];
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                let step = Step {
                    label: example.label,
                    fair: fair(example.label),
                    muted: (state >> 33) % 100 < MUTED,
                };
                descent.step(&example.features, step, &frequent);
            }
        }
        Classifier::from_weights(&self.labels, &descent.bias, &descent.weights)
    }
}

fn frequent(examples: &[&Example]) -> Vec<bool> {
    let mut pages = vec![0u16; FEATURES];
    for example in examples {
        for feature in example.features.groups.iter().flat_map(|group| &group.present) {
            let seen = &mut pages[*feature as usize];
            *seen = seen.saturating_add(1);
        }
    }
    // A handful of operators' pages must be able to teach something.
    let rare = if examples.len() < 200 { 1 } else { RARE };
    pages.iter().map(|seen| *seen >= rare).collect()
}

/// One look at one page.
#[derive(Clone, Copy)]
struct Step {
    label: usize,
    /// Types weigh alike, however many pages they have.
    fair: f32,
    muted: bool,
}

struct Descent {
    count: usize,
    weights: Vec<f32>,
    bias: Vec<f32>,
    /// Squared gradients so far, per feature.
    travelled: Vec<f32>,
    bias_travelled: f32,
}

impl Descent {
    fn new(count: usize) -> Self {
        Self {
            count,
            weights: vec![0.0; FEATURES * count],
            bias: vec![0.0; count],
            travelled: vec![1e-4; FEATURES],
            bias_travelled: 1.0,
        }
    }

    fn step(&mut self, features: &Features, step: Step, frequent: &[bool]) {
        let mut error = self.bias.clone();
        let heard = features.groups.iter().filter(|group| !(step.muted && group.lexical));
        let groups: Vec<(f32, Vec<usize>)> = heard
            .map(|group| {
                let present = group.present.iter().map(|feature| *feature as usize);
                let known: Vec<usize> = present.filter(|feature| frequent[*feature]).collect();
                (group.share(known.len()), known)
            })
            .collect();
        for (value, group) in &groups {
            for feature in group {
                let row = &self.weights[feature * self.count..][..self.count];
                for (sum, weight) in error.iter_mut().zip(row) {
                    *sum += weight * value;
                }
            }
        }
        softmax(&mut error);
        error[step.label] -= 1.0;
        for gradient in &mut error {
            *gradient *= step.fair;
        }
        let square: f32 = error.iter().map(|e| e * e).sum();
        self.bias_travelled += square;
        let rate = RATE / self.bias_travelled.sqrt();
        for (bias, gradient) in self.bias.iter_mut().zip(&error) {
            *bias -= rate * gradient;
        }
        for (value, group) in &groups {
            for feature in group {
                self.travelled[*feature] += square * value * value;
                let rate = RATE / self.travelled[*feature].sqrt();
                let row = &mut self.weights[feature * self.count..][..self.count];
                for (weight, gradient) in row.iter_mut().zip(&error) {
                    *weight -= rate * (gradient * value + L2 * *weight);
                }
            }
        }
    }
}

/// The temperature under which the held-out pages are least surprising, types weighing alike as they
/// did while it learnt. Hardly below 1: a model that was too modest on pages given to it will meet
/// stranger ones.
fn calm(model: &Classifier, held_out: &[&Example]) -> f32 {
    let mut per_label = vec![0u32; model.labels().len()];
    for example in held_out {
        per_label[example.label] += 1;
    }
    let surprise = |temperature: f32| {
        let mut model = model.clone();
        model.temperature = temperature;
        let of = |e: &&Example| {
            let given = model.probabilities(&e.features)[e.label].max(1e-6);
            -f64::from(given).ln() / f64::from(per_label[e.label])
        };
        held_out.iter().map(of).sum::<f64>()
    };
    let candidates = (0..=22u8).map(|n| 0.8 + f32::from(n) * 0.1);
    candidates
        .map(|temperature| (temperature, surprise(temperature)))
        .min_by(|a, b| a.1.total_cmp(&b.1))
        .map_or(1.0, |(temperature, _)| temperature)
}
