use extract_core::LinkKind;
use proptest::prelude::*;

use super::*;

fn text(html: &str) -> String {
    to_markdown(html).text
}

/// What holds of every conversion.
fn check(converted: &Converted) {
    assert_eq!(converted.text.trim_matches('\n'), converted.text);
    let mut last = 0;
    for link in &converted.links {
        assert!(link.span.start >= last);
        last = link.span.start;
        let span = &converted.text[link.span.start..link.span.end];
        assert!(!span.is_empty());
    }
}

#[test]
fn paragraphs_headings_and_breaks() {
    assert_eq!(
        text("<h1>A <b>title</b></h1><p>One\n two&nbsp;three<p>four<br>five<br><br>six<hr>end"),
        "# A title\n\nOne two three\n\nfour\nfive\n\nsix\n\n---\n\nend"
    );
    assert_eq!(text("<div>a</div><div>b</div>"), "a\nb");
    let long = "words and words ".repeat(10);
    let long = long.trim();
    assert_eq!(
        text(&format!("<div>{long}</div><div>b</div>")),
        format!("{long}\n\nb")
    );
    assert_eq!(text("<h2>a<br>b<div>c</div></h2>d"), "## a b c\n\nd");
    assert_eq!(text("<h2></h2><p> </p>x"), "x");
}

#[test]
fn marks_around_words_hug_them_and_never_tear_words_apart() {
    assert_eq!(text("a <b> bold </b>, <i>it</i>."), "a **bold** , *it*.");
    assert_eq!(
        text("<b>O</b>nce, fi<i>n</i>d <b>all</b>"),
        "Once, find **all**"
    );
    assert_eq!(
        text("on<i>. Then</i> <b>Note:</b>this, x<code>()</code>"),
        "on. Then Note:this, x`()`"
    );
    assert_eq!(text("<b>a<p>b</p></b>c"), "**a**\n\n**b**\n\nc");
    assert_eq!(
        text("<b><strong>x</strong></b> <i class=icon></i>y"),
        "**x** y"
    );
    assert_eq!(
        text("<s>old</s> <q>said</q> <code>a*b</code>"),
        "~~old~~ “said” `a*b`"
    );
}

#[test]
fn lists_nest_and_count() {
    assert_eq!(
        text("<ul><li>a<ul><li>b<li>c</ul><li><p>d<p>e</ul>x<ol start=3><li>f<li>g</ol>"),
        "- a\n  - b\n  - c\n- d\n\n  e\n\nx\n\n3. f\n4. g"
    );
    assert_eq!(text("<ul><li></li><li>a</li></ul>"), "- a");
    assert_eq!(
        text("<dl><dt>T<dd>D<dd>E<dt>U<dd>F</dl>"),
        "T\nD\nE\n\nU\nF"
    );
}

#[test]
fn quotes_hold_paragraphs_and_lists() {
    assert_eq!(
        text("a<blockquote><p>b<p>c<blockquote>d</blockquote><ul><li>e</ul></blockquote>f"),
        "a\n\n> b\n>\n> c\n>\n> > d\n>\n> - e\n\nf"
    );
}

#[test]
fn code_is_fenced_with_its_language() {
    assert_eq!(
        text("<pre><code class='hljs language-rust'>fn a() {\n    &lt;b&gt;\n}\n</code></pre>x"),
        "```rust\nfn a() {\n    <b>\n}\n```\n\nx"
    );
    assert_eq!(text("<pre>\n a\n ```\n</pre>"), "````\n a\n ```\n````");
    assert_eq!(text("<li><pre>a<br>b</pre>"), "- ```\n  a\n  b\n  ```");
    assert_eq!(
        text(
            "<table class=highlight><tr><td class=gutter><pre>1\n2</pre><td><pre data-lang=js>a\nb</pre></table>"
        ),
        "```js\na\nb\n```"
    );
    assert_eq!(text("<pre class='brush: php; x'>a</pre>"), "```php\na\n```");
}

