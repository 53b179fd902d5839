//! Asking for token counts, in few and bounded calls.

use crate::{Failure, FailureKind};

/// The most a single call carries, in bytes: texts plus [`TEXT_OVERHEAD`] for
/// each.
const CALL_BYTES: usize = 4 << 20;

/// What a text costs to hand over beyond its bytes.
const TEXT_OVERHEAD: usize = 16;

/// The token counter of the model that embeds.
pub(crate) struct Counter<'a> {
    count: &'a mut dyn FnMut(&[&str]) -> Vec<u32>,
}

impl<'a> Counter<'a> {
    pub(crate) fn new(count: &'a mut dyn FnMut(&[&str]) -> Vec<u32>) -> Self {
        Self { count }
    }

    /// Tokens of each text, in order. One call for up to 4 MiB.
    pub(crate) fn count(&mut self, texts: &[&str]) -> Result<Vec<usize>, Failure> {
        let mut counts = Vec::with_capacity(texts.len());
        let mut first = 0;
        while first < texts.len() {
            let mut bytes = 0;
            let mut last = first;
            while last < texts.len() {
                bytes += texts[last].len() + TEXT_OVERHEAD;
                if bytes > CALL_BYTES && last > first {
                    break;
                }
                last += 1;
            }
            let batch = &texts[first..last];
            let answer = (self.count)(batch);
            if answer.len() != batch.len() {
                return Err(Failure {
                    kind: FailureKind::Internal,
                    message: format!(
                        "the token counter answered {} counts for {} texts; the tokenizer component is at fault",
                        answer.len(),
                        batch.len()
                    ),
                });
            }
            counts.extend(answer.into_iter().map(|tokens| tokens as usize));
            first = last;
        }
        Ok(counts)
    }
}
