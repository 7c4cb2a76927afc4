//! TLS in the process itself.

use std::{fs, path::PathBuf, time::Duration};

use host::{Access, Certificates, Network};
use testkit::TestDb;

use crate::serve;

fn pair(name: &str) -> (PathBuf, PathBuf) {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/gate/keys");
    (folder.join(format!("{name}.crt")), folder.join(format!("{name}.key")))
}

/// The certificate that the server shows to whoever comes new.
async fn shown(url: &str) -> Vec<u8> {
    let client = http_client::builder()
        .danger_accept_invalid_certs(true)
        .tls_info(true)
        .timeout(Duration::from_secs(10))
        .build()
        .unwrap();
    let answer = client.get(format!("{url}/health")).send().await.unwrap();
    assert_eq!(answer.status().as_u16(), 200);
    assert!(answer.headers().contains_key("strict-transport-security"));
    let info = answer.extensions().get::<reqwest::tls::TlsInfo>().unwrap();
    info.peer_certificate().unwrap().to_vec()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_changed_certificate_is_shown_without_a_restart_and_a_broken_one_is_not() {
    let db = TestDb::sqlite();
    let (chain, key) = (db.dir.join("chain.pem"), db.dir.join("key.pem"));
    let put = |name: &str| {
        let (from_chain, from_key) = pair(name);
        fs::copy(from_key, &key).unwrap();
        fs::copy(from_chain, &chain).unwrap();
    };
    put("one");
    let certificates = Some(Certificates::read(&chain, &key).unwrap());
    let network = Network { certificates, ..Network::default() };
    let server = serve(&db, Access::Open, network).await;
    let url = server.client.base().replace("http://", "https://");
    let first = shown(&url).await;
    put("two");
    // Files are looked at every two seconds.
    let second = loop {
        let now = shown(&url).await;
        if now != first {
            break now;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    };
    fs::write(&chain, "no certificate").unwrap();
    tokio::time::sleep(Duration::from_millis(2_500)).await;
    assert_eq!(shown(&url).await, second, "the last good one stays");
    let plain = server.client.request(reqwest::Method::GET, "/health").send().await;
    assert!(plain.is_err(), "plain text is no TLS");
    server.stop().await;
}

#[test]
fn what_is_no_certificate_is_refused_at_the_start() {
    let ((chain, key), (_, other)) = (pair("one"), pair("two"));
    assert!(Certificates::read(&chain, &key).is_ok());
    for (chain, key) in [(&key, &key), (&chain, &other), (&chain, &chain)] {
        assert!(Certificates::read(chain, key).is_err(), "{chain:?} {key:?}");
    }
    assert!(Certificates::read(&PathBuf::from("/nowhere"), &key).is_err());
}
