//! The components at work: found by name, loaded when first needed, kept.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use pkb_runtime::{
    Analyzer, Chunker, ComponentInfo, Extractor, Fuser, Limits, Origin, Plugins, Sandbox, Settings,
    Tokenizer, World, builtin_names, builtin_sha256,
};

use crate::error::Error;
use crate::home::Home;

/// The chunker for Markdown where a source names none.
pub(crate) const MARKDOWN_CHUNKER: &str = "chunk-markdown";
/// The chunker for plain text where a source names none.
pub(crate) const TEXT_CHUNKER: &str = "chunk-sentences";
const TOKENIZER: &str = "tokenize";
const ANALYZER: &str = "analyze";
const FUSER: &str = "fuse-rrf";

/// The tokenizer of the model that pkb fetches by default. It counts tokens
/// where there is no model yet, so that chunks stay as they are when it comes.
pub(crate) const DEFAULT_TOKENIZER: &[u8] =
    include_bytes!("../../../components/tokenize/data/minilm/tokenizer.json");

/// Loads components for the engine. Loading is lazy: a keyword search needs no
/// tokenizer.
pub(crate) struct Components {
    settings: Settings,
    sandbox: OnceLock<Sandbox>,
    plugins: Plugins,
    extractors: Kept<String, Extractor>,
    chunkers: Kept<String, Chunker>,
    tokenizers: Kept<[u8; 32], Tokenizer>,
    analyzer: Kept<(), Analyzer>,
    fuser: Kept<(), Fuser>,
}

impl Components {
    pub(crate) fn new(home: &Home) -> Self {
        Components {
            settings: Settings {
                cache: Some(home.compiled.clone()),
                limits: Limits::default(),
            },
            sandbox: OnceLock::new(),
            plugins: Plugins::in_folder(&home.plugins()),
            extractors: Kept::default(),
            chunkers: Kept::default(),
            tokenizers: Kept::default(),
            analyzer: Kept::default(),
            fuser: Kept::default(),
        }
    }

    pub(crate) fn sandbox(&self) -> Result<&Sandbox, Error> {
        if let Some(sandbox) = self.sandbox.get() {
            return Ok(sandbox);
        }
        let sandbox = Sandbox::new(&self.settings)?;
        Ok(self.sandbox.get_or_init(|| sandbox))
    }

    pub(crate) fn plugins(&self) -> &Plugins {
        &self.plugins
    }

    pub(crate) fn extractor(&self, name: &str) -> Result<Arc<Extractor>, Error> {
        self.extractors.get(self.key(name)?, || {
            Ok(self
                .sandbox()?
                .extractor(&self.origin(name, World::Extractor)?)?)
        })
    }

    /// SHA-256 of a component's file, in hex, without loading it.
    pub(crate) fn sha256(&self, name: &str) -> Result<String, Error> {
        match builtin_sha256(name) {
            Some(sha256) => Ok(sha256.to_owned()),
            None => self.key(name),
        }
    }

    pub(crate) fn chunker(&self, name: &str) -> Result<Arc<Chunker>, Error> {
        self.chunkers.get(self.key(name)?, || {
            Ok(self
                .sandbox()?
                .chunker(&self.origin(name, World::Chunker)?)?)
        })
    }

    /// The tokenizer with that definition (the bytes of a `tokenizer.json`),
    /// or with the default model's.
    pub(crate) fn tokenizer(&self, definition: Option<&[u8]>) -> Result<Arc<Tokenizer>, Error> {
        let definition = definition.unwrap_or(DEFAULT_TOKENIZER);
        let key = *blake3::hash(definition).as_bytes();
        self.tokenizers.get(key, || {
            Ok(self
                .sandbox()?
                .tokenizer(&Origin::Builtin(TOKENIZER.into()), definition.into())?)
        })
    }

