//! Starts everything and stops it in the right order.

use std::{net::SocketAddr, time::Duration};

use axum::{extract::Request, http::Uri};
use db::{Dialect, Scope};
use tokio::{net::TcpListener, task::JoinHandle};
use tokio_util::task::TaskTracker;

use crate::{Context, gate, router};

/// A started host.
#[derive(Debug)]
pub struct Running {
    pub address: SocketAddr,
    context: Context,
    server: JoinHandle<()>,
    tasks: TaskTracker,
}

/// Builds what each application keeps in this process. Before [`start`].
pub async fn prepare(context: &Context) -> Result<(), terminal::Exit> {
    seal_secrets(context).await?;
    for app in &context.apps {
        (app.prepare)(context.clone()).await?;
    }
    Ok(())
}

/// Seals what an older version wrote down openly.
async fn seal_secrets(context: &Context) -> Result<(), db::Error> {
    if !context.settings.any_open(&mut context.store.read().await?).await? {
        return Ok(());
    }
    let mut decision = context.store.decide(&Scope::new("settings"), context.clock.now()).await?;
    let sealed = context.settings.reseal(&mut decision.tx, &context.options.vault).await?.0;
    decision.commit().await?;
    tracing::info!(sealed, "secrets that lay open in the database are sealed");
    Ok(())
}

/// Serves on `listener` and runs ticks, relay, effects and the applications' tasks.
pub async fn start(context: Context, listener: TcpListener) -> std::io::Result<Running> {
    let address = listener.local_addr()?;
    context.appear().await.map_err(std::io::Error::other)?;
    let tasks = TaskTracker::new();
    tasks.spawn(context.clone().live());
    tasks.spawn(context.clone().run_relay());
    tasks.spawn(crate::carrier::watch(context.clone()));
    if context.store.dialect() == Dialect::Sqlite {
        tasks.spawn(context.clone().notice_others());
    }
    for task in context.apps.iter().flat_map(|app| &app.tasks) {
        tasks.spawn(task(context.clone()));
    }
    if context.is_past() {
        tasks.spawn(live_past_then_run(context.clone(), tasks.clone()));
    } else {
        run(&context, &tasks);
    }
    tasks.close();
    // Streams end by the same token, so that draining has an end.
    let (gate, stopping) = (context.gate.clone(), context.stopping.clone());
    let server = tokio::spawn(gate::serve(gate, listener, router(&context), stopping));
    Ok(Running { address, context, server, tasks })
}

/// Ticks, effects and what else time drives. A manual clock runs them when it is moved, and only then.
fn run(context: &Context, tasks: &TaskTracker) {
    if context.clock.is_manual() {
        return;
    }
    tasks.spawn(context.clone().run_effects());
    tasks.spawn(crate::watch::watch(context.clone()));
    for tick in context.all_ticks() {
        tasks.spawn(context.clone().drive(tick));
    }
    if let Some(schedule) = context.options.backups.clone() {
        tasks.spawn(crate::backups::run(context.clone(), schedule));
    }
}

async fn live_past_then_run(context: Context, tasks: TaskTracker) {
    while let Err(error) = context.live_past().await {
        tracing::warn!(%error, "the demonstration's week waits: the database does not answer");
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
    run(&context, &tasks);
}

impl Running {
    pub fn context(&self) -> &Context {
        &self.context
    }

    /// Serves the same at one more address, whose front page is another one.
    pub fn also(&self, listener: TcpListener, front: &'static str) {
        let app = tower::util::MapRequest::new(router(&self.context), move |request| {
            lead_to(front, request)
        });
        let (gate, stopping) = (self.context.gate.clone(), self.context.stopping.clone());
        tokio::spawn(gate::serve(gate, listener, app, stopping));
    }

    /// Stops taking work, ends streams, lets requests and tasks finish within the drain time.
    pub async fn stop(self) {
        let drain = self.context.options.drain;
        self.context.stopping.cancel();
        if tokio::time::timeout(drain, self.server).await.is_err() {
            tracing::warn!("requests were still open after the drain time");
        }
        let ended = async { tokio::join!(self.tasks.wait(), self.context.work_done()) };
        if tokio::time::timeout(drain, ended).await.is_err() {
            tracing::warn!("tasks were still running after the drain time");
        }
        self.context.demonstration.end();
        let closed = async {
            self.context.disappear().await;
            self.context.bus.close();
            self.context.store.close().await;
        };
        let _ = tokio::time::timeout(Duration::from_secs(5), closed).await;
    }
}

/// A request for the root as one for `front`; what follows the path stays.
fn lead_to(front: &str, mut request: Request) -> Request {
    if request.uri().path() != "/" {
        return request;
    }
    let query = request.uri().query().map(|query| format!("?{query}")).unwrap_or_default();
    if let Ok(uri) = format!("{front}{query}").parse::<Uri>() {
        *request.uri_mut() = uri;
    }
    request
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_root_is_led_elsewhere() {
        let led = |uri: &str| {
            let request = Request::builder().uri(uri).body(axum::body::Body::empty());
            lead_to("/backoffice", request.unwrap()).uri().to_string()
        };
        assert_eq!(led("/?operator=ana"), "/backoffice?operator=ana");
        assert_eq!(led("/"), "/backoffice");
        assert_eq!(led("/api/tasks?status=pending"), "/api/tasks?status=pending");
    }
}
