//! Hashes passwords, a few at a time.

use argon2::{
    Argon2,
    password_hash::{PasswordHasher as _, PasswordVerifier as _, phc::PasswordHash},
};
use tokio::sync::{OnceCell, Semaphore};

use super::AccountError;

/// Each hash takes tens of milliseconds and megabytes on purpose; guessers must queue.
static PLACES: Semaphore = Semaphore::const_new(4);
static NOBODYS: OnceCell<String> = OnceCell::const_new();

pub(super) async fn hash(password: String) -> Result<String, AccountError> {
    let _place = PLACES.acquire().await;
    // Off the runtime's threads, which must not be held up.
    tokio::task::spawn_blocking(move || {
        Argon2::default().hash_password(password.as_bytes()).map(|hash| hash.to_string())
    })
    .await
    .ok()
    .and_then(Result::ok)
    .ok_or(AccountError::Hashing)
}

pub(super) async fn verify(password: String, kept: String) -> bool {
    let _place = PLACES.acquire().await;
    tokio::task::spawn_blocking(move || {
        PasswordHash::new(&kept)
            .is_ok_and(|hash| Argon2::default().verify_password(password.as_bytes(), &hash).is_ok())
    })
    .await
    .unwrap_or(false)
}

/// A hash to verify against for an unknown name, so that time does not tell names. Made once:
/// hashing again for every stranger would tell them by taking twice as long.
pub(super) async fn nobodys_hash() -> Result<String, AccountError> {
    NOBODYS.get_or_try_init(|| hash(super::random_secret())).await.cloned()
}
