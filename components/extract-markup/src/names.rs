//! The names of elements and attributes that mean something here.

macro_rules! names {
    ($(#[$doc:meta])* $type:ident { $($variant:ident = $text:literal),* $(,)? } else $other:ident) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[allow(missing_docs)]
        pub enum $type {
            $($variant,)*
            /// Any other name.
            $other,
        }

        impl $type {
            /// The name for lower-case ASCII bytes.
            pub(crate) fn from_bytes(name: &[u8]) -> Self {
                match std::str::from_utf8(name) {
                    $(Ok($text) => Self::$variant,)*
                    _ => Self::$other,
                }
            }
        }
    };
}

names! {
    /// An element's name.
    Name {
        A = "a", Abbr = "abbr", Address = "address", Annotation = "annotation", Area = "area",
        Article = "article", Aside = "aside", Audio = "audio", B = "b", Base = "base", Bdo = "bdo",
        Big = "big", Blockquote = "blockquote", Body = "body", Br = "br", Button = "button",
        Canvas = "canvas", Caption = "caption", Center = "center", Cite = "cite", Code = "code", Col = "col",
        Colgroup = "colgroup", Data = "data", Datalist = "datalist", Dd = "dd", Del = "del",
        Details = "details", Dfn = "dfn", Dialog = "dialog", Dir = "dir", Div = "div", Dl = "dl", Dt = "dt",
        Em = "em", Embed = "embed", Fieldset = "fieldset", Figcaption = "figcaption",
        Figure = "figure", Font = "font", Footer = "footer", ForeignObject = "foreignobject",
        Form = "form", Frame = "frame", Frameset = "frameset", H1 = "h1", H2 = "h2", H3 = "h3",
        H4 = "h4", H5 = "h5", H6 = "h6", Head = "head", Header = "header", Hgroup = "hgroup",
        Hr = "hr", Html = "html", I = "i", Iframe = "iframe", Img = "img", Input = "input",
        Ins = "ins", Kbd = "kbd", Label = "label", Legend = "legend", Li = "li", Link = "link",
        Listing = "listing", Main = "main", Map = "map", Mark = "mark", Math = "math",
        Menu = "menu", Meta = "meta", Meter = "meter", Nav = "nav", Noembed = "noembed", Noframes = "noframes",
        Noscript = "noscript", Object = "object", Ol = "ol", Optgroup = "optgroup",
        Option = "option", P = "p", Output = "output", Param = "param", Picture = "picture",
        Plaintext = "plaintext", Pre = "pre", Progress = "progress", Q = "q", Rp = "rp", Rt = "rt", Ruby = "ruby",
        S = "s", Samp = "samp", Script = "script", Search = "search", Section = "section",
        Select = "select", Small = "small", Source = "source", Span = "span",
        Strike = "strike", Strong = "strong", Style = "style", Sub = "sub",
        Summary = "summary", Sup = "sup", Svg = "svg", Table = "table", Tbody = "tbody",
        Td = "td", Template = "template", Textarea = "textarea", Tfoot = "tfoot", Th = "th",
        Thead = "thead", Time = "time", Title = "title", Tr = "tr", Track = "track", Tt = "tt",
        U = "u", Ul = "ul", Var = "var", Video = "video", Wbr = "wbr", Xmp = "xmp",
        // Not names of elements: what the tree has beside them.
        Root = "#root", Text = "#text",
    } else Other
}

names! {
    /// The name of an attribute that is kept.
    Attribute {
        Alt = "alt", Alttext = "alttext", AriaHidden = "aria-hidden",
        AriaModal = "aria-modal", Charset = "charset", Class = "class", Colspan = "colspan",
        Content = "content", DataLang = "data-lang", DataLanguage = "data-language",
        DataOriginal = "data-original", DataSrc = "data-src", Datetime = "datetime",
        Encoding = "encoding", Height = "height", Hidden = "hidden", Href = "href",
        HttpEquiv = "http-equiv", Id = "id", Itemprop = "itemprop", Itemtype = "itemtype",
        Lang = "lang", Name = "name", Property = "property", Rel = "rel", Role = "role",
        Rowspan = "rowspan", Src = "src", Start = "start", Style = "style", Title = "title",
        Type = "type", Width = "width", XmlLang = "xml:lang",
    } else Other
}

impl Name {
    /// Elements that have no content and no end tag.
    pub(crate) fn is_void(self) -> bool {
        matches!(
            self,
            Self::Area
                | Self::Base
                | Self::Br
                | Self::Col
                | Self::Embed
                | Self::Frame
                | Self::Hr
                | Self::Img
                | Self::Input
                | Self::Link
                | Self::Meta
                | Self::Param
                | Self::Source
                | Self::Track
                | Self::Wbr
        )
    }

    /// Elements that begin a line of their own. What is not known is inline,
    /// as in browsers.
    pub fn is_block(self) -> bool {
        self.closes_p()
            || matches!(
                self,
                Self::Body
                    | Self::Caption
                    | Self::Html
                    | Self::Legend
                    | Self::Optgroup
                    | Self::Option
                    | Self::Root
                    | Self::Tbody
                    | Self::Td
                    | Self::Tfoot
                    | Self::Th
                    | Self::Thead
                    | Self::Tr
            )
    }

    /// Elements whose start tag ends an open paragraph.
    pub(crate) fn closes_p(self) -> bool {
        self.heading().is_some()
            || matches!(
                self,
                Self::Address
                    | Self::Article
                    | Self::Aside
                    | Self::Blockquote
                    | Self::Center
                    | Self::Dd
                    | Self::Details
                    | Self::Dialog
                    | Self::Dir
                    | Self::Div
                    | Self::Dl
                    | Self::Dt
                    | Self::Fieldset
                    | Self::Figcaption
                    | Self::Figure
                    | Self::Footer
                    | Self::Form
                    | Self::Header
                    | Self::Hgroup
                    | Self::Hr
                    | Self::Li
                    | Self::Listing
                    | Self::Main
                    | Self::Menu
                    | Self::Nav
                    | Self::Ol
                    | Self::P
                    | Self::Plaintext
                    | Self::Pre
                    | Self::Search
                    | Self::Section
                    | Self::Summary
                    | Self::Table
                    | Self::Ul
                    | Self::Xmp
            )
    }

    /// The level of a heading element, 1 to 6.
    pub fn heading(self) -> Option<u8> {
        Some(match self {
            Self::H1 => 1,
            Self::H2 => 2,
            Self::H3 => 3,
            Self::H4 => 4,
            Self::H5 => 5,
            Self::H6 => 6,
            _ => return None,
        })
    }

    /// Elements that belong in a page's head.
    pub(crate) fn is_metadata(self) -> bool {
        matches!(
            self,
            Self::Base
                | Self::Link
                | Self::Meta
                | Self::Noscript
                | Self::Script
                | Self::Style
                | Self::Template
                | Self::Title
        )
    }

    /// Elements that end tags of what is around them do not reach over.
    pub(crate) fn is_scope(self) -> bool {
        matches!(
            self,
            Self::Caption
                | Self::Html
                | Self::Math
                | Self::Object
                | Self::Root
                | Self::Svg
                | Self::Table
                | Self::Td
                | Self::Template
                | Self::Th
        )
    }

    /// Groups of rows.
    pub(crate) fn is_row_group(self) -> bool {
        matches!(self, Self::Tbody | Self::Tfoot | Self::Thead)
    }

    /// Cells of a table.
    pub fn is_cell(self) -> bool {
        matches!(self, Self::Td | Self::Th)
    }
}
