//! The trained model: reading it, writing it, asking it.

use std::{
    io::{Read as _, Write as _},
    sync::LazyLock,
};

use flate2::{Compression, read::DeflateDecoder, write::DeflateEncoder};
use page::PageText;
use thiserror::Error;

use super::features::{FEATURES, Features, MEANINGS_AT, features};
use crate::maths::softmax;

/// The label that stands for "none of these".
pub const OTHER: &str = "other";

const MAGIC: &[u8; 8] = b"turnocl2";
const SHIPPED: &[u8] = include_bytes!("../../model/pages.bin");
pub(super) const LABEL_LIMIT: usize = 64;
const LABEL_LENGTH_LIMIT: usize = 64;
/// A page that says fewer words than this cannot be told with full confidence, nor one of whose
/// words the model knows less than this share.
const FULL_VOICE: f32 = 12.0;
const KNOWN_SHARE: f32 = 0.3;
/// So many features of meaning make up for words it does not know.
const FULL_MEANING: f32 = 16.0;

/// Why a model could not be loaded.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum ModelError {
    #[error("this is not a classification model")]
    NotAModel,
    #[error("the model is cut short or damaged")]
    Damaged,
    #[error("the model was made for other features; train it again")]
    OtherFeatures,
}

/// Tells the type of a page.
#[derive(Clone, Debug, PartialEq)]
pub struct Classifier {
    labels: Vec<String>,
    /// Above 1 it makes the model less sure than it would be by itself.
    pub(super) temperature: f32,
    bias: Vec<f32>,
    scales: Vec<f32>,
    /// Label by label for each feature.
    weights: Vec<i8>,
}

