//! `turno user` and `turno token`: on the database itself, so they work while a server runs and
//! before the first one does.

use std::io::IsTerminal as _;

use db::Store;
use host::accounts::{self, Token, User};
use host::{Actor, Grant};
use jiff::{Span, Timestamp};
use serde_json::{Value, json};
use terminal::{Code, Exit, Installation, output};

use crate::cli::{Named, Read, TokenCommand, TokenCreate, UserAdd, UserCommand};
use crate::config::Config;
use crate::database::Database;
use crate::{apps, migrations, password, roles};

pub(crate) async fn user(command: UserCommand) -> Result<(), Exit> {
    match command {
        UserCommand::Add(args) => add_user(args).await,
        UserCommand::List(args) => list_users(&args).await,
        UserCommand::Disable(args) => set_active(&args, false).await,
        UserCommand::Enable(args) => set_active(&args, true).await,
    }
}

pub(crate) async fn token(command: TokenCommand) -> Result<(), Exit> {
    match command {
        TokenCommand::Create(args) => create_token(args).await,
        TokenCommand::List(args) => list_tokens(&args).await,
        TokenCommand::Revoke(args) => revoke_token(&args).await,
    }
}

async fn add_user(args: UserAdd) -> Result<(), Exit> {
    let grants = roles::grants(&apps::all(), &args.roles)?;
    let store = open(&args.place).await?.1;
    let known = accounts::users(&store).await?;
    if !args.replace && known.iter().any(|user| user.name == args.name) {
        let message = format!("there is already a user {}", args.name);
        let hint = "--replace gives a new password and these roles";
        return Err(Exit::new(Code::Conflict, message).hint(hint));
    }
    let secret =
        if args.password_stdin { password::from_stdin() } else { password::ask(&args.name) }?;
    accounts::put_user(&store, &by(), &args.name, &secret, &grants, Timestamp::now()).await?;
    output::say(&format!("{} may sign in as {}", args.name, words(&grants)));
    Ok(())
}

async fn list_users(args: &Read) -> Result<(), Exit> {
    let users = accounts::users(&open_existing(&args.place).await?).await?;
    if args.json {
        output::say_json(&users.iter().map(user_json).collect());
        return Ok(());
    }
    let row = |user: &User| {
        let state = if user.active { "active" } else { "disabled" };
        vec![user.name.clone(), state.into(), day(user.created_at), words(&user.grants)]
    };
    let rows: Vec<_> = users.iter().map(row).collect();
    output::say(&output::table(&["NAME", "STATE", "SINCE", "ROLES"], &rows));
    Ok(())
}

async fn set_active(args: &Named, active: bool) -> Result<(), Exit> {
    let store = open_existing(&args.place).await?;
    if accounts::set_user_active(&store, &by(), &args.name, active, Timestamp::now()).await? {
        return Ok(());
    }
    let message = format!("there is no user {}", args.name);
    Err(Exit::new(Code::NotFound, message).hint("`turno user list` names them"))
}

async fn create_token(args: TokenCreate) -> Result<(), Exit> {
    let grants = roles::grants(&apps::all(), &args.roles)?;
    let (config, store) = open(&args.read.place).await?;
    let now = Timestamp::now();
    let expires = args.expires.map(|span| after(&config, now, span)).transpose()?;
    let secret = accounts::create_token(&store, &by(), &args.name, &grants, expires, now).await?;
    if args.read.json {
        output::say_json(&json!({
            "name": args.name, "secret": secret, "expires_at": expires,
            "roles": grants.iter().map(roles::word).collect::<Vec<_>>(),
        }));
        return Ok(());
    }
    output::say(&secret);
    if std::io::stderr().is_terminal() {
        eprintln!("Keep it now: it is not stored and cannot be shown again.");
    }
    Ok(())
}

async fn list_tokens(args: &Read) -> Result<(), Exit> {
    let tokens = accounts::tokens(&open_existing(&args.place).await?).await?;
    if args.json {
        output::say_json(&tokens.iter().map(token_json).collect());
        return Ok(());
    }
    let now = Timestamp::now();
    let row = |token: &Token| {
        let until = token.expires_at.map_or_else(|| "no end".into(), day);
        let cells = [token.name.clone(), format!("{}…", token.prefix), state(token, now).into()];
        cells.into_iter().chain([until, words(&token.grants)]).collect()
    };
    let rows: Vec<Vec<String>> = tokens.iter().map(row).collect();
    output::say(&output::table(&["NAME", "SECRET", "STATE", "UNTIL", "ROLES"], &rows));
    Ok(())
}

async fn revoke_token(args: &Named) -> Result<(), Exit> {
    let store = open_existing(&args.place).await?;
    let tokens = accounts::tokens(&store).await?;
    let meant = |token: &&Token| token.name == args.name || token.id.to_string() == args.name;
    let Some(token) = tokens.iter().find(meant) else {
        let message = format!("there is no token {}", args.name);
        return Err(Exit::new(Code::NotFound, message).hint("`turno token list` names them"));
    };
    if accounts::revoke_token(&store, &by(), token.id, Timestamp::now()).await? {
        return Ok(());
    }
    Err(Exit::new(Code::Conflict, format!("{} was revoked before", token.name)))
}

/// Opens for a change; the first user of a new house makes its database.
async fn open(place: &Installation) -> Result<(Config, Store), Exit> {
    let config = apps::configure(place, None)?;
    let store = Database::of(&config.server).open().await?;
    migrations::require_current(&store).await?;
    Ok((config, store))
}

async fn open_existing(place: &Installation) -> Result<Store, Exit> {
    let config = apps::configure(place, None)?;
    let store = Database::of(&config.server).open_existing().await?;
    migrations::require_current(&store).await?;
    Ok(store)
}

/// Whoever can reach the database may do everything; the audit says which account did.
fn by() -> Actor {
    let account = std::env::var("USER").unwrap_or_else(|_| "unknown".into());
    Actor { name: format!("cli:{account}"), ..Actor::system() }
}

/// Calendar units count in the zone of the house.
fn after(config: &Config, now: Timestamp, span: Span) -> Result<Timestamp, Exit> {
    let local = now.to_zoned(config.server.timezone.zone.clone());
    let end = local.checked_add(span).map_err(|_| Exit::usage(format!("{span} is too long")))?;
    Ok(end.timestamp())
}

fn state(token: &Token, now: Timestamp) -> &'static str {
    match (token.revoked_at, token.expires_at) {
        (Some(_), _) => "revoked",
        (None, Some(at)) if at <= now => "expired",
        (None, _) => "good",
    }
}

fn user_json(user: &User) -> Value {
    json!({
        "id": user.id, "name": user.name, "active": user.active, "created_at": user.created_at,
        "roles": user.grants.iter().map(roles::word).collect::<Vec<_>>(),
    })
}

fn token_json(token: &Token) -> Value {
    json!({
        "id": token.id, "name": token.name, "prefix": token.prefix,
        "created_at": token.created_at, "expires_at": token.expires_at,
        "revoked_at": token.revoked_at,
        "roles": token.grants.iter().map(roles::word).collect::<Vec<_>>(),
    })
}

fn words(grants: &[Grant]) -> String {
    grants.iter().map(roles::word).collect::<Vec<_>>().join(", ")
}

fn day(at: Timestamp) -> String {
    at.strftime("%Y-%m-%d").to_string()
}
