//! Templates, their nodes and the OLTs they are pushed to, as they are kept.

use db::{Error, Row, Tx, Value};
use engine::Word as _;

use super::nodes;
use crate::model::{
    After, JobType, Oid, OltId, Space, Template, TemplateId, TemplateNode, TemplateNodeId,
};

fn read_node(row: &Row) -> Result<(TemplateId, TemplateNode), Error> {
    let master: Option<String> = row.maybe("master_key")?;
    let master =
        master.map(|key| Ok::<_, Error>((key, row.word("after_master", After::from_word)?)));
    let node = TemplateNode {
        id: TemplateNodeId(row.get("id")?),
        key: row.get("key")?,
        name: row.get("name")?,
        job: row.word("job", JobType::from_word)?,
        space: row.maybe_word("space", Space::from_word)?,
        oid: row.maybe_word("oid", |text| text.parse::<Oid>().ok())?,
        interval: nodes::interval(row)?,
        priority: nodes::priority(row)?,
        enabled: row.get("enabled")?,
        master: master.transpose()?,
    };
    Ok((TemplateId(row.get("template_id")?), node))
}

pub async fn all(tx: &mut Tx) -> Result<Vec<Template>, Error> {
    let sql = "SELECT id, name, active, version FROM olt_templates ORDER BY name, id";
    let mut templates = Vec::new();
    for row in tx.all(sql, &[]).await? {
        templates.push(Template {
            id: TemplateId(row.get("id")?),
            name: row.get("name")?,
            active: row.get("active")?,
            nodes: Vec::new(),
            version: row.get("version")?,
        });
    }
    let sql = "SELECT id, template_id, key, name, job, space, oid, interval_seconds, priority,
                 enabled, master_key, after_master FROM template_nodes ORDER BY id";
    for row in tx.all(sql, &[]).await? {
        let (template, node) = read_node(&row)?;
        if let Some(template) = templates.iter_mut().find(|one| one.id == template) {
            template.nodes.push(node);
        }
    }
    Ok(templates)
}

pub async fn find(tx: &mut Tx, id: TemplateId) -> Result<Option<Template>, Error> {
    Ok(all(tx).await?.into_iter().find(|template| template.id == id))
}

pub async fn insert(tx: &mut Tx, name: &str, active: bool) -> Result<TemplateId, Error> {
    let sql = "INSERT INTO olt_templates (name, active) VALUES ($1, $2) RETURNING id";
    Ok(TemplateId(tx.one(sql, &[name.into(), active.into()]).await?.get("id")?))
}

pub async fn update(tx: &mut Tx, template: &Template) -> Result<(), Error> {
    let sql = "UPDATE olt_templates SET name = $3, active = $4, version = version + 1
               WHERE id = $1 AND version = $2";
    let args: [Value; 4] = [
        template.id.into(),
        template.version.into(),
        template.name.as_str().into(),
        template.active.into(),
    ];
    tx.guarded("the template changed meanwhile", sql, &args).await
}

pub async fn remove(tx: &mut Tx, id: TemplateId) -> Result<(), Error> {
    tx.execute("DELETE FROM template_links WHERE template_id = $1", &[id.into()]).await?;
    tx.execute("DELETE FROM template_nodes WHERE template_id = $1", &[id.into()]).await?;
    tx.guarded("the template is gone", "DELETE FROM olt_templates WHERE id = $1", &[id.into()])
        .await
}

fn columns(node: &TemplateNode) -> Vec<Value> {
    vec![
        node.key.as_str().into(),
        node.name.as_str().into(),
        node.job.word().into(),
        node.space.map(Space::word).into(),
        node.oid.as_ref().map(ToString::to_string).into(),
        node.interval.seconds().into(),
        node.priority.number().into(),
        node.enabled.into(),
        node.master.as_ref().map(|(key, _)| key.clone()).into(),
        node.master.as_ref().map(|(_, after)| after.word()).into(),
    ]
}

pub async fn insert_node(
    tx: &mut Tx,
    template: TemplateId,
    node: &TemplateNode,
) -> Result<TemplateNodeId, Error> {
    let sql = "INSERT INTO template_nodes (key, name, job, space, oid, interval_seconds, priority,
                 enabled, master_key, after_master, template_id)
               VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) RETURNING id";
    let mut args = columns(node);
    args.push(template.into());
    Ok(TemplateNodeId(tx.one(sql, &args).await?.get("id")?))
}

pub async fn update_node(tx: &mut Tx, node: &TemplateNode) -> Result<(), Error> {
    let sql = "UPDATE template_nodes SET key = $1, name = $2, job = $3, space = $4, oid = $5,
                 interval_seconds = $6, priority = $7, enabled = $8, master_key = $9,
                 after_master = $10 WHERE id = $11";
    let mut args = columns(node);
    args.push(node.id.into());
    tx.guarded("the template's node is gone", sql, &args).await
}

/// The nodes that were made from it must be gone.
pub async fn remove_node(tx: &mut Tx, id: TemplateNodeId) -> Result<(), Error> {
    let sql = "DELETE FROM template_nodes WHERE id = $1";
    tx.guarded("the template's node is gone", sql, &[id.into()]).await
}

pub async fn links(tx: &mut Tx, id: TemplateId) -> Result<Vec<OltId>, Error> {
    let sql = "SELECT l.olt_id FROM template_links l JOIN olts o ON o.id = l.olt_id
               WHERE l.template_id = $1 AND o.deleted_at IS NULL ORDER BY l.olt_id";
    let rows = tx.all(sql, &[id.into()]).await?;
    rows.iter().map(|row| Ok(OltId(row.get("olt_id")?))).collect()
}

pub async fn link(tx: &mut Tx, id: TemplateId, olt: OltId) -> Result<(), Error> {
    let sql = "INSERT INTO template_links (template_id, olt_id) VALUES ($1, $2)
               ON CONFLICT (template_id, olt_id) DO NOTHING";
    tx.execute(sql, &[id.into(), olt.into()]).await.map(drop)
}

pub async fn unlink(tx: &mut Tx, id: TemplateId, olt: OltId) -> Result<(), Error> {
    let sql = "DELETE FROM template_links WHERE template_id = $1 AND olt_id = $2";
    tx.execute(sql, &[id.into(), olt.into()]).await.map(drop)
}