#[test]
fn tables_of_facts_are_pipe_tables() {
    assert_eq!(
        text("<table><caption>Cap</caption><tr><th>a<th>b|c<tr><td>1<br>2<td><b>x</b></table>"),
        "Cap\n\n| a | b\\|c |\n| --- | --- |\n| 1 2 | **x** |"
    );
    // Without tags that can be left out, with cells over several.
    assert_eq!(
        text("<table><td rowspan=2>a<td>b<tr><td>c<tr><td colspan=2>d</table>"),
        "| a | b |\n| --- | --- |\n|  | c |\n| d |  |"
    );
    assert_eq!(
        text("<table><tr><th>a<th><code>b|c</code><tr><td><a href='u|v'>d|e]</a><td>f</table>"),
        "| a | `b\\|c` |\n| --- | --- |\n| [d\\|e\\]](u%7Cv) | f |"
    );
}

#[test]
fn tables_that_place_things_are_not_tables() {
    assert_eq!(
        text("<table><tr><td><table><tr><td>a<td>b</table><td><p>c</table>"),
        "a\nb\n\nc"
    );
    assert_eq!(
        text("<table role=presentation><tr><td>a<td>b<tr><td>c<td>d</table>"),
        "a\nb\nc\nd"
    );
    assert_eq!(text("<tr><td>a<td>b<tr><td>c"), "a\nb\nc");
}

#[test]
fn links_and_their_spans() {
    let converted = to_markdown(
        "<base href='https://x.y/d/'><a href='e f.html#g'>one <b>two</b></a> \
         <a href=https://x.y/>https://x.y/</a> <a href=javascript:x>no</a> <a name=n>anchor</a> \
         <a href='#n'>down</a> <a href=/i><img src=i.png alt='a  pic'></a><a href=/e></a>",
    );
    check(&converted);
    assert_eq!(
        converted.text,
        "[one **two**](https://x.y/d/e%20f.html#g) https://x.y/ no anchor down \
         [![a pic](https://x.y/d/i.png)](https://x.y/i)"
    );
    let links: Vec<_> = converted
        .links
        .iter()
        .map(|link| (link.kind, &*link.target, link.heading.as_deref()))
        .collect();
    assert_eq!(
        links,
        [
            (LinkKind::Hyperlink, "https://x.y/d/e f.html", Some("g")),
            (LinkKind::Hyperlink, "https://x.y/", None),
            (LinkKind::Hyperlink, "https://x.y/i", None),
            (LinkKind::Image, "https://x.y/d/i.png", None),
        ]
    );
    assert_eq!(converted.links[0].label.as_deref(), Some("one **two**"));
    assert_eq!(converted.links[1].label, None);
}

#[test]
fn a_link_around_blocks_ends_with_the_first() {
    assert_eq!(
        text("<a href=u><h3>Title</h3><p>more</p></a>z"),
        "### [Title](u)\n\nmore\n\nz"
    );
    assert_eq!(
        text("<a href=u>one<div><a href=v>two</a></div></a>"),
        "[one](u)\n[two](v)"
    );
}

#[test]
fn links_torn_apart_are_one() {
    let converted = to_markdown(
        "<a href=/u#x>D</a><a href=/u#x>ata</a> <b><a href=/u#x>M</a></b> <a href=/v>y</a>",
    );
    check(&converted);
    assert_eq!(converted.text, "[Data](/u#x) **[M](/u#x)** [y](/v)");
    assert_eq!(converted.links.len(), 3);
}

#[test]
fn pictures_without_description_or_size_are_left_out() {
    assert_eq!(text("<img src=a.png><img alt=dot src=b.gif width=1>x"), "x");
    assert_eq!(
        text("<img alt=pic src='data:image/png;base64,AAAA'>"),
        "pic"
    );
    assert_eq!(
        text("<img alt=late src='data:x' data-src=l.png>"),
        "![late](l.png)"
    );
}

#[test]
fn players_are_links() {
    assert_eq!(
        text(
            "a<iframe src='//www.youtube.com/embed/x' title='A film'></iframe><iframe src='https://ads.example/'></iframe>\
             <video><source src=v.mp4>old browser</video><audio src=data:x></audio>b"
        ),
        "a\n\n[A film](//www.youtube.com/embed/x)\n\n[Video](v.mp4)\n\nb"
    );
    assert_eq!(text("<div hidden><video src=v.mp4></video></div>"), "");
}

