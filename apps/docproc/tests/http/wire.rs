//! A wire between this process and a server of others.

use std::net::SocketAddr;

use tokio::{
    net::{TcpListener, TcpStream},
    task::AbortHandle,
};

/// A wire that can be cut and mended.
pub(crate) struct Wire {
    pub(crate) address: SocketAddr,
    to: SocketAddr,
    carrying: AbortHandle,
}

impl Wire {
    pub(crate) async fn lay(to: SocketAddr) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        Self { address, to, carrying: carry(listener, to) }
    }

    /// Every connection ends, and no new one is taken.
    pub(crate) fn cut(&self) {
        self.carrying.abort();
    }

    pub(crate) async fn mend(&mut self) {
        let listener = TcpListener::bind(self.address).await.unwrap();
        self.carrying = carry(listener, self.to);
    }
}

fn carry(listener: TcpListener, to: SocketAddr) -> AbortHandle {
    let carrying = tokio::spawn(async move {
        let mut open = tokio::task::JoinSet::new();
        while let Ok((mut near, _)) = listener.accept().await {
            open.spawn(async move {
                let mut far = TcpStream::connect(to).await?;
                tokio::io::copy_bidirectional(&mut near, &mut far).await
            });
        }
    });
    carrying.abort_handle()
}
