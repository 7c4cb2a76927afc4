//! Ports of the applications' own, beside the main one.

use std::net::SocketAddr;

use terminal::Exit;
use tokio::net::TcpListener;

use crate::{Port, Running};

impl Running {
    /// Opens them. One that is taken by somebody else is a warning: the same is at the main address.
    pub async fn open_ports(&self) -> Result<(), Exit> {
        for app in &self.context().apps {
            for port in app.ports {
                if let Some(number) = number(port)? {
                    self.open_port(app.name, port, number).await;
                }
            }
        }
        Ok(())
    }

    async fn open_port(&self, app: &str, port: &Port, number: u16) {
        let address = SocketAddr::new(self.address.ip(), number);
        match TcpListener::bind(address).await {
            Ok(listener) => {
                tracing::info!(%address, app, "a port of its own");
                self.also(listener, port.front);
            }
            Err(error) => {
                let instead = format!("http://{}{}", self.address, port.front);
                tracing::warn!(%address, app, %error, instead, "no port of its own");
            }
        }
    }
}

fn number(port: &Port) -> Result<Option<u16>, Exit> {
    let named = std::env::var(port.variable).ok().filter(|text| !text.is_empty());
    match named.as_deref() {
        None => Ok(Some(port.number)),
        Some("off") => Ok(None),
        Some(text) => text.parse().map(Some).map_err(|_| {
            Exit::usage(format!("{}: {text:?} is not a port, nor `off`", port.variable))
        }),
    }
}
