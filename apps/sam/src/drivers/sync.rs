//! Reads the Control Room's lists of devices, users and files.

use controlroom::{Client, Fault};

use crate::{
    model::Licence,
    rules::sync::{Device, File, User, View},
};

/// Everything at once, or nothing: half a view would read as "gone".
pub async fn look(client: &Client, path: &str) -> Result<View, Fault> {
    let (devices, users, files) =
        tokio::try_join!(client.devices(), client.users(), client.files(path.trim()))?;
    Ok(View {
        files: files
            .into_iter()
            .map(|file| File {
                id: file.id,
                taskbot: file.is_taskbot(),
                name: file.name,
                path: file.path,
                description: file.description,
            })
            .collect(),
        devices: devices
            .into_iter()
            .map(|device| Device {
                id: device.id,
                connected: device.is_connected(),
                users: device.default_users.iter().map(|user| user.id).collect(),
                host: device.host_name,
            })
            .collect(),
        users: users
            .into_iter()
            .map(|user| User {
                id: user.id,
                name: user.username,
                licence: Licence::parse(&user.license_features.join(",")),
            })
            .collect(),
    })
}
