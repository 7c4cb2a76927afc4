//! The steps of a scenario that are requests.

use jiff::Timestamp;
use reqwest::Method;
use serde_json::{Value as Json, json};
use testkit::{
    Answer,
    story::{Outcome, Words},
};

use super::story::Tale;
use crate::shop::{Who, plain, zone};

/// A request that is ready to go, and who sends it; nobody is the house itself.
#[derive(Clone, Debug)]
pub(super) struct Ask {
    pub(super) who: Option<Who>,
    pub(super) method: Method,
    pub(super) path: String,
    pub(super) body: Option<Json>,
    pub(super) key: Option<String>,
    /// The order that this creates, under its name in the story.
    pub(super) creates: Option<String>,
}

impl Ask {
    fn put(path: String, body: Json) -> Self {
        Self::new(Method::PUT, path, Some(body))
    }

    fn post(path: String, body: Option<Json>) -> Self {
        Self::new(Method::POST, path, body)
    }

    fn new(method: Method, path: String, body: Option<Json>) -> Self {
        Self { who: None, method, path, body, key: None, creates: None }
    }

    fn by(self, who: Who) -> Self {
        Self { who: Some(who), ..self }
    }

    pub(super) async fn send(&self, story: &Tale) -> Answer {
        let client = match self.who {
            Some(who) => story.shop.client(who),
            None => story.shop.nobody(),
        };
        let mut request = client.request(self.method.clone(), &self.path);
        if let Some(body) = &self.body {
            request = request.json(body);
        }
        if let Some(key) = &self.key {
            request = request.header("idempotency-key", key);
        }
        Answer::of(request, &format!("{} {}", self.method, self.path)).await
    }
}

impl Tale {
    /// The request a line stands for; `None` when the line is not about a request.
    pub(super) fn ask(&self, words: &mut Words) -> Outcome<Option<Ask>> {
        let named = words.peek().and_then(Who::named);
        if named.is_some() {
            words.take();
        }
        let Some(verb) = words.peek().map(str::to_owned) else { return Ok(None) };
        let usual = match verb.as_str() {
            "capacity" | "setting" | "menu" | "force" | "rule" | "pause" | "resume" => Who::Manager,
            "ready" | "bump" | "finish" | "undo" | "confirm" => Who::Kitchen,
            _ => Who::Cashier,
        };
        let mut line = words.clone();
        line.take();
        let ask = match verb.as_str() {
            "at" => Some(clock_to(line.instant(self.date, &zone())?)),
            "capacity" => {
                let value = json!(line.number("a capacity")?);
                Some(setting("MAX_PEDIDOS_EN_PREPARACION", &value))
            }
            "setting" => {
                let key = line.word("a key")?;
                let value = line.all().join(" ");
                let typed = serde_json::from_str(&value).unwrap_or_else(|_| json!(value));
                Some(setting(&key, &typed))
            }
            "menu" => Some(menu(&mut line)?),
            "rule" => Some(rule(&mut line)?),
            "pause" => Some(pause(&mut line)?),
            "resume" => Some(Ask::post("/api/pedidos/automatizacion/reanudar".into(), None)),
            "order" => Some(self.order(&mut line)?),
            "repeat" => Some(self.repeat(&mut line)?),
            _ => self.command(&verb, &mut line)?,
        };
        let Some(ask) = ask else { return Ok(None) };
        line.end()?;
        words.all();
        let by_the_house = verb == "at";
        Ok(Some(if by_the_house { ask } else { ask.by(named.unwrap_or(usual)) }))
    }

    /// What is done to an order that exists.
    fn command(&self, verb: &str, line: &mut Words) -> Outcome<Option<Ask>> {
        let known = [
            "start",
            "state",
            "ready",
            "deliver",
            "force",
            "cancel",
            "hold",
            "release",
            "reschedule",
            "charge",
            "payment",
            "edit",
            "bump",
            "finish",
            "undo",
            "confirm",
        ];
        if !known.contains(&verb) {
            return Ok(None);
        }
        let name = line.word("the name of an order")?;
        let path = |end: &str| self.id(&name).map(|id| format!("/pedidos/{id}/{end}"));
        let ticket = |end: &str| self.ticket(&name).map(|id| format!("/comandas/{id}/{end}"));
        Ok(Some(match verb {
            "start" => Ask::post(path("iniciar-preparacion-manual")?, None),
            "state" => Ask::put(path("estado")?, json!({ "estado": line.word("a state")? })),
            "ready" => Ask::put(path("estado")?, json!({ "estado": "LISTO" })),
            "deliver" => Ask::put(path("estado")?, json!({ "estado": "ENTREGADO" })),
            "force" => {
                let state = line.word("a state")?;
                let mut body = because(line)?;
                body["estado"] = json!(state);
                Ask::post(path("forzar-estado")?, Some(body))
            }
            "cancel" => Ask::post(path("cancelar")?, Some(because(line)?)),
            "hold" => Ask::post(path("retener")?, Some(because(line)?)),
            "release" => Ask::post(path("liberar")?, None),
            "reschedule" => {
                let due = self.due(line)?;
                let insists = line.takes("insisting");
                let body = json!({ "horario_entrega": due, "insistir": insists });
                Ask::put(path("horario-entrega")?, body)
            }
            "charge" => {
                let method = line.word("a method")?;
                Ask::post(path("cobrar")?, Some(json!({ "medio_pago": method })))
            }
            "payment" => {
                let method = line.word("a method")?;
                let state = line.word("a payment state")?;
                let body = json!({ "medio_pago": method, "estado_pago": state });
                Ask::put(path("pago")?, body)
            }
            "edit" => {
                if !line.takes("items") {
                    return Err("edit NAME items …".into());
                }
                let body = json!({ "articulos": self.items(line)? });
                Ask::put(format!("/pedidos/{}", self.id(&name)?), body)
            }
            "bump" => {
                let n = line.number("a line of the ticket")?;
                Ask::post(ticket(&format!("lineas/{n}/lista"))?, None)
            }
            "finish" => Ask::post(ticket("lista")?, station(line)?),
            "undo" => Ask::post(ticket("deshacer")?, station(line)?),
            _ => Ask::post(ticket("confirmar")?, None),
        }))
    }