#[test]
fn what_is_not_shown_is_left_out() {
    assert_eq!(
        text(
            "<head><title>t</title><style>p{}</style></head><script>if (a < b) '<p>no</p>'</script>\
             <p hidden>no<p style='color:red; DISPLAY : none !important'>no<p style='visibility:hidden'>no</p>\
             <template><p>no</template><noscript>no</noscript><textarea><p>no</textarea>\
             <select><option>no</select><span aria-hidden=true>no</span><svg><title>no</title><text>no</svg>\
             <iframe><p>no</iframe><!-- no --><ruby>字<rp>(<rt>no</rt></ruby><p>yes"
        ),
        "字\n\nyes"
    );
}

#[test]
fn entities_and_invisible_characters() {
    assert_eq!(
        text("&lt;b&gt; &amp;amp; &copy; &#8364; &notit; &hellip;"),
        "\\<b> \\&amp; © € ¬it; …"
    );
    assert_eq!(
        text("so\u{AD}ft\u{200B}\u{FEFF} &#847;&zwnj; &zwnj; x"),
        "soft x"
    );
}

#[test]
fn formulas_keep_their_tex() {
    assert_eq!(
        text(
            "<math><semantics><mi>x</mi><annotation encoding='application/x-tex'>x^2</annotation></semantics></math>, <math alttext='y'>z</math> <math><mi>w"
        ),
        "$x^2$, $y$ w"
    );
}

#[test]
fn text_that_looks_like_markup_stays_text() {
    assert_eq!(
        text("<p># no heading<p>- no item<p>1. none<p>&gt; x"),
        "\\# no heading\n\n\\- no item\n\n1\\. none\n\n\\> x"
    );
}

#[test]
fn misnested_and_misplaced_tags() {
    assert_eq!(text("<p>a <b>b</p><p>c</b>d"), "a **b**\n\ncd");
    assert_eq!(text("<b><div>a</b>b</div>c"), "**ab**\nc");
    assert_eq!(text("</div></p>a</body></html><p>b"), "a\n\nb");
    assert_eq!(
        text("<ul><li>a<div>b</li><li>c</ul>d"),
        "- a\n  b\n- c\n\nd"
    );
    assert_eq!(
        text("<svg><style>a{}</style><path/><p>out of it"),
        "out of it"
    );
    assert_eq!(
        text("<table><tr><td>a</div></td><td>b</table>c"),
        "a\nb\n\nc"
    );
    assert_eq!(text("<select><option>a<p>b</select>c"), "c");
    assert_eq!(text("<button>a<button>b</button>c"), "abc");
}

#[test]
fn title_and_language() {
    let converted = to_markdown(
        "<svg><title>icon</title></svg><html lang=pt_BR><title> A\n &amp; b <i></title>",
    );
    assert_eq!(converted.title.as_deref(), Some("A & b <i>"));
    assert_eq!(converted.lang.as_deref(), Some("pt-BR"));
    let converted =
        to_markdown("<meta http-equiv=content-language content='de, en'><title></title>x");
    assert_eq!(
        (converted.title, converted.lang.as_deref()),
        (None, Some("de"))
    );
}

#[test]
fn nothing_gives_nothing() {
    for html in [
        "", " ", "<", "<p", "<!--", "<script>", "<p></p>", "</p>", "\0",
    ] {
        let converted = to_markdown(html);
        assert!(
            matches!(&*converted.text, "" | "<"),
            "{html:?} {converted:?}"
        );
    }
}

/// Joining cost the length of what was joined already, each time.
#[test]
fn links_are_not_joined_for_ever() {
    let converted = to_markdown(&"<a href=/u>word</a> ".repeat(50_000));
    check(&converted);
    let longest = converted
        .links
        .iter()
        .map(|link| link.span.end - link.span.start)
        .max();
    assert!(longest.unwrap() < 300, "{longest:?}");
}

