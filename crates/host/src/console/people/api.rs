//! Users and tokens over the API.

use axum::{extract::State, http::StatusCode};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use web::{Json, Lang, Path, Problem};

use super::{account_failure, refused};
use crate::{
    Actor, Context, Failure, Grant,
    accounts::{self, Token, User},
};

/// A role in one application; the application `*` is the whole house.
#[derive(Debug, Deserialize, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct GrantBody {
    #[schema(example = "*")]
    app: String,
    #[schema(example = "ADMIN")]
    role: String,
}

#[derive(Debug, Serialize, ToSchema)]
pub(super) struct UserBody {
    name: String,
    active: bool,
    grants: Vec<GrantBody>,
    created_at: Timestamp,
}

#[derive(Debug, Serialize, ToSchema)]
pub(super) struct UserList {
    items: Vec<UserBody>,
    /// Always null: the list is short.
    next: Option<i64>,
}

#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct NewUser {
    #[schema(min_length = 1, max_length = 64)]
    name: String,
    #[schema(min_length = 8, max_length = 200)]
    password: String,
    grants: Vec<GrantBody>,
}

#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Active {
    active: bool,
}

/// People who may sign in.
#[utoipa::path(get, path = "/api/users", tag = "console",
    responses((status = 200, body = UserList)))]
pub(super) async fn list_users(
    State(context): State<Context>,
    lang: Lang,
    actor: Actor,
) -> Result<Json<UserList>, Failure> {
    actor.require_admin(lang)?;
    let users = accounts::users(&context.store).await?;
    let items = users.into_iter().map(UserBody::from).collect();
    Ok(Json(UserList { items, next: None }))
}

/// Adds a person, or replaces the password and roles of one and ends their sessions.
#[utoipa::path(post, path = "/api/users", tag = "console", request_body = NewUser,
    responses((status = 200, body = UserBody)))]
pub(super) async fn put_user(
    State(context): State<Context>,
    lang: Lang,
    actor: Actor,
    Json(wanted): Json<NewUser>,
) -> Result<Json<UserBody>, Failure> {
    actor.require_admin(lang)?;
    let grants = grants(&context, wanted.grants, lang)?;
    let (name, now) = (&wanted.name, context.clock.now());
    accounts::put_user(&context.store, &actor, name, &wanted.password, &grants, now)
        .await
        .map_err(|error| account_failure(error, lang))?;
    user(&context, name, lang).await
}

/// Lets a person in again, or keeps them out and ends their sessions.
#[utoipa::path(put, path = "/api/users/{name}/active", tag = "console", request_body = Active,
    params(("name" = String, Path)),
    responses((status = 200, body = UserBody)))]
pub(super) async fn activate(
    State(context): State<Context>,
    lang: Lang,
    actor: Actor,
    Path(name): Path<String>,
    Json(wanted): Json<Active>,
) -> Result<Json<UserBody>, Failure> {
    actor.require_admin(lang)?;
    let now = context.clock.now();
    let known = accounts::set_user_active(&context.store, &actor, &name, wanted.active, now)
        .await
        .map_err(|error| account_failure(error, lang))?;
    if !known {
        return Err(no_user(lang).into());
    }
    user(&context, &name, lang).await
}

async fn user(context: &Context, name: &str, lang: Lang) -> Result<Json<UserBody>, Failure> {
    let users = accounts::users(&context.store).await?;
    let user = users.into_iter().find(|user| user.name == name);
    Ok(Json(user.ok_or_else(|| no_user(lang))?.into()))
}

fn no_user(lang: Lang) -> Problem {
    Problem::not_found("USUARIO_INEXISTENTE")
        .lang(lang)
        .detail(lang.t("No existe ese usuario.", "There is no such user."))
}

/// A key for programs, without its secret.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct TokenBody {
    id: i64,
    name: String,
    /// How the secret begins, to tell tokens apart.
    prefix: String,
    grants: Vec<GrantBody>,
    created_at: Timestamp,
    expires_at: Option<Timestamp>,
    revoked_at: Option<Timestamp>,
}

#[derive(Debug, Serialize, ToSchema)]
pub(super) struct TokenList {
    items: Vec<TokenBody>,
    /// Always null: the list is short.
    next: Option<i64>,
}

