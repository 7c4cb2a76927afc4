//! Cuts the recogniser's last layer down to the characters we can use.
//!
//! The layer scores some 18,000 characters at every step, nearly all of them Chinese: half of the
//! time of reading a line, and a chance for impossible readings. An ONNX file is a protocol buffer;
//! everything in it is copied as it is, except the tensors with one column per character, of which
//! only the wanted columns are kept. Doing this when the model is loaded, instead of installing a
//! changed file, keeps the installed files equal to the published ones.

use std::ops::Range;

const MODEL_GRAPH: u64 = 7;
const GRAPH_INITIALIZER: u64 = 5;
const TENSOR_DIMS: u64 = 1;
const TENSOR_DATA_TYPE: u64 = 2;
const TENSOR_RAW_DATA: u64 = 9;
const FLOAT: u64 = 1;

/// The model with `keep` of its `classes` characters. `None`: this is not such a model.
pub(crate) fn cut(model: &[u8], classes: usize, keep: &[usize]) -> Option<Vec<u8>> {
    if keep.iter().any(|column| *column >= classes) {
        return None;
    }
    let mut cut_tensors = 0;
    let result = rewrite(model, MODEL_GRAPH, |graph| {
        rewrite(graph, GRAPH_INITIALIZER, |tensor| {
            let narrow = columns(tensor, classes, keep)?;
            cut_tensors += usize::from(narrow.is_some());
            Some(narrow.unwrap_or_else(|| tensor.to_vec()))
        })
    })?;
    // The weights and the biases of one layer.
    (cut_tensors == 2).then_some(result)
}

/// Some(None): a tensor of another shape.
#[expect(clippy::option_option, reason = "broken and not concerned are different answers")]
fn columns(tensor: &[u8], classes: usize, keep: &[usize]) -> Option<Option<Vec<u8>>> {
    let mut dims = Vec::new();
    let mut raw = None;
    let mut float = false;
    for field in fields(tensor) {
        let field = field?;
        match field.number {
            TENSOR_DIMS => dims.extend(field.numbers(tensor)?),
            TENSOR_DATA_TYPE => float = field.value == FLOAT,
            TENSOR_RAW_DATA => raw = tensor.get(field.content),
            _ => {}
        }
    }
    let (Some(raw), true, Some((last, rows))) = (raw, float, dims.split_last()) else {
        return Some(None);
    };
    let rows: u64 = rows.iter().product();
    if *last != classes as u64 || raw.len() as u64 != rows.checked_mul(*last)?.checked_mul(4)? {
        return Some(None);
    }
    let mut narrow = Vec::with_capacity(rows as usize * keep.len() * 4);
    for row in raw.chunks_exact(classes * 4) {
        for column in keep {
            narrow.extend_from_slice(&row[column * 4..column * 4 + 4]);
        }
    }
    let mut result = Vec::with_capacity(narrow.len() + 128);
    for field in fields(tensor) {
        let field = field?;
        match field.number {
            TENSOR_DIMS | TENSOR_RAW_DATA => {}
            _ => result.extend_from_slice(&tensor[field.whole]),
        }
    }
    for dim in dims[..dims.len() - 1].iter().copied().chain([keep.len() as u64]) {
        put_varint(&mut result, TENSOR_DIMS << 3);
        put_varint(&mut result, dim);
    }
    put_bytes(&mut result, TENSOR_RAW_DATA, &narrow);
    Some(Some(result))
}

/// Copies a message, passing the content of each field `number` through `change`.
fn rewrite(
    message: &[u8],
    number: u64,
    mut change: impl FnMut(&[u8]) -> Option<Vec<u8>>,
) -> Option<Vec<u8>> {
    let mut result = Vec::with_capacity(message.len());
    for field in fields(message) {
        let field = field?;
        if field.number == number && field.wire == LENGTH_DELIMITED {
            put_bytes(&mut result, number, &change(&message[field.content])?);
        } else {
            result.extend_from_slice(&message[field.whole]);
        }
    }
    Some(result)
}

const VARINT: u64 = 0;
const FIXED_64: u64 = 1;
const LENGTH_DELIMITED: u64 = 2;
const FIXED_32: u64 = 5;

/// One field of a message, by places in its bytes.
struct Field {
    number: u64,
    wire: u64,
    /// Tag included.
    whole: Range<usize>,
    content: Range<usize>,
    /// Of a varint field.
    value: u64,
}

