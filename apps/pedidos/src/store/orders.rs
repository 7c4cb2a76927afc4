//! *Pedidos* and their lines in the database.

use db::{Dialect, Error, Row, Tx};
use engine::Word as _;
use jiff::{SignedDuration, Timestamp};

use crate::{
    model::{
        Channel, Customer, Due, Intake, Line, Mode, Order, OrderId, OrderState, PaymentMethod,
        PaymentState,
    },
    rules::learning::Dish,
};

/// The longest page of a list. Where a list is longer, whoever shows it says so or asks on.
pub const LISTED: i64 = 2_000;

/// The part of a list that is wanted: so many, of those with a lower number than `before`.
#[derive(Clone, Copy, Debug)]
pub struct Page {
    pub before: Option<i64>,
    pub limit: i64,
}

impl Page {
    pub const FIRST: Self = Self { before: None, limit: LISTED };
}

pub async fn find(tx: &mut Tx, id: OrderId) -> Result<Option<Order>, Error> {
    let sql = "SELECT * FROM orders WHERE id = $1";
    tx.optional(sql, &[id.0.into()]).await?.map(|row| order(&row)).transpose()
}

/// Oldest first. Of more than a page the newest: what was forgotten long ago must not hide them.
pub async fn in_state(tx: &mut Tx, state: OrderState) -> Result<Vec<Order>, Error> {
    let mut found = newest_in(tx, state, Page::FIRST).await?;
    found.sort_by_key(|order| (order.received_at, order.id));
    Ok(found)
}

/// Newest first.
pub async fn newest_in(tx: &mut Tx, state: OrderState, page: Page) -> Result<Vec<Order>, Error> {
    let sql = "SELECT * FROM orders WHERE state = $1 AND ($2 IS NULL OR id < $2)
               ORDER BY id DESC LIMIT $3";
    list(&tx.all(sql, &[state.word().into(), page.before.into(), page.limit.into()]).await?)
}

/// Received or promised in `[from, to)`, newest first.
pub async fn between(
    tx: &mut Tx,
    from: Timestamp,
    to: Timestamp,
    state: Option<OrderState>,
    page: Page,
) -> Result<Vec<Order>, Error> {
    let sql = "SELECT * FROM orders WHERE COALESCE(due_at, received_at) >= $1
               AND COALESCE(due_at, received_at) < $2 AND ($3 IS NULL OR state = $3)
               AND ($4 IS NULL OR id < $4) ORDER BY id DESC LIMIT $5";
    let state = state.map(OrderState::word).into();
    let args = [from.into(), to.into(), state, page.before.into(), page.limit.into()];
    list(&tx.all(sql, &args).await?)
}

/// Hears them one after another, newest first, `most` at the most; and says whether that was all.
pub async fn each_between(
    tx: &mut Tx,
    from: Timestamp,
    to: Timestamp,
    most: u32,
    mut hear: impl FnMut(&Order),
) -> Result<bool, Error> {
    let sql = "SELECT * FROM orders WHERE COALESCE(due_at, received_at) >= $1
               AND COALESCE(due_at, received_at) < $2 ORDER BY id DESC LIMIT $3";
    let args = [from.into(), to.into(), (i64::from(most) + 1).into()];
    let mut heard = 0;
    tx.for_each(sql, &args, |row| {
        heard += 1;
        if heard <= most {
            hear(&order(row)?);
        }
        Ok(())
    })
    .await?;
    Ok(heard <= most)
}

/// A line that was cooked: what it was, and how long its order took.
#[derive(Debug)]
pub struct Cooked {
    pub order: OrderId,
    pub started: Timestamp,
    pub station: Option<String>,
    pub dish: Dish,
    pub name: String,
    pub weight: i64,
    pub minutes: f64,
}

/// Hears what was cooked in these days, a line at a time; lines of one order come in a row.
pub async fn each_cooked(
    tx: &mut Tx,
    from: Timestamp,
    to: Timestamp,
    most: u32,
    mut hear: impl FnMut(Cooked),
) -> Result<(), Error> {
    let sql = "SELECT o.id, o.started_at, o.ready_at, l.article_id, l.name, l.weight, l.station
               FROM (SELECT id, started_at, ready_at FROM orders
                 WHERE COALESCE(due_at, received_at) >= $1 AND COALESCE(due_at, received_at) < $2
                 AND started_at IS NOT NULL AND ready_at IS NOT NULL
                 ORDER BY id DESC LIMIT $3) AS o
               JOIN order_lines l ON l.order_id = o.id ORDER BY o.id";
    tx.for_each(sql, &[from.into(), to.into(), i64::from(most).into()], |row| {
        let (started, ready): (Timestamp, Timestamp) =
            (row.get("started_at")?, row.get("ready_at")?);
        let name: String = row.get("name")?;
        hear(Cooked {
            order: OrderId(row.get("id")?),
            started,
            station: row.maybe("station")?,
            dish: Dish::named(row.maybe("article_id")?, &name),
            weight: row.get("weight")?,
            minutes: ready.duration_since(started).as_secs_f64() / 60.0,
            name,
        });
        Ok(())
    })
    .await
}

