//! `turno secrets rotate` on both databases: every kind of secret opens with the new key and none with
//! the old one; killed at any moment it leaves all of them to one of the two keys.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use coordinador::drivers::credential::Secrets;
use db::{Scope, Store, settings::Sealer};
use docproc::drivers::passwords;
use host::Vault;
use jiff::Timestamp;
use reqwest::{
    Method,
    multipart::{Form, Part},
};
use serde_json::{Value as Json, json};
use testkit::{Options, Turno, fresh_database, server::binary};

/// Secrets among the settings, each with its worth.
const SETTINGS: [(&str, &str, &str); 4] = [
    ("sam", "A360_API_KEY", "llave del Control Room"),
    ("sam", "A360_PASSWORD", "contraseña"),
    ("sam", "CLOUDERS_AUTH", "Basic dTpw"),
    ("docproc", "DOCPROC_HTTP_AUTHORIZATION", "Bearer abc"),
];
const PASSWORD: &str = "clave del PDF";

/// A house that keeps a secret of every kind and does not run.
struct Kept {
    house: Turno,
    store: Store,
    database: Option<String>,
}

impl Kept {
    async fn new(database: Option<String>) -> Self {
        let options = Options { database_url: database.clone(), ..Options::default() };
        let mut house = Turno::start(options).await;
        let client = house.client();
        for (app, key, secret) in SETTINGS {
            let path = format!("/api/settings/{app}/{key}");
            client.put(&path, json!({ "valor": secret })).await.expect(200);
        }
        let olt = |name: &str| {
            json!({ "abreviatura": name, "marca": "Huawei", "ip_address": "192.0.2.10",
                    "habilitar_olt": false })
        };
        let mut community = olt("C");
        community["comunidad"] = json!("ñandú");
        let mut third = olt("V3");
        for (field, value) in [
            ("version", "3"),
            ("usuario", "turno"),
            ("auth_protocolo", "SHA-256"),
            ("auth_clave", "autenticación"),
            ("priv_protocolo", "AES"),
            ("priv_clave", "privacidad"),
        ] {
            third[field] = json!(value);
        }
        for olt in [community, third] {
            client.post("/api/coordinador/olts", olt).await.expect(201);
        }
        let file = Part::bytes(b"a page".to_vec()).file_name("a.txt");
        let sent = client.request(Method::POST, "/process");
        let sent = sent.multipart(Form::new().part("file", file)).send().await.unwrap();
        let sent: Json = sent.json().await.unwrap();
        assert!(house.terminate().await, "{}", house.logs());
        let file = || format!("sqlite://{}", house.data_dir().join("turno.db").display());
        let store = Store::open(&database.clone().unwrap_or_else(file)).await.unwrap();
        let kept = Self { house, store, database };
        // A password is kept only until its pages are read: this one is as if they never were.
        let sealed = passwords::sealed(&vault(&kept.key()), PASSWORD);
        let request = sent["request_id"].as_str().unwrap_or_else(|| panic!("{sent}"));
        let scope = Scope::new("docproc");
        let mut decision = kept.store.decide(&scope, Timestamp::now()).await.unwrap();
        docproc::store::requests::set_password(&mut decision.tx, request, 0, &sealed)
            .await
            .unwrap();
        decision.commit().await.unwrap();
        kept
    }

    fn file(&self) -> PathBuf {
        self.house.data_dir().join("secrets.key")
    }

    fn key(&self) -> String {
        fs::read_to_string(self.file()).unwrap()
    }

    fn rotate(&self) -> Command {
        let mut command = Command::new(binary());
        command.args(["secrets", "rotate", "--data-dir"]).arg(self.house.data_dir());
        command.args(self.database.iter().flat_map(|url| ["--database-url", url]));
        command.stdout(Stdio::null()).stderr(Stdio::null());
        command
    }

