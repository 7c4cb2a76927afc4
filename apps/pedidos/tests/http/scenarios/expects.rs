//! The expectations of a scenario, checked over HTTP.

use jiff::Timestamp;
use serde_json::Value as Json;
use testkit::story::{Outcome, Words, same};

use super::story::Tale;
use crate::shop::zone;

/// How a person of the shop would say it.
fn local(instant: Timestamp) -> String {
    zone().to_datetime(instant).strftime("%Y-%m-%d %H:%M:%S").to_string()
}

fn text(value: &Json) -> &str {
    value.as_str().unwrap_or("nothing")
}

impl Tale {
    pub(super) async fn expect(&mut self, words: &mut Words, under: &[String]) -> Outcome {
        let what = words.word("what")?;
        match what.as_str() {
            "capacity" => self.expect_capacity(words).await,
            "events" => self.expect_events(words, under).await,
            "why" => self.expect_why(words).await,
            "late" => self.expect_late(words).await,
            "ticket" => self.expect_ticket(words).await,
            "station" => self.expect_station(words).await,
            "no" => self.expect_no_ticket(words).await,
            "health" => self.expect_health(words).await,
            "stock" => self.expect_stock(words).await,
            "step" => self.expect_step(words).await,
            "audit" => self.expect_audit(words).await,
            "setting" => self.expect_setting(words).await,
            "orders" => self.expect_orders(words).await,
            "exceptions" => self.expect_exceptions(words).await,
            name => self.expect_order(name, words).await,
        }
    }

    async fn expect_order(&self, name: &str, words: &mut Words) -> Outcome {
        let order = self.order_named(name).await?;
        same("state", words.word("a state")?.as_str(), text(&order["estado"]))?;
        while let Some(word) = words.take() {
            match word.as_str() {
                "ALTA" | "NORMAL" => same("priority", word.as_str(), text(&order["prioridad"]))?,
                "started" => self.expect_instant(words, &word, &order["iniciado_en"])?,
                "finish" => {
                    self.expect_instant(words, &word, &order["hora_esperada_finalizacion"])?;
                }
                "planned" => {
                    self.expect_instant(words, &word, &order["hora_inicio_preparacion"])?;
                }
                "ready" => self.expect_instant(words, &word, &order["hora_listo"])?,
                "estimate" => {
                    let minutes = order["tiempo_estimado_preparacion"].as_i64();
                    same("estimate", words.number("minutes")?, minutes.unwrap_or(-1))?;
                }
                "level" => {
                    same("level", words.word("a level")?.as_str(), text(&order["nivel_atraso"]))?;
                }
                "late" => {
                    let minutes = order["minutos_atraso"].as_i64();
                    same("minutes late", words.number("minutes")?, minutes.unwrap_or(-1))?;
                }
                "expected" => {
                    let late = order["minutos_tarde_previstos"].as_i64();
                    if !words.takes("late") {
                        return Err("expected late MINUTES".into());
                    }
                    same("expected late", words.number("minutes")?, late.unwrap_or(0))?;
                }
                "held" => same("automatic", &Json::Bool(false), &order["transicion_automatica"])?,
                "automatic" => {
                    same("automatic", &Json::Bool(true), &order["transicion_automatica"])?;
                }
                "paid" => same("payment", "PAGADO", text(&order["estado_pago"]))?,
                other => return Err(format!("an order has no {other}")),
            }
        }
        Ok(())
    }

    fn expect_instant(&self, words: &mut Words, what: &str, got: &Json) -> Outcome {
        let got = match got.as_str() {
            Some(text) => local(text.parse().map_err(|_| format!("{text} is not an instant"))?),
            None => "never".to_owned(),
        };
        if words.takes("never") {
            return same(what, "never", &got);
        }
        same(what, &local(words.instant(self.date, &zone())?), &got)
    }

