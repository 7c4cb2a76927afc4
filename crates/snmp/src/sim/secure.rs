//! v3: the library's agent, over the same tables, on a port of its own behind the OLT's.

use std::convert::Infallible;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use async_snmp::agent::Agent;
use async_snmp::handler::{
    BoxFuture, GetNextResult, GetResult, HandlerResult, MibHandler, RequestContext,
};
use async_snmp::{AuthProtocol, AuthoritativeEngine, Oid, PrivProtocol, Value, VarBind};
use tokio::net::UdpSocket;
use tokio::sync::OnceCell;
use tokio_util::task::AbortOnDropHandle;

use super::olt::Olt;
use super::tables::{Datum, Found};

const AUTH_KEY: &[u8] = b"turno-auth-key";
const PRIV_KEY: &[u8] = b"turno-priv-key";
/// It is on the same machine: what takes longer does not come.
const RELAY_TIMEOUT: Duration = Duration::from_secs(2);
const DATAGRAM: usize = 65_535;

/// Starts with the first question of v3, so that a fleet without v3 pays nothing for it.
#[derive(Default)]
pub(super) struct Secure {
    agent: OnceCell<Option<(SocketAddr, AbortOnDropHandle<()>)>>,
}

impl Secure {
    pub(super) async fn ask(&self, olt: &Arc<Olt>, datagram: &[u8]) -> Option<Vec<u8>> {
        let agent = self.agent.get_or_init(|| start(Arc::clone(olt))).await;
        let (address, _) = agent.as_ref()?;
        tokio::time::timeout(RELAY_TIMEOUT, relay(*address, datagram)).await.ok()?.ok()
    }
}

async fn relay(to: SocketAddr, datagram: &[u8]) -> io::Result<Vec<u8>> {
    let socket = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).await?;
    socket.connect(to).await?;
    socket.send(datagram).await?;
    let mut answer = vec![0; DATAGRAM];
    let length = socket.recv(&mut answer).await?;
    answer.truncate(length);
    Ok(answer)
}

async fn start(olt: Arc<Olt>) -> Option<(SocketAddr, AbortOnDropHandle<()>)> {
    let id = format!("turno-olt-{:08}", olt.number);
    // Nothing is kept: whoever remembers an earlier run meets another start.
    let engine =
        AuthoritativeEngine::install(id.into_bytes(), |_| Ok::<(), Infallible>(())).ok()?;
    let agent = Agent::builder()
        .bind("127.0.0.1:0")
        .authoritative_engine(engine)
        .without_builtin_handlers()
        .usm_user("turno-open", Ok)
        .ok()?
        .usm_user("turno-auth", |user| user.auth(AuthProtocol::Sha256, AUTH_KEY))
        .ok()?
        .usm_user("turno-priv", |user| {
            user.auth_priv(AuthProtocol::Sha256, AUTH_KEY, PrivProtocol::Aes128, PRIV_KEY)
        })
        .ok()?
        .handler(Oid::from_slice(&[1, 3]), Arc::new(Library(olt)))
        .allow_all_access()
        .build()
        .await
        .ok()?;
    let address = agent.local_addr();
    let run = tokio::spawn(async move {
        let _ = agent.run().await;
    });
    Some((address, AbortOnDropHandle::new(run)))
}

/// The tables as the library wants to read them.
struct Library(Arc<Olt>);

impl MibHandler for Library {
    fn get<'a>(
        &'a self,
        _: &'a RequestContext,
        oid: &'a Oid,
    ) -> BoxFuture<'a, HandlerResult<GetResult>> {
        let settings = self.0.settings();
        let tables = self.0.tables(&settings);
        let found = match tables.find(oid.arcs()) {
            Found::Position(place) => GetResult::Value(value(tables.datum(place))),
            Found::NoInstance => GetResult::NoSuchInstance,
            Found::NoObject => GetResult::NoSuchObject,
        };
        Box::pin(async { Ok(found) })
    }

    fn get_next<'a>(
        &'a self,
        _: &'a RequestContext,
        oid: &'a Oid,
    ) -> BoxFuture<'a, HandlerResult<GetNextResult>> {
        let settings = self.0.settings();
        let tables = self.0.tables(&settings);
        let found = match tables.after(oid.arcs()) {
            Some(place) => {
                let name = Oid::from_slice(&tables.name(place));
                GetNextResult::Value(VarBind::new(name, value(tables.datum(place))))
            }
            None => GetNextResult::EndOfMibView,
        };
        Box::pin(async { Ok(found) })
    }
}

fn value(datum: Datum) -> Value {
    match datum {
        Datum::Integer(number) => Value::Integer(number),
        Datum::Ticks(ticks) => Value::TimeTicks(ticks),
        Datum::Bytes(bytes) => Value::OctetString(bytes.into()),
        Datum::Oid(arcs) => Value::ObjectIdentifier(Oid::from_slice(&arcs)),
    }
}
