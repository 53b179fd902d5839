use super::*;

fn tags_of(text: &str) -> Vec<String> {
    let mut tags = TagSet::default();
    scan(text, &mut tags);
    tags.into_vec()
}

/// Links as `kind target #heading ^block |label <source>`.
fn links_of(text: &str) -> Vec<String> {
    let found = scan(text, &mut TagSet::default());
    let show = |link: &Link| {
        let mut out = format!("{:?} {}", link.kind, link.target);
        for (sign, part) in [('#', &link.heading), ('^', &link.block), ('|', &link.label)] {
            if let Some(part) = part {
                out.push_str(&format!(" {sign}{part}"));
            }
        }
        out.push_str(&format!(" <{}>", &text[link.span.start..link.span.end]));
        out
    };
    found.links.iter().map(show).collect()
}

fn heading_of(text: &str) -> Option<String> {
    scan(text, &mut TagSet::default()).heading
}

#[test]
fn tags_begin_words() {
    assert_eq!(
        tags_of(
            "#one and #two/three, (#four) **#five** *#six* ==#seven==\n#my_tag_x\n> #quoted\n- #item\n"
        ),
        [
            "one",
            "two/three",
            "four",
            "five",
            "six",
            "seven",
            "my_tag_x",
            "quoted",
            "item"
        ]
    );
    assert_eq!(tags_of("| a |\n|---|\n|#cell|\n"), ["cell"]);
    assert_eq!(tags_of("、#日本語、#中文。"), ["日本語", "中文"]);
    assert_eq!(tags_of("# Title #inheading\n\n#A #a"), ["inheading", "A"]);
}

#[test]
fn what_is_no_tag() {
    for text in [
        "a#b c&#35;d \\#e ##f #1984 # g",
        "https://x.y/#a and https://x.y/(#b)",
        "[#a](x) [[#b]] [[n#c]] ![#d](x) <https://x/#e>",
        "`#a` ``#b``",
        "```\n#a\n```\n~~~~\n#b\n~~~\n#c\n~~~~\n\n    #d\n",
        "$#a$ and $$\n#b\n$$",
        "<!-- #a -->\n\n<div>\n#b\n</div>\n",
        "x <!-- #a --> y <b title=' #c'>",
        "[r]: x \"#a\"\n",
        "# Heading {#anchor}\n",
        "color=#fff color:#fff",
    ] {
        assert!(tags_of(text).is_empty(), "{text}: {:?}", tags_of(text));
    }
}

#[test]
fn wikilinks_and_embeds() {
    assert_eq!(
        links_of(
            "[[A]] [[B#H#S|b]] ![[C#^id]] [[#Here]] ![[p.png|100]] ![[q.png|alt]] [[ü|ü]] [[F|`f` *g*]]"
        ),
        [
            "Wikilink A <[[A]]>",
            "Wikilink B #H#S |b <[[B#H#S|b]]>",
            "Embed C ^id <![[C#^id]]>",
            "Wikilink  #Here <[[#Here]]>",
            "Embed p.png <![[p.png|100]]>",
            "Embed q.png |alt <![[q.png|alt]]>",
            "Wikilink ü <[[ü|ü]]>",
            "Wikilink F |f g <[[F|`f` *g*]]>",
        ]
    );
}

#[test]
fn bars_of_wikilinks_in_tables_are_escaped() {
    let table = "| a | b |\n|---|---|\n| [[x#h\\|y]] | ![[p.png\\|100x50]] |\n";
    assert_eq!(
        links_of(table),
        [
            "Wikilink x #h |y <[[x#h\\|y]]>",
            "Embed p.png <![[p.png\\|100x50]]>"
        ]
    );
}

#[test]
fn markdown_links_and_images() {
    assert_eq!(
        links_of(
            "[t *e* `c`](My%20N.md#A%20b 'T') [r][ref] [ref] [REF][] ![alt|100](i.png)\n\n[ref]: <a b.md>\n"
        ),
        [
            "Hyperlink My N.md #A b |t e c <[t *e* `c`](My%20N.md#A%20b 'T')>",
            "Hyperlink a b.md |r <[r][ref]>",
            "Hyperlink a b.md |ref <[ref]>",
            "Hyperlink a b.md |REF <[REF][]>",
            "Image i.png |alt <![alt|100](i.png)>",
        ]
    );
    assert_eq!(
        links_of("[![alt](i.png) more](x.md)"),
        [
            "Hyperlink x.md |alt more <[![alt](i.png) more](x.md)>",
            "Image i.png |alt <![alt](i.png)>",
        ]
    );
    assert_eq!(links_of("[](x.md) [x.md](x.md)").len(), 2);
    assert!(
        links_of("[](x.md) [x.md](x.md)")
            .iter()
            .all(|link| !link.contains('|'))
    );
    assert!(links_of("[a](data:text/plain,x) [b] [c]() \\[d](e)").is_empty());
}

