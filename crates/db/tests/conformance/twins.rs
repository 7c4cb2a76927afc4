//! Migrations exist twice; this says where the two schemas differ.
//!
//! The file stands on its own, so that other crates check their lines with it:
//! `#[path = "../../store/tests/conformance/twins.rs"] mod twins;`

use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
};

use db::{Line, Row, Store, Tx};
use jiff::Timestamp;

#[derive(Debug, Default, PartialEq, Eq)]
struct Table {
    /// Name to neutral type and whether it may be absent.
    columns: BTreeMap<String, Column>,
    indexes: BTreeSet<Index>,
    /// `column -> table.column`
    references: BTreeSet<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Column {
    kind: String,
    nullable: bool,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Index {
    unique: bool,
    partial: bool,
    columns: Vec<String>,
}

type Schema = BTreeMap<String, Table>;

/// Panics with every difference between the two dialects of these lines.
pub(crate) async fn assert_twins(lines: &[Line]) {
    let found = differences(lines).await.unwrap_or_default();
    assert!(found.is_empty(), "the twins differ:\n{}", found.join("\n"));
}

/// One sentence per difference; `None` when there is no server to ask, which is said aloud.
pub(crate) async fn differences(lines: &[Line]) -> Option<Vec<String>> {
    let url = testkit::fresh_database().await?;
    let file = format!("twins-{}-{}.db", std::process::id(), lines.first()?.name);
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(file);
    let _ = std::fs::remove_file(&path);
    let sqlite = schema(&format!("sqlite://{}", path.display()), lines).await;
    let postgres = schema(&url, lines).await;
    std::fs::remove_file(&path).expect("the file is ours");
    Some(compare(&sqlite, &postgres))
}

fn compare(sqlite: &Schema, postgres: &Schema) -> Vec<String> {
    let mut found = Vec::new();
    let names: BTreeSet<_> = sqlite.keys().chain(postgres.keys()).collect();
    for name in names {
        let (Some(one), Some(two)) = (sqlite.get(name), postgres.get(name)) else {
            found.push(format!("{name} exists in one dialect only"));
            continue;
        };
        let columns: BTreeSet<_> = one.columns.keys().chain(two.columns.keys()).collect();
        for column in columns {
            match (one.columns.get(column), two.columns.get(column)) {
                (Some(a), Some(b)) if a.nullable == b.nullable && pairs(&a.kind, &b.kind) => {}
                (a, b) => found.push(format!("{name}.{column}: {a:?} and {b:?}")),
            }
        }
        for index in one.indexes.symmetric_difference(&two.indexes) {
            found.push(format!("{name}: {index:?} exists in one dialect only"));
        }
        for reference in one.references.symmetric_difference(&two.references) {
            found.push(format!("{name}: {reference} exists in one dialect only"));
        }
    }
    found
}

/// Types that hold the same values.
fn pairs(sqlite: &str, postgres: &str) -> bool {
    match sqlite {
        "INTEGER" => ["bigint", "timestamp with time zone", "boolean"].contains(&postgres),
        "TEXT" => ["text", "jsonb"].contains(&postgres),
        "BLOB" => postgres == "bytea",
        "REAL" => postgres == "double precision",
        _ => false,
    }
}

async fn schema(url: &str, lines: &[Line]) -> Schema {
    let store = Store::open(url).await.expect("the database answers");
    store.migrate(lines, Timestamp::UNIX_EPOCH).await.expect("the migrations apply");
    let mut tx = store.read().await.expect("the database answers");
    let mut schema = Schema::new();
    columns(&mut tx, &mut schema).await;
    indexes(&mut tx, &mut schema).await;
    references(&mut tx, &mut schema).await;
    drop(tx);
    store.close().await;
    schema
}

fn text(row: &Row, column: &str) -> String {
    row.get(column).expect("catalogues answer in text")
}

fn number(row: &Row, column: &str) -> i64 {
    row.get(column).expect("catalogues answer in numbers")
}

async fn rows(tx: &mut Tx, sqlite: &'static str, postgres: &'static str) -> Vec<Row> {
    let sql = tx.dialect().pick(sqlite, postgres);
    tx.all(sql, &[]).await.expect("the catalogue can be read")
}

/// A primary key is never absent, also where `SQLite` does not say so.
async fn columns(tx: &mut Tx, schema: &mut Schema) {
    let found = rows(
        tx,
        "SELECT m.name AS t, c.name AS c, c.type AS kind, c.pk AS pk,
                CASE WHEN c.\"notnull\" = 0 AND c.pk = 0 THEN 1 ELSE 0 END AS nullable
         FROM sqlite_master m JOIN pragma_table_info(m.name) c
         WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
         ORDER BY m.name, c.pk",
        "SELECT table_name::text AS t, column_name::text AS c, data_type::text AS kind,
                0::bigint AS pk, (is_nullable = 'YES')::int::bigint AS nullable
         FROM information_schema.columns WHERE table_schema = current_schema()
         AND table_name IN (SELECT tablename FROM pg_tables
                            WHERE schemaname = current_schema())",
    )
    .await;
    for row in &found {
        let table = schema.entry(text(row, "t")).or_default();
        let column = Column { kind: text(row, "kind"), nullable: number(row, "nullable") == 1 };
        // INTEGER PRIMARY KEY is the row itself and has no index to be listed later.
        if number(row, "pk") == 1 && column.kind == "INTEGER" {
            let lone = number_of_keys(&found, &text(row, "t")) == 1;
            if lone {
                table.indexes.insert(Index {
                    unique: true,
                    partial: false,
                    columns: vec![text(row, "c")],
                });
            }
        }
        table.columns.insert(text(row, "c"), column);
    }
}

fn number_of_keys(rows: &[Row], table: &str) -> usize {
    rows.iter().filter(|row| text(row, "t") == table && number(row, "pk") > 0).count()
}

async fn indexes(tx: &mut Tx, schema: &mut Schema) {
    let found = rows(
        tx,
        "SELECT m.name AS t, i.name AS i, i.\"unique\" AS u, i.partial AS p,
                COALESCE(c.name, 'an expression') AS c
         FROM sqlite_master m JOIN pragma_index_list(m.name) i JOIN pragma_index_info(i.name) c
         WHERE m.type = 'table' ORDER BY m.name, i.name, c.seqno",
        "SELECT t.relname::text AS t, i.relname::text AS i, x.indisunique::int::bigint AS u,
                (x.indpred IS NOT NULL)::int::bigint AS p,
                COALESCE(a.attname::text, 'an expression') AS c
         FROM pg_index x JOIN pg_class t ON t.oid = x.indrelid
         JOIN pg_class i ON i.oid = x.indexrelid
         CROSS JOIN LATERAL unnest(x.indkey::int2[]) WITH ORDINALITY k (attnum, position)
         LEFT JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum = k.attnum
         WHERE t.relnamespace = current_schema()::regnamespace
         ORDER BY t.relname, i.relname, k.position",
    )
    .await;
    let mut named: BTreeMap<(String, String), Index> = BTreeMap::new();
    for row in &found {
        let index = named.entry((text(row, "t"), text(row, "i"))).or_default();
        index.unique = number(row, "u") == 1;
        index.partial = number(row, "p") == 1;
        index.columns.push(text(row, "c"));
    }
    for ((table, _), index) in named {
        schema.entry(table).or_default().indexes.insert(index);
    }
}

async fn references(tx: &mut Tx, schema: &mut Schema) {
    let found = rows(
        tx,
        "SELECT m.name AS t, f.\"from\" AS c, f.\"table\" AS parent, f.\"to\" AS parent_column,
                f.on_delete AS on_delete
         FROM sqlite_master m JOIN pragma_foreign_key_list(m.name) f WHERE m.type = 'table'",
        "SELECT t.relname::text AS t, a.attname::text AS c, p.relname::text AS parent,
                pa.attname::text AS parent_column,
                CASE f.confdeltype WHEN 'c' THEN 'CASCADE' WHEN 'n' THEN 'SET NULL'
                WHEN 'r' THEN 'RESTRICT' ELSE 'NO ACTION' END AS on_delete
         FROM pg_constraint f JOIN pg_class t ON t.oid = f.conrelid
         JOIN pg_class p ON p.oid = f.confrelid
         CROSS JOIN LATERAL unnest(f.conkey, f.confkey) k (attnum, parent_attnum)
         JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum = k.attnum
         JOIN pg_attribute pa ON pa.attrelid = p.oid AND pa.attnum = k.parent_attnum
         WHERE f.contype = 'f' AND t.relnamespace = current_schema()::regnamespace",
    )
    .await;
    for row in &found {
        let reference = format!(
            "{} -> {}.{} ON DELETE {}",
            text(row, "c"),
            text(row, "parent"),
            text(row, "parent_column"),
            text(row, "on_delete")
        );
        schema.entry(text(row, "t")).or_default().references.insert(reference);
    }
}