    async fn expect_capacity(&self, words: &mut Words) -> Outcome {
        let capacity = self.get("/pedidos/capacidad").await?;
        same("capacity", words.word("used/limit")?, used_of_limit(&capacity))?;
        while let Some(word) = words.take() {
            let full = &capacity["estaLlena"];
            match word.as_str() {
                "free" => {
                    let free = capacity["espaciosDisponibles"].as_i64();
                    same("free", words.number("places")?, free.unwrap_or(-1))?;
                }
                "full" => same("full", &Json::Bool(true), full)?,
                "room" => same("full", &Json::Bool(false), full)?,
                percent => same("use", percent, &format!("{}%", capacity["porcentajeUso"]))?,
            }
        }
        Ok(())
    }

    async fn expect_why(&self, words: &mut Words) -> Outcome {
        let name = words.word("the name of an order")?;
        let why = self.get(&format!("/pedidos/{}/why", self.id(&name)?)).await?;
        let codes: Vec<_> = why["reasons"]
            .as_array()
            .into_iter()
            .flatten()
            .map(|reason| text(&reason["code"]).to_owned())
            .collect();
        let told = why["reasons"].as_array().into_iter().flatten();
        if told.clone().any(|reason| text(&reason["detail"]).is_empty()) {
            return Err(format!("a reason without a sentence: {why}"));
        }
        if words.takes("nothing") {
            return same("reasons", "", &codes.join(" "));
        }
        same("reasons", words.all().join(" "), codes.join(" "))
    }

    async fn expect_late(&self, words: &mut Words) -> Outcome {
        let late = self.get("/pedidos/atrasados").await?;
        let mut names: Vec<_> =
            late.as_array().into_iter().flatten().map(|order| self.name(&order["id"])).collect();
        names.sort();
        if words.takes("nobody") {
            return same("late", "", &names.join(" "));
        }
        let mut expected = words.all();
        expected.sort();
        same("late", expected.join(" "), names.join(" "))
    }

    async fn expect_ticket(&mut self, words: &mut Words) -> Outcome {
        let name = words.word("the name of an order")?;
        let ticket = self.ticket_of(&name).await?;
        if ticket.is_null() {
            return Err(format!("{name} has no ticket"));
        }
        let lines: Vec<_> = ticket["lineas"].as_array().into_iter().flatten().collect();
        let in_state = |state: &str| {
            let found = lines.iter().filter(|line| line["estado"] == state);
            let names: Vec<_> = found
                .map(|line| format!("{} {}", line["cantidad"], text(&line["nombre"])))
                .collect();
            names.join(" , ")
        };
        while let Some(word) = words.take() {
            match word.as_str() {
                "lines" => same("lines", words.number("how many")?, lines.len() as i64)?,
                "revision" => {
                    let revision = ticket["revision"].as_i64();
                    same("revision", words.number("a revision")?, revision.unwrap_or(0))?;
                }
                "confirmed" => {
                    let seen = ticket["revision_confirmada"].as_i64();
                    same("confirmed", words.number("a revision")?, seen.unwrap_or(0))?;
                }
                "by" => same("by", words.word("whom")?.as_str(), text(&ticket["usuario_nombre"]))?,
                "pending" => same("pending", words.all().join(" "), in_state("PENDIENTE"))?,
                "done" => same("done", words.all().join(" "), in_state("LISTA"))?,
                "voided" => same("voided", words.all().join(" "), in_state("ANULADA"))?,
                other => return Err(format!("a ticket has no {other}")),
            }
        }
        Ok(())
    }

    /// `expect station Barra A 2 drink, B 1 drink`: what a station's screen is given.
    async fn expect_station(&self, words: &mut Words) -> Outcome {
        let station = words.word("a station")?;
        let tickets = self.get(&format!("/comandas?estacion={station}")).await?;
        let mut told = Vec::new();
        for ticket in tickets.as_array().into_iter().flatten() {
            for line in ticket["lineas"].as_array().into_iter().flatten() {
                let name = self.name(&ticket["pedido_id"]);
                let mark = if line["estado"] == "LISTA" { " done" } else { "" };
                told.push(format!("{name} {} {}{mark}", line["cantidad"], text(&line["nombre"])));
            }
        }
        if words.takes("nothing") {
            return same("lines", "", &told.join(" , "));
        }
        same("lines", words.all().join(" "), told.join(" , "))
    }

