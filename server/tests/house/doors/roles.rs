//! Who may ask what: `doors.golden` decides it, row by row, and `docs/roles.md` shows it. A house that
//! has one of everything is asked by every role.

use std::{collections::BTreeMap, fmt::Write as _, path::Path};

use db::Store;
use host::{Actor, EVERY_APP, Grant, accounts};
use jiff::Timestamp;
use serde_json::{Value as Json, json};
use testkit::{Client, Options, TestDb, Turno};

use super::{NOBODY, Operation, operations, plain};
use crate::old;

const GOLDEN: &str = "tests/house/doors.golden";
/// Written again with `UPDATE_GOLDEN=1`.
const PAGE: &str = "../docs/roles.md";

/// Lists that hold what an address names, where it is not the list above it.
const LISTS: [(&str, &str); 7] = [
    ("/api/docproc/tasks", "/api/tasks"),
    ("/api/docproc/work/files", "/api/docproc/requests"),
    ("/api/sam/why/equipo", "/api/sam/equipos"),
    ("/api/sam/why/robot", "/api/sam/robots"),
    ("/comandas", "/comandas?estado=ENTREGADO"),
    ("/status", "/api/docproc/requests"),
    ("/tasks", "/api/tasks"),
];
/// Words that name no row, each with another that names nothing; and what nobody has in that house.
const WORDS: [(&str, &str, &str); 6] = [
    ("/api/docproc/memory", NOBODY, NOBODY),
    ("/api/docproc/work", "mio", "nadie"),
    ("/api/sam/analisis", "utilizacion", "nada"),
    ("/api/sam/planillas", "robots", "nada"),
    ("/api/sessions", NOBODY, NOBODY),
    ("/api/settings", "pedidos", "pedidos"),
];

/// A decided row.
struct Row<'a> {
    /// The application whose roles stand without its name.
    section: &'a str,
    who: Vec<&'a str>,
    why: &'a str,
}

#[derive(PartialEq)]
enum May {
    Yes,
    /// What is theirs; of the rest they learn nothing.
    Own,
    No,
}

impl Row<'_> {
    fn may(&self, program: &str) -> May {
        let (app, role) = program.split_once('/').unwrap();
        for one in &self.who {
            let (named, may) = one.split_once('/').unwrap_or((self.section, one));
            match may.strip_suffix('*') {
                _ if ["open", "session"].contains(one) => return May::Yes,
                None if (named, may) == (app, role) => return May::Yes,
                Some(may) if (named, may) == (app, role) => return May::Own,
                _ => {}
            }
        }
        May::No
    }

    fn says(&self, word: &str) -> bool {
        self.who == [word]
    }
}

/// `METHOD path who … -- why`, under `# section`.
fn rows(text: &str) -> BTreeMap<String, Row<'_>> {
    let (mut rows, mut section) = (BTreeMap::new(), "");
    for line in text.lines().filter(|line| !line.is_empty()) {
        if let Some(title) = line.strip_prefix("# ") {
            section = title;
            continue;
        }
        let (row, why) = line.split_once(" -- ").unwrap_or((line, ""));
        let mut words = row.split(' ');
        let operation = format!("{} {}", words.next().unwrap(), words.next().unwrap());
        let row = Row { section, who: words.collect(), why };
        assert!(rows.insert(operation, row).is_none(), "twice: {line}");
    }
    rows
}

/// An address with something that is there, and with something that is not.
async fn addresses(admin: &Client, operation: &Operation) -> (String, String) {
    let Some((above, rest)) = operation.path.split_once("/{") else {
        return (operation.address(&[]), operation.address(&[]));
    };
    let name = rest.split('}').next().unwrap();
    let second = operation.parameters.iter().filter(|one| one.in_path).nth(1);
    let word = WORDS.iter().find(|(path, ..)| *path == above);
    let (there, nowhere) = match word {
        Some((_, there, nowhere)) => ((*there).to_owned(), *nowhere),
        None => found(admin, above, name).await,
    };
    match second.map(|one| one.name.as_str()) {
        Some("key") => {
            let key = |key| operation.address(&[(name, &there), ("key", key)]);
            (key("capacidad_tope"), key("nada"))
        }
        _ => (operation.address(&[(name, &there)]), operation.address(&[(name, nowhere)])),
    }
}

/// The first of a list, and what is in none.
async fn found(admin: &Client, above: &str, name: &str) -> (String, &'static str) {
    let list = LISTS.iter().find(|(path, _)| *path == above).map_or(above, |(_, list)| list);
    let found = admin.get(list).await.expect(200);
    let items = found.as_array().or_else(|| found["items"].as_array());
    let first = items.and_then(|items| items.first());
    let first = first.unwrap_or_else(|| panic!("{list} is empty: {found}"));
    let mut keys = [name, "id", "clave", "request_id", "task_id"].into_iter();
    let there = keys.find_map(|key| first.get(key)).unwrap_or_else(|| panic!("{first}"));
    let nowhere = match there {
        Json::Number(_) => "4000000",
        _ if there.as_str().is_some_and(|id| id.len() == NOBODY.len()) => NOBODY,
        _ => "nadie",
    };
    (plain(there), nowhere)
}

/// One operation, asked by everybody.
struct Door<'a> {
    api: &'a Json,
    operation: &'a Operation,
    there: String,
    nowhere: String,
}

