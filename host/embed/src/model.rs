//! A model: token ids in, vectors out.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::time::Duration;

use crate::files::{ONNX, TOKENIZER};
use crate::fingerprint::Hashes;
use crate::plan::{Plan, Worker};
use crate::windows::{self, Window};
use crate::{Error, Pooling, Settings, files};

/// How often a caller is asked whether to stop while no result comes in.
const ASK_EVERY: Duration = Duration::from_millis(20);

/// What a model is, known without building its plan.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ModelInfo {
    /// What people call it.
    pub name: String,
    /// One sentence for a person; may be empty.
    pub summary: String,
    /// Length of its vectors.
    pub dimensions: usize,
    /// The most tokens it reads at once, special tokens included.
    pub limit: usize,
    /// How token vectors become one.
    pub pooling: Pooling,
    /// Put before a query before it is tokenized.
    pub query_prefix: String,
    /// Put before a stored text before it is tokenized.
    pub passage_prefix: String,
    /// 32 hexadecimal digits that differ whenever vectors may: they cover the
    /// network, the tokenizer, pooling, prefixes, limit and dimensions.
    pub fingerprint: String,
}

/// A text embedding model. Cheap to open: the network is read and its plan
/// built when first needed, by [`Model::prepare`] or [`Model::embed`], and then
/// shared by all threads.
#[derive(Debug)]
pub struct Model {
    folder: PathBuf,
    info: ModelInfo,
    hashes: Hashes,
    plan: Mutex<Option<Arc<Plan>>>,
}

impl Model {
    /// Opens the model in `folder`: reads `model.toml` and finds the
    /// fingerprint. That takes about a millisecond once the hashes of the
    /// files are remembered (in `.hashes.toml` beside them, where the folder
    /// can be written), and the time to hash them before.
    ///
    /// # Errors
    /// [`Error::MissingFile`], [`Error::Settings`] or [`Error::Io`]. What is
    /// wrong with the network itself shows when its plan is built.
    pub fn open(folder: &Path) -> Result<Self, Error> {
        let settings = Settings::read(folder)?;
        let hashes = Hashes::of(folder)?;
        let fingerprint = hashes.fingerprint(&settings);
        let name = settings.name.unwrap_or_else(|| {
            folder
                .file_name()
                .map_or_else(String::new, |name| name.to_string_lossy().into_owned())
        });
        let info = ModelInfo {
            name,
            summary: settings.summary.unwrap_or_default(),
            dimensions: settings.dimensions,
            limit: settings.limit,
            pooling: settings.pooling,
            query_prefix: settings.query_prefix,
            passage_prefix: settings.passage_prefix,
            fingerprint,
        };
        Ok(Self {
            folder: folder.to_path_buf(),
            info,
            hashes,
            plan: Mutex::new(None),
        })
    }

    /// Opens the model in `folder` and builds its plan.
    ///
    /// # Errors
    /// Those of [`Model::open`] and [`Model::prepare`].
    pub fn load(folder: &Path) -> Result<Self, Error> {
        let model = Self::open(folder)?;
        model.prepare()?;
        Ok(model)
    }

    /// What the model is.
    #[must_use]
    pub fn info(&self) -> &ModelInfo {
        &self.info
    }

    /// The folder it was opened from.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The definition of its tokenizer, read anew from `tokenizer.json`.
    ///
    /// # Errors
    /// [`Error::MissingFile`], [`Error::Io`], or [`Error::Changed`] where the
    /// file is no longer the one the fingerprint was made from.
    pub fn tokenizer_json(&self) -> Result<Vec<u8>, Error> {
        self.read(TOKENIZER, self.hashes.tokenizer)
    }

    /// Builds the plan now, unless it is built already: some hundred
    /// milliseconds that the first call of [`Model::embed`] would take
    /// otherwise.
    ///
    /// # Errors
    /// [`Error::Onnx`], [`Error::Dimensions`], [`Error::Changed`],
    /// [`Error::MissingFile`] or [`Error::Io`].
    pub fn prepare(&self) -> Result<(), Error> {
        self.plan().map(drop)
    }