#[test]
fn autolinks_and_bare_addresses() {
    assert_eq!(
        links_of("<https://x.y/a#b> <me@x.y> see https://x.y/my_long_path?a=b&c=d#e, (http://z.z)"),
        [
            "Hyperlink https://x.y/a #b <<https://x.y/a#b>>",
            "Hyperlink mailto:me@x.y |me@x.y <<me@x.y>>",
            "Hyperlink https://x.y/my_long_path?a=b&c=d #e <https://x.y/my_long_path?a=b&c=d#e>",
            "Hyperlink http://z.z <http://z.z>",
        ]
    );
    assert!(links_of("xhttps://x.y `https://x.y`").is_empty());
}

#[test]
fn html_links() {
    assert_eq!(
        links_of(
            "see <a href=\"x?a&amp;b\">the *page*</a> and <img src='i.png' alt=pic> <a href=y>open\n\nnext"
        ),
        [
            "Hyperlink x?a&b |the page <<a href=\"x?a&amp;b\">the *page*</a>>",
            "Image i.png |pic <<img src='i.png' alt=pic>>",
            "Hyperlink y <<a href=y>>",
        ]
    );
    assert_eq!(
        links_of("<div>\n<a href='x'>y <b>z</b></a>\n<img src=i>\n</div>\n"),
        [
            "Hyperlink x |y z <<a href='x'>y <b>z</b></a>>",
            "Image i <<img src=i>>"
        ]
    );
    assert!(links_of("<!-- <a href=x>y</a> -->\n").is_empty());
}

#[test]
fn nothing_in_code_or_math_is_a_link() {
    for text in [
        "`[[a]]` ``[a](b)``",
        "```\n[[a]] [a](b) https://x.y\n```\n",
        "~~~\n[[a]]\n```\n[[b]]\n~~~\n",
        "    [[a]]\n",
        "- x\n\n      [[a]]\n",
        "$[[a]]$ $$[a](b)$$",
    ] {
        assert!(links_of(text).is_empty(), "{text}");
    }
}

#[test]
fn the_first_heading_as_plain_text() {
    for (text, heading) in [
        (
            "# A *b* `c` [d](e) [[f|g]] [[h]] ~~i~~\n",
            Some("A b c d g h i"),
        ),
        ("text\n\n## B\n# A\n", Some("A")),
        ("text\n\n## B\n", None),
        ("<!-- x -->\n\n## B\n\n# A\n", Some("B")),
        ("Setext\ntitle\n===\n", Some("Setext title")),
        ("a\n---\n", Some("a")),
        ("#\n\n# B ##\n", Some("B")),
        ("# &amp; \\* x {#id}\n", Some("& * x")),
        ("> # quoted\n\n- # item\n\n# Real\n", Some("Real")),
        ("```\n# code\n```\n", None),
        ("#tag\n", None),
        ("# ![[p.png|100]] A\n", Some("A")),
    ] {
        assert_eq!(heading_of(text).as_deref(), heading, "{text}");
    }
}

#[test]
fn labels_have_an_end() {
    let text = format!("[{}](x)", "word ".repeat(100_000));
    let found = scan(&text, &mut TagSet::default());
    assert!(found.links[0].label.as_ref().unwrap().len() < 400);

    let nested = format!("{}a{}", "![word ".repeat(200), "](x)".repeat(200));
    let found = scan(&nested, &mut TagSet::default());
    assert_eq!(found.links.len(), 200);
    assert_eq!(
        found
            .links
            .iter()
            .filter(|link| link.label.is_some())
            .count(),
        MAX_LABEL_DEPTH
    );
}

#[test]
fn code_ranges_cover_code_and_math() {
    let text = "`a` $b$\n\n```\nc\n```\n\n$$d$$\n";
    let code: Vec<_> = code_ranges(text)
        .into_iter()
        .map(|range| &text[range])
        .collect();
    assert_eq!(code, ["`a`", "$b$", "```\nc\n```", "$$d$$"]);
}
