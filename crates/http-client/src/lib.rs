//! HTTP clients for everything that speaks to the outside, with the one TLS implementation that the
//! binary carries. `clippy.toml` refuses a `reqwest` client made any other way: it would panic, for
//! `reqwest` is built without cryptography of its own.

use reqwest::{Client, ClientBuilder};

/// Brings the cryptography, for a library that makes its `reqwest` client itself.
pub fn provide() {
    // A second call finds the first one's provider; both are the same.
    let _ = rustls::crypto::ring::default_provider().install_default();
}

/// A client to be given time-outs, redirects and proxies by whoever knows the other side.
#[expect(clippy::disallowed_methods, reason = "this is the place")]
pub fn builder() -> ClientBuilder {
    provide();
    Client::builder()
}

/// A client with reqwest's defaults.
pub fn client() -> Client {
    builder().build().expect("a client without options can be built")
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_client_for_https_can_be_made_any_number_of_times() {
        for _ in 0..2 {
            super::client();
            super::builder().https_only(true).build().unwrap();
        }
    }
}
