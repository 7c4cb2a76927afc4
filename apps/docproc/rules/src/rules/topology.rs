//! Which exchanges, queues and keys the broker has (§5), from the workflows that are in force.

use std::collections::{BTreeMap, BTreeSet};

use engine::Word as _;

use super::workflow::Workflow;
use crate::model::Component;

pub const DIRECT: &str = "doc.direct";
pub const BACKOFFICE: &str = "doc.backoffice";
pub const DEAD: &str = "doc.dlx";

/// Where every request is sent first.
pub const NEW_REQUEST: &str = "request.new";
/// Where components outside answer.
pub const STAGE_RESULT: &str = "stage.result";
pub const STAGE_RESULTS: &str = "q.stage_results";
pub const DEAD_LETTERS: &str = "q.dead_letters";
const ROUTER: &str = "workflow_router";
const TASKS: [&str; 2] = ["task.classification", "task.extraction"];

/// A queue, and what leads to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Queue {
    pub name: String,
    pub exchange: &'static str,
    pub keys: BTreeSet<String>,
}

/// Everything there is beside the queue of dead letters, which takes from [`DEAD`] whatever comes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Topology {
    pub queues: BTreeMap<String, Queue>,
    /// Keys that a workflow wants for one queue although they lead to another.
    pub disputed: Vec<Dispute>,
}

/// A key can lead to one queue only: a message would be done twice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dispute {
    pub workflow: String,
    pub stage: String,
    pub key: String,
    pub leads_to: String,
}

/// The queue of a component.
pub fn queue_of(component: &str) -> String {
    format!("q.{component}")
}

/// The queue of a key for people: `task.extraction` is `q.backoffice.extraction`.
pub fn people_queue(key: &str) -> String {
    format!("q.backoffice.{}", key.strip_prefix("task.").unwrap_or(key))
}

/// The seed's queues and those that workflows add: a key of their own, a component of their own, a
/// team of their own. What is shipped comes first, so that no workflow can take its keys away.
pub fn topology<'a>(workflows: impl IntoIterator<Item = &'a Workflow>) -> Topology {
    let mut found = Topology::default();
    let ours = [(NEW_REQUEST, queue_of(ROUTER)), (STAGE_RESULT, STAGE_RESULTS.to_owned())];
    let shipped = Component::ALL.iter().filter(|one| **one != Component::Outside);
    let stages = shipped.map(|one| (one.routing_key(), queue_of(one.word())));
    for (key, queue) in ours.into_iter().chain(stages) {
        found.bind(DIRECT, key, queue);
    }
    for key in TASKS {
        found.bind(BACKOFFICE, key, people_queue(key));
    }
    for workflow in workflows {
        for stage in &workflow.stages {
            let queue = queue_of(stage.component_name());
            if let Some(leads_to) = found.bind(DIRECT, &stage.routing_key, queue) {
                found.disputed.push(Dispute {
                    workflow: workflow.name.clone(),
                    stage: stage.name.clone(),
                    key: stage.routing_key.clone(),
                    leads_to,
                });
            }
            if let Some(key) = &stage.backoffice_queue {
                found.bind(BACKOFFICE, key, people_queue(key));
            }
        }
    }
    found
}

impl Topology {
    /// Lets a key lead to a queue, unless it leads to another one already: that is answered.
    fn bind(&mut self, exchange: &'static str, key: &str, name: String) -> Option<String> {
        let taken = |queue: &&Queue| queue.exchange == exchange && queue.keys.contains(key);
        if let Some(other) = self.queues.values().find(taken) {
            return (other.name != name).then(|| other.name.clone());
        }
        let empty = Queue { name: name.clone(), exchange, keys: BTreeSet::new() };
        self.queues.entry(name).or_insert(empty).keys.insert(key.to_owned());
        None
    }

    /// The key under which a message reaches the queue of its component: the one its stage asks
    /// for, if it leads there.
    pub fn key<'a>(&'a self, component: &str, wanted: &'a str) -> Option<&'a str> {
        let queue = self.queues.get(&queue_of(component))?;
        if queue.keys.contains(wanted) {
            return Some(wanted);
        }
        queue.keys.first().map(String::as_str)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::rules::workflow::{DEFAULT, INVOICES, parse};

    fn shipped() -> Vec<Workflow> {
        [DEFAULT, INVOICES].map(|source| parse(source).unwrap()).into()
    }

    #[test]
    fn the_seeds_queues_are_there_by_their_names_and_keys() {
        let topology = topology(&shipped());
        let lines = "request.new q.workflow_router; request.split q.splitter; page.ocr q.ocr;
            page.classify q.classifier; page.classified q.classification_aggregator;
            doc.extract q.extractor; doc.extracted q.extraction_aggregator;
            request.consolidate q.consolidator; stage.result q.stage_results";
        for line in lines.split(';') {
            let (key, queue) = line.trim().split_once(' ').unwrap();
            let found = &topology.queues[queue];
            assert_eq!((found.exchange, found.keys.contains(key)), (DIRECT, true), "{line}");
        }
        for word in ["classification", "extraction"] {
            let found = &topology.queues[&format!("q.backoffice.{word}")];
            assert_eq!(found.exchange, BACKOFFICE);
            assert!(found.keys.contains(&format!("task.{word}")));
        }
        assert_eq!(topology.disputed, []);
    }

    #[test]
    fn a_workflow_adds_keys_and_teams_and_takes_none_away() {
        let own = DEFAULT
            .replace("name: default", "name: propio")
            .replace("routing_key: page.ocr", "routing_key: page.ocr.rapido")
            .replace("task.extraction", "task.hipotecas");
        // Each file is right by itself; the first one has the key.
        let other = DEFAULT
            .replace("name: default", "name: otro")
            .replace("routing_key: doc.extract\n", "routing_key: page.ocr.rapido\n");
        let (own, other) = (parse(&own).unwrap(), parse(&other).unwrap());
        let topology = topology([&own, &other]);
        assert_eq!(topology.key("ocr", "page.ocr.rapido"), Some("page.ocr.rapido"));
        assert_eq!(topology.key("ocr", "page.ocr"), Some("page.ocr"));
        assert!(topology.queues.contains_key("q.backoffice.hipotecas"));
        let [dispute] = topology.disputed.as_slice() else { panic!("{:?}", topology.disputed) };
        assert_eq!((dispute.stage.as_str(), dispute.leads_to.as_str()), ("extract", "q.ocr"));
        assert_eq!(topology.key("extractor", "page.ocr.rapido"), Some("doc.extract"));
    }

    proptest! {
        #[test]
        fn a_key_leads_to_one_queue(keys in prop::collection::vec("[a-c]\\.[a-c]", 2..12)) {
            let mut workflow = parse(DEFAULT).unwrap();
            for (stage, key) in workflow.stages.iter_mut().zip(keys) {
                stage.routing_key = key;
            }
            let topology = topology([&workflow]);
            let mut seen = BTreeSet::new();
            for queue in topology.queues.values() {
                for key in &queue.keys {
                    prop_assert!(seen.insert((queue.exchange, key.clone())), "{key} twice");
                }
            }
            for stage in &workflow.stages {
                let component = stage.component_name();
                let key = topology.key(component, &stage.routing_key).unwrap();
                prop_assert!(topology.queues[&queue_of(component)].keys.contains(key));
            }
        }
    }
}
