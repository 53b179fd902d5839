use std::collections::HashSet;

use proptest::prelude::*;

use super::{Error, Fused, Leg, SETTINGS_SCHEMA, Settings, fuse};

fn leg(weight: f64, ids: &[u64]) -> Leg {
    Leg {
        name: "leg".to_owned(),
        weight,
        ids: ids.to_vec(),
    }
}

fn ids(fused: &[Fused]) -> Vec<u64> {
    fused.iter().map(|entry| entry.id).collect()
}

#[test]
fn scores_follow_the_formula() {
    let legs = [leg(1.0, &[7, 8]), leg(2.0, &[8, 9])];
    let fused = fuse(&legs, 10, Settings::default()).unwrap();
    assert_eq!(
        fused,
        [
            Fused {
                id: 8,
                score: 1.0 / 62.0 + 2.0 / 61.0,
                ranks: vec![Some(2), Some(1)]
            },
            Fused {
                id: 9,
                score: 2.0 / 62.0,
                ranks: vec![None, Some(2)]
            },
            Fused {
                id: 7,
                score: 1.0 / 61.0,
                ranks: vec![Some(1), None]
            },
        ]
    );
    let sharp = fuse(&legs[..1], 10, Settings { k: 1.0 }).unwrap();
    assert_eq!(sharp[0].score, 0.5);
}

#[test]
fn ties_go_by_id() {
    let legs = [leg(1.0, &[9, 3]), leg(1.0, &[3, 9]), leg(0.0, &[5, 4])];
    let fused = fuse(&legs, 10, Settings::default()).unwrap();
    assert_eq!(ids(&fused), [3, 9, 4, 5]);
    assert_eq!(fused[0].score, fused[1].score);
}

#[test]
fn the_first_rank_of_a_repeated_id_counts() {
    let fused = fuse(&[leg(1.0, &[5, 6, 5, 7])], 10, Settings::default()).unwrap();
    assert_eq!(ids(&fused), [5, 6, 7]);
    assert_eq!(fused[0].ranks, [Some(1)]);
    // A repeat still takes up its place.
    assert_eq!(fused[2].ranks, [Some(4)]);
}

#[test]
fn nothing_in_gives_nothing_out() {
    assert!(fuse(&[], 10, Settings::default()).unwrap().is_empty());
    let empty = [leg(1.0, &[]), leg(1.0, &[])];
    assert!(fuse(&empty, 10, Settings::default()).unwrap().is_empty());
    let one = [leg(1.0, &[1])];
    assert!(fuse(&one, 0, Settings::default()).unwrap().is_empty());
}

#[test]
fn bad_numbers_are_refused_by_name() {
    for weight in [-1.0, f64::NAN, f64::INFINITY] {
        let mut bad = leg(weight, &[1]);
        bad.name = "dense".to_owned();
        let error = fuse(&[leg(1.0, &[1]), bad], 10, Settings::default()).unwrap_err();
        assert!(error.to_string().contains("\"dense\""), "{error}");
    }
    for k in [0.0, -60.0, f64::NAN, f64::INFINITY] {
        let error = fuse(&[], 10, Settings { k }).unwrap_err();
        assert!(matches!(error, Error::K(_)), "{error}");
    }
}

