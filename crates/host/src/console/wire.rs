//! The shapes of settings on the wire, in the words of the event `configuracion:cambiada`.

use db::settings::{Effective, Origin};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;
use utoipa::ToSchema;

#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct SettingList {
    pub(crate) items: Vec<SettingBody>,
    /// Always null: the list is short.
    pub(crate) next: Option<i64>,
}

/// A setting with its value now.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct SettingBody {
    app: &'static str,
    #[serde(rename = "clave")]
    key: &'static str,
    #[serde(rename = "valor")]
    value: Json,
    #[serde(rename = "predeterminado")]
    default: Json,
    #[serde(rename = "origen")]
    origin: OriginBody,
    /// 0 until it is first changed while Turno runs; also the `ETag`.
    version: i64,
}

#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct OriginBody {
    #[serde(rename = "tipo")]
    kind: OriginKind,
    /// The file or variable, or who changed it.
    #[serde(rename = "por")]
    by: Option<String>,
    #[serde(rename = "cuando")]
    at: Option<Timestamp>,
    /// The environment decides: the value cannot be changed while Turno runs.
    #[serde(rename = "fijado")]
    locked: bool,
}

#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
pub(crate) enum OriginKind {
    #[serde(rename = "PREDETERMINADO")]
    Default,
    #[serde(rename = "ARCHIVO")]
    File,
    #[serde(rename = "CONSOLA")]
    Console,
    #[serde(rename = "ENTORNO")]
    Environment,
}

/// A value to set: of the type that the setting has.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewValue {
    #[serde(rename = "valor")]
    pub(crate) value: Json,
}

impl From<&Effective> for SettingBody {
    fn from(effective: &Effective) -> Self {
        let default = serde_json::from_str(effective.spec.default).unwrap_or_default();
        Self {
            app: effective.spec.app,
            key: effective.spec.key,
            value: effective.shown(),
            default,
            origin: OriginBody::from(&effective.origin),
            version: effective.version,
        }
    }
}

impl From<&Origin> for OriginBody {
    fn from(origin: &Origin) -> Self {
        let (kind, by, at) = match origin {
            Origin::Default => (OriginKind::Default, None, None),
            Origin::File(file) => (OriginKind::File, Some(file.clone()), None),
            Origin::Console { by, at } => (OriginKind::Console, Some(by.clone()), Some(*at)),
            Origin::Environment(name) => (OriginKind::Environment, Some(name.clone()), None),
        };
        let locked = matches!(origin, Origin::Environment(_));
        Self { kind, by, at, locked }
    }
}
