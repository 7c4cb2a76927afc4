//! What every page is given: language, theme, frame, clock, and how to write values.

use std::borrow::Borrow;

use jiff::tz::TimeZone;
use jiff::{Timestamp, Zoned};

use crate::assets::KIT;
use crate::{Lang, Theme};

/// The context of a page. Templates name it `page` and extend `layout.html` or `bare.html`.
#[derive(Clone, Debug)]
pub struct Page {
    pub lang: Lang,
    pub theme: Theme,
    pub title: String,
    /// Path and query of this request: marks the rail, and brings people back here.
    pub path: String,
    pub nav: Vec<NavGroup>,
    pub who: Who,
    pub notices: Vec<Notice>,
    pub now: Timestamp,
    pub zone: TimeZone,
    pub version: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NavGroup {
    pub title: String,
    /// A symbol of `icons.svg`.
    pub icon: &'static str,
    pub items: Vec<NavItem>,
    /// The module with the steps of the application's first look, if it has one.
    pub tour: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NavItem {
    pub href: String,
    pub label: String,
    /// Pressed after `g`.
    pub hotkey: Option<char>,
    /// A symbol of `icons.svg`.
    pub icon: &'static str,
    pub mark: Option<Mark>,
}

/// What waits behind an entry of the rail: how many, how bad, and both in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mark {
    pub count: i64,
    pub tone: Tone,
    pub text: String,
}

impl NavItem {
    pub fn new(
        href: impl Into<String>,
        label: impl Into<String>,
        icon: &'static str,
        hotkey: Option<char>,
    ) -> Self {
        Self { href: href.into(), label: label.into(), hotkey, icon, mark: None }
    }
}

/// The person at the screen. `open` when the process asks nobody for a password.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Who {
    pub name: String,
    pub role: String,
    pub open: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notice {
    pub kind: Tone,
    pub text: String,
}

/// The meaning of a colour. Always shown with a word or a sign as well.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tone {
    #[default]
    Plain,
    Info,
    Good,
    Warn,
    Bad,
}

impl Tone {
    pub fn class(self) -> &'static str {
        match self {
            Self::Plain => "plain",
            Self::Info => "info",
            Self::Good => "good",
            Self::Warn => "warn",
            Self::Bad => "bad",
        }
    }

    pub fn icon(self) -> &'static str {
        match self {
            Self::Plain => "dot",
            Self::Info => "info",
            Self::Good => "check",
            Self::Warn => "warning",
            Self::Bad => "alert",
        }
    }
}

/// Amounts and instants are taken by value or by reference: templates pass references.
impl Page {
    pub fn new(lang: Lang, theme: Theme, now: Timestamp, zone: TimeZone) -> Self {
        Self {
            lang,
            theme,
            title: String::new(),
            path: "/".to_owned(),
            nav: Vec::new(),
            who: Who::default(),
            notices: Vec::new(),
            now,
            zone,
            version: String::new(),
        }
    }

    pub fn t<'a>(&self, es: &'a str, en: &'a str) -> &'a str {
        self.lang.t(es, en)
    }

    /// The address of a file of the kit.
    pub fn kit(&self, file: &str) -> String {
        KIT.url(file)
    }

    /// Whether the page lives under this item of the rail, and under none that is closer.
    pub fn at(&self, href: &str) -> bool {
        let path = self.path.split('?').next().unwrap_or_default();
        let under = |href: &str| {
            let child = path.strip_prefix(href).is_some_and(|rest| rest.starts_with('/'));
            path == href || (href.len() > 1 && child)
        };
        let items = self.nav.iter().flat_map(|group| &group.items);
        under(href) && !items.into_iter().any(|one| one.href.len() > href.len() && under(&one.href))
    }

    /// The groups of applications: all but the last, which is the house's own.
    pub fn apps(&self) -> &[NavGroup] {
        self.nav.split_last().map_or(&[], |(_, apps)| apps)
    }

    /// The application this page belongs to: the one under whose pages it is, or the only one there
    /// is. The house's pages belong to none.
    pub fn app(&self) -> Option<&NavGroup> {
        let here = |group: &&NavGroup| group.items.iter().any(|item| self.at(&item.href));
        match self.apps() {
            [only] => Some(only),
            apps => apps.iter().find(here),
        }
    }

