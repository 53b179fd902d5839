use proptest::prelude::*;

use super::*;
use LinkKind::{Embed, Hyperlink, Image, Wikilink};

/// Names of these paths; a path that begins with `!` is no item.
fn names(paths: &[&str], aliases: &[(&str, &str)]) -> Names {
    let files = (1..)
        .zip(paths)
        .map(|(number, path)| Named {
            external_id: path.trim_start_matches('!').to_owned(),
            item: (!path.starts_with('!')).then_some(ItemId(number)),
        })
        .collect();
    let aliases: Vec<(ItemId, String)> = aliases
        .iter()
        .map(|(path, alias)| {
            let at = paths.iter().position(|own| own == path).unwrap();
            (ItemId(at as i64 + 1), (*alias).to_owned())
        })
        .collect();
    Names::new(files, &aliases)
}

/// Each case: the note with the link, the kind, the target, what it leads to.
fn check(names: &Names, cases: &[(&str, LinkKind, &str, &str)]) {
    for (from, kind, target, expected) in cases {
        let found = names
            .resolve(from, target, *kind)
            .map_or("", |file| file.path.as_str());
        assert_eq!(found, *expected, "{kind:?} {target:?} from {from:?}");
    }
}

#[test]
fn a_name_is_looked_up_in_the_whole_vault() {
    let names = names(
        &[
            "Home.md",
            "a/Deep note.md",
            "a/b/v1.2 plan.md",
            "!img/Photo.PNG",
            "data.csv",
            "!data/list.csv",
            "notes.txt",
        ],
        &[],
    );
    check(
        &names,
        &[
            ("Home.md", Wikilink, "Deep note", "a/Deep note.md"),
            ("Home.md", Wikilink, "deep NOTE", "a/Deep note.md"),
            ("Home.md", Wikilink, "Deep note.md", "a/Deep note.md"),
            ("Home.md", Wikilink, "Deep note.MD", "a/Deep note.md"),
            ("Home.md", Wikilink, "  Deep note ", "a/Deep note.md"),
            ("Home.md", Wikilink, "Deep\u{a0}note", "a/Deep note.md"),
            ("Home.md", Wikilink, "v1.2 plan", "a/b/v1.2 plan.md"),
            ("Home.md", Wikilink, "v1.2", ""),
            ("a/Deep note.md", Embed, "photo.png", "img/Photo.PNG"),
            // A picture is not known without its extension; a text item is.
            ("a/Deep note.md", Embed, "Photo", ""),
            ("Home.md", Wikilink, "notes", "notes.txt"),
            ("Home.md", Wikilink, "list", ""),
            ("Home.md", Wikilink, "list.csv", "data/list.csv"),
            ("Home.md", Wikilink, "note", ""),
            ("Home.md", Wikilink, "", "Home.md"),
            ("Home.md", Wikilink, "Home", "Home.md"),
        ],
    );
}

#[test]
fn of_several_the_exact_path_wins_then_the_own_folder_then_the_shortest() {
    let names = names(
        &[
            "b/Note.md",
            "a/b/Note.md",
            "zzzz/Note.md",
            "zzzz/deep/Other.md",
            "Top.md",
            "c/Top.md",
            "a/x/Leaf.md",
            "c/x/Leaf.md",
        ],
        &[],
    );
    check(
        &names,
        &[
            // The observed rules; an ancestor's folder counts for nothing.
            ("zzzz/Other.md", Wikilink, "Note", "zzzz/Note.md"),
            ("zzzz/deep/Other.md", Wikilink, "Note", "b/Note.md"),
            ("Top.md", Wikilink, "Note", "b/Note.md"),
            ("c/Top.md", Wikilink, "Top", "Top.md"),
            ("a/b/Note.md", Wikilink, "b/Note", "b/Note.md"),
            ("Top.md", Wikilink, "a/b/Note", "a/b/Note.md"),
            // By the end of a path.
            ("Top.md", Wikilink, "deep/Other", "zzzz/deep/Other.md"),
            ("Top.md", Wikilink, "eep/Other", ""),
            ("Top.md", Wikilink, "x/Leaf", "a/x/Leaf.md"),
            ("c/Top.md", Wikilink, "x/Leaf", "c/x/Leaf.md"),
            // A path is not given up for its last part.
            ("Top.md", Wikilink, "nowhere/Note", ""),
        ],
    );
}

#[test]
fn relative_and_absolute_paths_are_taken_at_their_word() {
    let names = names(
        &[
            "a/One.md",
            "a/b/Two.md",
            "One.md",
            "c/Three.md",
            "README.md",
        ],
        &[],
    );
    check(
        &names,
        &[
            ("a/b/Two.md", Wikilink, "../One", "a/One.md"),
            ("a/b/Two.md", Hyperlink, "../One.md", "a/One.md"),
            ("a/b/Two.md", Hyperlink, "../../One.md", "One.md"),
            ("a/b/Two.md", Hyperlink, "../../../One.md", ""),
            ("a/One.md", Wikilink, "./b/Two", "a/b/Two.md"),
            ("a/One.md", Wikilink, "./Three", ""),
            ("a/One.md", Wikilink, "../Three", ""),
            ("a/One.md", Wikilink, "/One", "One.md"),
            ("a/One.md", Hyperlink, "/c/Three.md", "c/Three.md"),
            ("a/One.md", Wikilink, "/Three", ""),
            ("a/One.md", Hyperlink, "b/../b/./Two.md", "a/b/Two.md"),
            ("a/One.md", Wikilink, r"b\Two", "a/b/Two.md"),
            ("a/One.md", Hyperlink, "b/", ""),
            ("a/One.md", Hyperlink, "..", ""),
            ("a/One.md", Hyperlink, "/", ""),
        ],
    );
}

