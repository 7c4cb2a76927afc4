//! A broker by TLS whose authority is not a public one, and everything that is wrong on the way to it.

#![allow(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

use std::{path::Path, process::Command};

use broker::{Address, Fault, Topology, reach};

/// Another authority, who vouches for nobody here.
fn stranger(folder: &Path) -> String {
    let (key, certificate) = (folder.join("stranger.key"), folder.join("stranger.pem"));
    let made = Command::new("openssl")
        .args(["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1"])
        .args(["-nodes", "-days", "30", "-subj", "/CN=A stranger", "-keyout"])
        .arg(&key)
        .arg("-out")
        .arg(&certificate)
        .output()
        .unwrap();
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    std::fs::read_to_string(certificate).unwrap()
}

async fn refused(address: Address) -> String {
    let fault = reach(&address, "test", &Topology::default()).await.unwrap_err();
    println!("{address}: {fault}");
    assert!(matches!(fault, Fault::Unsafe(_)) && !fault.may_pass(), "{fault:?}");
    fault.to_string()
}

#[tokio::test]
async fn a_private_authority_is_trusted_when_it_is_named_and_what_is_wrong_is_said() {
    let Some(node) = testkit::broker::sealed_node().await else { return };
    let (url, file) = node.sealed().await;
    let authority = std::fs::read_to_string(file).unwrap();
    let address = |url: &str| url.parse::<Address>().unwrap();
    let trusting = |url: &str| address(url).trusting(&authority).unwrap();
    reach(&trusting(&url), "test", &Topology::default()).await.unwrap();

    let said = refused(address(&url)).await;
    assert!(said.contains("server.rabbitmq_ca"), "{said}");
    let folder = std::env::temp_dir().join(format!("sealed_{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let said = refused(address(&url).trusting(&stranger(&folder)).unwrap()).await;
    assert!(said.contains("server.rabbitmq_ca"), "{said}");
    std::fs::remove_dir_all(folder).unwrap();
    let said = refused(trusting(&url.replace("localhost", "127.0.0.1"))).await;
    assert!(said.contains("another name") && said.contains("localhost"), "{said}");
    let plain = node.url.replace("amqp://", "amqps://").replace("127.0.0.1", "localhost");
    let said = refused(trusting(&plain)).await;
    assert!(said.contains("does not speak TLS"), "{said}");

    // The other way about, and a password: the one for who asks in the open, the other as ever.
    let open = url.replace("amqps://", "amqp://");
    let fault = reach(&address(&open), "test", &Topology::default()).await.unwrap_err();
    println!("{open}: {fault}");
    let wrong = trusting(&url.replace("guest:guest", "guest:wrong"));
    let fault = reach(&wrong, "test", &Topology::default()).await.unwrap_err();
    assert!(matches!(fault, Fault::Refused(_)), "{fault}");
}
