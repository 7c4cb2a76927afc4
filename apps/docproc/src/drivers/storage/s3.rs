//! A bucket of an S3 server, spoken to with bounded patience.

use std::{sync::Arc, time::Duration};

use object_store::{
    BackoffConfig, ClientOptions, ObjectStore, RetryConfig, aws::AmazonS3Builder,
    path::Path as Key, prefix::PrefixStore,
};

use super::address::Bucket;

/// One request and its answer, which are never larger than a part.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(30);
const CONNECT_TIMEOUT: Duration = Duration::from_secs(3);
/// After this nothing is tried again.
const RETRY_TIMEOUT: Duration = Duration::from_secs(10);
const RETRIES: usize = 3;
const FIRST_PAUSE: Duration = Duration::from_millis(100);
const LONGEST_PAUSE: Duration = Duration::from_secs(2);

/// Opens nothing yet: the first request finds out whether the server is there.
pub(super) fn objects(bucket: &Bucket) -> Result<Arc<dyn ObjectStore>, object_store::Error> {
    http_client::provide();
    let plain = bucket.endpoint.as_deref().is_some_and(|url| url.starts_with("http://"));
    let client = ClientOptions::new()
        .with_allow_http(plain)
        .with_connect_timeout(CONNECT_TIMEOUT)
        .with_timeout(REQUEST_TIMEOUT);
    let retry = RetryConfig {
        backoff: BackoffConfig { init_backoff: FIRST_PAUSE, max_backoff: LONGEST_PAUSE, base: 2.0 },
        max_retries: RETRIES,
        retry_timeout: RETRY_TIMEOUT,
    };
    // The other ways to get credentials (a pod's, a task's) are in variables that only it knows.
    let mut builder = AmazonS3Builder::from_env()
        .with_bucket_name(&bucket.name)
        .with_virtual_hosted_style_request(false)
        .with_client_options(client)
        .with_retry(retry);
    if let Some(endpoint) = &bucket.endpoint {
        builder = builder.with_endpoint(endpoint);
    }
    if let Some(region) = &bucket.region {
        builder = builder.with_region(region);
    }
    if let Some(keys) = &bucket.keys {
        builder = builder.with_access_key_id(&keys.id).with_secret_access_key(keys.secret.expose());
        if let Some(token) = &keys.token {
            builder = builder.with_token(token.expose());
        }
    }
    let whole = builder.build()?;
    Ok(if bucket.prefix.is_empty() {
        Arc::new(whole)
    } else {
        Arc::new(PrefixStore::new(whole, Key::from(bucket.prefix.as_str())))
    })
}
