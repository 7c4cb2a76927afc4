//! *Artículos* of the menu in the database, and their stock.

use db::{Error, Row, Tx};

/// The longest page of the menu.
pub const LISTED: i64 = 1_000;

/// *Artículo* of the menu.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Article {
    pub id: i64,
    pub name: String,
    pub category: Option<String>,
    pub price_cents: i64,
    pub weight: i64,
    pub station: Option<String>,
    pub tracks_stock: bool,
    pub stock: i64,
    pub active: bool,
    pub version: i64,
}

/// By category and name, from after the article `after` on.
pub async fn page(tx: &mut Tx, after: Option<&Article>, limit: i64) -> Result<Vec<Article>, Error> {
    let sql = "SELECT * FROM articles
               WHERE $1 IS NULL OR (COALESCE(category, ''), name, id) > ($2, $3, $1)
               ORDER BY COALESCE(category, ''), name, id LIMIT $4";
    let category = after.and_then(|article| article.category.clone()).unwrap_or_default();
    let name = after.map(|article| article.name.clone()).unwrap_or_default();
    let id = after.map(|article| article.id);
    let args = [id.into(), category.into(), name.into(), limit.into()];
    tx.all(sql, &args).await?.iter().map(article).collect()
}

/// Everything on the menu by number and name.
pub async fn names(tx: &mut Tx) -> Result<Vec<(i64, String)>, Error> {
    let sql = "SELECT id, name FROM articles WHERE active = TRUE ORDER BY id";
    let rows = tx.all(sql, &[]).await?;
    rows.iter().map(|row| Ok((row.get("id")?, row.get("name")?))).collect()
}

pub async fn find(tx: &mut Tx, id: i64) -> Result<Option<Article>, Error> {
    let sql = "SELECT * FROM articles WHERE id = $1";
    tx.optional(sql, &[id.into()]).await?.map(|row| article(&row)).transpose()
}

/// Writes a new article; the number and version in `article` are ignored.
pub async fn insert(tx: &mut Tx, article: &Article) -> Result<i64, Error> {
    let sql = "INSERT INTO articles (name, category, price_cents, weight, station, tracks_stock,
               stock, active) VALUES ($1, $2, $3, $4, $5, $6, $7, $8) RETURNING id";
    tx.one(sql, &fields(article)).await?.get("id")
}

/// Replaces an article if it still has the version in `article`.
pub async fn update(tx: &mut Tx, article: &Article) -> Result<(), Error> {
    let sql = "UPDATE articles SET name = $1, category = $2, price_cents = $3, weight = $4,
               station = $5, tracks_stock = $6, stock = $7, active = $8, version = version + 1
               WHERE id = $9 AND version = $10";
    let mut args = fields(article).to_vec();
    args.extend([article.id.into(), article.version.into()]);
    tx.guarded("article", sql, &args).await
}

impl Default for Article {
    /// What the menu makes of an article that says nothing of itself.
    fn default() -> Self {
        Self {
            id: 0,
            name: String::new(),
            category: None,
            price_cents: 0,
            weight: 1,
            station: None,
            tracks_stock: false,
            stock: 0,
            active: true,
            version: 0,
        }
    }
}

fn fields(article: &Article) -> [db::Value; 8] {
    [
        article.name.as_str().into(),
        article.category.clone().into(),
        article.price_cents.into(),
        article.weight.into(),
        article.station.clone().into(),
        article.tracks_stock.into(),
        article.stock.into(),
        article.active.into(),
    ]
}

/// Takes units of articles that track stock; negative units give back. The version goes on with it: who
/// read the stock before the sale must not write it back.
pub async fn take(tx: &mut Tx, taken: &[(i64, i64)]) -> Result<(), Error> {
    for (article, units) in taken {
        let sql = "UPDATE articles SET stock = stock - $2, version = version + 1
                   WHERE id = $1 AND tracks_stock = TRUE";
        tx.execute(sql, &[(*article).into(), (*units).into()]).await?;
    }
    Ok(())
}

fn article(row: &Row) -> Result<Article, Error> {
    Ok(Article {
        id: row.get("id")?,
        name: row.get("name")?,
        category: row.maybe("category")?,
        price_cents: row.get("price_cents")?,
        weight: row.get("weight")?,
        station: row.maybe("station")?,
        tracks_stock: row.get("tracks_stock")?,
        stock: row.get("stock")?,
        active: row.get("active")?,
        version: row.get("version")?,
    })
}