    /// Runs the network on as many tokens as `model.toml` allows, which shows
    /// whether it can take them: a check for when a model is brought in.
    ///
    /// # Errors
    /// Those of [`Model::prepare`]; [`Error::Onnx`] where the limit is above
    /// what the network takes, and where it makes no usable vectors.
    pub fn check(&self) -> Result<(), Error> {
        let plan = self.plan()?;
        for tokens in [2, self.info.limit] {
            // Token 0 is in every vocabulary.
            let outcome = plan
                .worker()
                .and_then(|mut worker| worker.run(&vec![0; tokens]))
                .and_then(|vector| unit(vector).map_err(|what| format!("its vector is {what}")));
            if let Err(reason) = outcome {
                return Err(Error::Onnx {
                    file: self.folder.join(ONNX),
                    reason: format!("it fails on a sequence of {tokens} tokens: {reason}"),
                    remedy: "Lower `limit` in model.toml to what the model was made for, or get \
                             the file again",
                });
            }
        }
        Ok(())
    }

    /// The vectors of `sequences`, in their order, each of length 1 and
    /// [`ModelInfo::dimensions`] numbers.
    ///
    /// A sequence is the token ids of one text with the model's prefix, special
    /// tokens included, neither truncated nor padded. One longer than
    /// [`ModelInfo::limit`] is not truncated: its tokens between the first and
    /// the last, which are taken to be the special ones, are split into the
    /// fewest stretches of even length that fit, each is embedded between those
    /// two, and the vectors are averaged, weighted by their count of tokens,
    /// before the result is brought to length 1.
    ///
    /// Sequences run one at a time on each core, the longest first. `progress`
    /// is called with the number of sequences done so far each time one is;
    /// `stop` is asked all along, and once it says true the call ends with
    /// [`Error::Stopped`] as soon as the sequences being run are through. Both
    /// are called on the calling thread.
    ///
    /// # Errors
    /// Those of [`Model::prepare`]; [`Error::EmptySequence`] before anything
    /// is run; [`Error::Run`] and [`Error::BadVector`] for the first sequence
    /// that fails, which ends the call; [`Error::Stopped`].
    pub fn embed(
        &self,
        sequences: &[Vec<u32>],
        stop: &dyn Fn() -> bool,
        progress: &dyn Fn(usize),
    ) -> Result<Vec<Vec<f32>>, Error> {
        if let Some(index) = sequences.iter().position(Vec::is_empty) {
            return Err(Error::EmptySequence { index });
        }
        if sequences.is_empty() {
            return Ok(Vec::new());
        }
        if stop() {
            return Err(Error::Stopped);
        }
        let plan = self.plan()?;
        let mut windows: Vec<Window> = sequences
            .iter()
            .enumerate()
            .flat_map(|(index, ids)| windows::split(index, ids, self.info.limit))
            .collect();
        // Longest first, so that no core is left with a long one at the end.
        // Equal lengths follow each other, which also suits the network's
        // buffers.
        windows.sort_by_key(|window| std::cmp::Reverse(window.ids.len()));

        let mut gathered = Gathered::new(&self.info, sequences.len(), &windows);
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        if cores.min(windows.len()) == 1 {
            let mut worker = plan
                .worker()
                .map_err(|reason| self.failed(&windows[0], reason))?;
            for window in &windows {
                if stop() {
                    return Err(Error::Stopped);
                }
                gathered.take(window, self.run(&mut worker, window)?, progress)?;
            }
        } else {
            self.run_on_cores(&plan, cores, &windows, stop, &mut gathered, progress)?;
        }
        Ok(gathered.vectors)
    }

    /// Runs the windows on several threads and gathers the results on this one.
    fn run_on_cores(
        &self,
        plan: &Arc<Plan>,
        cores: usize,
        windows: &[Window],
        stop: &dyn Fn() -> bool,
        gathered: &mut Gathered<'_>,
        progress: &dyn Fn(usize),
    ) -> Result<(), Error> {
        let next = AtomicUsize::new(0);
        let halt = AtomicBool::new(false);
        std::thread::scope(|scope| {
            let (sender, results) = mpsc::channel();
            for _ in 0..cores.min(windows.len()) {
                let (sender, next, halt) = (sender.clone(), &next, &halt);
                scope.spawn(move || {
                    let mut worker = plan.worker();
                    while !halt.load(Ordering::Relaxed) {
                        let number = next.fetch_add(1, Ordering::Relaxed);
                        let Some(window) = windows.get(number) else {
                            break;
                        };
                        let result = match &mut worker {
                            Ok(worker) => self.run(worker, window),
                            Err(reason) => Err(self.failed(window, reason.clone())),
                        };
                        // The receiver is gone once the call has failed.
                        if sender.send((window, result)).is_err() {
                            break;
                        }
                    }
                });
            }
            drop(sender);
            let outcome = loop {
                if stop() {
                    break Err(Error::Stopped);
                }
                match results.recv_timeout(ASK_EVERY) {
                    Ok((window, result)) => {
                        if let Err(error) =
                            result.and_then(|vector| gathered.take(window, vector, progress))
                        {
                            break Err(error);
                        }
                    }
                    Err(mpsc::RecvTimeoutError::Timeout) => {}
                    Err(mpsc::RecvTimeoutError::Disconnected) => break Ok(()),
                }
            };
            halt.store(true, Ordering::Relaxed);
            outcome
        })
    }