    pub fn tour(&self) -> Option<&str> {
        self.app()?.tour.as_deref()
    }

    pub fn is_app(&self, group: &NavGroup) -> bool {
        self.app().is_some_and(|app| app == group)
    }

    /// Whether the rail shows this group: the application's one is at, and the house's own.
    pub fn shows(&self, group: &NavGroup) -> bool {
        self.is_app(group) || self.nav.last().is_some_and(|own| own == group)
    }

    pub fn app_icon(&self) -> &'static str {
        self.app().map_or("list", |app| app.icon)
    }

    /// What a phone shows at its lower edge, beside the menu: the first pages of the application one
    /// is at, or the first page of each.
    pub fn tabs(&self) -> Vec<NavItem> {
        const TABS: usize = 4;
        if let Some(app) = self.app() {
            return app.items.iter().take(TABS).cloned().collect();
        }
        let first = |group: &NavGroup| {
            let item = group.items.first()?;
            let (label, icon) = (group.title.clone(), group.icon);
            Some(NavItem { label, icon, ..item.clone() })
        };
        self.apps().iter().filter_map(first).take(TABS).collect()
    }

    pub fn other_lang(&self) -> Lang {
        match self.lang {
            Lang::Es => Lang::En,
            Lang::En => Lang::Es,
        }
    }

    /// Where the language switch leads.
    pub fn switch_lang(&self) -> String {
        format!("/preferencias?lang={}&back={}", self.other_lang().code(), self.back())
    }

    /// Where the colour switch leads.
    pub fn switch_theme(&self) -> String {
        format!("/preferencias?theme={}&back={}", self.theme.next().code(), self.back())
    }

    /// This page's address, as the value of a query parameter.
    fn back(&self) -> String {
        askama::filters::urlencode_strict(&self.path)
            .map_or_else(|_| "%2F".to_owned(), |text| text.to_string())
    }

    pub fn zone_name(&self) -> &str {
        self.zone.iana_name().unwrap_or("UTC")
    }

    fn local(&self, at: Timestamp) -> Zoned {
        at.to_zoned(self.zone.clone())
    }

    /// `18:04`
    pub fn clock(&self, at: impl Borrow<Timestamp>) -> String {
        self.local(*at.borrow()).strftime("%H:%M").to_string()
    }

    /// `15/11/2026 18:04` or `15 Nov 2026 18:04`: never a date that reads two ways.
    pub fn stamp(&self, at: impl Borrow<Timestamp>) -> String {
        let format = self.lang.t("%d/%m/%Y %H:%M", "%d %b %Y %H:%M");
        self.local(*at.borrow()).strftime(format).to_string()
    }

    /// `hace 3 min`, `in 2 h`: the largest unit that fits.
    pub fn ago(&self, at: impl Borrow<Timestamp>) -> String {
        let seconds = self.now.as_second() - at.borrow().as_second();
        let amount = span(self.lang, seconds.unsigned_abs());
        match (self.lang, seconds) {
            (Lang::Es, -29..=29) => "ahora".to_owned(),
            (Lang::En, -29..=29) => "now".to_owned(),
            (Lang::Es, 30..) => format!("hace {amount}"),
            (Lang::En, 30..) => format!("{amount} ago"),
            (Lang::Es, _) => format!("en {amount}"),
            (Lang::En, _) => format!("in {amount}"),
        }
    }

    /// `12.500` or `12,500`
    pub fn number(&self, value: impl Borrow<i64>) -> String {
        let value = *value.borrow();
        grouped(&value.unsigned_abs().to_string(), value < 0, self.lang.t(".", ","))
    }

    /// `12,5` or `12.5`, with the given number of decimals.
    pub fn decimal(&self, value: impl Borrow<f64>, decimals: usize) -> String {
        let value = *value.borrow();
        let text = format!("{:.decimals$}", value.abs());
        let (whole, fraction) = text.split_once('.').unwrap_or((&text, ""));
        let negative = value < 0.0 && text.bytes().any(|byte| (b'1'..=b'9').contains(&byte));
        let mut out = grouped(whole, negative, self.lang.t(".", ","));
        if !fraction.is_empty() {
            out.push_str(self.lang.t(",", "."));
            out.push_str(fraction);
        }
        out
    }

    /// Cents to `$ 12.500` or `$12,500.50`; whole amounts without decimals.
    pub fn money(&self, cents: impl Borrow<i64>) -> String {
        let cents = *cents.borrow();
        let whole =
            grouped(&(cents.unsigned_abs() / 100).to_string(), cents < 0, self.lang.t(".", ","));
        let sign = self.lang.t("$\u{a0}", "$");
        match cents.unsigned_abs() % 100 {
            0 => format!("{sign}{whole}"),
            rest => format!("{sign}{whole}{}{rest:02}", self.lang.t(",", ".")),
        }
    }

    /// `75 %`, from a ratio of 0.75.
    pub fn percent(&self, ratio: impl Borrow<f64>) -> String {
        format!("{}\u{a0}%", self.number((ratio.borrow() * 100.0).round() as i64))
    }

    /// Minutes as people say them: `8 min`, `1 h 20 min`.
    pub fn minutes(&self, minutes: impl Borrow<f64>) -> String {
        let whole = minutes.borrow().round() as i64;
        if whole < 60 {
            return format!("{whole}\u{a0}min");
        }
        match whole % 60 {
            0 => format!("{}\u{a0}h", whole / 60),
            rest => format!("{}\u{a0}h {rest}\u{a0}min", whole / 60),
        }
    }
}

