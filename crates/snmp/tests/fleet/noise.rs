//! Whatever a device sends, the client ends in time and in one piece.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use proptest::prelude::*;
use snmp::sim::{Options, Simulator};
use snmp::{CancellationToken, Credential, Fleet, Get, Oid, Target, Walk};
use tokio::net::UdpSocket;
use tokio_util::task::AbortOnDropHandle;

use crate::rig::states;

const QUICK: Duration = Duration::from_millis(15);

/// What is done to a true answer on its way.
#[derive(Clone, Debug)]
enum Harm {
    Replace(Vec<u8>),
    Flip(Vec<(usize, u8)>),
    Cut(usize),
    Extend(Vec<u8>),
    Twice,
}

fn harm() -> impl Strategy<Value = Harm> {
    let bytes = proptest::collection::vec(any::<u8>(), 0..300);
    prop_oneof![
        bytes.clone().prop_map(Harm::Replace),
        proptest::collection::vec((any::<usize>(), any::<u8>()), 1..6).prop_map(Harm::Flip),
        any::<usize>().prop_map(Harm::Cut),
        bytes.prop_map(Harm::Extend),
        Just(Harm::Twice),
    ]
}

impl Harm {
    fn befall(&self, mut answer: Vec<u8>) -> Vec<Vec<u8>> {
        match self {
            Self::Replace(bytes) => answer.clone_from(bytes),
            Self::Flip(flips) => {
                for (at, mask) in flips {
                    let at = at % answer.len().max(1);
                    if let Some(byte) = answer.get_mut(at) {
                        *byte ^= mask;
                    }
                }
            }
            Self::Cut(at) => answer.truncate(at % (answer.len() + 1)),
            Self::Extend(bytes) => answer.extend(bytes),
            Self::Twice => return vec![answer.clone(), answer],
        }
        vec![answer]
    }
}

/// Stands between the client and an OLT and harms every answer.
async fn between(olt: SocketAddr, harm: Harm) -> (SocketAddr, AbortOnDropHandle<()>) {
    let front = Arc::new(UdpSocket::bind("127.0.0.1:0").await.expect("a port"));
    let address = front.local_addr().expect("bound");
    let relay = tokio::spawn(async move {
        let back = UdpSocket::bind("127.0.0.1:0").await.expect("a port");
        back.connect(olt).await.expect("connected");
        let mut datagram = vec![0; 65_535];
        while let Ok((length, from)) = front.recv_from(&mut datagram).await {
            back.send(&datagram[..length]).await.expect("sent");
            let length = back.recv(&mut datagram).await.expect("the OLT answers");
            for answer in harm.befall(datagram[..length].to_vec()) {
                let _ = front.send_to(&answer, from).await;
            }
        }
    });
    (address, AbortOnDropHandle::new(relay))
}

async fn survive(credential: Credential, harm: Harm) {
    let sim = Simulator::start(Options { onus: 60, ..Options::default() }).await.expect("free");
    let fleet = Fleet::bind().expect("a socket");
    let (address, _relay) = between(sim.addresses()[0], harm).await;
    let target = Target::new(address.ip().to_string(), address.port(), credential);
    let none = CancellationToken::new();
    let all = async {
        let _ = fleet.probe(&target, QUICK, &none).await;
        let walk = Walk { timeout: QUICK, retries: 0, max_rows: 1000, ..states() };
        if let Ok(walked) = fleet.walk(&target, &walk, &none).await {
            assert!(walked.rows.is_sorted_by(|a, b| a.index < b.index));
        }
        let name: Oid = "1.3.6.1.2.1.1.5.0".parse().expect("a name");
        let get = Get { timeout: QUICK, retries: 0, ..Get::new(vec![name; 3]) };
        if let Ok(got) = fleet.get(&target, &get, &none).await {
            assert_eq!(got.answers.len(), 3);
        }
    };
    tokio::time::timeout(Duration::from_secs(20), all).await.expect("it ends");
}

fn run(credential: Credential, harm: Harm) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.expect("a runtime").block_on(survive(credential, harm));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn community_answers_may_be_anything(harm in harm()) {
        run(Credential::v2c("public"), harm);
    }

    #[test]
    fn secure_answers_may_be_anything(harm in harm()) {
        let key = (snmp::AuthProtocol::Sha256, "turno-auth-key".into());
        let user = "turno-auth".to_owned();
        run(Credential::V3 { user, auth: Some(key), privacy: None, context: String::new() }, harm);
    }
}
