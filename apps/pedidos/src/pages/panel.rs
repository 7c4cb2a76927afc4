//! The panel: figures of the last days, advice, capacity rules and the simulation of past days.

use askama::Template;
use engine::Word as _;
use web::svg::{Bar, Bars, Trend, TrendLine, Unit};
use web::{Lang, Page, Period, Tone, period::PeriodTab};

/// `/pedidos-panel`: how the kitchen has been doing, what the services advise, the capacity
/// rules and the simulation of past days.
#[derive(Template)]
#[template(path = "panel.html")]
pub struct PanelPage {
    pub page: Page,
    /// How many business days the figures cover, today included.
    pub period: Period,
    pub board: OnBoard,
    pub figures: Figures,
    /// Twenty-four, from midnight.
    pub hours: Vec<HourUse>,
    /// The stations that cooked most, with the mean minutes of their tickets by hour.
    pub stations: Vec<(String, Vec<Option<f64>>)>,
    pub articles: Vec<ArticleTime>,
    pub advice: Vec<Advice>,
    /// Business days that can be simulated, newest first, as `2026-11-15`.
    pub past_days: Vec<String>,
    pub capacity: u32,
    /// Whether this person may edit the rules.
    pub may_configure: bool,
}

/// What the counter's board shows at this moment.
#[derive(Clone, Copy, Debug, Default)]
pub struct OnBoard {
    pub received: u32,
    pub scheduled: u32,
    pub preparing: u32,
    pub ready: u32,
    pub left_open: u32,
}

/// Minutes are `None` when nothing was measured.
#[derive(Clone, Debug, Default)]
pub struct Figures {
    /// Without the cancelled ones.
    pub orders: u64,
    pub cancelled: u64,
    pub wait_p50: Option<f64>,
    pub wait_p90: Option<f64>,
    pub prep_p50: Option<f64>,
    pub prep_p90: Option<f64>,
    /// Share of finished orders that were late, 0 to 1.
    pub late_rate: Option<f64>,
    pub late: u64,
    /// Mean share of the places in use while the kitchen had work, 0 to 1 or more.
    pub utilisation: Option<f64>,
}

#[derive(Clone, Copy, Debug)]
pub struct HourUse {
    pub hour: u8,
    /// Mean places in use, and mean places there were.
    pub used: f64,
    pub capacity: f64,
}

#[derive(Clone, Debug)]
pub struct ArticleTime {
    pub name: String,
    pub sample: u32,
    pub p50: f64,
    pub p90: f64,
    /// What the estimate says today for one of them.
    pub estimate: f64,
}

/// What one of the three learning services concludes.
#[derive(Clone, Debug)]
pub struct Advice {
    pub title: String,
    pub sentence: String,
    pub standing: Standing,
    pub sample: u32,
    /// `8` and `10`, or `15 min` and `18 min`; empty when there is nothing to compare.
    pub current: String,
    pub suggested: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// Too few orders to say anything.
    Silent,
    /// Nothing to change.
    Agrees,
    /// A change is advised and not made.
    Advises,
    /// The service is switched on and its value is in use.
    Applied,
}

impl Standing {
    pub fn tone(self) -> Tone {
        match self {
            Self::Silent => Tone::Plain,
            Self::Agrees => Tone::Good,
            Self::Advises => Tone::Warn,
            Self::Applied => Tone::Info,
        }
    }

    pub fn text(self, page: &Page) -> &'static str {
        match self {
            Self::Silent => page.t("Faltan datos", "Not enough data"),
            Self::Agrees => page.t("Está bien así", "Fine as it is"),
            Self::Advises => page.t("Aconseja", "Advises"),
            Self::Applied => page.t("Aplicado", "Applied"),
        }
    }
}

/// How what was measured compares with what is promised.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Drift {
    Unknown,
    Faster,
    InLine,
    Slower,
    MuchSlower,
}

impl Drift {
    /// Fewer than five measurements say nothing.
    fn of(article: &ArticleTime) -> Self {
        let ratio = article.p50 / article.estimate.max(1.0);
        if article.sample < 5 {
            Self::Unknown
        } else if ratio > 1.25 {
            Self::MuchSlower
        } else if ratio > 1.1 {
            Self::Slower
        } else if ratio < 0.8 {
            Self::Faster
        } else {
            Self::InLine
        }
    }

    fn tone(self) -> Tone {
        match self {
            Self::Unknown => Tone::Plain,
            Self::Faster => Tone::Info,
            Self::InLine => Tone::Good,
            Self::Slower => Tone::Warn,
            Self::MuchSlower => Tone::Bad,
        }
    }

    fn text(self, page: &Page) -> &'static str {
        match self {
            Self::Unknown => page.t("pocas mediciones", "few measurements"),
            Self::Faster => page.t("más rápido", "faster"),
            Self::InLine => page.t("acorde", "in line"),
            Self::Slower => page.t("tarda algo más", "takes a little longer"),
            Self::MuchSlower => page.t("tarda bastante más", "takes much longer"),
        }
    }
}

impl PanelPage {
    fn minutes(&self, value: Option<&f64>) -> String {
        value.map_or_else(|| "–".to_owned(), |minutes| self.page.minutes(minutes))
    }

    fn p90(&self, value: Option<&f64>) -> String {
        format!("p90 {}", self.minutes(value))
    }