impl Classifier {
    /// The model inside the binary: invoice, receipt, `id_card`, payslip, contract and other.
    pub fn shipped() -> &'static Self {
        static MODEL: LazyLock<Classifier> = LazyLock::new(|| {
            Classifier::load(SHIPPED).expect("the model in the binary is compared by a test")
        });
        &MODEL
    }

    /// Reads what [`Trainer::train`](super::Trainer::train) wrote.
    pub fn load(bytes: &[u8]) -> Result<Self, ModelError> {
        let packed = bytes.strip_prefix(MAGIC).ok_or(ModelError::NotAModel)?;
        let limit = LABEL_LIMIT * (FEATURES + LABEL_LENGTH_LIMIT + 16) + 64;
        let mut raw = Vec::new();
        DeflateDecoder::new(packed)
            .take(limit as u64)
            .read_to_end(&mut raw)
            .map_err(|_| ModelError::Damaged)?;
        let mut rest = raw.as_slice();
        let count = take(&mut rest, 1)?[0] as usize;
        if count == 0 || count > LABEL_LIMIT {
            return Err(ModelError::Damaged);
        }
        if number(&mut rest)? as usize != FEATURES {
            return Err(ModelError::OtherFeatures);
        }
        let temperature = f32::from_bits(number(&mut rest)?);
        let (mut labels, mut bias, mut scales) = (Vec::new(), Vec::new(), Vec::new());
        for _ in 0..count {
            let length = take(&mut rest, 1)?[0] as usize;
            let label = std::str::from_utf8(take(&mut rest, length)?);
            labels.push(label.map_err(|_| ModelError::Damaged)?.to_owned());
            bias.push(f32::from_bits(number(&mut rest)?));
            scales.push(f32::from_bits(number(&mut rest)?));
        }
        let weights = take(&mut rest, FEATURES * count)?.iter().map(|w| *w as i8).collect();
        let numbers = [&bias, &scales].into_iter().flatten();
        let sound = temperature > 0.0 && temperature.is_finite();
        if !(rest.is_empty() && sound && numbers.into_iter().all(|n| n.is_finite())) {
            return Err(ModelError::Damaged);
        }
        Ok(Self { labels, temperature, bias, scales, weights })
    }

    /// The file form. A feature's weights stand together, most of them zero: they pack well.
    pub fn save(&self) -> Vec<u8> {
        let mut raw = vec![self.labels.len() as u8];
        raw.extend((FEATURES as u32).to_le_bytes());
        raw.extend(self.temperature.to_bits().to_le_bytes());
        for (n, label) in self.labels.iter().enumerate() {
            raw.push(label.len() as u8);
            raw.extend(label.as_bytes());
            raw.extend(self.bias[n].to_bits().to_le_bytes());
            raw.extend(self.scales[n].to_bits().to_le_bytes());
        }
        raw.extend(self.weights.iter().map(|w| *w as u8));
        let mut packer = DeflateEncoder::new(MAGIC.to_vec(), Compression::best());
        packer
            .write_all(&raw)
            .and_then(|()| packer.finish())
            .expect("writing to memory does not fail")
    }

    /// Rounds trained weights to steps of 1/127 of the largest of each label. A feature that was
    /// taught keeps a weight, or it would count as unknown.
    pub(super) fn from_weights(labels: &[String], bias: &[f32], trained: &[f32]) -> Self {
        let count = labels.len();
        let mut scales = vec![0f32; count];
        for (n, weight) in trained.iter().enumerate() {
            scales[n % count] = scales[n % count].max(weight.abs() / 127.0);
        }
        let mut weights = Vec::with_capacity(trained.len());
        for row in trained.chunks(count) {
            let steps = row.iter().zip(&scales);
            let steps =
                steps.map(|(weight, scale)| if *scale > 0.0 { weight / scale } else { 0.0 });
            let steps: Vec<f32> = steps.collect();
            let most =
                steps.iter().copied().fold(0.0, |a: f32, b| if b.abs() > a.abs() { b } else { a });
            let kept = if most.abs() < 0.5 { most } else { 0.0 };
            weights.extend(steps.iter().map(|step| {
                let alone = kept.abs() > 0.0 && (step - kept).abs() <= 0.0;
                if alone { step.signum() as i8 } else { step.round() as i8 }
            }));
        }
        let labels = labels.to_vec();
        Self { labels, temperature: 1.0, bias: bias.to_vec(), scales, weights }
    }

    /// Every type the model knows.
    pub fn labels(&self) -> &[String] {
        &self.labels
    }

    /// The probability of each type in `among`, most likely first.
    ///
    /// What the model gives to types that are not in `among` goes to `other` when that is one of
    /// them; else it is shared out only if the model's own first choice is in `among`. A page of a
    /// type that the workflow does not have must look unsure, not like the least unlikely of the
    /// types it does have: then the probabilities add up to less than one.
    pub fn scores(&self, page: &PageText, among: &[&str]) -> Vec<(String, f32)> {
        let all = self.probabilities(&features(page));
        let best = (0..all.len()).max_by(|a, b| all[*a].total_cmp(&all[*b])).unwrap_or_default();
        let of = |label: &str| self.labels.iter().position(|l| l == label).map_or(0.0, |n| all[n]);
        let mut scores: Vec<(String, f32)> =
            among.iter().map(|label| ((*label).to_owned(), of(label))).collect();
        let listed: f32 = scores.iter().map(|(_, p)| p).sum();
        if let Some((_, other)) = scores.iter_mut().find(|(label, _)| label == OTHER) {
            *other += (1.0 - listed).max(0.0);
        } else if listed > 0.0 && among.contains(&self.labels[best].as_str()) {
            for (_, probability) in &mut scores {
                *probability /= listed;
            }
        }
        scores.sort_by(|a, b| b.1.total_cmp(&a.1));
        scores
    }

    /// Calibrated, in the order of [`Self::labels`].
    pub(super) fn probabilities(&self, features: &Features) -> Vec<f32> {
        let (mut scores, known, meant) = self.logits(features);
        for score in &mut scores {
            *score /= self.temperature;
        }
        softmax(&mut scores);
        // A page from an unknown world says nothing to the model, however much is printed on it;
        // in a language it was not taught, meanings still do.
        let spoken = features.spoken as f32;
        let words = features.groups.first().map_or(0, |group| group.present.len()) as f32;
        let heard = known / (KNOWN_SHARE * words.max(FULL_VOICE));
        let voice = (spoken / FULL_VOICE).min(heard.max(meant / FULL_MEANING)).clamp(0.0, 1.0);
        let even = 1.0 / scores.len() as f32;
        scores.iter().map(|p| voice * p + (1.0 - voice) * even).collect()
    }

    /// The score of each label, and how many words and meanings of the page the model knows.
    fn logits(&self, features: &Features) -> (Vec<f32>, f32, f32) {
        let count = self.labels.len();
        let mut sums = vec![0f32; count];
        let (mut words, mut meant) = (0.0, 0.0);
        for (n, group) in features.groups.iter().enumerate() {
            let mut of_group = vec![0i32; count];
            let mut known = 0;
            for feature in &group.present {
                let start = *feature as usize * count;
                let row = &self.weights[start..start + count];
                known += usize::from(row.iter().any(|w| *w != 0));
                for (sum, w) in of_group.iter_mut().zip(row) {
                    *sum += i32::from(*w);
                }
            }
            match n {
                0 => words = known as f32,
                MEANINGS_AT => meant = known as f32,
                _ => {}
            }
            let share = group.share(known);
            for (sum, one) in sums.iter_mut().zip(of_group) {
                *sum += one as f32 * share;
            }
        }
        let scaled = sums.iter().zip(&self.scales).map(|(sum, scale)| sum * scale);
        (scaled.zip(&self.bias).map(|(score, bias)| score + bias).collect(), words, meant)
    }
}

fn take<'a>(rest: &mut &'a [u8], count: usize) -> Result<&'a [u8], ModelError> {
    let (taken, left) = rest.split_at_checked(count).ok_or(ModelError::Damaged)?;
    *rest = left;
    Ok(taken)
}

fn number(rest: &mut &[u8]) -> Result<u32, ModelError> {
    let bytes = take(rest, 4)?.try_into().map_err(|_| ModelError::Damaged)?;
    Ok(u32::from_le_bytes(bytes))
}
