//! What people send to describe an OLT.

use engine::Word as _;
use host::check::Check;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::{
    drivers::credential::{self, Secrets},
    model::{Olt, OltId, SnmpVersion},
};

#[derive(Clone, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = OltNueva)]
pub struct OltRequest {
    #[schema(min_length = 1, max_length = 60, example = "SMP-10")]
    pub abreviatura: String,
    #[schema(min_length = 1, max_length = 60, example = "Huawei")]
    pub marca: String,
    pub modelo: Option<String>,
    #[schema(min_length = 1, max_length = 255, example = "192.0.2.10")]
    pub ip_address: String,
    #[schema(minimum = 1, maximum = 65535)]
    pub puerto: Option<i64>,
    /// `1`, `2c` (the default) or `3`.
    pub version: Option<String>,
    /// Kept sealed, never shown. Absent in a change: stays.
    pub comunidad: Option<String>,
    /// Version 3.
    pub usuario: Option<String>,
    pub auth_protocolo: Option<String>,
    pub auth_clave: Option<String>,
    pub priv_protocolo: Option<String>,
    pub priv_clave: Option<String>,
    pub contexto: Option<String>,
    pub habilitar_olt: Option<bool>,
    pub workflow_activo: Option<bool>,
}

impl OltRequest {
    pub fn standing(olt: &Olt) -> Self {
        Self {
            abreviatura: olt.name.clone(),
            marca: olt.brand.clone(),
            modelo: olt.model.clone(),
            ip_address: olt.address.clone(),
            puerto: Some(i64::from(olt.port)),
            version: Some(olt.version.word().to_owned()),
            habilitar_olt: Some(olt.enabled),
            workflow_activo: Some(olt.workflow_active),
            ..Self::default()
        }
    }

    /// None: nothing secret is named.
    fn secrets(&self) -> Option<Secrets> {
        let named = [
            &self.comunidad,
            &self.usuario,
            &self.auth_protocolo,
            &self.auth_clave,
            &self.priv_protocolo,
            &self.priv_clave,
            &self.contexto,
        ];
        if named.iter().all(|field| field.is_none()) {
            return None;
        }
        let text = |field: &Option<String>| field.clone().unwrap_or_default();
        let pair = |word: &Option<String>, key: &Option<String>| {
            let word = word.as_deref().map(str::trim).filter(|word| !word.is_empty())?;
            Some((word.to_owned(), text(key)))
        };
        Some(Secrets {
            community: text(&self.comunidad),
            user: text(&self.usuario),
            auth: pair(&self.auth_protocolo, &self.auth_clave),
            privacy: pair(&self.priv_protocolo, &self.priv_clave),
            context: text(&self.contexto),
        })
    }

    /// The OLT this asks for and how to get in, with everything that is wrong noted.
    pub fn typed(&self, check: &mut Check) -> (Olt, Option<Secrets>) {
        let port = check.within("puerto", self.puerto.unwrap_or(161), 1, 65_535);
        let word = self.version.as_deref().map_or("2c", str::trim);
        let version = SnmpVersion::from_word(word.trim_start_matches(['v', 'V']));
        if version.is_none() {
            check.wrong("version", "debe ser 1, 2c o 3", "must be 1, 2c or 3");
        }
        let olt = Olt {
            id: OltId(0),
            name: check.name("abreviatura", &self.abreviatura, 60),
            brand: check.name("marca", &self.marca, 60),
            model: check.text("modelo", self.modelo.as_deref(), 60),
            address: address(check, &self.ip_address),
            port: u16::try_from(port).unwrap_or(161),
            version: version.unwrap_or_default(),
            enabled: self.habilitar_olt.unwrap_or(true),
            workflow_active: self.workflow_activo.unwrap_or(true),
            backoff: None,
            row_version: 1,
        };
        let secrets = self.secrets();
        if let Some(secrets) = &secrets {
            lets_in(check, olt.version, secrets);
        }
        (olt, secrets)
    }
}

/// An address or a name, without what would make it something else.
fn address(check: &mut Check, text: &str) -> String {
    let text = check.name("ip_address", text, 255);
    let plain = |c: char| c.is_ascii_alphanumeric() || ".:-_%".contains(c);
    if !text.is_empty() && !text.chars().all(plain) {
        check.wrong(
            "ip_address",
            "debe ser una dirección IP o un nombre, sin puerto ni espacios",
            "must be an IP address or a name, without port or spaces",
        );
    }
    text
}

/// Notes what is wrong with how a device of this version is to be entered.
pub fn lets_in(check: &mut Check, version: SnmpVersion, secrets: &Secrets) {
    for (path, key) in [("auth_clave", &secrets.auth), ("priv_clave", &secrets.privacy)] {
        if key.as_ref().is_some_and(|(_, key)| key.len() < 8) {
            check.wrong(path, "tiene al menos 8 caracteres", "has at least 8 characters");
        }
    }
    let texts = [&secrets.community, &secrets.user, &secrets.context];
    if texts.iter().any(|text| text.len() > 255 || text.contains('\0')) {
        check.wrong("comunidad", "admite hasta 255 bytes", "takes at most 255 bytes");
    }
    match version {
        SnmpVersion::V1 | SnmpVersion::V2c if secrets.community.is_empty() => {
            check.wrong("comunidad", "falta", "is missing");
        }
        SnmpVersion::V3 if secrets.user.is_empty() => {
            check.wrong("usuario", "falta", "is missing");
        }
        SnmpVersion::V3 if secrets.credential(version).is_none() => {
            let words = format!(
                "auth: {}; priv: {}",
                credential::auth_words().join(", "),
                credential::privacy_words().join(", ")
            );
            check.wrong("auth_protocolo", &words, &words);
        }
        SnmpVersion::V1 | SnmpVersion::V2c | SnmpVersion::V3 => {}
    }
}
