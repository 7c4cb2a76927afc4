//! A figure and its limit, as a line of the report.

/// One measured figure and what it must not pass.
#[derive(Debug)]
struct Line {
    what: String,
    figure: f64,
    limit: Limit,
    unit: &'static str,
    note: String,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Limit {
    AtMost(f64),
    AtLeast(f64),
    /// Shown for comparison.
    None,
}

impl Limit {
    fn holds(self, figure: f64) -> bool {
        match self {
            Self::AtMost(limit) => figure <= limit,
            Self::AtLeast(limit) => figure >= limit,
            Self::None => true,
        }
    }
}

#[derive(Debug, Default)]
pub(crate) struct Report(Vec<Line>);

impl Report {
    pub(crate) fn line(
        &mut self,
        what: impl Into<String>,
        figure: f64,
        unit: &'static str,
        limit: Limit,
        note: impl Into<String>,
    ) {
        let line = Line { what: what.into(), figure, limit, unit, note: note.into() };
        // Said at once too: a run takes a minute, and the table comes at its end.
        eprintln!("{}: {:.2} {}", line.what, line.figure, line.unit);
        self.0.push(line);
    }

    pub(crate) fn passed(&self) -> bool {
        self.0.iter().all(|line| line.limit.holds(line.figure))
    }

    pub(crate) fn print(&self) {
        let width = self.0.iter().map(|line| line.what.chars().count()).max().unwrap_or(0);
        println!("{:width$}  {:>10} {:5}  {:>12}  {:7}  beside", "", "measured", "", "limit", "");
        for Line { what, figure, limit, unit, note } in &self.0 {
            let (bound, verdict) = match limit {
                Limit::AtMost(most) => (format!("<= {most}"), limit.holds(*figure)),
                Limit::AtLeast(least) => (format!(">= {least}"), limit.holds(*figure)),
                Limit::None => (String::new(), true),
            };
            let verdict = match (limit, verdict) {
                (Limit::None, _) => "",
                (_, true) => "PASS",
                (_, false) => "FAIL",
            };
            println!("{what:width$}  {figure:>10.2} {unit:5}  {bound:>12}  {verdict:7}  {note}");
        }
    }
}