/// What screens show without being asked: all that is open, and what ended since `since`.
pub async fn open_or_recent(
    tx: &mut Tx,
    since: Timestamp,
    page: Page,
) -> Result<Vec<Order>, Error> {
    let sql = "SELECT * FROM orders WHERE (state IN ('RECIBIDO', 'EN_PREPARACION', 'LISTO')
               OR (state = 'ENTREGADO' AND delivered_at >= $1)
               OR (state = 'CANCELADO' AND cancelled_at >= $1))
               AND ($2 IS NULL OR id < $2) ORDER BY id DESC LIMIT $3";
    list(&tx.all(sql, &[since.into(), page.before.into(), page.limit.into()]).await?)
}

/// The open ones, oldest first, and how many there are: a board that cannot show all says so.
pub async fn open(tx: &mut Tx) -> Result<(Vec<Order>, i64), Error> {
    let sql = "SELECT * FROM orders WHERE state IN ('RECIBIDO', 'EN_PREPARACION', 'LISTO')
               ORDER BY received_at, id LIMIT $1";
    let found = list(&tx.all(sql, &[LISTED.into()]).await?)?;
    let sql = "SELECT COUNT(*) AS n FROM orders
               WHERE state IN ('RECIBIDO', 'EN_PREPARACION', 'LISTO')";
    Ok((found, tx.one(sql, &[]).await?.get("n")?))
}

/// Orders that may be late: an instant they are measured by has passed. Of more than a page the
/// newest, since leftovers of earlier days are told elsewhere.
pub async fn overdue(tx: &mut Tx, now: Timestamp) -> Result<Vec<Order>, Error> {
    let sql = "SELECT * FROM orders WHERE state = 'EN_PREPARACION' AND expected_finish < $1
               UNION SELECT * FROM orders WHERE state IN ('RECIBIDO', 'EN_PREPARACION', 'LISTO')
               AND due_at < $1 ORDER BY id DESC LIMIT $2";
    list(&tx.all(sql, &[now.into(), LISTED.into()]).await?)
}

/// Just after the next deadline that would make an order late.
pub async fn next_deadline(tx: &mut Tx, now: Timestamp) -> Result<Option<Timestamp>, Error> {
    let sql = "SELECT MIN(at) AS at FROM (
                 SELECT MIN(expected_finish) AS at FROM orders
                 WHERE state = 'EN_PREPARACION' AND expected_finish >= $1
                 UNION ALL SELECT MIN(due_at) AS at FROM orders
                 WHERE state IN ('RECIBIDO', 'EN_PREPARACION', 'LISTO') AND due_at >= $1) AS t";
    let deadline: Option<Timestamp> = tx.one(sql, &[now.into()]).await?.maybe("at")?;
    Ok(deadline.map(|at| at + SignedDuration::from_millis(1)))
}

pub async fn lines(tx: &mut Tx, id: OrderId) -> Result<Vec<Line>, Error> {
    let sql = "SELECT * FROM order_lines WHERE order_id = $1 ORDER BY n";
    tx.all(sql, &[id.0.into()]).await?.iter().map(line).collect()
}

/// The lines of many orders at once, keyed by order.
pub async fn lines_of(
    tx: &mut Tx,
    orders: &[Order],
) -> Result<std::collections::HashMap<OrderId, Vec<Line>>, Error> {
    let mut found = std::collections::HashMap::new();
    // The functions that open a JSON array have other names. One statement for any number of orders
    // is prepared once.
    let sql = match tx.dialect() {
        Dialect::Sqlite => {
            "SELECT * FROM order_lines WHERE order_id IN (SELECT value FROM json_each($1))
             ORDER BY order_id, n"
        }
        Dialect::Postgres => {
            "SELECT * FROM order_lines WHERE order_id IN
             (SELECT value::bigint FROM jsonb_array_elements_text($1)) ORDER BY order_id, n"
        }
    };
    for chunk in orders.chunks(500) {
        let ids: Vec<i64> = chunk.iter().map(|order| order.id.0).collect();
        for row in tx.all(sql, &[serde_json::json!(ids).into()]).await? {
            found.entry(OrderId(row.get("order_id")?)).or_insert_with(Vec::new).push(line(&row)?);
        }
    }
    Ok(found)
}

