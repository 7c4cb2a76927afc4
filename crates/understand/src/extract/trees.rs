//! Small trees that correct a linear model where its features act together.
//!
//! Each splits at most twice and never lets what speaks for a value lower the sum: whatever they
//! learnt, more evidence cannot make a value less sure. Leaves and thresholds are rounded as they
//! are found, so that every machine grows the same trees.

use std::fmt;

use crate::maths::exp;

/// How much of what a tree would say it says; the rest is left to the trees after it.
const RATE: f32 = 0.3;
/// Cases, errors weighing more, that pull a leaf towards nothing, and that it needs at least.
const HOLD: f32 = 8.0;
const LEAST: f32 = 12.0;
/// The largest correction one leaf makes, in log odds.
const MOST: f32 = 0.6;
/// Thresholds tried per feature.
const CUTS: usize = 24;

/// Two levels of questions and four answers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Tree {
    /// The feature asked first, then those asked on either side.
    asks: [(u8, f32); 3],
    says: [f32; 4],
}

/// One value: its features, whether it is right, what it weighs.
pub(super) struct Known<const N: usize> {
    pub(super) features: [f32; N],
    pub(super) right: bool,
    pub(super) weight: f32,
}

impl Tree {
    fn answer(&self, features: &[f32]) -> usize {
        let above = |(feature, cut): (u8, f32)| features[feature as usize] > cut;
        if above(self.asks[0]) {
            2 + usize::from(above(self.asks[2]))
        } else {
            usize::from(above(self.asks[1]))
        }
    }

    pub(super) fn parse(text: &str) -> Option<Self> {
        let numbers: Option<Vec<f32>> = text.split(' ').map(|word| word.parse().ok()).collect();
        let numbers = numbers?;
        let (asked, says) = numbers.split_at_checked(6)?;
        let ask = |at: usize| (asked[2 * at] as u8, asked[2 * at + 1]);
        Some(Self { asks: [ask(0), ask(1), ask(2)], says: says.try_into().ok()? })
    }
}

impl fmt::Display for Tree {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (feature, cut) in self.asks {
            write!(f, "{feature} {cut:.3} ")?;
        }
        let says = self.says.map(|say| format!("{say:.2}"));
        f.write_str(&says.join(" "))
    }
}

/// What the trees add to the log odds of a value.
pub(super) fn sum(trees: &[Tree], features: &[f32]) -> f32 {
    trees.iter().map(|tree| tree.says[tree.answer(features)]).sum()
}

/// Grows `count` trees on top of what a first model says of each case. `speaks` is 1 for a feature
/// that speaks for a value, -1 for one against it, 0 for one that is not asked.
pub(super) fn grow<const N: usize>(
    known: &[Known<N>],
    first: impl Fn(&[f32; N]) -> f32,
    speaks: [i8; N],
    count: usize,
) -> Vec<Tree> {
    let cuts: Vec<Vec<f32>> = (0..N).map(|feature| cuts(known, feature, speaks[feature])).collect();
    let mut said: Vec<f32> = known.iter().map(|one| first(&one.features)).collect();
    let mut trees = Vec::new();
    for _ in 0..count {
        let pulls: Vec<Pull> =
            known.iter().zip(&said).map(|(one, said)| pull(one, *said)).collect();
        let all: Vec<usize> = (0..known.len()).collect();
        let grower = Grower { known, cuts: &cuts, speaks, pulls: &pulls };
        let Some(tree) = grower.tree(&all) else { break };
        for (one, said) in known.iter().zip(&mut said) {
            *said += tree.says[tree.answer(&one.features)];
        }
        trees.push(tree);
    }
    trees
}

/// How far, and how hard, a case pulls what is said of it.
#[derive(Clone, Copy, Default)]
struct Pull {
    slope: f32,
    bend: f32,
    weight: f32,
}

fn pull<const N: usize>(one: &Known<N>, said: f32) -> Pull {
    let shown = 1.0 / (1.0 + exp(-said));
    let truth = f32::from(u8::from(one.right));
    let weight = one.weight;
    Pull { slope: weight * (truth - shown), bend: weight * shown * (1.0 - shown), weight }
}

impl Pull {
    fn add(&mut self, other: &Self) {
        self.slope += other.slope;
        self.bend += other.bend;
        self.weight += other.weight;
    }

    fn says(&self) -> f32 {
        self.slope / (self.bend + HOLD)
    }

    fn gain(&self) -> f32 {
        self.slope * self.slope / (self.bend + HOLD)
    }
}

fn hundredths(number: f32) -> f32 {
    (number * 100.0).round() / 100.0
}

