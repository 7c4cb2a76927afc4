//! The drill: back up a working shop, restore it elsewhere, ask the same questions.

use serde_json::Value;
use testkit::{Options, S3Server, Turno, fresh_database};

use super::WORKFLOW;
use super::program::{Home, order};
use crate::docproc_storage::{completed, send};

const MONDAY: &str = "2026-05-04T15:00:00Z";

async fn orders(server: &Turno) -> Value {
    server.client().get("/pedidos").await.expect(200)
}

/// The shop alone: its rows are all there is.
async fn on(database_url: String) -> Turno {
    let arguments = vec!["--apps".to_owned(), "pedidos".to_owned()];
    let database_url = Some(database_url);
    Turno::start(Options { database_url, arguments, ..Options::at(MONDAY) }).await
}

#[tokio::test]
async fn a_restored_shop_answers_the_same() {
    let server = Turno::start(Options::at(MONDAY)).await;
    for number in 0..12 {
        server.client().post("/pedidos", order(&format!("Ñoquis {number}"))).await.expect(201);
    }
    server.client().advance(60).await;
    let home = Home::new();
    let source = server.data_dir();
    home.run(&format!("backup b.gz --data-dir {}", source.display())).ok();
    let checked = home.run("restore b.gz --verify --json").json();
    assert!(checked["rows"].as_u64() > Some(12), "{checked}");
    let expected = orders(&server).await;
    assert_eq!(expected.as_array().unwrap().len(), 12);

    home.run("restore b.gz --data-dir drill").ok();
    home.run("restore b.gz --data-dir drill").refused(1, &["not empty", "hint:"]);
    let file = home.path().join("drill/turno.db");
    let drill = on(format!("sqlite://{}", file.display())).await;
    assert_eq!(orders(&drill).await, expected);
    let next = drill.client().post("/pedidos", order("Postre")).await.expect(201);
    assert_eq!(next["id"], 13, "numbers go on from where the source stood");

    let Some(url) = fresh_database().await else { return };
    home.run(&format!("restore b.gz --database-url {url}")).ok();
    let moved = on(url).await;
    assert_eq!(orders(&moved).await, expected);
    let next = moved.client().post("/pedidos", order("Postre")).await.expect(201);
    assert_eq!(next["id"], 13);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_backup_taken_while_orders_come_in_holds_what_was_acknowledged() {
    let server = Turno::start(Options::at(MONDAY)).await;
    let client = server.client();
    let (acknowledged, mut heard) = tokio::sync::mpsc::unbounded_channel();
    let writer = tokio::spawn(async move {
        for number in 0.. {
            let created =
                client.post("/pedidos", order(&format!("Lomo {number}"))).await.expect(201);
            if acknowledged.send(created["id"].as_i64().unwrap()).is_err() {
                return;
            }
        }
    });
    let mut known = Vec::new();
    while known.len() < 20 {
        known.push(heard.recv().await.unwrap());
    }
    let home = Home::new();
    let source = server.data_dir().display().to_string();
    home.run(&format!("backup b.gz --data-dir {source}")).ok();
    let during = heard.recv().await.unwrap();
    drop(heard);
    writer.await.unwrap();
    assert!(during > 20);

    home.run("restore b.gz --data-dir drill").ok();
    let file = home.path().join("drill/turno.db");
    let drill = on(format!("sqlite://{}", file.display())).await;
    for id in known {
        let order = drill.client().get(&format!("/pedidos/{id}")).await.expect(200);
        assert_eq!(order["articulos"].as_array().unwrap().len(), 1, "{order}");
    }
    let checked = home.run("doctor --data-dir drill").ok();
    assert!(checked.contains("the chain is whole"), "{checked}");
}

#[test]
fn a_damaged_file_is_refused_and_leaves_nothing_behind() {
    let home = Home::new();
    home.run("migrate").ok();
    home.run("backup b.gz").ok();
    let whole = std::fs::read(home.path().join("b.gz")).unwrap();
    std::fs::write(home.path().join("cut.gz"), &whole[..whole.len() / 2]).unwrap();
    std::fs::write(home.path().join("text.gz"), "not a backup").unwrap();
    for file in ["cut.gz", "text.gz"] {
        home.run(&format!("restore {file} --verify")).refused(1, &["not a usable backup"]);
        home.run(&format!("restore {file} --data-dir drill")).refused(1, &["not a usable backup"]);
    }
    assert!(!home.path().join("drill").exists());
}

/// A house of documents: where its rows and its files are.
struct Archive<'a> {
    home: &'a Home,
    database_url: Option<String>,
    storage: Vec<(String, String)>,
}