#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct NewToken {
    #[schema(min_length = 1, max_length = 64)]
    name: String,
    grants: Vec<GrantBody>,
    /// Absent: until revoked.
    expires_at: Option<Timestamp>,
}

#[derive(Debug, Serialize, ToSchema)]
pub(super) struct CreatedToken {
    token: TokenBody,
    /// Shown this once; it is not kept.
    secret: String,
}

/// Tokens, live ones first.
#[utoipa::path(get, path = "/api/tokens", tag = "console",
    responses((status = 200, body = TokenList)))]
pub(super) async fn list_tokens(
    State(context): State<Context>,
    lang: Lang,
    actor: Actor,
) -> Result<Json<TokenList>, Failure> {
    actor.require_admin(lang)?;
    let tokens = accounts::tokens(&context.store).await?;
    let items = tokens.into_iter().map(TokenBody::from).collect();
    Ok(Json(TokenList { items, next: None }))
}

/// Makes a token. Sent again it is refused by its name: the secret cannot be shown twice.
#[utoipa::path(post, path = "/api/tokens", tag = "console", request_body = NewToken,
    responses((status = 201, body = CreatedToken)))]
pub(super) async fn create_token(
    State(context): State<Context>,
    lang: Lang,
    actor: Actor,
    Json(wanted): Json<NewToken>,
) -> Result<(StatusCode, Json<CreatedToken>), Failure> {
    actor.require_admin(lang)?;
    let grants = grants(&context, wanted.grants, lang)?;
    let (name, now) = (&wanted.name, context.clock.now());
    let expires = wanted.expires_at;
    let secret = accounts::create_token(&context.store, &actor, name, &grants, expires, now)
        .await
        .map_err(|error| account_failure(error, lang))?;
    let tokens = accounts::tokens(&context.store).await?;
    let token =
        tokens.into_iter().find(|token| token.name == *name).ok_or_else(|| no_token(lang))?.into();
    Ok((StatusCode::CREATED, Json(CreatedToken { token, secret })))
}

/// Ends a token at once.
#[utoipa::path(delete, path = "/api/tokens/{id}", tag = "console", params(("id" = i64, Path)),
    responses((status = 204, description = "it no longer works")))]
pub(super) async fn revoke_token(
    State(context): State<Context>,
    lang: Lang,
    actor: Actor,
    Path(id): Path<i64>,
) -> Result<StatusCode, Failure> {
    actor.require_admin(lang)?;
    let now = context.clock.now();
    if accounts::revoke_token(&context.store, &actor, id, now).await? {
        Ok(StatusCode::NO_CONTENT)
    } else {
        Err(no_token(lang).into())
    }
}

fn no_token(lang: Lang) -> Problem {
    Problem::not_found("TOKEN_INEXISTENTE").lang(lang).detail(lang.t(
        "No existe ese token, o ya estaba revocado.",
        "There is no such token, or it was revoked before.",
    ))
}

fn grants(context: &Context, wanted: Vec<GrantBody>, lang: Lang) -> Result<Vec<Grant>, Problem> {
    let grants: Vec<Grant> =
        wanted.into_iter().map(|GrantBody { app, role }| Grant { app, role }).collect();
    accounts::check_grants(&context.apps, &grants).map_err(|refusal| refused(&refusal, lang))?;
    Ok(grants)
}

impl From<Grant> for GrantBody {
    fn from(Grant { app, role }: Grant) -> Self {
        Self { app, role }
    }
}

impl From<User> for UserBody {
    fn from(user: User) -> Self {
        Self {
            name: user.name,
            active: user.active,
            grants: user.grants.into_iter().map(GrantBody::from).collect(),
            created_at: user.created_at,
        }
    }
}

impl From<Token> for TokenBody {
    fn from(token: Token) -> Self {
        Self {
            id: token.id,
            name: token.name,
            prefix: token.prefix,
            grants: token.grants.into_iter().map(GrantBody::from).collect(),
            created_at: token.created_at,
            expires_at: token.expires_at,
            revoked_at: token.revoked_at,
        }
    }
}
