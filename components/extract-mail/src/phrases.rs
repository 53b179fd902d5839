//! What mail programs write around quoted and forwarded messages, in the
//! languages they write it in.

/// Verbs of lines such as `On Monday, Ann wrote:`.
const WROTE: &[&str] = &[
    "wrote",
    "writes",
    "said:",
    "schrieb",
    "schrieben",
    "a écrit",
    "a ecrit",
    "escribió",
    "escribio",
    "escribiu",
    "va escriure",
    "ha scritto",
    "scrisse",
    "schreef",
    "geschreven",
    "escreveu",
    "skrev",
    "kirjoitti",
    "napisał",
    "napisala",
    "napisal",
    "pisze",
    "napsal",
    "napísal",
    "написал",
    "написала",
    "пишет",
    "писал",
    "пише",
    "написа",
    "a scris",
    "írta",
    "ezt írta",
    "yazdı",
    "έγραψε",
    "כתב",
    "كتب",
    "写道",
    "寫道",
    "写到",
    "のメッセージ",
    "書きました",
    "작성",
    "đã viết",
    "viết",
    "menulis",
    "je napisao",
    "rašė",
    "kirjutas",
    "เขียน",
];

/// How such lines begin.
const OPENERS: &[&str] = &[
    "on ",
    "am ",
    "le ",
    "el ",
    "il ",
    "op ",
    "em ",
    "den ",
    "dnia ",
    "w dniu ",
    "dne ",
    "på ",
    "at ",
    "in article",
    "in message",
    "в ",
    "a ",
    "tarihinde",
    "vào ",
    "pada ",
    "στις ",
    "la data",
    "pe ",
    "dňa ",
    "pon",
    "ons",
    "tor",
    "fre",
    "quoting ",
    "zitat von",
    "also sprach",
    "around ",
    "* ",
];

/// Between dashes, before a message that is quoted whole.
const ORIGINAL: &[&str] = &[
    "original message",
    "original-nachricht",
    "originalnachricht",
    "ursprüngliche nachricht",
    "urspr. nachricht",
    "original appointment",
    "ursprünglicher termin",
    "message d'origine",
    "message d’origine",
    "message original",
    "mensaje original",
    "messaggio originale",
    "oorspronkelijk bericht",
    "origineel bericht",
    "mensagem original",
    "ursprungligt meddelande",
    "oprindelig meddelelse",
    "opprinnelig melding",
    "alkuperäinen viesti",
    "wiadomość oryginalna",
    "oryginalna wiadomość",
    "původní zpráva",
    "pôvodná správa",
    "исходное сообщение",
    "оригинальное сообщение",
    "eredeti üzenet",
    "mesaj original",
    "özgün ileti",
    "orijinal mesaj",
    "αρχικό μήνυμα",
    "元のメッセージ",
    "原始邮件",
    "原始郵件",
    "邮件原件",
    "원본 메시지",
    "reply message",
    "reply to message",
];

/// Between dashes or alone, before a message that is passed on.
const FORWARDED: &[&str] = &[
    "forwarded message",
    "forwarded by",
    "begin forwarded message",
    "forwarded mail",
    "weitergeleitete nachricht",
    "anfang der weitergeleiteten",
    "weitergeleitete mail",
    "weitergeleitet von",
    "message transféré",
    "message transmis",
    "début du message transféré",
    "début du message réexpédié",
    "mensaje reenviado",
    "inicio del mensaje reenviado",
    "messaggio inoltrato",
    "inizio messaggio inoltrato",
    "doorgestuurd bericht",
    "begin doorgestuurd bericht",
    "mensagem encaminhada",
    "mensagem reencaminhada",
    "início da mensagem",
    "vidarebefordrat meddelande",
    "vidarebefordrat brev",
    "videresendt besked",
    "videresendt melding",
    "välitetty viesti",
    "edelleenlähetetty",
    "przekazana wiadomość",
    "wiadomość przekazana",
    "přeposlaná zpráva",
    "пересылаемое сообщение",
    "пересланное сообщение",
    "továbbított üzenet",
    "mesaj redirecționat",
    "iletilen mesaj",
    "yönlendirilmiş ileti",
    "προωθημένο μήνυμα",
    "転送されたメッセージ",
    "转发的邮件",
    "轉寄的郵件",
    "전달된 메시지",
    "전달된 메일",
];