impl Archive<'_> {
    async fn serve(&self) -> Turno {
        let flows = self.home.path().join("flows");
        std::fs::create_dir_all(&flows).unwrap();
        std::fs::write(flows.join("default.yaml"), WORKFLOW).unwrap();
        let mut environment = self.storage.clone();
        environment.push(("DOCPROC_WORKFLOWS_DIR".to_owned(), flows.display().to_string()));
        let arguments = vec!["--apps".to_owned(), "docproc".to_owned()];
        let database_url = self.database_url.clone();
        Turno::start(Options { database_url, environment, arguments, ..Options::default() }).await
    }

    fn folder(home: &Home, name: &str) -> Vec<(String, String)> {
        let path = home.path().join(name).display().to_string();
        vec![("DOCPROC_STORAGE_PATH".to_owned(), path)]
    }

    fn run(&self, arguments: &str) -> Value {
        let set: Vec<_> = self.storage.iter().map(|(k, v)| (k.as_str(), v.as_str())).collect();
        let url = self.database_url.as_ref().map(|url| format!(" --database-url {url}"));
        let line = format!("{arguments} --json{}", url.unwrap_or_default());
        self.home.run_with(&line, &set, "").json()
    }
}

/// What a house tells of a request, and that it can read its files again.
async fn retold(archive: &Archive<'_>, id: &str) -> Value {
    let server = archive.serve().await;
    let client = server.client();
    let told = client.get(&format!("/status/{id}")).await.expect(200);
    for page in 0..3 {
        let picture = format!("/api/docproc/requests/{id}/pages/{page}/image");
        let answer = client.request(reqwest::Method::GET, &picture).send().await.unwrap();
        assert_eq!(answer.status(), 200, "page {page}");
    }
    let again = format!("/api/docproc/requests/{id}/reprocess");
    let begun = client.post(&again, serde_json::json!({})).await;
    assert!((200..300).contains(&begun.status), "{begun:?}");
    completed(&client, id).await;
    told
}

/// Files larger than a row travel too: `SQLite` and a directory, `PostgreSQL` and a bucket, and back.
#[tokio::test]
async fn documents_come_back_with_their_files_from_either_database() {
    let (Some(url), Some(bucket)) = (fresh_database().await, S3Server::start().await) else {
        return;
    };
    let home = Home::new();
    let sqlite = |name: &str| Some(format!("sqlite://{}", home.path().join(name).display()));
    let first = Archive {
        home: &home,
        database_url: sqlite("first.db"),
        storage: Archive::folder(&home, "first"),
    };
    let server = first.serve().await;
    let id = send(&server.client(), 1).await;
    let expected = completed(&server.client(), &id).await;
    // While it runs; afterwards the house itself changes nothing any more.
    let written = first.run("backup one.gz");
    drop(server);
    assert_eq!((&written["files"], &written["missing"]), (&3.into(), &0.into()), "{written}");
    assert!(written["bytes"].as_u64() > Some(6 << 20), "{written}");
    let verified = first.run("restore one.gz --verify");
    assert_eq!(verified["bytes"], written["bytes"]);

    let second =
        Archive { home: &home, database_url: Some(url), storage: bucket.environment("moved") };
    second.run("restore one.gz");
    assert_eq!(retold(&second, &id).await, expected);
    let written = second.run("backup two.gz");
    assert_eq!((&written["files"], &written["missing"]), (&3.into(), &0.into()), "{written}");

    let third = Archive {
        home: &home,
        database_url: sqlite("third.db"),
        storage: Archive::folder(&home, "third"),
    };
    third.run("restore two.gz");
    let back = retold(&third, &id).await;
    // It was read again in between, so its documents have other names.
    let read = |told: &Value| -> Vec<[Value; 3]> {
        let documents = told["result"]["documents"].as_array().unwrap().iter();
        let facts = ["doc_type", "extracted_data", "page_indices"];
        documents.map(|document| facts.map(|fact| document[fact].clone())).collect()
    };
    assert_eq!(read(&back), read(&expected));

    // A file that is gone is told, and so is a storage that is not the one of these rows.
    let request = home.path().join("third/requests").join(&id);
    std::fs::remove_file(request.join("0")).unwrap();
    let lacking = third.run("backup three.gz");
    assert_eq!(lacking["missing"], 1, "{lacking}");
    assert!(lacking["named"][0].as_str().unwrap().contains(&id), "{lacking}");
    std::fs::rename(home.path().join("third"), home.path().join("elsewhere")).unwrap();
    let flags = format!("backup four.gz --database-url {}", sqlite("third.db").unwrap());
    let storage = home.path().join("third").display().to_string();
    let set = [("DOCPROC_STORAGE_PATH", storage.as_str())];
    home.run_with(&flags, &set, "").refused(1, &["is not the storage", "--rows-only"]);
    let rows = home.run_with(&format!("{flags} --rows-only"), &set, "");
    assert!(rows.stderr.contains("the files of docproc are NOT in it"), "{rows:?}");
}

