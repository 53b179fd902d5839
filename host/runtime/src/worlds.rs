//! Which world of `wit/` a component fits, and what keeps it from fitting.

use std::fmt;

use wasmtime::Engine;
use wasmtime::component::{Component, InstancePre, types::ComponentItem};

use crate::bindings::{analyzer, chunker, extractor, fuser, tokenizer};
use crate::error::LoadError;
use crate::guest::Guest;

/// A world of `pkb:plugin`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum World {
    /// Reads a file format.
    Extractor,
    /// Splits texts into chunks.
    Chunker,
    /// Turns text into token ids.
    Tokenizer,
    /// Turns text into terms.
    Analyzer,
    /// Merges ranked lists.
    Fuser,
}

impl World {
    const ALL: [World; 5] = [
        World::Extractor,
        World::Chunker,
        World::Tokenizer,
        World::Analyzer,
        World::Fuser,
    ];

    /// The world's name in `wit/`.
    pub fn name(self) -> &'static str {
        match self {
            World::Extractor => "extractor",
            World::Chunker => "chunker",
            World::Tokenizer => "tokenizer",
            World::Analyzer => "analyzer",
            World::Fuser => "fuser",
        }
    }

    /// The name after its article: `a chunker`, `an extractor`.
    pub(crate) fn with_article(self) -> String {
        let article = if self.name().starts_with(['a', 'e', 'i', 'o', 'u']) {
            "an"
        } else {
            "a"
        };
        format!("{article} {}", self.name())
    }

    /// The interface whose export makes a component one of this world.
    fn export(self) -> &'static str {
        match self {
            World::Extractor => "pkb:plugin/extract",
            World::Chunker => "pkb:plugin/chunk",
            World::Tokenizer => "pkb:plugin/tokenize",
            World::Analyzer => "pkb:plugin/analyze",
            World::Fuser => "pkb:plugin/fuse",
        }
    }

    /// The interfaces of `pkb:plugin` that the world may import.
    fn imports(self) -> &'static [&'static str] {
        match self {
            World::Extractor => &[
                "pkb:plugin/types",
                "pkb:plugin/log",
                "pkb:plugin/blobs",
                "pkb:plugin/ocr",
            ],
            World::Chunker => &["pkb:plugin/types", "pkb:plugin/log", "pkb:plugin/tokens"],
            World::Tokenizer | World::Analyzer | World::Fuser => {
                &["pkb:plugin/types", "pkb:plugin/log"]
            }
        }
    }
}

impl fmt::Display for World {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Packages of WASI that a standard library pulls in. They are linked to a
/// host that grants nothing.
const WASI: [&str; 6] = [
    "wasi:cli/",
    "wasi:clocks/",
    "wasi:filesystem/",
    "wasi:io/",
    "wasi:random/",
    "wasi:sockets/",
];

/// Names of the imports, with versions.
pub(crate) fn imports(engine: &Engine, component: &Component) -> Vec<String> {
    component
        .component_type()
        .imports(engine)
        .map(|(name, _)| name.to_owned())
        .collect()
}

/// The world that the component fits by the names of what it imports and
/// exports. Types are checked when it is linked.
pub(crate) fn identify(
    engine: &Engine,
    name: &str,
    component: &Component,
) -> Result<World, LoadError> {
    let wrong = |missing: String| LoadError::WrongWorld {
        name: name.to_owned(),
        missing,
    };
    let ty = component.component_type();
    let exports: Vec<String> = ty
        .exports(engine)
        .filter(|(_, export)| matches!(export.ty, ComponentItem::ComponentInstance(_)))
        .map(|(name, _)| name.to_owned())
        .collect();
    let found: Vec<World> = World::ALL
        .into_iter()
        .filter(|world| {
            exports
                .iter()
                .any(|export| interface(export) == world.export())
        })
        .collect();
    let world = match found.as_slice() {
        [world] => *world,
        [] if exports
            .iter()
            .any(|export| interface(export) == "pkb:plugin/connect") =>
        {
            return Err(wrong(
                "it is a connector, and this version of pkb runs no connectors yet".into(),
            ));
        }
        [] => {
            let wanted: Vec<&str> = World::ALL.into_iter().map(World::export).collect();
            let has = if exports.is_empty() {
                "no interface at all".into()
            } else {
                exports.join(", ")
            };
            return Err(wrong(format!(
                "it exports {has}, where one of {} is needed",
                wanted.join(", ")
            )));
        }
        several => {
            let names: Vec<String> = several.iter().map(|world| world.with_article()).collect();
            return Err(wrong(format!(
                "it is {} at once; a component fits one world",
                names.join(" and ")
            )));
        }
    };
    if !exports
        .iter()
        .any(|export| interface(export) == "pkb:plugin/about")
    {
        return Err(wrong(format!(
            "{} also exports pkb:plugin/about, and this one does not",
            world.with_article()
        )));
    }
    for import in imports(engine, component) {
        let allowed = world.imports().contains(&interface(&import))
            || WASI.iter().any(|package| import.starts_with(package));
        if !allowed {
            return Err(wrong(format!(
                "it imports {import}, which {} may not have",
                world.with_article()
            )));
        }
    }
    Ok(world)
}

/// `pkb:plugin/chunk@0.1.0` -> `pkb:plugin/chunk`.
fn interface(name: &str) -> &str {
    name.split_once('@')
        .map_or(name, |(interface, _)| interface)
}

/// A component of one world, linked but not yet running.
pub(crate) enum Linked {
    Extractor(extractor::ExtractorPre<Guest>),
    Chunker(chunker::ChunkerPre<Guest>),
    Tokenizer(tokenizer::TokenizerPre<Guest>),
    Analyzer(analyzer::AnalyzerPre<Guest>),
    Fuser(fuser::FuserPre<Guest>),
}

impl Linked {
    /// Checks the types of everything the world exports.
    pub(crate) fn new(world: World, pre: InstancePre<Guest>) -> wasmtime::Result<Linked> {
        Ok(match world {
            World::Extractor => Linked::Extractor(extractor::ExtractorPre::new(pre)?),
            World::Chunker => Linked::Chunker(chunker::ChunkerPre::new(pre)?),
            World::Tokenizer => Linked::Tokenizer(tokenizer::TokenizerPre::new(pre)?),
            World::Analyzer => Linked::Analyzer(analyzer::AnalyzerPre::new(pre)?),
            World::Fuser => Linked::Fuser(fuser::FuserPre::new(pre)?),
        })
    }
}
