//! Exponentials out of plain arithmetic: the system's differ in the last bit from one machine to
//! the next, and a retrained model must be the same file everywhere.

/// e^x for scores; far below or above the range of interest it saturates.
pub(crate) fn exp(x: f32) -> f32 {
    let x = x.clamp(-60.0, 60.0);
    let halvings = (x * std::f32::consts::LOG2_E).round();
    let rest = x - halvings * std::f32::consts::LN_2;
    let mut sum = 1.0f32;
    for n in (1..=8u8).rev() {
        sum = 1.0 + sum * rest / f32::from(n);
    }
    sum * f32::from_bits(((halvings as i32 + 127) as u32) << 23)
}

/// Scores to probabilities, in place.
pub(crate) fn softmax(scores: &mut [f32]) {
    let top = scores.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let mut sum = 0.0;
    for score in scores.iter_mut() {
        *score = exp(*score - top);
        sum += *score;
    }
    for score in scores.iter_mut() {
        *score /= sum;
    }
}

#[cfg(test)]
mod tests {
    use super::{exp, softmax};

    #[test]
    fn exp_agrees_with_the_systems() {
        for n in -400i16..400 {
            let x = f32::from(n) / 10.0;
            assert!((exp(x) / x.exp() - 1.0).abs() < 1e-4, "{x}");
        }
    }

    #[test]
    fn probabilities_add_up_to_one() {
        let mut scores = [3.0, -200.0, 3.0];
        softmax(&mut scores);
        assert!((scores[0] - 0.5).abs() < 1e-5 && scores[1] < 1e-9);
    }
}
