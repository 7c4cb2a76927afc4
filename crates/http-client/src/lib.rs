//! HTTP clients for everything that speaks to the outside, with the one TLS implementation that the
//! binary carries. `clippy.toml` refuses a `reqwest` client made any other way: it would panic, for
//! `reqwest` is built without cryptography of its own.

use std::{
    net::{IpAddr, SocketAddr},
    sync::Arc,
    time::Duration,
};

use reqwest::{
    Client, ClientBuilder,
    dns::{Addrs, Name, Resolve, Resolving},
    redirect::Policy,
};

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

/// A client that goes where it is sent and nowhere else: a redirect could lead elsewhere with what was
/// meant for one.
pub fn straight(within: Duration) -> ClientBuilder {
    builder().timeout(within).redirect(Policy::none())
}

/// A client for addresses that strangers wrote down. It asks no proxy, which would look names up for
/// us, and of what a name points at it connects to nothing that is refused: the address that was judged
/// is the one that is called. An address written in figures is judged by whoever reads it.
pub fn wary(within: Duration, refused: fn(IpAddr) -> bool) -> ClientBuilder {
    straight(within).no_proxy().dns_resolver(Arc::new(Judging(refused)))
}

/// Looks names up and leaves out what is refused, at the moment of the call.
struct Judging(fn(IpAddr) -> bool);

impl Resolve for Judging {
    fn resolve(&self, name: Name) -> Resolving {
        let refused = self.0;
        Box::pin(async move {
            let found = tokio::net::lookup_host((name.as_str(), 0)).await?;
            let good: Vec<SocketAddr> = found.filter(|one| !refused(one.ip())).collect();
            if good.is_empty() {
                return Err("the name points where nothing may be sent".into());
            }
            let addresses: Addrs = Box::new(good.into_iter());
            Ok(addresses)
        })
    }
}

/// The body of an answer, or `None` when it is longer than `most` bytes: whoever is asked outside does
/// not decide how much memory is taken here.
pub async fn read_at_most(
    mut answer: reqwest::Response,
    most: usize,
) -> reqwest::Result<Option<Vec<u8>>> {
    let mut body = Vec::new();
    while let Some(part) = answer.chunk().await? {
        if body.len() + part.len() > most {
            return Ok(None);
        }
        body.extend_from_slice(&part);
    }
    Ok(Some(body))
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

    /// A receiver that sends everybody on, and counts who comes.
    fn receiver() -> (u16, std::sync::mpsc::Receiver<()>) {
        use std::io::{Read as _, Write as _};
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let (port, (sender, visits)) =
            (listener.local_addr().unwrap().port(), std::sync::mpsc::channel());
        std::thread::spawn(move || {
            while let Ok((mut socket, _)) = listener.accept() {
                let _ = sender.send(());
                let _ = socket.read(&mut [0; 1024]);
                let _ = socket.write_all(
                    b"HTTP/1.1 302 Found\r\nlocation: /again\r\ncontent-length: 0\r\n\r\n",
                );
            }
        });
        (port, visits)
    }

    #[tokio::test]
    async fn a_name_is_judged_by_where_it_points_when_it_is_called() {
        let (port, visits) = receiver();
        let url = format!("http://localhost:{port}/");
        let second = std::time::Duration::from_secs(5);
        let outside = super::wary(second, |address| address.is_loopback()).build().unwrap();
        assert!(outside.get(&url).send().await.is_err());
        assert!(visits.try_recv().is_err(), "nobody came");
        let anywhere = super::wary(second, |_| false).build().unwrap();
        let answer = anywhere.get(&url).send().await.unwrap();
        assert_eq!(answer.status().as_u16(), 302, "a redirect is an answer");
        assert!(visits.try_recv().is_ok());
        assert!(visits.try_recv().is_err(), "and is not followed");
    }
}
