//! Secrets among the settings, sealed in the database.

use std::sync::Arc;

use serde_json::{Value as Json, json};

use super::{Kind, Setting, Settings};
use crate::{Error, Tx};

/// Hides secrets from whoever can read the database. `of` names what one belongs to.
pub trait Sealer: std::fmt::Debug + Send + Sync {
    fn seal(&self, secret: &str, of: &str) -> String;
    /// `None`: sealed with another key, for something else, or changed.
    fn open(&self, sealed: &str, of: &str) -> Option<String>;
}

/// The one field of a secret that is kept sealed.
const SEALED: &str = "sealed";

impl Settings {
    /// The same, with every secret sealed in the database.
    #[must_use]
    pub fn sealed_by(mut self, sealer: Arc<dyn Sealer>) -> Self {
        self.sealer = Some(sealer);
        self
    }

    /// How a value is written down.
    pub(super) fn kept(&self, spec: &Setting, value: &Json) -> Json {
        match (&self.sealer, spec.kind, value.as_str()) {
            (Some(sealer), Kind::Secret { .. }, Some(secret)) if !secret.is_empty() => {
                json!({ SEALED: sealer.seal(secret, &spec.place()) })
            }
            _ => value.clone(),
        }
    }

    /// A value as it was written down. A secret that cannot be opened is as good as none.
    pub(super) fn opened(&self, spec: &Setting, kept: Json) -> Json {
        let Some(text) = kept.get(SEALED).filter(|_| spec.is_secret()) else { return kept };
        let pair = self.sealer.as_ref().zip(text.as_str());
        let opened = pair.and_then(|(sealer, text)| sealer.open(text, &spec.place()));
        json!(opened.unwrap_or_default())
    }

    /// Seals every secret anew; those that were never sealed, too. How many, and the keys of those
    /// that could not be opened.
    pub async fn reseal(
        &self,
        tx: &mut Tx,
        with: &dyn Sealer,
    ) -> Result<(usize, Vec<String>), Error> {
        let (mut done, mut lost) = (0, Vec::new());
        for spec in self.specs.iter().filter(|spec| spec.is_secret()) {
            let sql = "SELECT value FROM settings WHERE app = $1 AND key = $2";
            let place = [spec.app.into(), spec.key.into()];
            let Some(row) = tx.optional(sql, &place).await? else { continue };
            let kept: Json = row.get("value")?;
            if kept == json!("") {
                continue;
            }
            match self.opened(spec, kept).as_str() {
                Some(secret) if !secret.is_empty() => {
                    let sealed = json!({ SEALED: with.seal(secret, &spec.place()) });
                    let sql = "UPDATE settings SET value = $3 WHERE app = $1 AND key = $2";
                    let args = [spec.app.into(), spec.key.into(), sealed.into()];
                    tx.execute(sql, &args).await?;
                    done += 1;
                }
                _ => lost.push(spec.place()),
            }
        }
        Ok((done, lost))
    }

    /// Whether any secret lies open in the database.
    pub async fn any_open(&self, tx: &mut Tx) -> Result<bool, Error> {
        for spec in self.specs.iter().filter(|spec| spec.is_secret()) {
            let sql = "SELECT value FROM settings WHERE app = $1 AND key = $2";
            let row = tx.optional(sql, &[spec.app.into(), spec.key.into()]).await?;
            let kept: Option<Json> = row.map(|row| row.get("value")).transpose()?;
            if kept.is_some_and(|kept| kept.as_str().is_some_and(|text| !text.is_empty())) {
                return Ok(true);
            }
        }
        Ok(false)
    }
}