    async fn expect_no_ticket(&mut self, words: &mut Words) -> Outcome {
        if !words.takes("ticket") {
            return Err("expect no ticket NAME".into());
        }
        let name = words.word("the name of an order")?;
        match self.ticket_of(&name).await? {
            Json::Null => Ok(()),
            ticket => Err(format!("{name} has ticket {}", ticket["id"])),
        }
    }

    async fn expect_health(&self, words: &mut Words) -> Outcome {
        let health = self.shop.nobody().get("/health/worker").await.expect(200);
        same("health", words.word("a status")?.as_str(), text(&health["status"]))
    }

    async fn expect_stock(&self, words: &mut Words) -> Outcome {
        let dish = words.word("a dish")?;
        let article = self.menu.get(&dish).ok_or_else(|| format!("no {dish} on the menu"))?;
        let article = self.get(&format!("/articulos/{article}")).await?;
        let stock = article["stock_actual"].as_i64();
        same("stock", words.number("units")?, stock.unwrap_or(i64::MIN))
    }

    /// The last thing that happened to an order: state, cause, by whom, why.
    async fn expect_step(&self, words: &mut Words) -> Outcome {
        let name = words.word("the name of an order")?;
        let history = self.get(&format!("/pedidos/{}/historia", self.id(&name)?)).await?;
        let step = history.as_array().and_then(|steps| steps.last()).cloned().unwrap_or_default();
        same("state", words.word("a state")?.as_str(), text(&step["estado_nuevo"]))?;
        same("cause", words.word("a cause")?.as_str(), text(&step["causa"]))?;
        if words.takes("by") {
            same("by", words.word("whom")?.as_str(), text(&step["usuario"]))?;
        }
        if words.takes("because") {
            same("because", words.word("a reason")?.as_str(), text(&step["motivo"]))?;
        }
        Ok(())
    }

    /// The newest record of the audit.
    async fn expect_audit(&self, words: &mut Words) -> Outcome {
        let records = self.shop.nobody().get("/api/audit?app=pedidos&limit=1").await.expect(200);
        let record = &records["items"][0];
        same("action", words.word("an action")?.as_str(), text(&record["action"]))?;
        let name = words.word("the name of an order")?;
        same("about", format!("pedido/{}", self.id(&name)?), text(&record["subject"]).to_owned())?;
        if words.takes("by") {
            same("by", words.word("whom")?.as_str(), text(&record["actor"]))?;
        }
        if words.takes("because") {
            same("because", words.word("a reason")?.as_str(), text(&record["reason"]))?;
        }
        Ok(())
    }

    async fn expect_setting(&self, words: &mut Words) -> Outcome {
        let key = words.word("a key")?;
        let setting = self.get(&format!("/configuracion-sistema/{key}")).await?;
        let value = match &setting["valor"] {
            Json::String(word) => word.clone(),
            other => other.to_string(),
        };
        same("value", words.all().join(" "), value)
    }

    /// What earlier days left for a person to decide.
    async fn expect_exceptions(&self, words: &mut Words) -> Outcome {
        let board = self.get("/api/pedidos/tablero").await?;
        let left = board["excepciones"].as_array().into_iter().flatten();
        let mut names: Vec<_> = left.map(|order| self.name(&order["id"])).collect();
        names.sort();
        if words.takes("none") {
            return same("exceptions", "", &names.join(" "));
        }
        same("exceptions", words.all().join(" "), names.join(" "))
    }

    /// `expect orders of 2026-06-19 A B`: whose business day it is.
    async fn expect_orders(&self, words: &mut Words) -> Outcome {
        if !words.takes("of") {
            return Err("expect orders of DAY NAME…".into());
        }
        let day = words.word("a day")?;
        let found = self.get(&format!("/pedidos?dia={day}")).await?;
        let mut names: Vec<_> =
            found.as_array().into_iter().flatten().map(|order| self.name(&order["id"])).collect();
        names.sort();
        let mut expected = words.all();
        expected.sort();
        same("orders", expected.join(" "), names.join(" "))
    }
}

pub(super) fn used_of_limit(capacity: &Json) -> String {
    format!("{}/{}", capacity["pedidosEnPreparacion"], capacity["capacidadMaxima"])
}