/// Each of these was, or would be, quadratic or deeper than the stack in a
/// parser that follows the standard to the letter.
#[test]
fn hostile_pages_end() {
    let n = 100_000;
    let many_attributes: String = (0..n).map(|n| format!(" a{n}=b")).collect();
    let formatting: String = (0..n / 10).map(|n| format!("<b class={n}>")).collect();
    for html in [
        "<div>".repeat(n),
        "<div>".repeat(n) + &"</div>".repeat(n),
        "<ul><li>a".repeat(n),
        "<blockquote>a".repeat(n),
        "<table><tr><td>a".repeat(n),
        "<b><i>a".repeat(n),
        "<a href=x>a<div>".repeat(n),
        "<svg>".repeat(n) + "<p>a",
        "<p>".repeat(n),
        "</p>".repeat(n),
        "<td rowspan=64 colspan=64>".repeat(n),
        format!(
            "<table>{}",
            "<tr><td rowspan=64 colspan=64>a".repeat(n / 10)
        ),
        "<![CDATA[".repeat(n),
        "<!--".repeat(n),
        "&".repeat(n),
        "&lt".repeat(n),
        format!("<p{many_attributes}>a"),
        format!("{formatting}{}", "<p>a</p>".repeat(n / 10)),
        "<code>".repeat(n),
        "<pre>`".repeat(n),
    ] {
        let converted = to_markdown(&html);
        check(&converted);
        assert!(converted.text.len() <= html.len() * 16, "{}", &html[..20]);
    }
}

#[test]
fn no_element_is_deeper_than_in_browsers() {
    let dom = Dom::parse(&("<div>".repeat(10_000) + "a"));
    let text = dom.descendants(Dom::ROOT).last().unwrap();
    assert_eq!(dom.text(text), "a");
    assert_eq!(dom.ancestors(text).count(), 512);
}

proptest! {
    #[test]
    fn any_tags_give_a_sound_document(parts in prop::collection::vec(prop::sample::select(vec![
        "<p>", "</p>", "<div>", "</div>", "<b>", "</b>", "<a href=x#y>", "</a>", "<ul>", "</ul>", "<ol>",
        "<li>", "</li>", "<table>", "</table>", "<tr>", "<td>", "</td>", "<th colspan=3>", "<td rowspan=2>",
        "<h2>", "</h2>", "<pre>", "</pre>", "<code>", "</code>", "<blockquote>", "</blockquote>", "<br>",
        "<svg>", "</svg>", "<math>", "<img src=i alt='p q'>", "<html lang=en>", "<head>", "</head>",
        "<body>", "<title>", "</title>", "<script>", "</script>", "<template>", "</template>", "<form>",
        "<select>", "<option>", "<button>", "<hr>", "a", " ", "é", "`", "*", "_x_", "|", "1.", "#", "\n",
        "&amp;", "\u{200B}", "<dl><dt>", "<dd>", "<caption>", "<tbody>", "<custom-tag>", "</custom-tag>",
    ]), 0..60)) {
        let converted = to_markdown(&parts.concat());
        check(&converted);
        for link in &converted.links {
            let span = &converted.text[link.span.start..link.span.end];
            prop_assert!(span.starts_with(['[', '!', 'x']), "{}", span);
            prop_assert!(!span.contains("\n\n"), "{:?}", span);
        }
    }

    #[test]
    fn any_bytes_are_decoded(bytes in prop::collection::vec(any::<u8>(), 0..300), header in "[a-z0-9-]{0,12}") {
        let (text, _) = decode_html(&bytes, Some(&header));
        prop_assert!(!text.contains('\0'));
        check(&to_markdown(&text));
    }

    #[test]
    fn nodes_are_in_the_order_of_the_text(html in "(<(p|div|b|td|tr|table|li|/p|/div|/b|/table)>|[a-c])*") {
        let dom = Dom::parse(&html);
        for id in 1..dom.len() {
            let parent = dom.parent(id);
            prop_assert!(parent < id && dom.end(id) <= dom.end(parent) && dom.end(id) > id);
        }
        let letters: String = html.split('<').map(|part| part.split('>').next_back().unwrap_or("")).collect();
        prop_assert_eq!(dom.text_under(Dom::ROOT), letters);
    }
}
