//! A shop's day: customers who order, cooks who bump, a counter that charges and hands over. Here over
//! HTTP and as fast as wanted (`turno sim pedidos`), in [`demo`] by the house's clock.

pub(crate) mod demo;

use std::{collections::HashMap, time::Duration};

use engine::Chance;
use jiff::{SignedDuration, Timestamp};
use reqwest::{Client, Method};
use serde_json::{Value as Json, json};

/// How the day goes.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// How many times faster than life the cooks work.
    pub speed: f64,
    pub orders_per_hour: f64,
    /// Stops after this long; runs until stopped when absent.
    pub duration: Option<Duration>,
}

impl Default for Options {
    fn default() -> Self {
        Self { speed: 20.0, orders_per_hour: 600.0, duration: None }
    }
}

const STEP: Duration = Duration::from_secs(1);

/// name, category, price, weight, station
const MENU: &[(&str, &str, f64, i64, &str)] = &[
    ("Hamburguesa clásica", "Hamburguesas", 8_900.0, 3, "Plancha"),
    ("Hamburguesa doble cheddar", "Hamburguesas", 11_500.0, 4, "Plancha"),
    ("Hamburguesa veggie", "Hamburguesas", 9_200.0, 3, "Plancha"),
    ("Lomo completo", "Sándwiches", 12_300.0, 4, "Plancha"),
    ("Milanesa al pan", "Sándwiches", 9_800.0, 3, "Freidora"),
    ("Papas con cheddar", "Guarniciones", 5_400.0, 2, "Freidora"),
    ("Papas clásicas", "Guarniciones", 3_900.0, 1, "Freidora"),
    ("Aros de cebolla", "Guarniciones", 4_600.0, 2, "Freidora"),
    ("Ensalada César", "Ensaladas", 7_300.0, 2, "Fríos"),
    ("Gaseosa 500 ml", "Bebidas", 2_100.0, 1, "Barra"),
    ("Agua con gas", "Bebidas", 1_700.0, 1, "Barra"),
    ("Flan con dulce de leche", "Postres", 3_800.0, 1, "Fríos"),
];

const NAMES: &[&str] =
    &["Ana", "Bruno", "Carla", "Diego", "Elena", "Franco", "Gabi", "Hugo", "Inés", "Julián"];
const STREETS: &[&str] = &["San Martín", "Belgrano", "Rivadavia", "Mitre", "Sarmiento"];

/// What people ask of a dish of this category.
fn notes(category: &str) -> &'static [&'static str] {
    match category {
        "Hamburguesas" | "Sándwiches" => &["sin cebolla", "bien cocida", "sin tomate"],
        "Guarniciones" => &["sin sal", "bien crocantes"],
        "Ensaladas" => &["aderezo aparte", "sin pollo"],
        "Bebidas" => &["sin hielo", "bien fría"],
        _ => &[],
    }
}

/// The dishes of a menu.
fn dishes(menu: &Json) -> Vec<Dish> {
    let dish = |known: &Json| {
        let category = known["categoria"].as_str().unwrap_or_default().to_owned();
        Some(Dish { id: known["id"].as_i64()?, category })
    };
    menu.as_array().into_iter().flatten().filter_map(dish).collect()
}

/// A dish of the menu, as customers ask for it.
struct Dish {
    id: i64,
    category: String,
}

/// Plays against the server at `url`.
pub async fn run(url: &str, options: Options) -> Result<(), String> {
    let shop = Shop {
        client: http_client::builder()
            .timeout(Duration::from_secs(10))
            .build()
            .map_err(|error| error.to_string())?,
        url: url.trim_end_matches('/').to_owned(),
        token: std::env::var("TURNO_TOKEN").ok(),
        options,
    };
    let menu = shop.menu().await?;
    let mut chance = Chance::new(Timestamp::now().as_microsecond() as u64);
    let mut cooking = HashMap::new();
    let began = tokio::time::Instant::now();
    let mut ticker = tokio::time::interval(STEP);
    let mut owed = 1.0;
    loop {
        ticker.tick().await;
        if options.duration.is_some_and(|limit| began.elapsed() >= limit) {
            return Ok(());
        }
        owed += options.orders_per_hour * STEP.as_secs_f64() / 3_600.0;
        while owed >= 1.0 {
            owed -= 0.6 + 0.8 * chance.unit();
            shop.order(&menu, &mut chance).await?;
        }
        let board = shop.get("/api/pedidos/tablero").await?;
        shop.work(&board, &mut cooking, &mut chance).await?;
    }
}

struct Shop {
    client: Client,
    url: String,
    token: Option<String>,
    options: Options,
}

impl Shop {
    async fn get(&self, path: &str) -> Result<Json, String> {
        self.call(Method::GET, path, None).await
    }

    /// A refusal is part of a shop's day: another person was quicker. Only silence is an error.
    async fn call(&self, method: Method, path: &str, body: Option<Json>) -> Result<Json, String> {
        let mut request = self.client.request(method, format!("{}{path}", self.url));
        if let Some(token) = &self.token {
            request = request.bearer_auth(token);
        }
        if let Some(body) = body {
            request = request.json(&body);
        }
        let answer = request.send().await.map_err(|error| format!("{path}: {error}"))?;
        if answer.status().as_u16() == 401 {
            return Err("the server wants a token: set TURNO_TOKEN".into());
        }
        Ok(answer.json().await.unwrap_or(Json::Null))
    }