    pub(crate) fn analyzer(&self) -> Result<Arc<Analyzer>, Error> {
        self.analyzer.get((), || {
            Ok(self
                .sandbox()?
                .analyzer(&Origin::Builtin(ANALYZER.into()))?)
        })
    }

    pub(crate) fn fuser(&self) -> Result<Arc<Fuser>, Error> {
        self.fuser.get((), || {
            Ok(self.sandbox()?.fuser(&Origin::Builtin(FUSER.into()))?)
        })
    }

    /// The version that a component gives itself.
    pub(crate) fn version(&self, name: &str) -> Result<String, Error> {
        let origin = if builtin_names().any(|builtin| builtin == name) {
            Origin::Builtin(name.to_owned())
        } else {
            self.plugins.origin(name)?
        };
        Ok(self.sandbox()?.inspect(&origin)?.version)
    }

    /// Built-in components and plugins, with what they say of themselves.
    pub(crate) fn list(&self) -> Result<Vec<ComponentInfo>, Error> {
        let mut all = Vec::new();
        for name in builtin_names() {
            all.push(self.sandbox()?.inspect(&Origin::Builtin(name.into()))?);
        }
        for plugin in self.plugins.list()? {
            let inspected = self
                .plugins
                .origin(&plugin.name)
                .map_err(Error::from)
                .and_then(|origin| Ok(self.sandbox()?.inspect(&origin)?));
            match inspected {
                Ok(info) => all.push(info),
                // `check` names it, with the remedy.
                Err(error) => tracing::warn!("plugin {}: {error}", plugin.name),
            }
        }
        Ok(all)
    }

    /// What a component is kept under: another file of the same name is
    /// another component.
    fn key(&self, name: &str) -> Result<String, Error> {
        let plugin = self
            .plugins
            .list()?
            .into_iter()
            .find(|plugin| plugin.name == name);
        Ok(plugin.map_or_else(|| name.to_owned(), |plugin| plugin.sha256))
    }

    /// Where the component called `name` comes from; an unknown name is an
    /// error that lists the names of that world.
    fn origin(&self, name: &str, world: World) -> Result<Origin, Error> {
        if builtin_names().any(|builtin| builtin == name) {
            return Ok(Origin::Builtin(name.to_owned()));
        }
        let plugins = self.plugins.list()?;
        if plugins.iter().any(|plugin| plugin.name == name) {
            return Ok(self.plugins.origin(name)?);
        }
        let prefix = match world {
            World::Extractor => "extract-",
            World::Chunker => "chunk-",
            World::Tokenizer => "tokenize",
            World::Analyzer => "analyze",
            World::Fuser => "fuse-",
        };
        let builtin = builtin_names()
            .filter(|builtin| builtin.starts_with(prefix))
            .map(str::to_owned);
        let brought = plugins
            .into_iter()
            .filter(|plugin| plugin.world == world.name())
            .map(|plugin| plugin.name);
        let known: Vec<String> = builtin.chain(brought).collect();
        Err(Error::NotFound {
            what: format!("there is no {world} called {name:?}"),
            near: Vec::new(),
            hint: format!(
                "There are: {}. `pkb plugin add FILE` brings others.",
                known.join(", ")
            ),
        })
    }
}

/// Things made once for each key and shared from then on.
struct Kept<K, V>(Mutex<HashMap<K, Arc<V>>>);

impl<K, V> Default for Kept<K, V> {
    fn default() -> Self {
        Kept(Mutex::new(HashMap::new()))
    }
}

impl<K: Eq + Hash, V> Kept<K, V> {
    fn get(&self, key: K, make: impl FnOnce() -> Result<V, Error>) -> Result<Arc<V>, Error> {
        // Held while making: two threads that need the same component at once
        // must not compile it twice.
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(value) = kept.get(&key) {
            return Ok(value.clone());
        }
        let value = Arc::new(make()?);
        kept.insert(key, value.clone());
        Ok(value)
    }
}
