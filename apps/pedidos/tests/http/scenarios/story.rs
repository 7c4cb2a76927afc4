//! Telling a story: one line after the other, each must hold.

use std::collections::BTreeMap;

use db::{Dialect, Scope, trusted};
use jiff::{Timestamp, civil::Date, tz::TimeZone};
use serde_json::{Value as Json, json};
use testkit::{
    TestDb,
    story::{Outcome, Step, Story, Words},
};

use super::asks::Ask;
use crate::{
    shop::{Shop, Who, zone},
    stream::Stream,
};

pub(super) struct Tale {
    pub(super) shop: Shop,
    /// The day that times of the story belong to.
    pub(super) date: Date,
    /// Number of each order, by its name in the story.
    pub(super) orders: BTreeMap<String, i64>,
    /// Number of each ticket, by the number of its order.
    pub(super) tickets: BTreeMap<i64, i64>,
    pub(super) menu: BTreeMap<String, i64>,
    pub(super) sent: BTreeMap<String, Ask>,
    pub(super) screen: Stream,
}

impl Story for Tale {
    fn zone() -> TimeZone {
        zone()
    }

    async fn open(db: &TestDb, at: Timestamp) -> Self {
        let shop = Shop::open(db, at).await;
        let screen = Stream::open(&shop.client(Who::Manager), 0).await;
        Self {
            shop,
            date: Date::MIN,
            orders: BTreeMap::new(),
            tickets: BTreeMap::new(),
            menu: BTreeMap::new(),
            sent: BTreeMap::new(),
            screen,
        }
    }

    async fn at(&mut self, instant: Timestamp) -> Outcome {
        self.shop.nobody().at(&instant.to_string()).await;
        Ok(())
    }

    async fn line(&mut self, mut step: Step) -> Outcome {
        self.date = step.today;
        if let Some(ask) = self.ask(&mut step.words)? {
            let answer = ask.send(self).await;
            let body = step.answered(&answer)?;
            return self.learn(&ask, &body);
        }
        let verb = step.words.word("a verb")?;
        match verb.as_str() {
            "tick" => {
                let some = step.words.peek().is_some();
                let times = if some { step.words.number("how many")? } else { 1 };
                self.shop.nobody().advance(times * 30).await;
            }
            "kitchen" => self.fill(&mut step.words).await?,
            "together" => self.together(&step).await?,
            "restart" => self.restart().await,
            "break" if step.words.takes("tickets") => self.tickets_fail(true).await,
            "mend" if step.words.takes("tickets") => self.tickets_fail(false).await,
            "expect" => self.expect(&mut step.words, &step.under).await?,
            other => return Err(format!("nobody knows how to {other}")),
        }
        step.words.end()
    }

    async fn close(self) {}
}

impl Tale {
    pub(super) fn id(&self, name: &str) -> Outcome<i64> {
        self.orders.get(name).copied().ok_or_else(|| format!("there is no order {name} yet"))
    }

    pub(super) fn ticket(&self, name: &str) -> Outcome<i64> {
        let order = self.id(name)?;
        let ticket = self.tickets.get(&order).copied();
        ticket.ok_or_else(|| format!("expect a ticket of {name} first, so that it has a number"))
    }

    /// What a screen calls an order by, as the story does.
    pub(super) fn name(&self, id: &Json) -> String {
        let named = self.orders.iter().find(|(_, known)| id == **known);
        named.map_or_else(|| format!("order {id}"), |(name, _)| name.clone())
    }

    /// Keeps the numbers that the shop gave to what the story names.
    fn learn(&mut self, ask: &Ask, answer: &Json) -> Outcome {
        if answer.is_null() {
            return Ok(());
        }
        if let Some(name) = &ask.creates {
            let id = answer["id"].as_i64().ok_or("the order got no number")?;
            let known = self.orders.insert(name.clone(), id);
            if known.is_some_and(|known| known != id) {
                return Err(format!("{name} became another order: {known:?}, then {id}"));
            }
            self.sent.insert(name.clone(), ask.clone());
        } else if ask.path == "/articulos" {
            let name = answer["nombre"].as_str().unwrap_or_default().to_owned();
            self.menu.insert(name, answer["id"].as_i64().unwrap_or_default());
        }
        Ok(())
    }

