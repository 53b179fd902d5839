use super::{assert_finds, found, written};

#[test]
fn chinese_with_a_latin_run() {
    let note = "昨天重启svc-beta完成";
    assert_finds("重启", note, &["重启"]);
    assert_finds("beta", note, &["beta"]);
    assert_finds("svc-beta", note, &["svc-beta", "beta"]);
    assert_finds(
        note,
        "重启svc-beta完成。昨天重",
        &["昨天", "天重", "重启", "svc-beta", "beta", "完成"],
    );
}

#[test]
fn japanese() {
    assert_finds("図書館", "昨日は図書館で勉強した", &["図書", "書館"]);
    assert_eq!(found("図書館", "大使館に図面"), [None, None]);
}

#[test]
fn korean_without_its_particles() {
    assert_finds("도서관", "어제 도서관에서 읽었다", &["도서", "서관"]);
}

#[test]
fn thai_lao_khmer_and_burmese() {
    for (query, note) in [
        ("ข้อมูล", "การค้นหาข้อมูลในบันทึก"),
        ("ພາສາ", "ຂ້ອຍຮຽນພາສາລາວ"),
        ("ភាសា", "ខ្ញុំរៀនភាសាខ្មែរ"),
        ("မြန်မာ", "ကျွန်တော်မြန်မာစာသင်သည်"),
    ] {
        assert!(found(query, note).iter().all(Option::is_some), "{query}");
    }
}

#[test]
fn one_character_is_found_wherever_it_stands() {
    for note in ["雨", "大雨", "雨天", "今日は雨だった", "雨。"] {
        assert!(
            found("雨", note)[0].is_some_and(|stretch| stretch.contains('雨')),
            "{note}"
        );
    }
    assert_eq!(found("雨", "雪"), [None]);
    assert_eq!(written("图书"), "图书 书*");
    assert_eq!(written("2024年"), "2024 | 年*");
}

#[test]
fn hebrew_without_vowel_marks() {
    let (pointed, plain) = ("שָׁלוֹם", "שלום");
    assert_finds(plain, pointed, &[pointed]);
    assert_finds(pointed, plain, &[plain]);
}

#[test]
fn arabic_without_vowel_marks() {
    let (pointed, plain) = ("كِتَاب", "كتاب");
    assert_finds(plain, pointed, &[pointed]);
    assert_finds(pointed, plain, &[plain]);
    assert_finds("كتاب", "قرأت الكتاب", &["الكتاب"]);
    assert_finds("احمد مدرسه ١٢", "أحمد مدرسة 12", &["أحمد", "مدرسة", "12"]);
}

#[test]
fn indic_vowels_stay() {
    assert_eq!(found("काल", "कील"), [None]);
    assert_finds("किताब", "मेरी किताबें", &["किताबें"]);
}

#[test]
fn emoji_are_words() {
    assert_finds("🎉", "party 🎉!", &["🎉"]);
    assert_finds("👍", "ok👍🏽ok", &["👍🏽"]);
    assert_finds("❤", "I ❤️ it", &["❤️"]);
    assert_eq!(written("👨‍👩‍👧🇩🇪🇫🇷🎉🎉"), "👨‍👩‍👧 | 🇩🇪 | 🇫🇷 | 🎉 | 🎉");
}

#[test]
fn punctuation_alone_is_nothing() {
    for text in [
        "",
        " ",
        "?!",
        "... --- ,,, ''' \"\"",
        "。、「」",
        "\u{0}\u{7}\u{1b}",
        "— – → ─│ ©",
    ] {
        assert_eq!(written(text), "", "{text:?}");
    }
}