    /// What is on the menu; a shop without a menu gets one.
    async fn menu(&self) -> Result<Vec<Dish>, String> {
        let known = self.get("/articulos").await?;
        if known.as_array().is_some_and(Vec::is_empty) {
            for (nombre, categoria, precio, peso, estacion) in MENU {
                let body = json!({ "nombre": nombre, "categoria": categoria, "precio": precio,
                                   "peso": peso, "estacion": estacion });
                self.call(Method::POST, "/articulos", Some(body)).await?;
            }
        }
        let dishes = dishes(&self.get("/articulos").await?);
        if dishes.is_empty() {
            Err("the menu is empty and could not be filled".into())
        } else {
            Ok(dishes)
        }
    }

    async fn order(&self, menu: &[Dish], chance: &mut Chance) -> Result<(), String> {
        let order = draw(menu, Timestamp::now(), chance);
        self.call(Method::POST, "/pedidos", Some(order)).await.map(drop)
    }

    /// Everyone does what is due: cooks finish, customers pay, the counter hands over.
    async fn work(
        &self,
        board: &Json,
        cooking: &mut HashMap<i64, f64>,
        chance: &mut Chance,
    ) -> Result<(), String> {
        let now: Timestamp = Timestamp::now();
        let mut live = Vec::new();
        for order in board["pedidos"].as_array().into_iter().flatten() {
            let Some(id) = order["id"].as_i64() else { continue };
            live.push(id);
            match order["estado"].as_str() {
                Some("EN_PREPARACION") => {
                    let pace = *cooking.entry(id).or_insert_with(|| 0.6 + 0.75 * chance.unit());
                    self.cook(id, order, pace, now).await?;
                }
                Some("LISTO") => self.hand_over(id, order, now).await?,
                Some("RECIBIDO") => self.wait(id, order, chance).await?,
                _ => {}
            }
        }
        cooking.retain(|id, _| live.contains(id));
        Ok(())
    }

    async fn cook(&self, id: i64, order: &Json, pace: f64, now: Timestamp) -> Result<(), String> {
        let minutes = order["tiempo_estimado_preparacion"].as_f64().unwrap_or(10.0);
        let needed = minutes * 60.0 * pace / self.options.speed;
        if age(order, "iniciado_en", now) < needed {
            return Ok(());
        }
        let body = json!({ "estado": "LISTO" });
        self.call(Method::PUT, &format!("/pedidos/{id}/estado"), Some(body)).await.map(drop)
    }

    async fn hand_over(&self, id: i64, order: &Json, now: Timestamp) -> Result<(), String> {
        if age(order, "hora_listo", now) < 120.0 / self.options.speed {
            return Ok(());
        }
        if order["estado_pago"] != "PAGADO" {
            let method = order["medio_pago"].as_str().unwrap_or("EFECTIVO");
            let body = json!({ "medio_pago": method });
            self.call(Method::POST, &format!("/pedidos/{id}/cobrar"), Some(body)).await?;
        }
        let body = json!({ "estado": "ENTREGADO" });
        self.call(Method::PUT, &format!("/pedidos/{id}/estado"), Some(body)).await.map(drop)
    }

    /// While it waits: the wallet pays some web orders, and now and then someone gives up.
    async fn wait(&self, id: i64, order: &Json, chance: &mut Chance) -> Result<(), String> {
        let (pays, gives_up) = (chance.percent(5.0), chance.percent(0.05));
        let unpaid = order["origen_pedido"] == "WEB" && order["estado_pago"] != "PAGADO";
        if unpaid && pays {
            let body = json!({ "medio_pago": "MERCADOPAGO", "estado_pago": "PAGADO" });
            self.call(Method::PUT, &format!("/pedidos/{id}/pago"), Some(body)).await?;
        } else if gives_up {
            let body = json!({ "motivo": "el cliente se arrepintió" });
            self.call(Method::POST, &format!("/pedidos/{id}/cancelar"), Some(body)).await?;
        }
        Ok(())
    }
}

fn age(order: &Json, field: &str, now: Timestamp) -> f64 {
    let since = order[field].as_str().and_then(|text| text.parse::<Timestamp>().ok());
    since.map_or(0.0, |since| now.duration_since(since).as_secs_f64())
}

/// A customer's order, drawn at random.
fn draw(menu: &[Dish], now: Timestamp, chance: &mut Chance) -> Json {
    let mut chosen: Vec<&Dish> = Vec::new();
    for _ in 0..chance.between(1, 3) {
        let dish = chance.pick(menu);
        if chosen.iter().all(|one| one.id != dish.id) {
            chosen.push(dish);
        }
    }
    let mut line = |dish: &Dish| {
        let wishes = notes(&dish.category);
        let note = (!wishes.is_empty() && chance.percent(20.0)).then(|| *chance.pick(wishes));
        json!({ "articulo_id": dish.id, "cantidad": chance.between(1, 2), "observaciones": note })
    };
    let lines: Vec<Json> = chosen.into_iter().map(&mut line).collect();
    let home = chance.percent(35.0);
    let address = home.then(|| format!("{} {}", chance.pick(STREETS), chance.between(10, 2900)));
    let web = chance.percent(20.0);
    let later = chance.percent(20.0).then(|| SignedDuration::from_mins(chance.between(12, 34)));
    let channels = ["MOSTRADOR", "MOSTRADOR", "TELEFONO", "WHATSAPP"];
    json!({
        "articulos": lines,
        "modalidad": if home { "DELIVERY" } else { "RETIRO" },
        "cliente_direccion": address,
        "origen_pedido": if web { "WEB" } else { chance.pick(&channels) },
        "medio_pago": if web { "MERCADOPAGO" } else { "EFECTIVO" },
        "horario_entrega": later.map(|later| (now + later).to_string()),
        "cliente_nombre": chance.pick(NAMES),
    })
}
