//! Damage that is the same in every run.

/// An xorshift generator; the seed must not be 0.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        let mut random = Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
        // The first few numbers of seeds that are near to each other are, too.
        for _ in 0..8 {
            random.next();
        }
        random
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// Below `end`; 0 where that is 0.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        (self.next() >> 16) as usize % end.max(1)
    }
}

/// `bytes`, cut off, with some bits or bytes changed, or with a stretch taken
/// out or repeated.
pub(crate) fn damaged(random: &mut Random, bytes: &[u8]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    let at = random.below(bytes.len());
    let length = (1 + random.below(64)).min(bytes.len() - at);
    match random.below(8) {
        0 => bytes.truncate(at),
        1..=4 => {
            for _ in 0..=random.below(8) {
                let at = random.below(bytes.len());
                if let Some(byte) = bytes.get_mut(at) {
                    *byte ^= 1 << random.below(8);
                }
            }
        }
        5 => {
            let byte = [0, 0xFF, b'9', b'<', b'\n', b'('][random.below(6)];
            bytes[at..at + length].fill(byte);
        }
        6 => drop(bytes.drain(at..at + length)),
        _ => {
            let again = bytes[at..at + length].repeat(1 + random.below(8));
            bytes.splice(at..at, again);
        }
    }
    bytes
}