    /// `kitchen 7`: that many orders K1, K2… that take long and cook now.
    async fn fill(&mut self, words: &mut Words) -> Outcome {
        let count = words.number("how many orders")?;
        let minutes = if words.takes("takes") { words.number("minutes")? } else { 60 };
        for n in 1..=count {
            let order = self.shop.order(minutes).await;
            if order["estado"] != "EN_PREPARACION" {
                return Err(format!("K{n} did not enter: {}", order["estado"]));
            }
            self.orders.insert(format!("K{n}"), order["id"].as_i64().unwrap_or_default());
        }
        Ok(())
    }

    /// Everything under the line happens at once, in any order.
    async fn together(&mut self, step: &Step) -> Outcome {
        let mut asks = Vec::new();
        for mut part in step.parts()? {
            let ask = self.ask(&mut part.words)?;
            asks.push((ask.ok_or("this cannot be done together")?, part));
        }
        let sending = asks.iter().map(|(ask, _)| ask.send(self));
        let answers = futures::future::join_all(sending).await;
        for ((ask, part), answer) in asks.iter().zip(&answers) {
            let learnt = part.answered(answer).and_then(|body| self.learn(ask, &body));
            learnt.map_err(|reason| format!("{} {}: {reason}", ask.method, ask.path))?;
        }
        Ok(())
    }

    async fn restart(&mut self) {
        let seen = self.screen.seen;
        self.shop.restart().await;
        self.screen = Stream::open(&self.shop.client(Who::Manager), seen).await;
    }

    /// Makes the database refuse new tickets, in the middle of an admission.
    async fn tickets_fail(&self, fail: bool) {
        let store = self.shop.store();
        let statements: &[&str] = match (store.dialect(), fail) {
            (Dialect::Sqlite, true) => &["CREATE TRIGGER no_tickets BEFORE INSERT ON tickets
                  BEGIN SELECT RAISE(ABORT, 'no paper'); END"],
            (Dialect::Sqlite, false) => &["DROP TRIGGER no_tickets"],
            (Dialect::Postgres, true) => &[
                "CREATE FUNCTION no_paper() RETURNS trigger LANGUAGE plpgsql
                 AS $$ BEGIN RAISE EXCEPTION 'no paper'; END $$",
                "CREATE TRIGGER no_tickets BEFORE INSERT ON tickets
                 FOR EACH ROW EXECUTE FUNCTION no_paper()",
            ],
            (Dialect::Postgres, false) => {
                &["DROP TRIGGER no_tickets ON tickets", "DROP FUNCTION no_paper"]
            }
        };
        let now = self.shop.context().clock.now();
        let mut decision = store.decide(&Scope::new("test"), now).await.unwrap();
        for sql in statements {
            decision.tx.execute(trusted((*sql).to_owned()), &[]).await.unwrap();
        }
        decision.commit().await.unwrap();
    }

    pub(super) async fn get(&self, path: &str) -> Outcome<Json> {
        let answer = self.shop.client(Who::Manager).get(path).await;
        match answer.status {
            200 => Ok(answer.json()),
            status => Err(format!("GET {path}: {status} {}", answer.text)),
        }
    }

    pub(super) async fn order_named(&self, name: &str) -> Outcome<Json> {
        self.get(&format!("/pedidos/{}", self.id(name)?)).await
    }

    /// The ticket of an order, or null.
    pub(super) async fn ticket_of(&mut self, name: &str) -> Outcome<Json> {
        let id = self.id(name)?;
        let state = self.order_named(name).await?["estado"].clone();
        let path = format!("/comandas?estado={}", state.as_str().unwrap_or_default());
        let tickets = self.get(&path).await?;
        let mut mine = tickets.as_array().into_iter().flatten().filter(|t| t["pedido_id"] == id);
        let Some(ticket) = mine.next().cloned() else { return Ok(json!(null)) };
        if mine.next().is_some() {
            return Err(format!("{name} has two tickets"));
        }
        self.tickets.insert(id, ticket["id"].as_i64().unwrap_or_default());
        Ok(ticket)
    }
}
