//! How notices of alerts leave: by webhook and by e-mail, and whether they arrived.

use std::time::Duration;

use db::{audit::Entry, effects::Claimed};
use engine::Sentence;
use lettre::{AsyncSmtpTransport, AsyncTransport as _, Message, Tokio1Executor};
use serde_json::Value as Json;

use super::{Alert, AlertChannels, Severity, scope};
use crate::{
    Actor, Context, Driver, Outcome,
    webhook::{self, Hook},
};

/// A receiver that takes longer has failed.
const RECEIVER_TIMEOUT: Duration = Duration::from_secs(10);

pub(crate) fn drivers() -> [Driver; 2] {
    [Driver::new("alert.webhook", webhook), Driver::new("alert.email", email)]
}

async fn webhook(context: Context, effect: Claimed) -> Outcome {
    let channels = &context.options.alerts;
    let Some(url) = &channels.webhook_url else {
        return Outcome::Refused("no webhook is configured any more".into());
    };
    let secret = channels.webhook_secret.as_deref();
    let hook = Hook { url, secret, key: &effect.key, at: context.clock.now() };
    // The deployment says where: that may be inside. Where a redirect leads nobody said.
    match http_client::straight(RECEIVER_TIMEOUT).build() {
        Ok(client) => webhook::post(&client, hook, effect.payload.to_string()).await,
        Err(error) => Outcome::Failed(error.to_string()),
    }
}

async fn email(context: Context, effect: Claimed) -> Outcome {
    match send_email(&context.options.alerts, &effect.payload, &context.options.url).await {
        Ok(()) => Outcome::Done,
        Err(error) => Outcome::Failed(error.to_string()),
    }
}

async fn send_email(
    channels: &AlertChannels,
    payload: &Json,
    house: &str,
) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
    let url = channels.smtp_url.as_deref().ok_or("no mail server is configured any more")?;
    let text = |key: &str| payload[key].as_str().unwrap_or_default();
    let subject = format!("[Turno {}] {}: {}", text("app"), text("state"), text("title"));
    let page = match text("cause") {
        "" => "/alertas",
        cause => cause,
    };
    let body = format!(
        "{}\n{}\n\n{}\n{}\n\n{house}{page}\n{}\n{}",
        text("title"),
        text("detail"),
        text("title_en"),
        text("detail_en"),
        text("fingerprint"),
        text("at")
    );
    let from = channels.smtp_from.as_deref().unwrap_or("turno@localhost");
    let mut message = Message::builder().from(from.parse()?).subject(subject);
    for to in &channels.smtp_to {
        message = message.to(to.parse()?);
    }
    let transport = AsyncSmtpTransport::<Tokio1Executor>::from_url(url)?.build();
    transport.send(message.body(body)?).await?;
    Ok(())
}

/// Sends a notice over every channel, so that people know they arrive. `false`: there is none.
pub(crate) async fn send_test(context: &Context, by: &Actor) -> Result<bool, db::Error> {
    let channels = &context.options.alerts;
    if !channels.by_webhook() && !channels.by_email() {
        return Ok(false);
    }
    let now = context.clock.now();
    let title = Sentence::new("Aviso de prueba", "Test notice");
    let name = &by.name;
    let detail = Sentence::new(format!("Pedido por {name}"), format!("Asked for by {name}"));
    let alert = Alert::new("host", "host/test", Severity::Warning, title, detail);
    let mut decision = context.store.decide(&scope(), now).await?;
    context.notify(&mut decision, &alert, "TEST", now);
    decision.audit(Entry {
        app: "host",
        actor: by.name.clone(),
        role: by.role_in("host").unwrap_or_default().into(),
        action: "alert.test".into(),
        subject: alert.fingerprint,
        before: None,
        after: Some(by.name.as_str().into()),
        reason: None,
    });
    decision.commit().await?;
    Ok(true)
}
