//! The stages of a flow as a drawing: boxes in order, joins narrower, people on a dotted branch.

use askama::{Template, filters::HtmlSafe};
use web::Tone;

/// A drawing, with the same words in a list for those who hear the page.
#[derive(Template, Clone, Debug)]
#[template(path = "flow.html")]
pub struct Flow {
    label: String,
    people: String,
    steps: Vec<Placed>,
    width: u32,
    height: u32,
}

/// One stage.
#[derive(Clone, Debug)]
pub struct Step {
    pub title: String,
    /// The number people look for: `3/4`.
    pub count: String,
    pub note: String,
    /// What its workflow calls it.
    pub name: String,
    pub tone: Tone,
    pub join: bool,
    /// How many wait for people here; absent: nothing of this stage goes to people.
    pub people: Option<i64>,
}

#[derive(Clone, Debug)]
struct Placed {
    step: Step,
    x: u32,
    width: u32,
}

const WIDE: u32 = 128;
const NARROW: u32 = 120;
const GAP: u32 = 22;
const ROW: u32 = 96;
const BRANCH: u32 = 74;

impl Flow {
    pub fn new(label: impl Into<String>, people: impl Into<String>, steps: Vec<Step>) -> Self {
        let branches = steps.iter().any(|step| step.people.is_some());
        let mut x = 2;
        let place = |step: Step| {
            let width = if step.join { NARROW } else { WIDE };
            let placed = Placed { step, x, width };
            x += width + GAP;
            placed
        };
        let steps: Vec<Placed> = steps.into_iter().map(place).collect();
        let height = ROW + if branches { BRANCH } else { 0 };
        let width = (x + 2).saturating_sub(GAP);
        Self { label: label.into(), people: people.into(), steps, width, height }
    }

    /// A little larger than its own units, where there is room.
    const fn natural(&self) -> u32 {
        self.width * 21 / 20
    }
}

impl Placed {
    const fn middle(&self) -> u32 {
        self.x + self.width / 2
    }

    fn waiting(&self) -> bool {
        self.step.people.is_some_and(|waiting| waiting > 0)
    }
}

impl HtmlSafe for Flow {}

#[cfg(test)]
mod tests {
    use super::*;

    fn step(people: Option<i64>) -> Step {
        Step {
            title: "Lectura <b>".to_owned(),
            count: "3/4".to_owned(),
            note: String::new(),
            name: "ocr".to_owned(),
            tone: Tone::Info,
            join: false,
            people,
        }
    }

    #[test]
    fn boxes_follow_each_other_and_only_people_need_a_branch() {
        let flow = Flow::new("Etapas", "Personas", vec![step(None), step(None)]);
        assert_eq!((flow.height, flow.width), (ROW, 2 * WIDE + GAP + 4));
        assert_eq!(flow.steps[1].x, 2 + WIDE + GAP);
        let flow = Flow::new("Etapas", "Personas", vec![step(Some(2))]);
        assert_eq!(flow.height, ROW + BRANCH);
        let html = flow.render().unwrap();
        assert!(html.contains("3/4") && html.contains("Personas") && !html.contains("<b>"));
    }
}
