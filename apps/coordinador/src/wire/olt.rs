//! What people send to describe an OLT.

use std::net::{IpAddr, Ipv4Addr};

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

/// An address of one device, or a name, without what would make it something else.
fn address(check: &mut Check, text: &str) -> String {
    let text = check.name("ip_address", text, 255);
    let wrong = if text.is_empty() { None } else { not_a_device(&text) };
    if let Some((es, en)) = wrong {
        check.wrong("ip_address", es, en);
    }
    // One device has one address, however it is written.
    text.parse::<IpAddr>().map_or(text, |ip| ip.to_canonical().to_string())
}

fn not_a_device(text: &str) -> Option<(&'static str, &'static str)> {
    // A link-local address has its interface after a percent sign.
    let bare = text.split_once('%').map_or(text, |(address, _)| address);
    if let Ok(ip) = bare.parse::<IpAddr>().map(|ip| ip.to_canonical()) {
        let many = ip.is_multicast() || ip == IpAddr::V4(Ipv4Addr::BROADCAST);
        let none = ip.is_unspecified();
        return (many || none).then_some((
            "debe ser la dirección de un equipo",
            "must be the address of one device",
        ));
    }
    if text.rsplit_once(':').is_some_and(|(_, port)| port.parse::<u16>().is_ok()) {
        return Some(("el puerto va en su propio campo", "the port goes into a field of its own"));
    }
    // A last part of digits was meant to be an address, and is none; `0x7f000001` is one to resolvers.
    let label = |part: &str| {
        (1..=63).contains(&part.len())
            && part.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_')
            && !part.starts_with('-')
            && !part.ends_with('-')
    };
    let name = text.strip_suffix('.').unwrap_or(text);
    let hex = |last: &str| last.strip_prefix("0x").or_else(|| last.strip_prefix("0X")).is_some();
    let number = |last: &str| last.parse::<u64>().is_ok() || hex(last);
    let numbers = name.rsplit('.').next().is_none_or(number);
    (numbers || !name.split('.').all(label)).then_some((
        "debe ser una dirección IP o un nombre, sin puerto ni espacios",
        "must be an IP address or a name, without port or spaces",
    ))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_can_be_one_device_is_an_address() {
        for text in [
            "999.1.1.1",
            "...",
            "1.2.3",
            "192.0.2.1:161",
            "[2001:db8::1]:161",
            "olt.example:161",
            "255.255.255.255",
            "224.0.0.5",
            "ff02::1",
            "0.0.0.0",
            "::",
            "a..b",
            "-a",
            "olt 1",
        ] {
            assert!(not_a_device(text).is_some(), "{text}");
        }
        for text in ["192.0.2.1", "127.0.0.1", "2001:db8::1", "fe80::1%eth0", "olt-7.example.", "h"]
        {
            assert_eq!(not_a_device(text), None, "{text}");
        }
    }
}