#[test]
fn settings_are_read_and_checked() {
    for defaults in ["", "  ", "{}"] {
        assert_eq!(Settings::parse(defaults).unwrap().k, 60.0);
    }
    assert_eq!(Settings::parse(r#"{"k": 10}"#).unwrap().k, 10.0);
    for (bad, says) in [
        (r#"{"k": 0}"#, "k of fuse-rrf is 0"),
        (r#"{"k": -1.5}"#, "-1.5"),
        (r#"{"k": "60"}"#, "string"),
        (r#"{"kk": 60}"#, "unknown field `kk`"),
        ("[", "JSON object"),
        ("60", "JSON object"),
    ] {
        let error = Settings::parse(bad).unwrap_err().to_string();
        assert!(error.contains(says), "{bad}: {error}");
    }
}

#[test]
fn the_schema_states_the_defaults() {
    let schema: serde_json::Value = serde_json::from_str(SETTINGS_SCHEMA).unwrap();
    assert_eq!(
        schema["properties"]["k"]["default"].as_f64().unwrap(),
        Settings::default().k
    );
    assert_eq!(schema["properties"].as_object().unwrap().len(), 1);
}

/// Few ids, so that legs overlap and repeat.
fn any_leg() -> impl Strategy<Value = Leg> {
    let weight = prop_oneof![Just(0.0), Just(1.0), 0.0..3.0];
    (weight, prop::collection::vec(0u64..20, 0..15)).prop_map(|(weight, ids)| leg(weight, &ids))
}

fn any_legs() -> impl Strategy<Value = Vec<Leg>> {
    prop::collection::vec(any_leg(), 0..5)
}

fn any_settings() -> impl Strategy<Value = Settings> {
    (0.001..200.0).prop_map(|k| Settings { k })
}

proptest! {
    #[test]
    fn each_id_stands_once_in_a_total_order(legs in any_legs(), settings in any_settings()) {
        let fused = fuse(&legs, usize::MAX, settings).unwrap();
        let expected: HashSet<u64> = legs.iter().flat_map(|leg| leg.ids.iter().copied()).collect();
        prop_assert_eq!(fused.len(), expected.len());
        prop_assert_eq!(ids(&fused).into_iter().collect::<HashSet<_>>(), expected);
        for pair in fused.windows(2) {
            prop_assert!(
                pair[0].score > pair[1].score
                    || (pair[0].score == pair[1].score && pair[0].id < pair[1].id)
            );
        }
        for entry in &fused {
            for (rank, leg) in entry.ranks.iter().zip(&legs) {
                let first = leg.ids.iter().position(|id| *id == entry.id);
                prop_assert_eq!(*rank, first.map(|index| index as u32 + 1));
            }
        }
        prop_assert_eq!(fuse(&legs, usize::MAX, settings).unwrap(), fused);
    }

    #[test]
    fn a_limit_cuts_the_same_list(
        legs in any_legs(), settings in any_settings(), limit in 0usize..25,
    ) {
        let all = fuse(&legs, usize::MAX, settings).unwrap();
        let some = fuse(&legs, limit, settings).unwrap();
        prop_assert_eq!(&some[..], &all[..limit.min(all.len())]);
    }

    #[test]
    fn the_order_of_the_legs_does_not_matter(
        (legs, order) in any_legs().prop_flat_map(|legs| {
            let order: Vec<usize> = (0..legs.len()).collect();
            (Just(legs), Just(order).prop_shuffle())
        }),
        settings in any_settings(),
    ) {
        let moved: Vec<Leg> = order.iter().map(|&index| legs[index].clone()).collect();
        let before = fuse(&legs, usize::MAX, settings).unwrap();
        let after = fuse(&moved, usize::MAX, settings).unwrap();
        prop_assert_eq!(before.len(), after.len());
        for (before, after) in before.iter().zip(&after) {
            prop_assert_eq!(before.id, after.id);
            prop_assert_eq!(before.score, after.score);
            let ranks: Vec<_> = order.iter().map(|&index| before.ranks[index]).collect();
            prop_assert_eq!(&ranks, &after.ranks);
        }
    }

    #[test]
    fn one_leg_keeps_its_order(
        ids in Just((0u64..50).collect::<Vec<_>>()).prop_shuffle(),
        weight in 0.001..10.0, settings in any_settings(),
    ) {
        let fused = fuse(&[leg(weight, &ids)], usize::MAX, settings).unwrap();
        prop_assert_eq!(super::tests::ids(&fused), ids);
    }

    #[test]
    fn a_better_rank_never_lowers_the_score(
        legs in prop::collection::vec(any_leg(), 1..5), settings in any_settings(),
        which in any::<prop::sample::Index>(), from in any::<prop::sample::Index>(),
        to in any::<prop::sample::Index>(),
    ) {
        let which = which.index(legs.len());
        prop_assume!(!legs[which].ids.is_empty());
        let from = from.index(legs[which].ids.len());
        let to = to.index(from + 1);
        let id = legs[which].ids[from];
        let mut better = legs.clone();
        better[which].ids.remove(from);
        better[which].ids.insert(to, id);
        let score = |legs: &[Leg]| {
            let fused = fuse(legs, usize::MAX, settings).unwrap();
            fused.iter().find(|entry| entry.id == id).unwrap().score
        };
        prop_assert!(score(&better) >= score(&legs));
    }
}
