//! The storage as a backup sees it: the files that rows speak of, its mark, and the classifier that
//! was trained here. Pictures of pages are made again when somebody looks at them.

use std::{path::Path, sync::Arc};

use db::{
    Tx,
    backup::{BackupError, Files, Incoming, Owed},
};
use futures::future::BoxFuture;
use object_store::{ObjectStoreExt as _, path::Path as Key};
use terminal::Exit;

use super::{CLASSIFIER, Fault, MARK, Small, Storage, Writer};
use crate::{drivers::environment, store::storage as rows};

/// The storage of the installation with this data directory.
pub fn of(data_dir: &Path) -> host::FilesOf {
    let address = environment::config(data_dir)?.storage;
    let storage = Storage::open(&address).map_err(|fault| Exit::failed(fault.to_string()))?;
    Ok(Some(Arc::new(storage)))
}

impl Files for Storage {
    fn owner(&self) -> &'static str {
        crate::NAME
    }

    fn address(&self) -> String {
        self.address.to_string()
    }

    fn owed<'a>(
        &'a self,
        tx: &'a mut Tx,
        after: Option<&'a Owed>,
    ) -> BoxFuture<'a, Result<Vec<Owed>, BackupError>> {
        Box::pin(async move {
            if let Some(owed) = after {
                return Ok(rows::owed(tx, &owed.position).await?);
            }
            // A directory that is not mounted is not a house that lost its files.
            let known = rows::known(tx).await?.and_then(|known| known.storage);
            let trouble = |why| BackupError::Files { place: Files::address(self), why };
            let mark = self.mark().await.map_err(|fault| trouble(fault.to_string()))?;
            let here = mark.map(|mark| mark.storage);
            if let Some((name, address)) = known.filter(|(name, _)| here.as_ref() != Some(name)) {
                let why =
                    format!("this is not the storage {name} that the rows speak of, {address}");
                return Err(trouble(why));
            }
            Ok([MARK, CLASSIFIER].map(single).to_vec())
        })
    }

    fn size<'a>(&'a self, name: &'a str) -> BoxFuture<'a, Result<Option<u64>, String>> {
        Box::pin(async move {
            match self.objects.head(&Key::from(name)).await {
                Ok(about) => Ok(Some(about.size)),
                Err(error) => match self.found_out(name, &error).await {
                    Fault::Missing { .. } => Ok(None),
                    other => Err(other.to_string()),
                },
            }
        })
    }

    fn part<'a>(
        &'a self,
        name: &'a str,
        from: u64,
        until: u64,
    ) -> BoxFuture<'a, Result<Vec<u8>, String>> {
        Box::pin(async move {
            let bytes = Self::part(self, name, from..until).await;
            bytes.map(Into::into).map_err(|fault| fault.to_string())
        })
    }

    fn begin(&self, name: &str) -> Box<dyn Incoming> {
        Box::new(Writer::new(self.clone(), name, Small::Stored))
    }
}

impl Incoming for Writer {
    fn write<'a>(&'a mut self, piece: &'a [u8]) -> BoxFuture<'a, Result<(), String>> {
        Box::pin(async move { Self::write(self, piece).await.map_err(|fault| fault.to_string()) })
    }

    fn finish(self: Box<Self>) -> BoxFuture<'static, Result<(), String>> {
        Box::pin(
            async move { Self::finish(*self).await.map(drop).map_err(|fault| fault.to_string()) },
        )
    }
}

/// A file that a new house does not have yet.
fn single(name: &str) -> Owed {
    Owed { name: name.to_owned(), sha256: None, optional: true, position: String::new() }
}
