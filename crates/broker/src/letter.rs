//! What is handed to the broker.

use std::collections::BTreeMap;

use lapin::{
    BasicProperties,
    types::{AMQPValue, FieldTable},
};

/// A message for the broker: kept on its disk, and given back if no queue takes it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Letter {
    pub exchange: String,
    pub key: String,
    pub message_id: String,
    pub headers: BTreeMap<String, String>,
    pub body: Vec<u8>,
}

const PERSISTENT: u8 = 2;

impl Letter {
    pub(crate) fn properties(&self) -> BasicProperties {
        let mut headers = FieldTable::default();
        for (name, value) in &self.headers {
            headers.insert(name.as_str().into(), AMQPValue::LongString(value.as_str().into()));
        }
        BasicProperties::default()
            .with_content_type("application/json".into())
            .with_delivery_mode(PERSISTENT)
            .with_message_id(self.message_id.as_str().into())
            .with_headers(headers)
    }
}