#[test]
fn a_markdown_link_goes_from_its_own_folder_and_then_as_obsidian_reads_it() {
    let names = names(
        &[
            "Note.md",
            "sub/Note.md",
            "sub/Own.md",
            "far/away/Else.md",
            "book/ch01.md",
            "!sub/pic.png",
        ],
        &[("far/away/Else.md", "Nick")],
    );
    check(
        &names,
        &[
            ("sub/Own.md", Hyperlink, "Note.md", "sub/Note.md"),
            ("sub/Own.md", Hyperlink, "Note", "sub/Note.md"),
            ("sub/Own.md", Wikilink, "Note", "Note.md"),
            ("sub/Own.md", Hyperlink, "sub/Note.md", "sub/Note.md"),
            ("sub/Own.md", Hyperlink, "Else.md", "far/away/Else.md"),
            ("sub/Own.md", Image, "pic.png", "sub/pic.png"),
            ("Note.md", Hyperlink, "book/ch01.html", "book/ch01.md"),
            // Only wikilinks know aliases.
            ("Note.md", Hyperlink, "Nick", ""),
            ("Note.md", Wikilink, "nick", "far/away/Else.md"),
        ],
    );
}

#[test]
fn an_alias_counts_where_no_file_has_the_name() {
    let names = names(
        &[
            "People/Ada.md",
            "x/Lovelace.md",
            "y/Engine.md",
            "z/Engine 2.md",
        ],
        &[
            ("People/Ada.md", "Lovelace"),
            ("People/Ada.md", "Countess/Lady"),
            ("y/Engine.md", "Machine"),
            ("z/Engine 2.md", "Machine"),
        ],
    );
    check(
        &names,
        &[
            ("a.md", Wikilink, "Lovelace", "x/Lovelace.md"),
            ("a.md", Wikilink, "countess/lady", "People/Ada.md"),
            ("a.md", Wikilink, "Machine", "y/Engine.md"),
            ("z/b.md", Wikilink, "Machine", "z/Engine 2.md"),
        ],
    );
    let parts = names.last_parts(ItemId(1));
    for part in ["ada.md", "ada", "ada.html", "lovelace", "lady"] {
        assert!(parts.iter().any(|own| own == part), "{parts:?}");
    }
}

#[test]
fn accents_count_the_same_however_they_are_encoded() {
    let names = names(
        &[
            "Impo\u{302}t/Re\u{301}sume\u{301}.md",
            "한국어.md",
            "ÄRGER.md",
        ],
        &[],
    );
    check(
        &names,
        &[
            (
                "a.md",
                Wikilink,
                "Résumé",
                "Impo\u{302}t/Re\u{301}sume\u{301}.md",
            ),
            (
                "a.md",
                Wikilink,
                "impôt/résumé",
                "Impo\u{302}t/Re\u{301}sume\u{301}.md",
            ),
            (
                "a.md",
                Wikilink,
                "\u{1112}\u{1161}\u{11ab}\u{1100}\u{116e}\u{11a8}\u{110b}\u{1165}",
                "한국어.md",
            ),
            ("a.md", Wikilink, "ärger", "ÄRGER.md"),
        ],
    );
}

#[test]
fn near_names_are_those_that_look_alike() {
    let names = names(
        &[
            "a/Watering plan.md",
            "b/Water.md",
            "Zebra.md",
            "!Watering plam.md",
        ],
        &[],
    );
    assert_eq!(names.near("Watering plam", 3), ["a/Watering plan.md"]);
    assert_eq!(names.near("c/watering plan", 3), ["a/Watering plan.md"]);
    assert!(names.near("quite another thing", 3).is_empty());
    assert!(names.near("", 3).is_empty());
}

proptest! {
    #[test]
    fn nothing_written_in_a_link_panics(from in ".{0,20}", target in "[./\\\\a-c é]{0,12}|.{0,30}") {
        let names = names(&["a.md", "b/a.md", "c/é.md", ".md", "b/c.d/a"], &[("a.md", "c")]);
        for kind in [Wikilink, Embed, Hyperlink, Image] {
            let _ = names.resolve(&from, &target, kind);
        }
        let _ = names.near(&target, 3);
    }

    /// Whatever leads to an item has one of its last parts, so that looking at
    /// these alone misses no backlink.
    #[test]
    fn what_leads_to_an_item_ends_as_expected(
        from in "(b/)?a\\.md",
        target in "(\\./|\\.\\./|/|b/)?(a|B|c|é|c\\.d|x)(\\.md|\\.html|\\.txt)?",
    ) {
        let names = names(
            &["a.md", "b/a.md", "b/c.md", "É.md", "c.d.md", "b/x.txt"],
            &[("b/a.md", "x"), ("É.md", "B")],
        );
        for kind in [Wikilink, Hyperlink] {
            if let Some(item) = names.resolve(&from, &target, kind).and_then(|file| file.item) {
                let last = fold(&target);
                let last = last.rsplit('/').next().unwrap().to_owned();
                prop_assert!(names.last_parts(item).contains(&last), "{} {:?}", target, item);
            }
        }
    }
}