impl Field {
    /// A repeated integer, packed or not.
    fn numbers(&self, message: &[u8]) -> Option<Vec<u64>> {
        if self.wire == VARINT {
            return Some(vec![self.value]);
        }
        let mut numbers = Vec::new();
        let mut at = self.content.start;
        while at < self.content.end {
            numbers.push(varint(message, &mut at)?);
        }
        Some(numbers)
    }
}

/// The fields of a message; `None` at the first broken one.
fn fields(message: &[u8]) -> impl Iterator<Item = Option<Field>> {
    let mut at = 0;
    std::iter::from_fn(move || {
        if at >= message.len() {
            return None;
        }
        let field = field(message, at);
        at = field.as_ref().map_or(message.len(), |field| field.whole.end);
        Some(field)
    })
}

fn field(message: &[u8], start: usize) -> Option<Field> {
    let mut at = start;
    let tag = varint(message, &mut at)?;
    let wire = tag & 7;
    let mut value = 0;
    let length = match wire {
        VARINT => {
            let begin = at;
            value = varint(message, &mut at)?;
            let length = at - begin;
            at = begin;
            length
        }
        FIXED_64 => 8,
        LENGTH_DELIMITED => usize::try_from(varint(message, &mut at)?).ok()?,
        FIXED_32 => 4,
        _ => return None,
    };
    let end = at.checked_add(length).filter(|end| *end <= message.len())?;
    Some(Field { number: tag >> 3, wire, whole: start..end, content: at..end, value })
}

fn varint(bytes: &[u8], at: &mut usize) -> Option<u64> {
    let mut value = 0;
    for shift in (0..64).step_by(7) {
        let byte = *bytes.get(*at)?;
        *at += 1;
        value |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Some(value);
        }
    }
    None
}

fn put_varint(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

fn put_bytes(out: &mut Vec<u8>, number: u64, bytes: &[u8]) {
    put_varint(out, number << 3 | LENGTH_DELIMITED);
    put_varint(out, bytes.len() as u64);
    out.extend_from_slice(bytes);
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn tensor(name: &str, dims: &[u64], values: &[f32]) -> Vec<u8> {
        let mut out = Vec::new();
        for dim in dims {
            put_varint(&mut out, TENSOR_DIMS << 3);
            put_varint(&mut out, *dim);
        }
        put_varint(&mut out, TENSOR_DATA_TYPE << 3);
        put_varint(&mut out, FLOAT);
        put_bytes(&mut out, 8, name.as_bytes());
        let raw: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
        put_bytes(&mut out, TENSOR_RAW_DATA, &raw);
        out
    }

    fn model(tensors: &[Vec<u8>]) -> Vec<u8> {
        let mut graph = Vec::new();
        put_bytes(&mut graph, 2, b"graph");
        for tensor in tensors {
            put_bytes(&mut graph, GRAPH_INITIALIZER, tensor);
        }
        let mut model = Vec::new();
        put_varint(&mut model, 1 << 3);
        put_varint(&mut model, 10);
        put_bytes(&mut model, MODEL_GRAPH, &graph);
        model
    }

    #[test]
    fn only_the_wanted_columns_remain() {
        let other = tensor("conv", &[2, 2], &[9.0, 8.0, 7.0, 6.0]);
        let weights = tensor("w", &[2, 3], &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
        let before = model(&[other.clone(), weights, tensor("b", &[3], &[0.1, 0.2, 0.3])]);
        let after = cut(&before, 3, &[0, 2]).unwrap();
        let names_first = |name, dims: &[u64], values: &[f32]| {
            // Dimensions move behind the copied fields.
            let whole = tensor(name, dims, values);
            let moved = dims.len() * 2;
            let raw = values.len() * 4 + 2;
            let mut out = whole[moved..whole.len() - raw].to_vec();
            out.extend_from_slice(&whole[..moved]);
            out.extend_from_slice(&whole[whole.len() - raw..]);
            out
        };
        let expected = model(&[
            other,
            names_first("w", &[2, 2], &[1.0, 3.0, 4.0, 6.0]),
            names_first("b", &[2], &[0.1, 0.3]),
        ]);
        assert_eq!(after, expected);
    }

    #[test]
    fn a_model_without_such_a_layer_is_refused() {
        assert!(cut(&model(&[tensor("w", &[2, 2], &[1.0; 4])]), 3, &[0]).is_none());
        assert!(cut(&model(&[]), 3, &[5]).is_none());
    }

    proptest! {
        #[test]
        fn rubbish_is_survived(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            let _ = cut(&bytes, 3, &[0, 2]);
        }
    }
}