    fn late_note(&self) -> String {
        let page = &self.page;
        format!("{} {}", page.number(self.figures.late as i64), page.t("pedidos", "orders"))
    }

    fn share(&self, value: Option<&f64>) -> String {
        value.map_or_else(|| "–".to_owned(), |share| self.page.percent(share))
    }

    fn late_tone(&self) -> Tone {
        match self.figures.late_rate {
            Some(rate) if rate >= 0.3 => Tone::Bad,
            Some(rate) if rate >= 0.1 => Tone::Warn,
            Some(_) | None => Tone::Plain,
        }
    }

    /// A day as people write it: `mar 17/11/2026` or `Tue 17 Nov 2026`.
    fn day(&self, iso: &str) -> String {
        let Ok(date) = iso.parse::<jiff::civil::Date>() else { return iso.to_owned() };
        let days = ["lun", "mar", "mié", "jue", "vie", "sáb", "dom"];
        match self.page.lang {
            Lang::En => date.strftime("%a %d %b %Y").to_string(),
            Lang::Es => {
                let day = days[usize::from(date.weekday().to_monday_zero_offset().unsigned_abs())];
                format!("{day} {}", date.strftime("%d/%m/%Y"))
            }
        }
    }

    fn told(&self) -> String {
        let page = &self.page;
        let orders = page.number(self.figures.orders as i64);
        let cancelled = page.number(self.figures.cancelled as i64);
        match page.lang {
            Lang::Es => {
                let span = match self.period.days() {
                    1 => "hoy".to_owned(),
                    days => format!("en los últimos {days} días"),
                };
                format!("{orders} pedidos {span}; {cancelled} cancelados aparte")
            }
            Lang::En => {
                let span = match self.period.days() {
                    1 => "today".to_owned(),
                    days => format!("in the last {days} days"),
                };
                format!("{orders} orders {span}; {cancelled} cancelled besides")
            }
        }
    }

    /// The same counts as the counter's board.
    fn now(&self) -> String {
        let OnBoard { received, scheduled, preparing, ready, left_open } = self.board;
        match self.page.lang {
            Lang::Es => {
                let many = |count: u32, word: &str| match count {
                    1 => format!("1 {word}"),
                    _ => format!("{count} {word}s"),
                };
                format!(
                    "En el tablero ahora: {}, {}, {preparing} en preparación, {}, {left_open} sin cerrar",
                    many(received, "recibido"),
                    many(scheduled, "programado"),
                    many(ready, "listo"),
                )
            }
            Lang::En => format!(
                "On the board now: {received} received, {scheduled} scheduled, {preparing} preparing, \
                 {ready} ready, {left_open} left open"
            ),
        }
    }

    #[allow(clippy::unused_self, reason = "templates call methods on self")]
    fn drift(&self, article: &ArticleTime) -> Drift {
        Drift::of(article)
    }

    fn use_chart(&self) -> Bars {
        let page = &self.page;
        let bars = self.hours.iter().map(|hour| {
            let share = if hour.capacity > 0.0 { hour.used / hour.capacity } else { 0.0 };
            Bar {
                label: format!("{:02}", hour.hour),
                value: share,
                text: format!(
                    "{} ({}/{})",
                    page.percent(share),
                    page.decimal(hour.used, 1),
                    page.decimal(hour.capacity, 1)
                ),
                tone: match share {
                    share if share >= 1.0 => Tone::Bad,
                    share if share >= 0.75 => Tone::Warn,
                    _ => Tone::Good,
                },
            }
        });
        let label = page.t("Uso de la cocina por hora", "Kitchen use by hour");
        Bars::new(label, Unit::Share, bars.collect()).limit(1.0, page.t("llena", "full"))
    }

    /// An hour says nothing about a kitchen.
    fn periods(&self) -> Vec<PeriodTab> {
        self.period.tabs(&[Period::Day, Period::Week, Period::Month], self.page.lang)
    }

    /// Where the same figures are found anew.
    fn address(&self) -> String {
        format!("{}?periodo={}", self.page.path, self.period.word())
    }

    fn ticket_chart(&self) -> Trend {
        let page = &self.page;
        let line = |(name, hours): &(String, Vec<Option<f64>>)| TrendLine {
            name: name.clone(),
            points: hours
                .iter()
                .map(|minutes| minutes.map(|minutes| (minutes, page.minutes(minutes))))
                .collect(),
        };
        let label = page.t(
            "Tiempo medio de la comanda por hora y estación",
            "Average ticket time by hour and station",
        );
        let hours = (0..24).map(|hour| format!("{hour:02}")).collect();
        Trend::new(label, Unit::Of("min"), hours, self.stations.iter().map(line).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn article(sample: u32, p50: f64) -> ArticleTime {
        ArticleTime { name: "Lomito".into(), sample, p50, p90: p50, estimate: 10.0 }
    }

    #[test]
    fn drift_needs_measurements_and_a_margin() {
        assert_eq!(Drift::of(&article(4, 30.0)), Drift::Unknown);
        assert_eq!(Drift::of(&article(5, 1.0)), Drift::Faster);
        assert_eq!(Drift::of(&article(5, 8.0)), Drift::InLine);
        assert_eq!(Drift::of(&article(5, 11.0)), Drift::InLine);
        assert_eq!(Drift::of(&article(5, 12.0)), Drift::Slower);
        assert_eq!(Drift::of(&article(5, 13.0)), Drift::MuchSlower);
    }
}
