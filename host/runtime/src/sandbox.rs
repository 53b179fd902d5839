//! The engine: compiles, caches and links components.

use std::path::PathBuf;
use std::sync::mpsc::RecvTimeoutError::{Disconnected, Timeout};
use std::sync::{Arc, mpsc};
use std::thread;

use sha2::{Digest, Sha256};
use wasmtime::component::{Component, Linker};
use wasmtime::{Config, Engine};

use crate::builtin;
use crate::cache::Cache;
use crate::component::{ComponentInfo, Loaded, Origin};
use crate::error::LoadError;
use crate::guest::{self, Guest};
use crate::handles::{Analyzer, Chunker, Extractor, Fuser, Tokenizer};
use crate::limits::Limits;
use crate::ticker::Ticker;
use crate::worlds::{self, Linked, World};

/// How a sandbox is set up.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// Where compiled components are kept; without one they are compiled anew
    /// by every process.
    pub cache: Option<PathBuf>,
    /// What each instance may use.
    pub limits: Limits,
}

/// Runs components. Cheap to clone; clones share everything.
#[derive(Clone)]
pub struct Sandbox {
    shared: Arc<Shared>,
}

pub(crate) struct Shared {
    pub(crate) engine: Engine,
    linker: Linker<Guest>,
    cache: Option<Cache>,
    pub(crate) ticker: Ticker,
    pub(crate) limits: Limits,
}

impl Sandbox {
    /// A sandbox with nothing loaded yet.
    ///
    /// # Errors
    /// [`LoadError::Host`] when the engine does not support this machine.
    pub fn new(settings: &Settings) -> Result<Sandbox, LoadError> {
        let host = |error: wasmtime::Error| LoadError::Host(format!("{error:#}"));
        let engine = Engine::new(&config()).map_err(host)?;
        let mut linker = Linker::new(&engine);
        guest::add_to_linker(&mut linker).map_err(host)?;
        let cache = settings
            .cache
            .as_deref()
            .and_then(|folder| Cache::open(folder, &engine));
        let ticker = Ticker::start(&engine).map_err(|error| LoadError::Host(error.to_string()))?;
        Ok(Sandbox {
            shared: Arc::new(Shared {
                engine,
                linker,
                cache,
                ticker,
                limits: settings.limits.clone(),
            }),
        })
    }

    /// The limits that every instance runs under.
    pub fn limits(&self) -> &Limits {
        &self.shared.limits
    }

    /// The built-in or given extractor.
    ///
    /// # Errors
    /// When the component is not usable; see [`LoadError`].
    pub fn extractor(&self, origin: &Origin) -> Result<Extractor, LoadError> {
        Ok(Extractor::new(self.load(origin, Some(World::Extractor))?))
    }

    /// The built-in or given chunker.
    ///
    /// # Errors
    /// As [`Sandbox::extractor`].
    pub fn chunker(&self, origin: &Origin) -> Result<Chunker, LoadError> {
        Ok(Chunker::new(self.load(origin, Some(World::Chunker))?))
    }

    /// The built-in or given tokenizer, to be loaded with a definition (the
    /// bytes of a `tokenizer.json`).
    ///
    /// # Errors
    /// As [`Sandbox::extractor`].
    pub fn tokenizer(
        &self,
        origin: &Origin,
        definition: Arc<[u8]>,
    ) -> Result<Tokenizer, LoadError> {
        Ok(Tokenizer::new(
            self.load(origin, Some(World::Tokenizer))?,
            definition,
        ))
    }

    /// The given analyzer.
    ///
    /// # Errors
    /// As [`Sandbox::extractor`].
    pub fn analyzer(&self, origin: &Origin) -> Result<Analyzer, LoadError> {
        Ok(Analyzer::new(self.load(origin, Some(World::Analyzer))?))
    }

    /// The built-in or given fuser.
    ///
    /// # Errors
    /// As [`Sandbox::extractor`].
    pub fn fuser(&self, origin: &Origin) -> Result<Fuser, LoadError> {
        Ok(Fuser::new(self.load(origin, Some(World::Fuser))?))
    }

    /// Compiles and links a component and asks it what it is, without keeping
    /// it.
    ///
    /// # Errors
    /// When the component is not usable; see [`LoadError`].
    pub fn inspect(&self, origin: &Origin) -> Result<ComponentInfo, LoadError> {
        self.load(origin, None)?.describe()
    }