fn span(lang: Lang, seconds: u64) -> String {
    match seconds {
        0..=59 => format!("{seconds} s"),
        60..=3_599 => format!("{} min", seconds / 60),
        3_600..=86_399 => format!("{} h", seconds / 3_600),
        _ => {
            let days = seconds / 86_400;
            let unit = if days == 1 { lang.t("día", "day") } else { lang.t("días", "days") };
            format!("{days} {unit}")
        }
    }
}

fn grouped(digits: &str, negative: bool, separator: &str) -> String {
    let mut out = String::with_capacity(digits.len() * 4 / 3 + 1);
    if negative {
        out.push('\u{2212}');
    }
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            out.push_str(separator);
        }
        out.push(digit);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(lang: Lang) -> Page {
        let zone = TimeZone::get("America/Argentina/Buenos_Aires").unwrap();
        Page::new(lang, Theme::System, "2026-11-15T21:04:00Z".parse().unwrap(), zone)
    }

    #[test]
    fn numbers_follow_the_language() {
        let (es, en) = (page(Lang::Es), page(Lang::En));
        assert_eq!(es.number(1_234_567), "1.234.567");
        assert_eq!(en.number(-12_500), "\u{2212}12,500");
        assert_eq!(es.number(999), "999");
        assert_eq!(es.money(1_250_000), "$\u{a0}12.500");
        assert_eq!(en.money(1_250_050), "$12,500.50");
        assert_eq!(es.decimal(0.75, 1), "0,8");
        assert_eq!(en.decimal(-0.04, 1), "0.0");
        assert_eq!(es.percent(1.125), "113\u{a0}%");
        assert_eq!(es.minutes(80.0), "1\u{a0}h 20\u{a0}min");
    }

    #[test]
    fn times_are_local_and_unambiguous() {
        let (es, en) = (page(Lang::Es), page(Lang::En));
        assert_eq!(es.clock(es.now), "18:04");
        assert_eq!(es.stamp(es.now), "15/11/2026 18:04");
        assert_eq!(en.stamp(en.now), "15 Nov 2026 18:04");
        let earlier: Timestamp = "2026-11-15T21:00:30Z".parse().unwrap();
        let later: Timestamp = "2026-11-16T00:04:00Z".parse().unwrap();
        assert_eq!(es.ago(earlier), "hace 3 min");
        assert_eq!(en.ago(later), "in 3 h");
        assert_eq!(es.ago(es.now), "ahora");
    }

    #[test]
    fn the_rail_marks_the_page_and_its_children() {
        let mut page = page(Lang::Es);
        page.path = "/pedidos-panel/5?x=1".to_owned();
        assert!(page.at("/pedidos-panel"));
        assert!(!page.at("/pedidos"));
        assert!(!page.at("/"));
        assert_eq!(page.switch_lang(), "/preferencias?lang=en&back=%2Fpedidos-panel%2F5%3Fx%3D1");
    }
}
