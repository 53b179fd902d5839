//! Which sources the user named on the command line: what is private is shown
//! then, and only then.

use pkb_engine::{Query, Reach, Test};

use crate::cli::{Command, Note, Source};
use crate::filters::Filters;

/// What a command may see.
pub(super) fn of(command: &Command) -> Reach {
    let reach = Reach::default();
    match command {
        Command::Search(args) => {
            let query = Query::parse(&args.query.join(" "));
            let named = query
                .conditions
                .iter()
                .filter_map(|condition| match &condition.test {
                    Test::Source(names) => Some(names.clone()),
                    _ => None,
                });
            by_filters(named.flatten().fold(reach, Reach::source), &args.filters)
        }
        Command::Get(args) => reach.item(&args.item.join(" ")),
        Command::Similar(args) => reach.item(&args.item.join(" ")),
        Command::Links(args) => reach.item(&args.item.join(" ")),
        Command::List(args) => by_filters(reach, &args.filters),
        Command::Browse(args) => by_filters(reach, &args.filters),
        Command::Deleted(args) => by_filters(reach, &args.filters),
        Command::Rm(args) => by_filters(by_items(reach, &args.items), &args.filters),
        Command::Restore(args) => by_filters(by_items(reach, &args.items), &args.filters),
        Command::Ledger(args) => args.source.iter().cloned().fold(reach, Reach::source),
        Command::Eval(args) => args.source.iter().cloned().fold(reach, Reach::source),
        Command::Sync(args) => {
            let named = args.source.iter().cloned();
            named.fold(reach, Reach::source).with_hidden()
        }
        Command::Serve(args) => args.private.iter().cloned().fold(reach, Reach::source),
        Command::Remove(args) => reach.source(&args.source),
        Command::Clip(args) => args.source.iter().cloned().fold(reach, Reach::source),
        Command::Note(Note::Add(args)) => args.source.iter().cloned().fold(reach, Reach::source),
        Command::Note(Note::Update(args)) => reach.item(&args.item),
        Command::Source(Source::Set(args)) => reach.source(&args.source),
        Command::Status | Command::Watch(_) => reach.with_hidden(),
        _ => reach,
    }
}

fn by_items(reach: Reach, items: &[String]) -> Reach {
    items.iter().fold(reach, |reach, item| reach.item(item))
}

fn by_filters(reach: Reach, filters: &Filters) -> Reach {
    let (sources, path) = filters.named();
    let reach = sources.cloned().fold(reach, Reach::source);
    path.map_or(reach.clone(), |path| reach.item(path))
}