impl Door<'_> {
    async fn ask(&self, client: &Client, address: &str) -> (u16, String) {
        let body = self.operation.fitting(self.api);
        self.operation.ask(client, address, body.as_ref()).await
    }

    /// What is not as decided for one who asks.
    async fn differs(&self, may: May, client: &Client) -> Option<String> {
        let nowhere = self.ask(client, &self.nowhere).await;
        let refused = [401, 403].contains(&nowhere.0);
        if may == May::Yes {
            return refused.then(|| format!("is refused: {}", nowhere.1));
        }
        let there = self.ask(client, &self.there).await;
        if there != nowhere {
            return Some(format!("tells what is there from what is not: {there:?} {nowhere:?}"));
        }
        let as_decided = if may == May::Own { nowhere.0 == 404 } else { refused };
        (!as_decided).then(|| format!("may: {nowhere:?}"))
    }
}

async fn house(db: &TestDb) -> (Turno, Client) {
    let store = old::inhabited(db).await;
    let mut options = Options::at(old::THEN);
    let set = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    options.environment = vec![
        set("TURNO_AUTH", "required"),
        set("TURNO_SECRETS_KEY", old::KEY),
        set("DOCPROC_BACKOFFICE_PORT", "off"),
        set("SAM_CALLBACK_PORT", "off"),
    ];
    options.database_url = Some(db.url.clone());
    let admin = admin(&store).await;
    let house = Turno::start(options).await;
    let admin = house.client().with_token(admin);
    (house, admin)
}

async fn admin(store: &Store) -> String {
    let grants = [Grant { app: EVERY_APP.into(), role: "ADMIN".into() }];
    let (by, now) = (Actor::system(), Timestamp::now());
    accounts::create_token(store, &by, "jefa", &grants, None, now).await.unwrap()
}

/// Every role of every application, each with a program that holds it.
async fn programs(house: &Turno, admin: &Client) -> BTreeMap<String, Client> {
    let mut programs = BTreeMap::new();
    for app in [coordinador::app(), docproc::app(), pedidos::app(), sam::app()] {
        for role in app.roles {
            let name = format!("{}/{}", app.name, role.word);
            let grants = json!([{ "app": app.name, "role": role.word }]);
            let body = json!({ "name": name, "grants": grants });
            let made = admin.post("/api/tokens", body).await.expect(201);
            let secret = made["secret"].as_str().unwrap();
            programs.insert(name, house.client().with_token(secret));
        }
    }
    programs
}

#[tokio::test(flavor = "multi_thread")]
async fn every_operation_has_its_decided_row() {
    testkit::on_sqlite(async |db| {
        let (house, admin) = house(db).await;
        let (nobody, programs) = (house.client(), programs(&house, &admin).await);
        let api = admin.get("/api/openapi.json").await.expect(200);
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(GOLDEN);
        let text = std::fs::read_to_string(&file).unwrap();
        let (mut rows, mut wrong) = (rows(&text), Vec::new());
        for operation in &operations(&api) {
            let name = operation.name();
            let Some(row) = rows.remove(&name) else {
                wrong.push(format!("{name} has no row"));
                continue;
            };
            let (there, nowhere) = addresses(&admin, operation).await;
            let door = Door { api: &api, operation, there, nowhere };
            let stranger = door.ask(&nobody, &door.there).await;
            let open = row.says("open") || row.says("proof");
            if !open && stranger.0 != 401 {
                wrong.push(format!("{name}: a stranger gets {stranger:?}"));
            }
            let all = programs.iter().map(|(who, client)| (who.as_str(), row.may(who), client));
            let chief = ("the house's ADMIN", May::Yes, &admin);
            for (who, may, client) in all.chain([chief]) {
                let differs = if row.says("proof") {
                    let same = door.ask(client, &door.there).await == stranger;
                    (!same).then(|| "is not asked like a stranger".to_owned())
                } else {
                    door.differs(may, client).await
                };
                wrong.extend(differs.map(|told| format!("{name}: {who} {told}")));
            }
        }
        wrong.extend(rows.keys().map(|name| format!("{name} is no operation")));
        assert!(wrong.is_empty(), "{} are not as decided: {wrong:#?}", wrong.len());
    })
    .await;
}

#[test]
fn the_page_of_roles_shows_the_decided_rows() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(here.join(GOLDEN)).unwrap();
    let page = page(&text);
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(here.join(PAGE), &page).unwrap();
    }
    let shown = std::fs::read_to_string(here.join(PAGE)).unwrap_or_default();
    assert!(shown == page, "docs/roles.md is not of doors.golden: UPDATE_GOLDEN=1 writes it");
}

fn page(text: &str) -> String {
    let mut page = "# Who may do what\n\nEvery operation of the API and who may ask it, as \
                    `server/tests/house/doors.golden` decides it; the tests hold the house to it.\n\n\
                    - **open**: anybody, without signing in\n\
                    - **proof**: whoever brings the operation's own proof; no role helps\n\
                    - **session**: whoever has a role in any application; they see what is theirs\n\
                    - **house**: `ADMIN` of the whole house, who may do everything else too\n\
                    - a role with a star: what is their own, and of the rest they learn nothing\n"
        .to_owned();
    for line in text.lines().filter(|line| !line.is_empty()) {
        if let Some(title) = line.strip_prefix("# ") {
            let _ = write!(page, "\n## {title}\n\n| operation | who | |\n|---|---|---|\n");
            continue;
        }
        let (name, row) = rows(line).pop_first().unwrap();
        let _ = writeln!(page, "| `{name}` | {} | {} |", row.who.join(", "), row.why);
    }
    page
}