    /// Everything that a key opens.
    async fn opened(&self, key: &str) -> BTreeMap<String, String> {
        let (vault, mut tx) = (vault(key), self.store.read().await.unwrap());
        let mut found = BTreeMap::new();
        for (app, key, _) in SETTINGS {
            let sql = "SELECT value FROM settings WHERE app = $1 AND key = $2";
            let row = tx.one(sql, &[app.into(), key.into()]).await.unwrap();
            let kept: Json = row.get("value").unwrap();
            let sealed = kept["sealed"].as_str().expect("it is sealed");
            let opened = Sealer::open(&vault, sealed, &format!("setting/{app}/{key}"));
            found.extend(opened.map(|secret| (key.to_owned(), secret)));
        }
        for (id, sealed) in coordinador::store::olts::all_sealed(&mut tx).await.unwrap() {
            let opened = Secrets::open(&vault, id, &sealed);
            found.extend(opened.map(|one| {
                let whole = [one.community, one.user].concat();
                (format!("olt {id}"), format!("{whole} {:?} {:?}", one.auth, one.privacy))
            }));
        }
        for (_, _, sealed) in docproc::store::requests::passwords(&mut tx).await.unwrap() {
            let opened = passwords::opened(Some(&vault), &sealed);
            found.extend((opened != sealed).then(|| ("password".to_owned(), opened)));
        }
        found
    }
}

fn vault(key: &str) -> Vault {
    let byte = |n: usize| u8::from_str_radix(&key[2 * n..2 * n + 2], 16).unwrap();
    Vault::new(&std::array::from_fn(byte))
}

/// What is there to open, of every kind.
fn all(opened: &BTreeMap<String, String>) {
    for (_, key, secret) in SETTINGS {
        assert_eq!(opened[key], secret);
    }
    assert_eq!(opened["password"], PASSWORD);
    let olts: Vec<_> = opened.iter().filter(|(name, _)| name.starts_with("olt")).collect();
    assert_eq!(olts.len(), 2, "{olts:?}");
    for part in ["ñandú", "turno", "SHA-256", "autenticación", "AES", "privacidad"] {
        assert!(olts.iter().any(|(_, secret)| secret.contains(part)), "{part}: {olts:?}");
    }
}

async fn rotates(database: Option<String>) {
    let mut kept = Kept::new(database).await;
    let old = kept.key();
    let before = kept.opened(&old).await;
    all(&before);
    let began = Instant::now();
    assert!(kept.rotate().status().unwrap().success());
    let took = began.elapsed();
    assert_ne!(kept.key(), old);
    assert_eq!(kept.opened(&kept.key()).await, before);
    assert_eq!(kept.opened(&old).await, BTreeMap::new(), "the old key opens nothing");
    let rounds = testkit::rounds(100) as u32;
    for round in 0..rounds {
        killed(&kept, took * round * 5 / (rounds * 4), &before).await;
    }
    assert!(kept.rotate().status().unwrap().success());
    assert!(!next(&kept.file()).exists(), "what was begun is finished");
    assert_eq!(kept.opened(&kept.key()).await, before);
    kept.house.restart().await;
    let shown = kept.house.client().get("/api/settings/sam/A360_API_KEY").await.expect(200);
    assert_eq!(shown["valor"], "••••••", "the house opens it too");
}

/// One rotation that dies after so long: one key opens everything, the other nothing.
async fn killed(kept: &Kept, after: Duration, before: &BTreeMap<String, String>) {
    let mut rotating = kept.rotate().spawn().unwrap();
    tokio::time::sleep(after).await;
    let _ = rotating.kill();
    rotating.wait().unwrap();
    let keys = [kept.file(), next(&kept.file())].map(|file| fs::read_to_string(file).ok());
    let mut good = 0;
    for key in keys.into_iter().flatten() {
        let opened = kept.opened(&key).await;
        assert!(opened == *before || opened.is_empty(), "half of it, after {after:?}: {opened:?}");
        good += u32::from(!opened.is_empty());
    }
    assert_eq!(good, 1, "after {after:?}");
}

/// Where the key lies that a rotation has begun with.
fn next(file: &Path) -> PathBuf {
    file.with_extension("next")
}

#[tokio::test(flavor = "multi_thread")]
async fn every_secret_opens_with_the_new_key_and_none_is_lost_when_the_rotation_dies() {
    rotates(None).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn secrets_are_sealed_anew_on_postgres_too() {
    if let Some(database) = fresh_database().await {
        rotates(Some(database)).await;
    }
}
