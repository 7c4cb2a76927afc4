//! TLS without a proxy: certificate and key from files, read again when they change.

use std::{
    fmt, fs, io,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant, SystemTime},
};

use rustls::{
    ServerConfig,
    pki_types::{CertificateDer, PrivateKeyDer, pem::PemObject as _},
};
use tokio_rustls::TlsAcceptor;

/// How often the files are looked at, at most.
const LOOK: Duration = Duration::from_secs(2);

/// A certificate with its key; cheap to clone.
#[derive(Clone)]
pub struct Certificates(Arc<Files>);

struct Files {
    chain: PathBuf,
    key: PathBuf,
    now: Mutex<Read>,
}

struct Read {
    config: Arc<ServerConfig>,
    /// What the files looked like when they were read, good or not.
    seen: Looks,
    looked: Instant,
}

/// When both files were written, and how long they are.
type Looks = [Option<(SystemTime, u64)>; 2];

impl Certificates {
    /// Reads both files; what is wrong with them otherwise.
    pub fn read(chain: &Path, key: &Path) -> Result<Self, String> {
        let seen = looks(chain, key);
        let now = Read { config: load(chain, key)?, seen, looked: Instant::now() };
        let (chain, key) = (chain.to_owned(), key.to_owned());
        Ok(Self(Arc::new(Files { chain, key, now: Mutex::new(now) })))
    }

    /// With the certificate that is in the files now. One that cannot be used changes nothing: the
    /// one before stays in force, and the log says why.
    pub(crate) fn acceptor(&self) -> TlsAcceptor {
        let Files { chain, key, now } = &*self.0;
        let mut now = now.lock().unwrap_or_else(PoisonError::into_inner);
        if now.looked.elapsed() >= LOOK {
            now.looked = Instant::now();
            let seen = looks(chain, key);
            if seen != now.seen {
                now.seen = seen;
                match load(chain, key) {
                    Ok(config) => {
                        now.config = config;
                        tracing::info!("the certificate was read again");
                    }
                    Err(error) => {
                        tracing::error!(error, "the new certificate is no use; the old one stays");
                    }
                }
            }
        }
        TlsAcceptor::from(now.config.clone())
    }
}

fn looks(chain: &Path, key: &Path) -> Looks {
    let look = |path: &Path| -> io::Result<_> {
        let data = fs::metadata(path)?;
        Ok((data.modified()?, data.len()))
    };
    [chain, key].map(|path| look(path).ok())
}

fn load(chain: &Path, key: &Path) -> Result<Arc<ServerConfig>, String> {
    let wrong = |path: &Path, why: &dyn fmt::Display| format!("{}: {why}", path.display());
    let certificates = CertificateDer::pem_file_iter(chain).map_err(|why| wrong(chain, &why))?;
    let certificates: Vec<_> =
        certificates.collect::<Result<_, _>>().map_err(|why| wrong(chain, &why))?;
    let secret = PrivateKeyDer::from_pem_file(key).map_err(|why| wrong(key, &why))?;
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let mut config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|why| why.to_string())?
        .with_no_client_auth()
        .with_single_cert(certificates, secret)
        .map_err(|why| wrong(chain, &why))?;
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(Arc::new(config))
}

impl fmt::Debug for Certificates {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Certificates").field(&self.0.chain).finish()
    }
}
