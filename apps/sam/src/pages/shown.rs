//! Long lists, a page at a time, with how many there are.

/// Lines on one page of a list.
pub const PAGE: usize = 200;

/// Which of how many are on this page, and where the others are.
#[derive(Debug, Clone)]
pub struct Shown {
    pub first: usize,
    pub last: usize,
    pub total: usize,
    pub before: Option<String>,
    pub after: Option<String>,
}

impl Shown {
    /// The page of so many lines that was asked for, and how many stand before it; `asked` is its number
    /// as the address has it, and `at` makes the address of another.
    pub fn of(total: usize, asked: &str, at: impl Fn(&str) -> String) -> (Self, usize) {
        let most = total.div_ceil(PAGE).max(1);
        let number = usize::clamp(asked.parse().unwrap_or(1), 1, most);
        let before = (number - 1) * PAGE;
        let at = |number: usize| at(&number.to_string());
        let shown = Self {
            first: if total > 0 { before + 1 } else { 0 },
            last: (before + PAGE).min(total),
            total,
            before: (number > 1).then(|| at(number - 1)),
            after: (number < most).then(|| at(number + 1)),
        };
        (shown, before)
    }

    /// Leaves the lines of that page.
    pub fn cut<T>(lines: &mut Vec<T>, asked: &str, at: impl Fn(&str) -> String) -> Self {
        let (shown, before) = Self::of(lines.len(), asked, at);
        lines.drain(..before);
        lines.truncate(PAGE);
        shown
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_is_on_one_page_and_each_page_says_where_the_next_is() {
        for total in [0, 1, 200, 201, 1_003] {
            let (mut asked, mut seen) = (Some("1".to_owned()), Vec::new());
            while let Some(number) = asked {
                let mut lines: Vec<usize> = (0..total).collect();
                let shown = Shown::cut(&mut lines, &number, str::to_owned);
                assert_eq!((shown.total, shown.last), (total, seen.len() + lines.len()));
                assert_eq!(shown.first, (seen.len() + 1).min(total));
                seen.extend(lines);
                asked = shown.after;
            }
            assert_eq!(seen, (0..total).collect::<Vec<_>>());
        }
        for odd in ["0", "-1", "x", "", "99999999999999999999"] {
            let mut lines: Vec<usize> = (0..1_003).collect();
            assert_eq!(Shown::cut(&mut lines, odd, str::to_owned).first, 1, "{odd}");
        }
        let mut lines: Vec<usize> = (0..201).collect();
        let last = Shown::cut(&mut lines, "77", str::to_owned);
        assert_eq!((lines, last.before.as_deref(), last.after), (vec![200], Some("1"), None));
    }
}