/// Subjects of messages that are passed on.
const FORWARD_PREFIXES: &[&str] = &[
    "fw:",
    "fwd:",
    "wg:",
    "tr:",
    "rv:",
    "i:",
    "enc:",
    "vs:",
    "vb:",
    "doorst:",
    "pd:",
    "转发:",
    "转发：",
    "轉寄:",
    "转寄:",
    "fw：",
    "přep:",
    "yl:",
    "ilt:",
];

const FROM_LABELS: &[&str] = &[
    "from",
    "von",
    "de",
    "da",
    "van",
    "från",
    "fra",
    "lähettäjä",
    "od",
    "от",
    "von",
    "feladó",
    "kimden",
    "gönderen",
    "από",
    "差出人",
    "发件人",
    "寄件者",
    "보낸 사람",
    "보낸사람",
    "expéditeur",
    "remitente",
];

const DATE_LABELS: &[&str] = &[
    "sent",
    "date",
    "gesendet",
    "datum",
    "envoyé",
    "enviado",
    "enviado el",
    "enviada",
    "enviada em",
    "enviado em",
    "fecha",
    "inviato",
    "data",
    "verzonden",
    "skickat",
    "sendt",
    "dato",
    "lähetetty",
    "päivämäärä",
    "wysłano",
    "odesláno",
    "odoslané",
    "отправлено",
    "дата",
    "elküldve",
    "dátum",
    "tarih",
    "gönderildi",
    "ημερομηνία",
    "送信日時",
    "日付",
    "发送时间",
    "日期",
    "寄件日期",
    "보낸 날짜",
    "날짜",
    "trimis",
    "sent at",
];

const OTHER_LABELS: &[&str] = &[
    "to",
    "cc",
    "subject",
    "an",
    "betreff",
    "à",
    "objet",
    "para",
    "asunto",
    "a",
    "oggetto",
    "aan",
    "onderwerp",
    "assunto",
    "till",
    "ämne",
    "til",
    "emne",
    "vastaanottaja",
    "aihe",
    "do",
    "temat",
    "komu",
    "předmět",
    "predmet",
    "кому",
    "тема",
    "címzett",
    "tárgy",
    "kime",
    "konu",
    "προς",
    "θέμα",
    "către",
    "subiect",
    "宛先",
    "件名",
    "收件人",
    "主题",
    "收件者",
    "主旨",
    "받는 사람",
    "제목",
    "importance",
    "priority",
    "reply-to",
    "organization",
];

/// Last lines that telephones and programs add.
const MOBILE: &[&str] = &[
    "sent from my ",
    "sent from mobile",
    "sent from yahoo",
    "sent from outlook",
    "sent from mail for",
    "sent from proton",
    "sent from samsung",
    "sent via ",
    "sent with ",
    "get outlook for",
    "get bluemail for",
    "von meinem ",
    "gesendet von ",
    "gesendet mit ",
    "diese nachricht wurde von meinem",
    "holen sie sich outlook",
    "outlook für ",
    "envoyé de mon ",
    "envoyé depuis ",
    "envoyé à partir ",
    "télécharger outlook",
    "obtenez outlook",
    "enviado desde mi ",
    "enviado desde ",
    "enviado do meu ",
    "enviado a partir ",
    "obtener outlook",
    "obter o outlook",
    "inviato da ",
    "scarica outlook",
    "ottieni outlook",
    "verstuurd vanaf ",
    "verzonden vanaf ",
    "verzonden met ",
    "download outlook",
    "outlook voor ",
    "skickat från ",
    "sendt fra ",
    "lähetetty iphone",
    "wysłane z ",
    "odesláno z ",
    "отправлено с ",
    "отправлено из ",
    "iphone'umdan gönderildi",
    "从我的",
    "发自我的",
    "從我的",
    "iphoneから送信",
    "나의 iphone에서",
    "sendt frå ",
    "trimis de pe ",
];

/// What else the last lines of a mailing list have.
const LIST_FOOTER: &[&str] = &[
    "mailing list",
    "unsubscribe",
    "listinfo",
    "mailinglist",
    "mailing-list",
    "google groups",
    "liste de diffusion",
    "lista de correo",
    "to leave this list",
    "abbestellen",
];

