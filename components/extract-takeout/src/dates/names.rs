//! The words in dates.

/// Beginnings of the months' names. Where one begins with another, the longer
/// counts.
pub(super) const MONTHS: [&[&str]; 12] = [
    &[
        "jan", "ene", "gen", "янв", "січ", "ιαν", "oca", "ian", "sty", "tammi", "led", "यन",
    ],
    &[
        "feb", "fev", "fév", "фев", "лют", "φεβ", "şub", "lut", "helmi", "úno",
    ],
    &[
        "mar", "mär", "mrt", "мар", "бер", "μαρ", "márc", "maalis", "bře",
    ],
    &[
        "apr", "abr", "avr", "апр", "кві", "απρ", "ápr", "nis", "kwi", "huhti", "dub",
    ],
    &[
        "may", "mai", "mag", "mei", "maj", "máj", "мая", "май", "тра", "μαΐ", "μαϊ", "mayıs",
        "touko", "kvě", "mayo",
    ],
    &[
        "jun", "giu", "juin", "июн", "чер", "ιουν", "jún", "haz", "iun", "cze", "kesä", "čer",
        "čvn",
    ],
    &[
        "jul", "lug", "juil", "июл", "лип", "ιουλ", "júl", "tem", "iul", "lip", "heinä", "červenc",
        "čvc",
    ],
    &[
        "aug", "ago", "aoû", "авг", "сер", "αυγ", "ağu", "agu", "agt", "sie", "elo", "srp",
    ],
    &[
        "sep", "set", "сен", "вер", "σεπ", "szept", "eyl", "wrz", "syys", "zář",
    ],
    &[
        "oct", "okt", "ott", "out", "окт", "жов", "οκτ", "eki", "paź", "loka", "říj",
    ],
    &["nov", "noi", "ноя", "лис", "νοε", "kas", "lis", "marras"],
    &[
        "dec", "dez", "des", "dic", "déc", "дек", "гру", "δεκ", "ara", "gru", "joulu", "pro",
    ],
];

/// Zones by the letters that Google writes, in minutes east of Greenwich.
pub(super) const ZONES: [(&str, i32); 66] = [
    ("UTC", 0),
    ("GMT", 0),
    ("Z", 0),
    ("WET", 0),
    ("WEZ", 0),
    ("WEST", 60),
    ("WESZ", 60),
    ("BST", 60),
    ("CET", 60),
    ("MEZ", 60),
    ("HNEC", 60),
    ("CEST", 120),
    ("MESZ", 120),
    ("HAEC", 120),
    ("HEEC", 120),
    ("EET", 120),
    ("OEZ", 120),
    ("EEST", 180),
    ("OESZ", 180),
    ("MSK", 180),
    ("TRT", 180),
    ("EST", -300),
    ("EDT", -240),
    ("CST", -360),
    ("CDT", -300),
    ("MST", -420),
    ("MDT", -360),
    ("PST", -480),
    ("PDT", -420),
    ("AKST", -540),
    ("AKDT", -480),
    ("HST", -600),
    ("AST", -240),
    ("ADT", -180),
    ("NST", -210),
    ("NDT", -150),
    ("BRT", -180),
    ("ART", -180),
    ("CLT", -240),
    ("CLST", -180),
    ("COT", -300),
    ("PET", -300),
    ("JST", 540),
    ("KST", 540),
    ("HKT", 480),
    ("SGT", 480),
    ("MYT", 480),
    ("PHT", 480),
    ("PHST", 480),
    ("WIB", 420),
    ("WITA", 480),
    ("WIT", 540),
    ("ICT", 420),
    ("IST", 330),
    ("PKT", 300),
    ("NPT", 345),
    ("GST", 240),
    ("AEST", 600),
    ("AEDT", 660),
    ("ACST", 570),
    ("ACDT", 630),
    ("AWST", 480),
    ("NZST", 720),
    ("NZDT", 780),
    ("SAST", 120),
    ("EAT", 180),
];

/// Words for the halves of the day.
pub(super) const BEFORE_NOON: [&str; 8] =
    ["am", "午前", "오전", "上午", "凌晨", "早上", "清晨", "πμ"];
pub(super) const AFTER_NOON: [&str; 9] = [
    "pm", "午後", "오후", "下午", "中午", "晚上", "傍晚", "μμ", "م",
];
