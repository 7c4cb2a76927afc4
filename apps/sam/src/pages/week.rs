//! A week of slots as a drawing: seven columns of a day, side by side what meets.

use std::borrow::Borrow;

use askama::{Template, filters::HtmlSafe};
use jiff::civil::Date;

use super::schedules::WEEKDAYS;

#[derive(Template, Clone, Debug)]
#[template(path = "week.html")]
pub struct Week {
    pub label: String,
    pub days: Vec<Day>,
}

#[derive(Clone, Debug)]
pub struct Day {
    pub title: String,
    pub today: bool,
    pub events: Vec<Event>,
}

/// A slot, or the part of it that lies on one day.
#[derive(Clone, Debug)]
pub struct Event {
    /// Minutes of the day.
    pub from: i64,
    pub to: i64,
    pub time: String,
    pub name: String,
    pub title: String,
    pub href: String,
    pub lane: usize,
    pub lanes: usize,
}

const LEFT: f64 = 44.0;
const COLUMN: f64 = 150.0;
const HEAD: f64 = 26.0;
const HOUR: f64 = 30.0;
/// Minutes: shorter slots are drawn as long, so that their name can be read.
const SHORTEST: i64 = 34;

impl Week {
    pub fn title(page: &web::Page, date: Date) -> String {
        let (_, es, en) =
            WEEKDAYS[usize::from(date.weekday().to_monday_zero_offset().unsigned_abs())];
        format!("{} {}", page.t(es, en), date.strftime("%d/%m"))
    }

    fn width(&self) -> f64 {
        LEFT + COLUMN * self.days.len() as f64
    }

    fn height() -> f64 {
        HEAD + HOUR * 24.0 + 2.0
    }

    fn hours() -> Vec<(String, String)> {
        let every = (0..24).step_by(2);
        every
            .map(|hour| (format!("{:.0}", HEAD + HOUR * f64::from(hour)), format!("{hour:02}:00")))
            .collect()
    }

    fn column(index: impl Borrow<usize>) -> String {
        format!("{:.0}", LEFT + COLUMN * *index.borrow() as f64)
    }

    fn x(day: impl Borrow<usize>, event: &Event) -> String {
        let wide = (COLUMN - 6.0) / event.lanes.max(1) as f64;
        format!("{:.1}", LEFT + COLUMN * *day.borrow() as f64 + 3.0 + wide * event.lane as f64)
    }

    fn wide(event: &Event) -> String {
        format!("{:.1}", ((COLUMN - 6.0) / event.lanes.max(1) as f64 - 2.0).max(3.0))
    }

    fn y(event: &Event) -> String {
        format!("{:.1}", HEAD + HOUR * event.from as f64 / 60.0)
    }

    fn text_y(event: &Event) -> String {
        format!("{:.1}", HEAD + HOUR * event.from as f64 / 60.0 + 12.0)
    }

    fn tall(event: &Event) -> String {
        let minutes = (event.to - event.from).max(SHORTEST).min(1440 - event.from);
        format!("{:.1}", HOUR * minutes as f64 / 60.0)
    }

    /// As much of its name as fits in its lane.
    fn short(event: &Event) -> String {
        let room = (22 / event.lanes.max(1)).saturating_sub(1);
        let whole = format!("{} {}", event.time, event.name);
        if whole.chars().count() <= room + 1 {
            return whole;
        }
        whole.chars().take(room).chain(['…']).collect()
    }
}

impl Day {
    /// Puts what meets side by side.
    pub fn arrange(&mut self) {
        self.events.sort_by(|a, b| (a.from, a.to, &a.name).cmp(&(b.from, b.to, &b.name)));
        let mut at = 0;
        while at < self.events.len() {
            let mut ends: Vec<i64> = Vec::new();
            let mut last = at;
            let mut reach = i64::MIN;
            while let Some(event) = self.events.get_mut(last) {
                if last > at && event.from >= reach {
                    break;
                }
                let end = event.to.max(event.from + SHORTEST);
                let free = ends.iter().position(|end| *end <= event.from);
                let lane = free.unwrap_or(ends.len());
                if lane == ends.len() {
                    ends.push(end);
                } else {
                    ends[lane] = end;
                }
                event.lane = lane;
                reach = reach.max(end);
                last += 1;
            }
            for event in &mut self.events[at..last] {
                event.lanes = ends.len();
            }
            at = last;
        }
    }
}

impl HtmlSafe for Week {}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(from: i64, to: i64) -> Event {
        Event {
            from,
            to,
            time: "09:00".to_owned(),
            name: format!("<b>{from}"),
            title: String::new(),
            href: String::new(),
            lane: 0,
            lanes: 0,
        }
    }

    #[test]
    fn what_meets_stands_side_by_side_and_nothing_else_does() {
        let events = vec![event(600, 660), event(540, 620), event(630, 700), event(900, 905)];
        let mut day = Day { title: "lun".to_owned(), today: true, events };
        day.arrange();
        let lanes: Vec<_> = day.events.iter().map(|one| (one.from, one.lane, one.lanes)).collect();
        assert_eq!(lanes, [(540, 0, 2), (600, 1, 2), (630, 0, 2), (900, 0, 1)]);
        let week = Week { label: "Semana".to_owned(), days: vec![day] };
        assert!(!week.render().unwrap().contains("<b>"));
    }
}
