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
