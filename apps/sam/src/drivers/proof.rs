//! Whether a callback comes from where it should.

use axum::http::HeaderMap;
use host::{Actor, Identity, Peer};
use jiff::Timestamp;
use jsonwebtoken::{Algorithm, DecodingKey, Validation, decode, decode_header};
use serde::Deserialize;
use subtle::ConstantTimeEq as _;

use crate::{policy::CallbackAuth, store::policy::CallbackDoor};

/// Who says that a run is over.
#[derive(Debug)]
pub struct Caller<'a> {
    pub headers: &'a HeaderMap,
    pub actor: &'a Actor,
    pub peer: Peer,
}

/// What is wrong, for the log only: strangers are told nothing.
pub fn check(door: &CallbackDoor, caller: &Caller, now: Timestamp) -> Result<(), &'static str> {
    let token = || static_token(door, caller.headers);
    let jwt = || signed(door, caller.headers, now);
    let either = || token().or_else(|_| jwt());
    match door.mode {
        CallbackAuth::None if caller.peer.is_here() => Ok(()),
        CallbackAuth::Optional if !door.chosen && caller.actor.identity == Identity::Open => Ok(()),
        CallbackAuth::None | CallbackAuth::Optional => either(),
        CallbackAuth::Required => token().and_then(|()| jwt()),
    }
}

fn static_token(door: &CallbackDoor, headers: &HeaderMap) -> Result<(), &'static str> {
    let given = headers.get("x-authorization").map_or(&b""[..], |value| value.as_bytes());
    let same: bool = given.ct_eq(door.token.as_bytes()).into();
    if same { Ok(()) } else { Err("the static token is missing or wrong") }
}

#[derive(Debug, Deserialize)]
struct Claims {
    exp: f64,
    nbf: Option<f64>,
}

fn signed(door: &CallbackDoor, headers: &HeaderMap, now: Timestamp) -> Result<(), &'static str> {
    let header = headers.get("authorization").and_then(|value| value.to_str().ok());
    let token = header.and_then(|text| {
        let (scheme, token) = text.trim().split_once(' ')?;
        scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
    });
    let token = token.ok_or("the JWT is missing")?;
    let said = decode_header(token).map_err(|_| "the JWT cannot be read")?;
    // The key decides which algorithm is good, never the token.
    let (algorithm, key) = key(&door.key).ok_or("JWT_CLAVE_PUBLICA is not set or no such key")?;
    if said.alg != algorithm {
        return Err("the JWT uses another algorithm");
    }
    super::signature::install();
    let mut rules = Validation::new(algorithm);
    rules.set_audience(&[&door.audience]);
    rules.set_issuer(&[&door.issuer]);
    rules.set_required_spec_claims(&["exp", "aud", "iss"]);
    // Its times are compared with our clock, which may be a stopped one.
    rules.validate_exp = false;
    rules.validate_nbf = false;
    let claims = decode::<Claims>(token, &key, &rules)
        .map_err(|_| "the JWT is not genuine, or for somebody else")?
        .claims;
    let second = now.as_second() as f64;
    if claims.exp <= second {
        return Err("the JWT has expired");
    }
    if claims.nbf.is_some_and(|from| second < from) {
        return Err("the JWT is not valid yet");
    }
    Ok(())
}

/// A public key in PEM and the one algorithm it is for.
pub(crate) fn key(pem: &str) -> Option<(Algorithm, DecodingKey)> {
    let pem = pem.trim().as_bytes();
    if pem.is_empty() {
        return None;
    }
    DecodingKey::from_rsa_pem(pem)
        .map(|key| (Algorithm::RS256, key))
        .or_else(|_| DecodingKey::from_ec_pem(pem).map(|key| (Algorithm::ES256, key)))
        .ok()
}
