//! The commonest function words of languages of Latin script, folded.

use std::collections::HashMap;
use std::sync::LazyLock;

use crate::language::Latin;

/// Longer words are no function words, in bytes.
pub(crate) const LONGEST: usize = 8;

/// The languages that a function word belongs to, as a set of bits by the
/// number of the language.
pub(crate) fn languages(folded: &str) -> u32 {
    if folded.len() > LONGEST {
        return 0;
    }
    WORDS.get(folded).copied().unwrap_or(0)
}

static WORDS: LazyLock<HashMap<&'static str, u32>> = LazyLock::new(|| {
    let mut words = HashMap::new();
    for (language, list) in LISTS {
        for word in list.split(' ') {
            *words.entry(word).or_insert(0) |= language.bit();
        }
    }
    words
});

const LISTS: [(Latin, &str); 15] = [
    (
        Latin::English,
        "the of and to a in is it you that for on with as are this be at by not have from or was \
         but what all can your if will when how which they do their an we has its there these \
         into than",
    ),
    (
        Latin::German,
        "der die das und ist nicht ein eine zu in den dem des von mit sich auf fur im es sie wird \
         werden als auch an wie oder aus bei nach einer einen einem konnen kann wenn du dein \
         deine ihr sind zum zur uber nur noch",
    ),
    (
        Latin::French,
        "le la les de des du un une et est que qui dans en pour pas sur ne se ce il au aux par \
         plus avec vous nous sont ou cette votre ces leur mais comme l qu etre fait comment je",
    ),
    (
        Latin::Spanish,
        "el la los las de del un una y es que en por para con no se su al lo como mas pero sus \
         este esta o si sin sobre ser tiene tu cuando muy puede entre son",
    ),
    (
        Latin::Italian,
        "il lo la i gli le di del della dei delle un una e che in per con non si sono da al alla \
         nel nella come piu questo questa anche ma o ha sul essere dell tuo tua puoi",
    ),
    (
        Latin::Portuguese,
        "o a os as de do da dos das um uma e que em no na nos nas por para com nao se seu sua ao \
         mais como mas foi pelo pela ou ser quando voce sao isso este esta",
    ),
    (
        Latin::Dutch,
        "de het een van en in is dat op te zijn met voor niet aan er om ook als dan maar bij uit \
         door naar je wordt deze worden of kan hebben heeft nog hoe wat",
    ),
    (
        Latin::Swedish,
        "och i att det som en pa ar av for med den till inte om ett han de har jag var sig fran \
         du kan nar eller men ska vi hur din",
    ),
    (
        Latin::Norwegian,
        "og i det som en pa er av for med den til ikke om et han de har jeg var seg fra du kan nar \
         eller men skal vi hvordan din etter",
    ),
    (
        Latin::Danish,
        "og i det som en pa er af for med den til ikke om et han de har jeg var sig fra du kan nar \
         eller men skal vi hvordan din efter",
    ),
    (
        Latin::Finnish,
        "ja on ei se etta oli kun mutta tai myos ovat hanen joka niin kuin han tama sen ole voi \
         jos mita miten ne vain",
    ),
    (
        Latin::Romanian,
        "si in de la cu nu pe un o este care din sa pentru ca mai fi au al ale sunt prin dar sau \
         fost lui cum cand",
    ),
    (
        Latin::Hungarian,
        "a az es hogy nem is egy ez van meg csak de volt mint ha vagy azt ki mar lehet ezt fel \
         hogyan nincs",
    ),
    (
        Latin::Turkish,
        "ve bir bu da de icin ile olarak cok daha ne gibi olan kadar sonra var en ama veya degil \
         mi nasil her ya",
    ),
    (
        Latin::Polish,
        "i w z na do nie sie ze jest to o jak od za przez po dla ale czy co tak oraz lub tego ktory \
         sa byc",
    ),
];