    fn run(&self, worker: &mut Worker, window: &Window) -> Result<Vec<f32>, Error> {
        worker
            .run(&window.ids)
            .map_err(|reason| self.failed(window, reason))
    }

    fn failed(&self, window: &Window, reason: String) -> Error {
        Error::Run {
            model: self.info.name.clone(),
            index: window.sequence,
            tokens: window.ids.len(),
            reason,
        }
    }

    /// The plan, built by whoever comes first while the others wait.
    fn plan(&self) -> Result<Arc<Plan>, Error> {
        let mut plan = self.plan.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(plan) = &*plan {
            return Ok(Arc::clone(plan));
        }
        let bytes = self.read(ONNX, self.hashes.onnx)?;
        let built = Arc::new(Plan::build(
            bytes,
            &self.folder.join(ONNX),
            self.info.dimensions,
            self.info.pooling,
        )?);
        *plan = Some(Arc::clone(&built));
        Ok(built)
    }

    /// Reads a file and holds it against the hash it had at opening.
    fn read(&self, file: &'static str, hash: blake3::Hash) -> Result<Vec<u8>, Error> {
        let bytes = files::read(&self.folder, file)?;
        if blake3::hash(&bytes) != hash {
            return Err(Error::Changed {
                file: self.folder.join(file),
            });
        }
        Ok(bytes)
    }
}

/// The vectors so far, in the order of the sequences.
struct Gathered<'a> {
    info: &'a ModelInfo,
    /// Sums of weighted window vectors until the last window is in, then the
    /// unit vector.
    vectors: Vec<Vec<f32>>,
    /// Windows still to come, per sequence.
    missing: Vec<usize>,
    done: usize,
}

impl<'a> Gathered<'a> {
    fn new(info: &'a ModelInfo, sequences: usize, windows: &[Window]) -> Self {
        let mut missing = vec![0; sequences];
        for window in windows {
            missing[window.sequence] += 1;
        }
        Self {
            info,
            vectors: vec![Vec::new(); sequences],
            missing,
            done: 0,
        }
    }

    fn take(
        &mut self,
        window: &Window,
        vector: Vec<f32>,
        progress: &dyn Fn(usize),
    ) -> Result<(), Error> {
        let index = window.sequence;
        // The weights need not sum to one: the length is set to 1 in the end.
        let weight = window.weight as f32;
        let sum = &mut self.vectors[index];
        if sum.is_empty() {
            *sum = vector;
            sum.iter_mut().for_each(|number| *number *= weight);
        } else {
            sum.iter_mut()
                .zip(vector)
                .for_each(|(sum, number)| *sum += number * weight);
        }
        self.missing[index] -= 1;
        if self.missing[index] == 0 {
            let sum = std::mem::take(&mut self.vectors[index]);
            self.vectors[index] = unit(sum).map_err(|what| Error::BadVector {
                model: self.info.name.clone(),
                index,
                what,
            })?;
            self.done += 1;
            progress(self.done);
        }
        Ok(())
    }
}

/// The vector of length 1 in the same direction, or what is wrong with it.
fn unit(mut vector: Vec<f32>) -> Result<Vec<f32>, &'static str> {
    if vector.iter().any(|number| !number.is_finite()) {
        return Err("not finite");
    }
    // In double precision no square of a float overflows or vanishes.
    let square: f64 = vector.iter().map(|number| f64::from(*number).powi(2)).sum();
    if square == 0.0 {
        return Err("zero");
    }
    let length = square.sqrt();
    for number in &mut vector {
        *number = (f64::from(*number) / length) as f32;
    }
    Ok(vector)
}

#[cfg(test)]
mod tests;
