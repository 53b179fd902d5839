//! The words of commands that keep a home in order: deleting, copying, mending.

use std::path::PathBuf;

use clap::Args;

use crate::filters::{Filters, When};

#[derive(Debug, Args)]
pub(crate) struct Doctor {
    /// Make again what can be made from the texts, and remove what belongs to
    /// nothing.
    #[arg(long)]
    pub(crate) fix: bool,
}

/// Items can be named, or all be taken that pass the filters: `pkb rm --source
/// NAME` takes out every item of a source, which stays a source. (`pkb remove
/// NAME` forgets the source itself.)
///
/// What is deleted is out of every search, list and count, and stays so until
/// its file changes. Its text is kept, and `pkb restore` brings it back. With
/// --hard nothing is kept, also of items deleted before.
#[derive(Debug, Args)]
pub(crate) struct Rm {
    /// Numbers, paths, titles or aliases of items, one argument each.
    #[arg(value_name = "ITEM")]
    pub(crate) items: Vec<String>,
    /// For good: leave no trace of them in the database.
    #[arg(long)]
    pub(crate) hard: bool,
    /// Do not ask.
    #[arg(long, short)]
    pub(crate) yes: bool,
    #[command(flatten)]
    pub(crate) filters: Filters,
}

/// Items come back with all that belonged to them; their originals need not be
/// there. Deleted items can be named, or all be taken that pass the filters.
#[derive(Debug, Args)]
pub(crate) struct Restore {
    /// Numbers, paths, titles or aliases of deleted items, one argument each.
    #[arg(value_name = "ITEM")]
    pub(crate) items: Vec<String>,
    #[command(flatten)]
    pub(crate) filters: Filters,
}

#[derive(Debug, Args)]
pub(crate) struct DeletedArgs {
    /// How many at most.
    #[arg(long, short = 'n', default_value_t = 100, value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) limit: u64,
    /// How many to pass over.
    #[arg(long, default_value_t = 0)]
    pub(crate) offset: u64,
    #[command(flatten)]
    pub(crate) filters: Filters,
}

#[derive(Debug, Args)]
pub(crate) struct Purge {
    /// Only what was deleted longer ago than this, or before this date: 30d,
    /// 2w, 6m, 1y, 2024-03; 0d takes all.
    #[arg(long, value_name = "AGE", default_value = "90d")]
    pub(crate) older_than: When,
    /// Do not ask.
    #[arg(long, short)]
    pub(crate) yes: bool,
}

/// The copy is one consistent state, made without waiting for a sync or
/// stopping one. Settings, plugins and models are not part of it.
#[derive(Debug, Args)]
pub(crate) struct Backup {
    /// The file to make; one that is there is not overwritten.
    pub(crate) file: PathBuf,
}

/// The file is checked before anything is replaced, and what is replaced is
/// kept beside the database, as pkb.db.before-restore. Running pkb processes
/// answer from what was put back.
#[derive(Debug, Args)]
pub(crate) struct RestoreBackup {
    /// A file that `pkb backup` made, or another copy of a pkb database.
    pub(crate) file: PathBuf,
    /// Do not ask.
    #[arg(long, short)]
    pub(crate) yes: bool,
}

/// Everything that came from the source is removed for good, deleted items
/// included, and the source is no source any more. (`pkb rm --source NAME`
/// deletes its items, with a way back, and keeps the source.)
#[derive(Debug, Args)]
pub(crate) struct Remove {
    /// The source's name.
    pub(crate) source: String,
    /// Do not ask.
    #[arg(long, short)]
    pub(crate) yes: bool,
}
