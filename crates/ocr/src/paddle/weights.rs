//! The networks and the letters, shared by all engines of a process.

use rten::{Model, ModelOptions, op_registry};

use super::alphabet::Alphabet;
use super::{NAME, head};
use crate::Trouble;

pub(crate) struct Weights {
    pub(crate) detector: Model,
    pub(crate) recogniser: Model,
    /// What the recogniser's classes are written as.
    pub(crate) letters: Vec<char>,
}

impl Weights {
    pub(crate) const FILES: [&'static str; 3] =
        ["detector.onnx", "recogniser.onnx", "characters.txt"];

    pub(crate) fn load(read: impl Fn(&str) -> Result<Vec<u8>, String>) -> Result<Self, Trouble> {
        let trouble = |reason: String| Trouble::Start { engine: NAME, reason };
        let [detector, recogniser, characters] = Self::FILES;
        let read = |name| read(name).map_err(trouble);
        let model = |name: &str, bytes| {
            // What the two networks are made of; the other hundred operators stay out of the binary.
            let mut options = ModelOptions::with_ops(op_registry!(
                Add,
                AveragePool,
                BatchNormalization,
                Concat,
                Conv,
                ConvTranspose,
                Div,
                Erf,
                GlobalAveragePool,
                HardSigmoid,
                Identity,
                MatMul,
                MaxPool,
                Mul,
                Pow,
                ReduceMean,
                Relu,
                Reshape,
                Resize,
                Shape,
                Sigmoid,
                Slice,
                Softmax,
                Sqrt,
                Squeeze,
                Sub,
                Transpose,
                Unsqueeze
            ));
            options.prepack_weights(true);
            options.load(bytes).map_err(|error| trouble(format!("{name}: {error}")))
        };
        let alphabet = Alphabet::parse(&String::from_utf8_lossy(&read(characters)?));
        let narrow = head::cut(&read(recogniser)?, alphabet.classes, &alphabet.kept)
            .ok_or_else(|| trouble(format!("{recogniser} does not fit {characters}")))?;
        Ok(Self {
            detector: model(detector, read(detector)?)?,
            recogniser: model(recogniser, narrow)?,
            letters: alphabet.letters,
        })
    }
}