/// Words of a text body that only says that there is an HTML body.
const STUB: &[&str] = &[
    "html",
    "view this email",
    "view this message",
    "view in browser",
    "view it in your browser",
    "im browser",
    "navigateur",
    "navegador",
    "does not support",
    "unable to display",
    "cannot display",
    "nicht anzeigen",
    "nicht korrekt dargestellt",
    "web version",
    "webversion",
    "online version",
];

fn any(text: &str, phrases: &[&str]) -> bool {
    phrases.iter().any(|phrase| text.contains(phrase))
}

fn begins(text: &str, phrases: &[&str]) -> bool {
    phrases.iter().any(|phrase| text.starts_with(phrase))
}

/// A line in lower case without the marks of emphasis, quotation and line
/// breaks around its words.
pub(crate) fn bare(line: &str) -> String {
    let kept = line
        .trim()
        .chars()
        .filter(|c| !matches!(c, '*' | '\\' | '`' | '\u{200E}' | '\u{200F}' | '\u{FEFF}'))
        .map(|c| {
            if c == '\u{A0}' || c == '\u{202F}' {
                ' '
            } else {
                c
            }
        });
    let text: String = kept.collect();
    text.trim_matches(|c: char| c.is_whitespace() || c == '_')
        .to_lowercase()
}

/// Longer lines are prose.
const MOST_ATTRIBUTION: usize = 400;

/// What a line before a quotation says of who wrote it and when.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Attribution {
    /// So clearly that it needs no quotation marks after it.
    Clear,
    /// Clearly where a quotation follows.
    Likely,
}

/// Judges one or several lines joined, [`bare`].
pub(crate) fn attribution(line: &str) -> Option<Attribution> {
    if line.len() > MOST_ATTRIBUTION || !line.ends_with([':', '：']) {
        return None;
    }
    let digits = line.bytes().filter(u8::is_ascii_digit).count();
    let verb = any(line, WROTE);
    let opener = begins(line, OPENERS) || line.starts_with(|c: char| c.is_ascii_digit());
    let dated = digits >= 4;
    match (verb, dated, line.contains('@')) {
        (true, true, _) if opener => Some(Attribution::Clear),
        (true, _, _) | (_, true, true) => Some(Attribution::Likely),
        _ => None,
    }
}

/// Whether lines, joined, may begin as an attribution does.
pub(crate) fn opens_attribution(line: &str) -> bool {
    begins(line, OPENERS) || line.starts_with(|c: char| c.is_ascii_digit())
}

fn between_dashes(line: &str) -> Option<&str> {
    let inner =
        line.trim_matches(|c: char| matches!(c, '-' | '_' | '=' | '–' | '—' | '>' | '<' | ' '));
    let dashes = line
        .chars()
        .take_while(|c| matches!(c, '-' | '_' | '=' | '–' | '—'))
        .count();
    (dashes >= 2 && !inner.is_empty()).then_some(inner)
}

/// Whether a [`bare`] line says that a quoted message follows.
pub(crate) fn is_original(line: &str) -> bool {
    line.len() < 120 && between_dashes(line).is_some_and(|inner| begins(inner, ORIGINAL))
}

/// Whether a [`bare`] line says that a message passed on follows.
pub(crate) fn is_forward(line: &str) -> bool {
    if line.len() > 160 {
        return false;
    }
    match between_dashes(line) {
        Some(inner) => any(inner, FORWARDED),
        None => line.ends_with([':', '：']) && begins(line, FORWARDED),
    }
}

/// Whether the subject is that of a message passed on.
pub(crate) fn is_forward_subject(subject: &str) -> bool {
    let mut rest = subject.trim().to_lowercase();
    // Replies to what was passed on are replies.
    if let Some(bracket) = rest.strip_prefix('[')
        && let Some((_, after)) = bracket.split_once(']')
    {
        rest = after.trim_start().to_owned();
    }
    begins(&rest, FORWARD_PREFIXES)
}

/// What a header line of a quoted message is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Label {
    From,
    Date,
    Other,
}

/// The label of a [`bare`] line such as `sent: monday`.
pub(crate) fn label(line: &str) -> Option<Label> {
    let (label, _) = line.split_once([':', '：'])?;
    let label = label.trim();
    if label.len() > 40 {
        return None;
    }
    let is = |labels: &[&str]| labels.contains(&label);
    if is(FROM_LABELS) {
        Some(Label::From)
    } else if is(DATE_LABELS) {
        Some(Label::Date)
    } else if is(OTHER_LABELS) {
        Some(Label::Other)
    } else {
        None
    }
}