    fn order(&self, line: &mut Words) -> Outcome<Ask> {
        let name = line.word("a name for the order")?;
        let due = self.due(line)?;
        let mut body = plain(10);
        let mut key = None;
        while let Some(word) = line.take() {
            match word.as_str() {
                "takes" => body["articulos"] = plain(line.number("minutes")?)["articulos"].take(),
                "effort" => {
                    body["articulos"][0]["cantidad"] = json!(line.number("effort points")?);
                }
                "items" => body["articulos"] = self.items(line)?,
                "held" => body["transicion_automatica"] = json!(false),
                "from" => body["origen_pedido"] = json!(line.word("a channel")?),
                "paying" => body["medio_pago"] = json!(line.word("a method")?),
                "key" => key = Some(line.word("a key")?),
                "delivery" => {
                    body["modalidad"] = json!("DELIVERY");
                    body["cliente_direccion"] = json!("Belgrano 321");
                }
                "insisting" => body["insistir"] = json!(true),
                "collect" => body["pago_contra_entrega"] = json!(true),
                other => return Err(format!("an order is not described by {other}")),
            }
        }
        body["horario_entrega"] = json!(due);
        let mut ask = Ask::post("/pedidos".into(), Some(body));
        ask.key = key;
        ask.creates = Some(name);
        Ok(ask)
    }

    /// The same request once more.
    fn repeat(&self, line: &mut Words) -> Outcome<Ask> {
        let name = line.word("the name of an order")?;
        let sent = self.sent.get(&name).ok_or_else(|| format!("{name} was not ordered yet"))?;
        Ok(sent.clone())
    }

    fn due(&self, line: &mut Words) -> Outcome<Option<Timestamp>> {
        if line.takes("now") {
            Ok(None)
        } else if line.takes("for") {
            line.instant(self.date, &zone()).map(Some)
        } else {
            Err("say now, or for and a time".into())
        }
    }

    /// `2 burger, 1 drink`, of what is on the menu.
    fn items(&self, line: &mut Words) -> Outcome<Json> {
        let mut items = Vec::new();
        loop {
            let quantity = line.number("how many")?;
            let dish = line.word("of what")?;
            let article = self.menu.get(&dish).ok_or_else(|| format!("no {dish} on the menu"))?;
            items.push(json!({ "articulo_id": article, "cantidad": quantity }));
            if !line.takes(",") {
                return Ok(json!(items));
            }
        }
    }
}

fn clock_to(instant: Timestamp) -> Ask {
    Ask::post("/debug/clock".into(), Some(json!({ "now": instant })))
}

fn setting(key: &str, value: &Json) -> Ask {
    Ask::put(format!("/configuracion-sistema/{key}"), json!({ "valor": value }))
}

fn menu(line: &mut Words) -> Outcome<Ask> {
    let name = line.word("the name of a dish")?;
    let mut body = json!({ "nombre": name, "precio": 1_000 });
    while let Some(word) = line.take() {
        match word.as_str() {
            "weight" => body["peso"] = json!(line.number("a weight")?),
            "station" => body["estacion"] = json!(line.word("a station")?),
            "stock" => {
                body["controla_stock"] = json!(true);
                body["stock_actual"] = json!(line.number("units")?);
            }
            other => return Err(format!("a dish is not described by {other}")),
        }
    }
    Ok(Ask::post("/articulos".into(), Some(body)))
}

/// `rule Friday 19:00 02:00 capacity 10`, or `daily`.
fn rule(line: &mut Words) -> Outcome<Ask> {
    let days = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
    let day = line.word("a day")?;
    let weekday = days.iter().position(|known| *known == day);
    if weekday.is_none() && day != "daily" {
        return Err(format!("{day} is no day"));
    }
    let (from, to) = (line.word("from")?, line.word("to")?);
    if !line.takes("capacity") {
        return Err("rule DAY FROM TO capacity N".into());
    }
    let capacity = line.number("a capacity")?;
    let mut body =
        json!({ "dia_semana": weekday, "desde": from, "hasta": to, "capacidad": capacity });
    if line.takes("staff") {
        body["personal"] = json!(line.number("people")?);
    }
    Ok(Ask::post("/capacidad-horarios".into(), Some(body)))
}

/// `finish A at Barra`; without a station, whoever sees the whole.
fn station(line: &mut Words) -> Outcome<Option<Json>> {
    if !line.takes("at") {
        return Ok(None);
    }
    Ok(Some(json!({ "estacion": line.word("a station")? })))
}

/// `pause 20 because "…"`; without minutes, until someone resumes.
fn pause(line: &mut Words) -> Outcome<Ask> {
    let minutes = if line.peek() == Some("because") { None } else { Some(line.number("minutes")?) };
    let mut body = because(line)?;
    body["minutos"] = json!(minutes);
    Ok(Ask::post("/api/pedidos/automatizacion/pausar".into(), Some(body)))
}

fn because(line: &mut Words) -> Outcome<Json> {
    if !line.takes("because") {
        return Ok(json!({}));
    }
    Ok(json!({ "motivo": line.word("a reason")? }))
}
