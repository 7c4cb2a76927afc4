//! The seeds' own ports, beside the main one.

use std::net::SocketAddr;

use host::Running;
use tokio::net::TcpListener;

use crate::exit::Exit;

/// A port that an application's customers know.
struct Door {
    app: &'static str,
    /// Names another port, or `off`.
    variable: &'static str,
    port: u16,
    /// What its root shows.
    front: &'static str,
}

const DOORS: &[Door] = &[
    Door {
        app: docproc::NAME,
        variable: "DOCPROC_BACKOFFICE_PORT",
        port: 8001,
        front: "/backoffice",
    },
    Door { app: sam::NAME, variable: "SAM_CALLBACK_PORT", port: 8008, front: "/health" },
];

/// Opens them. One that is taken by somebody else is a warning: the same is at the main address.
pub(crate) async fn open(running: &Running) -> Result<(), Exit> {
    for door in DOORS.iter().filter(|door| running.context().app(door.app).is_some()) {
        let named = std::env::var(door.variable).ok().filter(|text| !text.is_empty());
        let port = match named.as_deref() {
            None => door.port,
            Some("off") => continue,
            Some(text) => text.parse().map_err(|_| {
                Exit::usage(format!("{}: {text:?} is not a port, nor `off`", door.variable))
            })?,
        };
        let address = SocketAddr::new(running.address.ip(), port);
        match TcpListener::bind(address).await {
            Ok(listener) => {
                tracing::info!(%address, app = door.app, "a door of its own");
                running.also(listener, door.front);
            }
            Err(error) => {
                let instead = format!("http://{}{}", running.address, door.front);
                tracing::warn!(%address, app = door.app, %error, instead, "no door of its own");
            }
        }
    }
    Ok(())
}
