//! A loaded component, its instances, and how one is called.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use wasmtime::{Store, Trap, UpdateDeadline};

use crate::bindings::types::Failure;
use crate::bindings::{Description, analyzer, chunker, extractor, fuser, tokenizer};
use crate::error::{CallError, Circumstances, LoadError, explain, one_line};
use crate::guest::Guest;
use crate::sandbox::Shared;
use crate::ticker::Ticker;
use crate::worlds::{Linked, World};

/// An idle instance with more memory than this, in bytes, is let go.
const KEEP_UP_TO: usize = 64 << 20;

/// Where a component's bytes come from.
#[derive(Clone, Debug)]
pub enum Origin {
    /// Built with pkb; named as in [`crate::builtin_names`].
    Builtin(String),
    /// Brought by the user.
    Plugin {
        /// What it is called in messages and settings.
        name: String,
        /// The component file.
        bytes: Arc<[u8]>,
    },
}

impl Origin {
    /// The component's name.
    pub fn name(&self) -> &str {
        match self {
            Origin::Builtin(name) | Origin::Plugin { name, .. } => name,
        }
    }
}

/// What a component is.
#[derive(Clone, Debug)]
pub struct ComponentInfo {
    /// Its name: as registered, or as it gives itself.
    pub name: String,
    /// The world it fits.
    pub world: World,
    /// SHA-256 of the file, in hex.
    pub sha256: String,
    /// Size of the file, in bytes.
    pub bytes: usize,
    /// Whether it came with pkb.
    pub builtin: bool,
    /// What it imports, with versions.
    pub imports: Vec<String>,
    /// Its version; empty until it was asked.
    pub version: String,
    /// Its summary; empty until it was asked.
    pub summary: String,
    /// JSON Schema of its settings; empty until it was asked.
    pub settings_schema: String,
}

/// A component that can be instantiated.
pub(crate) struct Loaded {
    pub(crate) shared: Arc<Shared>,
    /// World and name, as messages say it.
    pub(crate) name: Arc<str>,
    pub(crate) linked: Linked,
    pub(crate) info: ComponentInfo,
}

impl Loaded {
    /// Runs `describe` in an instance of its own.
    pub(crate) fn describe(self) -> Result<ComponentInfo, LoadError> {
        let described = match self.linked {
            Linked::Extractor(_) => self.ask::<extractor::Extractor>(),
            Linked::Chunker(_) => self.ask::<chunker::Chunker>(),
            Linked::Tokenizer(_) => self.ask::<tokenizer::Tokenizer>(),
            Linked::Analyzer(_) => self.ask::<analyzer::Analyzer>(),
            Linked::Fuser(_) => self.ask::<fuser::Fuser>(),
        };
        let undescribed = |reason: String| LoadError::Undescribed {
            name: self.info.name.clone(),
            reason,
        };
        let described = described.map_err(|error| undescribed(error.to_string()))?;
        let proper = !described.name.is_empty()
            && described.name.len() <= 64
            && described
                .name
                .bytes()
                .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-');
        if !proper {
            let name = one_line(&described.name, 80);
            return Err(undescribed(format!(
                "its name {name:?} is not lower-case letters, digits and hyphens"
            )));
        }
        let mut info = self.info.clone();
        info.version = one_line(&described.version, 64);
        info.summary = one_line(&described.summary, 300);
        info.settings_schema = described.settings_schema;
        info.name = described.name;
        Ok(info)
    }

    fn ask<E: Exports>(&self) -> Result<Description, CallError> {
        let mut instance = self.instantiate::<E>()?;
        self.call(&mut instance, 0, |store, exports| {
            exports.describe(store).map(Ok)
        })
    }

    pub(crate) fn instantiate<E: Exports>(&self) -> Result<Instance<E>, CallError> {
        let limits = &self.shared.limits;
        let mut store = Store::new(&self.shared.engine, Guest::new(self.name.clone(), limits));
        store.limiter(|guest| &mut guest.limiter);
        store.set_hostcall_fuel(limits.transfer);
        store.set_max_component_handles(limits.handles);
        store.epoch_deadline_callback(|context| match context.data().budget.left() {
            Some(left) => Ok(UpdateDeadline::Continue(Ticker::epochs(left))),
            None => Err(Trap::Interrupt.into()),
        });
        store.set_epoch_deadline(Ticker::epochs(limits.deadline));
        let _running = self.shared.ticker.run();
        match E::instantiate(&self.linked, &mut store) {
            Ok(exports) => Ok(Instance { store, exports }),
            Err(error) => Err(self.explain(&error, &store, 0)),
        }
    }