/// Writes a new order and gives it its number: the one after the last that stands, so that an order
/// that is not written in the end takes none with it. The number in `order` is ignored.
pub async fn insert(
    tx: &mut Tx,
    order: &Order,
    lines: &[Line],
    created_by: &str,
) -> Result<OrderId, Error> {
    let sql = "INSERT INTO orders (id, state, received_at, due_at, estimate_minutes, planned_start,
               automatic, mode, channel, payment_method, payment_state, cash_on_delivery, effort,
               total_cents, customer_name, customer_phone, customer_address, customer_email, note,
               created_by)
               VALUES ((SELECT COALESCE(MAX(id), 0) + 1 FROM orders), $1, $2, $3, $4, $5, $6, $7,
               $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19) RETURNING id";
    let args = [
        order.state.word().into(),
        order.received_at.into(),
        order.due.instant().into(),
        order.estimate_minutes.into(),
        order.planned_start.into(),
        order.intake.is_automatic().into(),
        order.mode.word().into(),
        order.channel.word().into(),
        order.payment_method.map(PaymentMethod::word).into(),
        order.payment_state.word().into(),
        order.cash_on_delivery.into(),
        order.effort.into(),
        order.total_cents.into(),
        order.customer.name.clone().into(),
        order.customer.phone.clone().into(),
        order.customer.address.clone().into(),
        order.customer.email.clone().into(),
        order.note.clone().into(),
        created_by.into(),
    ];
    let id = OrderId(tx.one(sql, &args).await?.get("id")?);
    insert_lines(tx, id, lines).await?;
    Ok(id)
}

pub async fn insert_lines(tx: &mut Tx, id: OrderId, lines: &[Line]) -> Result<(), Error> {
    let sql = "INSERT INTO order_lines (order_id, n, article_id, name, weight, quantity,
               price_cents, note, extras, station)
               VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)";
    for line in lines {
        let args = [
            id.0.into(),
            line.n.into(),
            line.article.into(),
            line.name.as_str().into(),
            line.weight.into(),
            line.quantity.into(),
            line.price_cents.into(),
            line.note.clone().into(),
            line.extras.clone().into(),
            line.station.clone().into(),
        ];
        tx.execute(sql, &args).await?;
    }
    Ok(())
}

fn list(rows: &[Row]) -> Result<Vec<Order>, Error> {
    rows.iter().map(order).collect()
}

pub fn order(row: &Row) -> Result<Order, Error> {
    let method: Option<String> = row.maybe("payment_method")?;
    let unknown = || Error::corrupt("payment_method");
    Ok(Order {
        id: OrderId(row.get("id")?),
        state: row.word("state", OrderState::from_word)?,
        received_at: row.get("received_at")?,
        due: Due::from_instant(row.maybe("due_at")?),
        estimate_minutes: row.get("estimate_minutes")?,
        planned_start: row.maybe("planned_start")?,
        started_at: row.maybe("started_at")?,
        expected_finish: row.maybe("expected_finish")?,
        ready_at: row.maybe("ready_at")?,
        delivered_at: row.maybe("delivered_at")?,
        cancelled_at: row.maybe("cancelled_at")?,
        intake: Intake::from_flag(row.get("automatic")?),
        mode: row.word("mode", Mode::from_word)?,
        channel: row.word("channel", Channel::from_word)?,
        payment_method: method
            .map(|word| PaymentMethod::from_word(&word).ok_or_else(unknown))
            .transpose()?,
        payment_state: row.word("payment_state", PaymentState::from_word)?,
        cash_on_delivery: row.get("cash_on_delivery")?,
        effort: row.get("effort")?,
        total_cents: row.get("total_cents")?,
        customer: Customer {
            name: row.maybe("customer_name")?,
            phone: row.maybe("customer_phone")?,
            address: row.maybe("customer_address")?,
            email: row.maybe("customer_email")?,
        },
        note: row.maybe("note")?,
        version: row.get("version")?,
        stock_restored: row.get("stock_restored")?,
        hold_reason: row.maybe("hold_reason")?,
        cancel_reason: row.maybe("cancel_reason")?,
    })
}

fn line(row: &Row) -> Result<Line, Error> {
    Ok(Line {
        n: row.get("n")?,
        article: row.maybe("article_id")?,
        name: row.get("name")?,
        weight: row.get("weight")?,
        quantity: row.get("quantity")?,
        price_cents: row.get("price_cents")?,
        note: row.maybe("note")?,
        extras: row.maybe("extras")?,
        station: row.maybe("station")?,
    })
}