/// Whether a [`bare`] last line is what a telephone adds.
pub(crate) fn is_mobile_signature(line: &str) -> bool {
    let line = line.trim_start_matches(['[', '(', '-', '<']).trim_start();
    line.len() < 120
        && (begins(line, MOBILE)
            || MOBILE.iter().any(|phrase| {
                !phrase.is_ascii() && line.contains(phrase) && line.chars().count() < 40
            }))
}

/// Whether a [`bare`] line belongs to the footer of a mailing list.
pub(crate) fn is_list_footer(line: &str) -> bool {
    any(line, LIST_FOOTER)
}

/// Whether a plain text only stands in for the HTML.
pub(crate) fn is_stub(text: &str) -> bool {
    text.chars().count() < 400 && any(&text.to_lowercase(), STUB)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attributions_are_known_in_many_languages() {
        for line in [
            "On Mon, Jan 1, 2024 at 10:00 AM Ann Lee <ann@x.org> wrote:",
            "Am 01.01.24 um 10:00 schrieb Ann Lee:",
            "Le lun. 1 janv. 2024 à 10:00, Ann Lee <ann@x.org> a écrit :",
            "El lun, 1 ene 2024 a las 10:00, Ann (<ann@x.org>) escribió:",
            "Il giorno lun 1 gen 2024 alle ore 10:00 Ann <ann@x.org> ha scritto:",
            "Op ma 1 jan 2024 om 10:00 schreef Ann <ann@x.org>:",
            "Em seg., 1 de jan. de 2024 às 10:00, Ann <ann@x.org> escreveu:",
            "Den mån 1 jan. 2024 kl 10:00 skrev Ann <ann@x.org>:",
            "2024年1月1日(月) 10:00 Ann <ann@x.org> のメッセージ:",
        ] {
            assert_eq!(attribution(&bare(line)), Some(Attribution::Clear), "{line}");
        }
        for line in [
            "Ann Lee wrote:",
            "2024-01-01 10:00 GMT+01:00 Ann <ann@x.org>:",
            "<ann@x.org> wrote:",
        ] {
            assert!(attribution(&bare(line)).is_some(), "{line}");
        }
        for line in [
            "I have three questions:",
            "He wrote a book",
            "See the list below:",
        ] {
            assert_eq!(attribution(&bare(line)), None, "{line}");
        }
    }

    #[test]
    fn separators_tell_quotes_from_what_is_passed_on() {
        for line in [
            "-----Original Message-----",
            "-----Ursprüngliche Nachricht-----",
            "----- Message d'origine -----",
        ] {
            assert!(
                is_original(&bare(line)) && !is_forward(&bare(line)),
                "{line}"
            );
        }
        for line in [
            "---------- Forwarded message ---------",
            "Begin forwarded message:",
            "-------- Weitergeleitete Nachricht --------",
        ] {
            assert!(
                is_forward(&bare(line)) && !is_original(&bare(line)),
                "{line}"
            );
        }
        assert!(!is_original("original message") && !is_forward("i got the forwarded message"));
    }

    #[test]
    fn subjects_of_forwards() {
        for subject in ["Fwd: x", "FW: x", "WG: x", "[list] Fwd: x"] {
            assert!(is_forward_subject(subject), "{subject}");
        }
        for subject in ["Re: Fwd: x", "x", "Forwarding x"] {
            assert!(!is_forward_subject(subject), "{subject}");
        }
    }

    #[test]
    fn labels_of_quoted_headers() {
        assert_eq!(label(&bare("**From:** Ann")), Some(Label::From));
        assert_eq!(label(&bare("*Gesendet:* Montag")), Some(Label::Date));
        assert_eq!(label(&bare("Objet : x")), Some(Label::Other));
        assert_eq!(label(&bare("Note: x")), None);
    }

    #[test]
    fn telephones_sign() {
        for line in [
            "Sent from my iPhone",
            "Von meinem iPhone gesendet",
            "[Get Outlook for iOS](https://x)",
            "发自我的iPhone",
        ] {
            assert!(is_mobile_signature(&bare(line)), "{line}");
        }
        assert!(!is_mobile_signature("i sent from my heart"));
    }
}