    /// One call under the limits. `input` is its size in bytes. After an error
    /// other than [`CallError::Failed`] the instance must not be used again.
    pub(crate) fn call<E: Exports, R>(
        &self,
        instance: &mut Instance<E>,
        input: usize,
        work: impl FnOnce(&mut Store<Guest>, &E) -> wasmtime::Result<Result<R, Failure>>,
    ) -> Result<R, CallError> {
        self.call_within(
            instance,
            input,
            self.shared.limits.deadline_for(input),
            work,
        )
    }

    /// As [`Loaded::call`], where an earlier call has used up part of the time
    /// that the input is given.
    pub(crate) fn call_within<E: Exports, R>(
        &self,
        instance: &mut Instance<E>,
        input: usize,
        deadline: Duration,
        work: impl FnOnce(&mut Store<Guest>, &E) -> wasmtime::Result<Result<R, Failure>>,
    ) -> Result<R, CallError> {
        instance.store.set_epoch_deadline(Ticker::epochs(deadline));
        instance.store.data_mut().begin(input, deadline);
        let _running = self.shared.ticker.run();
        match work(&mut instance.store, &instance.exports) {
            Ok(Ok(result)) => Ok(result),
            Ok(Err(failure)) => Err(CallError::failed(failure)),
            Err(error) => Err(self.explain(&error, &instance.store, input)),
        }
    }

    pub(crate) fn invalid(&self, reason: impl Into<String>) -> CallError {
        CallError::Invalid {
            component: self.name.to_string(),
            reason: reason.into(),
        }
    }

    fn explain(&self, error: &wasmtime::Error, store: &Store<Guest>, input: usize) -> CallError {
        explain(
            error,
            &Circumstances {
                component: &self.name,
                deadline: self.shared.limits.deadline_for(input),
                refused: store.data().limiter.refused,
                limits: &self.shared.limits,
                stderr: &store.data().stderr.text(),
            },
        )
    }
}

/// A running instance.
pub(crate) struct Instance<E> {
    pub(crate) store: Store<Guest>,
    pub(crate) exports: E,
}

/// Idle instances of one component. A built-in's are used again, since it
/// keeps nothing between calls. A plugin's never are: what it saw of one item
/// cannot reach the next.
pub(crate) struct Pool<T> {
    pub(crate) loaded: Loaded,
    idle: Mutex<Vec<T>>,
}

impl<T> Pool<T> {
    pub(crate) fn new(loaded: Loaded) -> Self {
        Pool {
            loaded,
            idle: Mutex::default(),
        }
    }

    pub(crate) fn take(&self) -> Option<T> {
        self.idle
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .pop()
    }

    pub(crate) fn give_back(&self, instance: T, memory: usize) {
        if self.loaded.info.builtin && memory <= KEEP_UP_TO {
            self.idle
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .push(instance);
        }
    }
}

impl<E: Exports> Pool<Instance<E>> {
    /// An idle instance, or a new one.
    pub(crate) fn instance(&self) -> Result<Instance<E>, CallError> {
        match self.take() {
            Some(instance) => Ok(instance),
            None => self.loaded.instantiate(),
        }
    }

    /// Keeps an instance for the next call.
    pub(crate) fn rest(&self, instance: Instance<E>) {
        let memory = instance.store.data().limiter.memory;
        self.give_back(instance, memory);
    }

    /// One call in an instance of the pool.
    pub(crate) fn run<R>(
        &self,
        input: usize,
        work: impl FnOnce(&mut Store<Guest>, &E) -> wasmtime::Result<Result<R, Failure>>,
    ) -> Result<R, CallError> {
        let mut instance = self.instance()?;
        let result = self.loaded.call(&mut instance, input, work);
        if matches!(result, Ok(_) | Err(CallError::Failed { .. })) {
            self.rest(instance);
        }
        result
    }
}

/// What the bindings of the five worlds have in common.
pub(crate) trait Exports: Sized {
    fn instantiate(linked: &Linked, store: &mut Store<Guest>) -> wasmtime::Result<Self>;
    fn describe(&self, store: &mut Store<Guest>) -> wasmtime::Result<Description>;
}

macro_rules! exports {
    ($($world:ident in $module:ident),*) => {$(
        impl Exports for $module::$world {
            fn instantiate(linked: &Linked, store: &mut Store<Guest>) -> wasmtime::Result<Self> {
                match linked {
                    Linked::$world(pre) => pre.instantiate(store),
                    _ => Err(wasmtime::error::format_err!(concat!("this is not a ", stringify!($module)))),
                }
            }

            fn describe(&self, store: &mut Store<Guest>) -> wasmtime::Result<Description> {
                let it = self.pkb_plugin_about().call_describe(store)?;
                Ok(Description {
                    name: it.name,
                    version: it.version,
                    summary: it.summary,
                    settings_schema: it.settings_schema,
                })
            }
        }
    )*};
}

exports!(
    Extractor in extractor,
    Chunker in chunker,
    Tokenizer in tokenizer,
    Analyzer in analyzer,
    Fuser in fuser
);
