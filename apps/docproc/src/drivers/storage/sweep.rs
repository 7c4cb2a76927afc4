//! Removing files: of a request or a golden case, and what nobody owns.

use std::{path::Path, time::Duration};

use futures::{StreamExt as _, TryStreamExt as _};
use jiff::Timestamp;
use object_store::{ObjectStore as _, path::Path as Key};

use super::{CASES, Fault, REQUESTS, Storage};

impl Storage {
    /// Removes everything of a request; what is not there is removed already.
    pub async fn remove(&self, request: &str) -> Result<(), Fault> {
        self.remove_all(REQUESTS, request).await
    }

    /// The same of a golden case.
    pub async fn remove_case(&self, case: &str) -> Result<(), Fault> {
        self.remove_all(CASES, case).await
    }

    async fn remove_all(&self, kind: &str, owner: &str) -> Result<(), Fault> {
        if let Some(root) = &self.root {
            let dir = root.join(kind).join(owner);
            return match tokio::fs::remove_dir_all(dir).await {
                Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                    Err(self.heard(Fault::of_io(&self.address, owner, &error)))
                }
                _ => Ok(()),
            };
        }
        let prefix = Key::from(format!("{kind}/{owner}"));
        let found = self.objects.list(Some(&prefix)).map_ok(|about| about.location).boxed();
        let removed: Result<Vec<Key>, _> = self.objects.delete_stream(found).try_collect().await;
        self.noted(owner, removed.map(drop))
    }

    /// Requests whose files have not changed for so long, for the sweep of what no request owns.
    pub async fn owners_older_than(&self, age: Duration) -> Vec<String> {
        self.older_than(REQUESTS, age).await
    }

    /// The same of golden cases.
    pub async fn cases_older_than(&self, age: Duration) -> Vec<String> {
        self.older_than(CASES, age).await
    }

    async fn older_than(&self, kind: &str, age: Duration) -> Vec<String> {
        if let Some(root) = &self.root {
            let dir = root.join(kind);
            let old = tokio::task::spawn_blocking(move || old_directories(&dir, age));
            return old.await.unwrap_or_default();
        }
        self.old_objects(kind, age).await.unwrap_or_else(|fault| {
            tracing::warn!(%fault, "files without an owner are looked for later");
            Vec::new()
        })
    }

    /// A listing is in the order of names, so that the objects of an owner come one after another.
    async fn old_objects(&self, kind: &str, age: Duration) -> Result<Vec<String>, Fault> {
        let before = Timestamp::now() - age;
        let prefix = Key::from(kind);
        let mut all = self.objects.list(Some(&prefix));
        // The owners that were met, and whether all that they have is old.
        let mut owners: Vec<(String, bool)> = Vec::new();
        while let Some(about) = all.next().await.transpose().map_err(|e| self.fault(kind, &e))? {
            let Some(owner) = about.location.parts().nth(1) else { continue };
            let is_old = about.last_modified.timestamp() < before.as_second();
            match owners.last_mut() {
                Some((last, old)) if last == owner.as_ref() => *old &= is_old,
                _ => owners.push((owner.as_ref().to_owned(), is_old)),
            }
        }
        Ok(owners.into_iter().filter_map(|(owner, old)| old.then_some(owner)).collect())
    }
}

fn old_directories(dir: &Path, age: Duration) -> Vec<String> {
    let Ok(entries) = std::fs::read_dir(dir) else { return Vec::new() };
    let old = |entry: std::io::Result<std::fs::DirEntry>| {
        let entry = entry.ok()?;
        let modified = entry.metadata().ok()?.modified().ok()?;
        let is_old = modified.elapsed().is_ok_and(|elapsed| elapsed >= age);
        is_old.then_some(entry.file_name().into_string().ok()?)
    };
    entries.filter_map(old).collect()
}
