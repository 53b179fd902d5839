use super::*;
use extract_core::Place;

fn without(text: &str) -> String {
    match strip(text, 1).and_then(|stripped| stripped.result) {
        Some((out, _)) => out,
        None => text.to_owned(),
    }
}

fn marks(text: &str, first_line: u32) -> Vec<(usize, u32)> {
    let (_, marks) = strip(text, first_line).unwrap().result.unwrap();
    let line = |mark: &Mark| match mark.place {
        Place::Line(line) => line,
        _ => panic!("{mark:?} is no line"),
    };
    marks.iter().map(|mark| (mark.offset, line(mark))).collect()
}

#[test]
fn inline_and_block_comments_go() {
    assert_eq!(without("a %%b%% c"), "a  c");
    assert_eq!(without("a\n%%\nb\n\nc\n%%\nd"), "a\n\nd");
    assert_eq!(without("a %%b\n\nc%% d"), "a  d");
    assert_eq!(without("%%a%%%%b%%c"), "c");
    assert_eq!(without("%%%%"), "");
    assert_eq!(without("> %% a %%\n> b"), "> \n> b");
}

#[test]
fn what_follows_a_comment_stays_the_block_it_was() {
    assert_eq!(without("%%a%%     b"), "b");
    assert_eq!(without("para\n%%a%%\n---\n"), "para\n\n---\n");
}

#[test]
fn text_without_comments_is_left_alone() {
    assert!(strip("100% of it", 1).is_none());
    for text in [
        "a 100%% b",
        "\\%% a %%",
        "`%%a%%`",
        "``a ` %%b%%``",
        "$%%a%%$",
    ] {
        assert_eq!(without(text), text);
    }
}

#[test]
fn code_and_math_keep_what_looks_like_comments() {
    for text in [
        "```\n%%a%%\n```\n",
        "~~~~~\n%%a\n~~~\n%%\n~~~~~\n",
        "- x\n\n  ```\n  %%a%%\n  ```\n",
        "> ```\n> %%a%%\n> ```\n",
        "x\n\n    %%a%%\n",
        "$$\n%%a%%\n$$\n",
        "```\n%%a%%\nnever closed\n",
    ] {
        assert_eq!(without(text), text);
    }
}

#[test]
fn code_inside_a_comment_is_part_of_it() {
    assert_eq!(without("%% `a` %% b"), "b");
    assert_eq!(without("%%\n```\na\n```\n%%\nb"), "\nb");
    // The comment ends at the first %%, in code or not.
    assert_eq!(without("%% `%%` b"), "` b");
}

#[test]
fn code_after_a_comment_that_opens_code_is_found_anew() {
    assert_eq!(
        without("%%\n```\n%%\n\n```\n%%kept%%\n```\n\n%%gone%%\n"),
        "\n\n```\n%%kept%%\n```\n\n\n"
    );
    assert_eq!(without("%% ` %% a `%%kept%%` %%gone%%"), "a `%%kept%%` ");
}

#[test]
fn many_comments_that_open_code_end_in_bounded_work() {
    let text = "%% ` %% a `%%b%%` c\n\n".repeat(1000);
    let out = without(&text);
    assert!(out.contains("`%%b%%`") && out.len() < text.len());
}

#[test]
fn an_unclosed_comment_is_text_and_named() {
    let stripped = strip("a\n%%b%%\n%% c\n", 3).unwrap();
    assert_eq!(stripped.result.unwrap().0, "a\n\n%% c\n");
    assert!(stripped.warning.unwrap().contains("line 5"));
}

#[test]
fn marks_jump_after_comments_of_several_lines() {
    assert_eq!(marks("a %%b%% c\nd", 4), [(0, 4)]);
    assert_eq!(marks("a\n%%\nx\n%%\nb\n", 1), [(0, 1), (2, 4)]);
    assert_eq!(marks("a %%x\ny%% b\n", 7), [(0, 7), (2, 8)]);
    assert_eq!(marks("%%x\ny%%\nb", 1), [(0, 2)]);
    assert_eq!(marks("a%%x\ny%%%%z\n\n%%b", 1), [(0, 1), (1, 4)]);
    assert_eq!(marks("a %%x\ny%%", 1), [(0, 1)]);
    assert_eq!(marks("%%x%%", 1), []);
}