/// The house backs itself up when it starts, and not again before it is due.
#[tokio::test]
async fn a_server_backs_itself_up_and_says_when_it_cannot() {
    let environment = vec![("TURNO_BACKUP_EVERY".to_owned(), "1h".to_owned())];
    let options = Options { environment, ..Options::default() };
    let mut server = Turno::start(options).await;
    let folder = server.data_dir().join("backups");
    let ours = || -> Vec<_> {
        let entries = std::fs::read_dir(&folder).into_iter().flatten();
        let paths = entries.map(|entry| entry.unwrap().path());
        paths.filter(|path| path.extension().is_some_and(|end| end == "gz")).collect()
    };
    let mut poll = tokio::time::interval(std::time::Duration::from_millis(50));
    while ours().is_empty() {
        poll.tick().await;
    }
    let home = Home::new();
    let file = ours().remove(0);
    let verified = home.run(&format!("restore {} --verify --json", file.display())).json();
    assert_eq!(verified["missing"], 0, "{verified}");
    let metric = "turno_backup_last_success_timestamp_seconds";
    while !server.client().get("/metrics").await.text.contains(metric) {
        poll.tick().await;
    }
    server.kill().await;
    server.restart().await;
    while !server.client().get("/metrics").await.text.contains(metric) {
        poll.tick().await;
    }
    assert_eq!(ours().len(), 1, "the next one is due in an hour");
}

/// A step that this version does not know.
const LATER: db::Line = db::Line {
    name: "later",
    steps: &[db::Step {
        name: "0001_later",
        sqlite: "CREATE TABLE later (id INTEGER PRIMARY KEY) STRICT",
        postgres: "CREATE TABLE later (id BIGINT PRIMARY KEY)",
    }],
};

/// Every command says the same of a database that a later version has changed.
#[tokio::test]
async fn a_database_of_a_later_version_is_refused_by_every_command() {
    let home = Home::new();
    home.run("migrate").ok();
    home.run("backup before.gz").ok();
    let url = format!("sqlite://{}", home.path().join("data/turno.db").display());
    let store = db::Store::open(&url).await.unwrap();
    store.migrate(&[LATER], jiff::Timestamp::now()).await.unwrap();
    store.close().await;
    let sentence = "a later version of turno made this database: later/0001_later";
    for command in [
        "serve --listen 127.0.0.1:0",
        "migrate",
        "backup b.gz",
        "restore before.gz",
        "user list",
        "user add ana --role ADMIN --password-stdin",
        "user disable ana",
        "user enable ana",
        "token list",
        "token create caja --role pedidos:CAJERO",
        "token revoke caja",
        "secrets rotate",
        "docproc storage show",
    ] {
        let ran = home.run_with(command, &[], "a-long-password\n");
        assert!(ran.code != 0 && ran.stderr.contains(sentence), "{command}: {ran:?}");
    }
    let doctor = home.run("doctor");
    assert!(doctor.stdout.contains(sentence), "{doctor:?}");
}