/// Thresholds between values that occur.
fn cuts<const N: usize>(known: &[Known<N>], feature: usize, speaks: i8) -> Vec<f32> {
    if speaks == 0 {
        return Vec::new();
    }
    let mut values: Vec<f32> = known.iter().map(|one| hundredths(one.features[feature])).collect();
    values.sort_by(f32::total_cmp);
    let step = (values.len() / CUTS).max(1);
    let mut cuts: Vec<f32> = values.iter().step_by(step).map(|value| value + 0.005).collect();
    cuts.dedup_by(|a, b| (*a - *b).abs() < 0.004);
    cuts.into_iter().map(|cut| (cut * 1_000.0).round() / 1_000.0).collect()
}

struct Grower<'k, const N: usize> {
    known: &'k [Known<N>],
    cuts: &'k [Vec<f32>],
    speaks: [i8; N],
    pulls: &'k [Pull],
}

/// A question and what stands on either side of it.
struct Split {
    feature: usize,
    cut: f32,
    low: Pull,
    high: Pull,
}

impl<const N: usize> Grower<'_, N> {
    fn tree(&self, all: &[usize]) -> Option<Tree> {
        let root = self.split(all)?;
        let (low, high): (Vec<usize>, Vec<usize>) =
            all.iter().partition(|at| self.known[**at].features[root.feature] <= root.cut);
        let middle = f32::midpoint(root.low.says(), root.high.says()).clamp(-MOST, MOST);
        let rising = self.speaks[root.feature] > 0;
        let bounds = |is_low: bool| if is_low == rising { (-MOST, middle) } else { (middle, MOST) };
        let mut asks = [(root.feature as u8, root.cut); 3];
        let mut says = [0.0; 4];
        for (side, (cases, whole)) in [(low, root.low), (high, root.high)].iter().enumerate() {
            let (least, most) = bounds(side == 0);
            let told = |pull: &Pull| hundredths(RATE * pull.says().clamp(least, most));
            let halves = match self.split(cases) {
                Some(split) => {
                    asks[side + 1] = (split.feature as u8, split.cut);
                    [told(&split.low), told(&split.high)]
                }
                None => [told(whole); 2],
            };
            says[2 * side..2 * side + 2].copy_from_slice(&halves);
        }
        says.iter().any(|say| say.abs() > 0.0).then_some(Tree { asks, says })
    }

    /// The question that parts the cases best, among those whose answers keep their direction.
    fn split(&self, cases: &[usize]) -> Option<Split> {
        let mut whole = Pull::default();
        for at in cases {
            whole.add(&self.pulls[*at]);
        }
        let mut best: Option<(f32, Split)> = None;
        for (feature, cuts) in self.cuts.iter().enumerate() {
            let mut below = vec![Pull::default(); cuts.len() + 1];
            for at in cases {
                let value = self.known[*at].features[feature];
                below[cuts.partition_point(|cut| *cut < value)].add(&self.pulls[*at]);
            }
            let mut low = Pull::default();
            for (cut, part) in cuts.iter().zip(&below) {
                low.add(part);
                let high = Pull {
                    slope: whole.slope - low.slope,
                    bend: whole.bend - low.bend,
                    weight: whole.weight - low.weight,
                };
                let rises = f32::from(self.speaks[feature]) * (high.says() - low.says()) > 0.0;
                if !rises || low.weight < LEAST || high.weight < LEAST {
                    continue;
                }
                let gain = low.gain() + high.gain() - whole.gain();
                if gain > 1e-3 && best.as_ref().is_none_or(|(most, _)| gain > *most) {
                    best = Some((gain, Split { feature, cut: *cut, low, high }));
                }
            }
        }
        best.map(|(_, split)| split)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Right only where both features are high: no sum of the two tells that from one very high.
    fn both() -> Vec<Known<2>> {
        let grid = (0..40u8).flat_map(|a| (0..40u8).map(move |b| (a, b)));
        grid.map(|(a, b)| Known {
            features: [f32::from(a) / 40.0, f32::from(b) / 40.0],
            right: a > 20 && b > 20,
            weight: 1.0,
        })
        .collect()
    }

    #[test]
    fn what_only_holds_together_is_learnt_and_never_turned_around() {
        let trees = grow(&both(), |_| 0.0, [1, 1], 60);
        let said = |a: f32, b: f32| sum(&trees, &[a, b]);
        assert!(said(0.9, 0.9) > 1.0 && said(0.9, 0.2) < 0.0 && said(0.2, 0.9) < 0.0);
        for n in 0..40u8 {
            for m in 0..40u8 {
                let (a, b) = (f32::from(n) / 40.0, f32::from(m) / 40.0);
                assert!(said(a + 0.03, b) >= said(a, b) && said(a, b + 0.03) >= said(a, b));
            }
        }
    }

    #[test]
    fn a_tree_is_read_as_it_is_written() {
        for tree in grow(&both(), |_| 0.0, [1, 1], 3) {
            assert_eq!(Tree::parse(&tree.to_string()), Some(tree));
        }
        assert_eq!(Tree::parse("1 2 3"), None);
    }
}
