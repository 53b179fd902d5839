//! How near two items are, by the vectors of their chunks.

use pkb_store::{ChunkId, ChunkVector};

/// The vectors of an item's chunks, each of unit length.
pub(super) struct Vectors(Vec<ChunkVector>);

impl Vectors {
    /// Vectors without a direction are left out.
    pub(super) fn new(vectors: Vec<ChunkVector>) -> Vectors {
        let unit = |mut own: ChunkVector| unit(&mut own.vector).then_some(own);
        Vectors(vectors.into_iter().filter_map(unit).collect())
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// What to search for: the mean of all, and at most `most` of the vectors
    /// themselves, spread over the item.
    pub(super) fn queries(&self, most: usize) -> Vec<Vec<f32>> {
        let mut mean = vec![0.0; self.0.first().map_or(0, |own| own.vector.len())];
        for own in &self.0 {
            for (sum, number) in mean.iter_mut().zip(&own.vector) {
                *sum += number;
            }
        }
        let mut queries = Vec::new();
        if unit(&mut mean) {
            queries.push(mean);
        }
        if self.0.len() > 1 {
            let step = self.0.len().div_ceil(most.max(1));
            let spread = self.0.iter().step_by(step);
            queries.extend(spread.map(|own| own.vector.clone()));
        }
        queries
    }
}

/// How near two items are, from -1 to 1, and the chunk of the second that is
/// nearest to any of the first: the mean over the chunks of one of the cosine
/// to the nearest chunk of the other, from both sides. None where either has no
/// vectors.
pub(super) fn nearness(one: &Vectors, other: &Vectors) -> Option<(f64, ChunkId)> {
    let (mut best, mut chunk) = (f64::NEG_INFINITY, None);
    let mut nearest_to_one = vec![f64::NEG_INFINITY; one.0.len()];
    let mut of_other = 0.0;
    for theirs in &other.0 {
        let mut nearest = f64::NEG_INFINITY;
        for (own, at) in one.0.iter().zip(&mut nearest_to_one) {
            let cosine = dot(&own.vector, &theirs.vector);
            nearest = nearest.max(cosine);
            *at = at.max(cosine);
        }
        if nearest > best {
            (best, chunk) = (nearest, Some(theirs.chunk));
        }
        of_other += nearest;
    }
    let of_one = nearest_to_one.iter().sum::<f64>() / one.0.len() as f64;
    let of_other = of_other / other.0.len() as f64;
    let nearness = (of_one + of_other) / 2.0;
    // What is the same may come out beyond 1, by rounding.
    chunk
        .filter(|_| nearness.is_finite())
        .map(|chunk| (nearness.min(1.0), chunk))
}

fn dot(a: &[f32], b: &[f32]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum::<f32>().into()
}

/// Gives a vector unit length; says whether it has a direction.
fn unit(vector: &mut [f32]) -> bool {
    let length = dot(vector, vector).sqrt() as f32;
    if length > 0.0 && length.is_finite() {
        vector.iter_mut().for_each(|number| *number /= length);
        return true;
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    fn vectors(list: &[[f32; 2]]) -> Vectors {
        let chunk = |(at, vector): (i64, &[f32; 2])| ChunkVector {
            chunk: ChunkId(at),
            vector: vector.to_vec(),
        };
        Vectors::new((0..).zip(list).map(chunk).collect())
    }

    #[test]
    fn both_sides_count() {
        let a = vectors(&[[1.0, 0.0]]);
        let both = vectors(&[[0.0, 2.0], [3.0, 0.0]]);
        // All that a says is in the other, half of what the other says is in a.
        let (near, chunk) = nearness(&a, &both).unwrap();
        assert!((near - 0.75).abs() < 1e-6, "{near}");
        assert_eq!(chunk, ChunkId(1));
        let (same, _) = nearness(&both, &both).unwrap();
        assert!((same - 1.0).abs() < 1e-6);
        assert!(nearness(&a, &vectors(&[])).is_none());
        assert!(nearness(&vectors(&[]), &a).is_none());
        assert!(vectors(&[[0.0, 0.0]]).is_empty());
    }

    #[test]
    fn queries_are_the_mean_and_a_spread() {
        let one = vectors(&[[0.0, 5.0]]);
        assert_eq!(one.queries(8), [[0.0, 1.0]]);
        let many = vectors(&[[1.0, 0.0]; 20]);
        assert_eq!(many.queries(8).len(), 1 + 7);
        assert_eq!(vectors(&[[1.0, 0.0], [-1.0, 0.0]]).queries(8).len(), 2);
        assert!(vectors(&[]).queries(8).is_empty());
    }
}