    fn load(&self, origin: &Origin, wanted: Option<World>) -> Result<Loaded, LoadError> {
        let name = origin.name();
        let bytes: &[u8] = match origin {
            Origin::Builtin(name) => builtin::bytes(name).ok_or_else(|| LoadError::Unknown {
                name: name.clone(),
                world: wanted.map_or("component", World::name).into(),
                known: builtin::builtin_names().collect::<Vec<_>>().join(", "),
            })?,
            Origin::Plugin { bytes, .. } => bytes,
        };
        let cache = tracing::field::Empty;
        let _span = tracing::debug_span!("component.load", component = name, cache).entered();
        let sha256 = match origin {
            Origin::Builtin(name) => builtin::builtin_sha256(name).map(str::to_owned),
            Origin::Plugin { .. } => None,
        };
        let sha256 = sha256.unwrap_or_else(|| sha256_hex(bytes));
        let component = self.compile(name, bytes, &sha256)?;
        let world = worlds::identify(&self.shared.engine, name, &component)?;
        if let Some(wanted) = wanted
            && wanted != world
        {
            let missing = format!(
                "it is {}, where {} is needed",
                world.with_article(),
                wanted.with_article()
            );
            return Err(LoadError::WrongWorld {
                name: name.into(),
                missing,
            });
        }
        let misfit = |error: wasmtime::Error| LoadError::WrongWorld {
            name: name.into(),
            missing: format!("its types are not those of this pkb's wit/: {error:#}"),
        };
        let pre = self
            .shared
            .linker
            .instantiate_pre(&component)
            .map_err(misfit)?;
        let linked = Linked::new(world, pre).map_err(misfit)?;
        let imports = worlds::imports(&self.shared.engine, &component);
        Ok(Loaded {
            shared: self.shared.clone(),
            name: format!("{world} {name}").into(),
            linked,
            info: ComponentInfo {
                name: name.to_owned(),
                world,
                sha256,
                bytes: bytes.len(),
                builtin: matches!(origin, Origin::Builtin(_)),
                imports,
                version: String::new(),
                summary: String::new(),
                settings_schema: String::new(),
            },
        })
    }

    fn compile(&self, name: &str, bytes: &[u8], sha256: &str) -> Result<Component, LoadError> {
        let Shared {
            engine,
            cache,
            limits,
            ..
        } = &*self.shared;
        if bytes.len() > limits.component_bytes {
            let what = format!(
                "has {} MiB, and a component may have {} MiB at most",
                bytes.len() >> 20,
                limits.component_bytes >> 20
            );
            return Err(LoadError::TooLarge {
                name: name.into(),
                what,
            });
        }
        if wasmparser::Parser::is_core_wasm(bytes) {
            return Err(LoadError::CoreModule { name: name.into() });
        }
        if let Some(component) = cache.as_ref().and_then(|cache| cache.load(engine, sha256)) {
            tracing::Span::current().record("cache", "hit");
            return Ok(component);
        }
        tracing::Span::current().record("cache", "miss");
        let _span = tracing::debug_span!("component.compile", component = name).entered();
        // Compiling cannot be interrupted, but it can be left behind: the
        // thread ends with the process.
        let (done, result) = mpsc::sync_channel(1);
        let (engine_there, bytes_there) = (engine.clone(), bytes.to_vec());
        thread::Builder::new()
            .name("pkb-compile".into())
            .stack_size(8 << 20)
            .spawn(move || {
                let _ = done.send(Component::from_binary(&engine_there, &bytes_there));
            })
            .map_err(|error| LoadError::Host(error.to_string()))?;
        // Those that come with pkb are no threat, and a busy machine is no reason
        // to go without them.
        let compiled = match builtin::builtin_sha256(name) {
            Some(own) if own == sha256 => result.recv().map_err(|_| Disconnected),
            _ => result.recv_timeout(limits.compile),
        };
        let component = match compiled {
            Ok(Ok(component)) => component,
            Ok(Err(error)) => {
                return Err(LoadError::Invalid {
                    name: name.into(),
                    reason: format!("{error:#}"),
                });
            }
            Err(Timeout) => {
                let what = format!("took over {} s to compile", limits.compile.as_secs_f64());
                return Err(LoadError::TooLarge {
                    name: name.into(),
                    what,
                });
            }
            Err(Disconnected) => {
                return Err(LoadError::Invalid {
                    name: name.into(),
                    reason: "the compiler gave up".into(),
                });
            }
        };
        if let Some(cache) = cache {
            cache.store(sha256, &component);
        }
        Ok(component)
    }
}

/// Settings that shape compiled code: a change makes the cache compile anew.
fn config() -> Config {
    let mut config = Config::new();
    config
        .wasm_component_model(true)
        .epoch_interruption(true)
        // The same input gives the same output on every machine.
        .cranelift_nan_canonicalization(true)
        .relaxed_simd_deterministic(true)
        // Traps are told by kind, not by place in the code.
        .generate_address_map(false)
        .max_wasm_stack(512 << 10);
    config
}

pub(crate) fn sha256_hex(bytes: &[u8]) -> String {
    use std::fmt::Write;

    Sha256::digest(bytes)
        .iter()
        .fold(String::with_capacity(64), |mut hex, byte| {
            let _ = write!(hex, "{byte:02x}");
            hex
        })
}
