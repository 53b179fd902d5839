//! Processes that die at any moment: what they leave behind opens, is sound, and
//! goes on where it was.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "tests")]

mod content;
mod home;

use std::thread;
use std::time::{Duration, Instant};

use content::Content;
use home::{Home, Vault};

/// Numbers that look random and are the same in each run.
struct Dice(u64);

impl Dice {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (self.0 >> 33) % limit.max(1)
    }
}

/// A piece of work that is done in steps to a home, and how a home is made ready
/// for it.
struct Work {
    name: &'static str,
    prepare: fn(&Vault) -> Home,
    steps: &'static [&'static [&'static str]],
    /// Commits that it takes at least.
    commits: usize,
    /// Whether nothing that is stored is removed by it.
    only_adds: bool,
}

const SYNC: &[&str] = &["sync", "-q"];

const WORKS: &[Work] = &[
    Work {
        name: "the first sync",
        prepare: Vault::empty_home,
        steps: &[SYNC],
        commits: 3,
        only_adds: true,
    },
    Work {
        name: "another model",
        prepare: |vault| {
            let home = vault.full_home();
            home.run(&["model", "use", "second"]);
            home
        },
        steps: &[SYNC],
        commits: 3,
        only_adds: false,
    },
    Work {
        name: "another chunker",
        prepare: |vault| {
            let home = vault.full_home();
            home.choose_chunker("chunk-sentences");
            home
        },
        steps: &[SYNC],
        commits: 3,
        only_adds: false,
    },
    Work {
        name: "a purge",
        prepare: |vault| {
            let home = vault.full_home();
            home.run(&["rm", "--tag", "t1", "--yes"]);
            home
        },
        steps: &[&["purge", "--older-than", "0d", "--yes"]],
        commits: 1,
        only_adds: false,
    },
    Work {
        name: "the upgrade of an older home",
        prepare: Vault::old_home,
        steps: &[&["status"]],
        commits: 1,
        only_adds: false,
    },
];

impl Work {
    /// Does all of it without disturbance: what comes of it and how long each
    /// step took.
    fn undisturbed(&self, vault: &Vault) -> (Content, Vec<Duration>) {
        let home = (self.prepare)(vault);
        let took = self
            .steps
            .iter()
            .map(|step| {
                let began = Instant::now();
                home.run(step);
                began.elapsed()
            })
            .collect();
        (home.content(), took)
    }

    /// Runs each step until it comes through, killing it at moments that `dice`
    /// choose, at most `kills` times; how often that was.
    fn disturbed(
        &self,
        vault: &Vault,
        (wanted, took): &(Content, Vec<Duration>),
        dice: &mut Dice,
        kills: usize,
    ) -> usize {
        let home = (self.prepare)(vault);
        let mut killed = 0;
        for (step, took) in self.steps.iter().zip(took) {
            while killed < kills {
                let mut child = home.spawn(step);
                let after = dice.below(took.as_micros() as u64);
                thread::sleep(Duration::from_micros(after));
                if child.try_wait().unwrap().is_some() {
                    break;
                }
                let vectors = home.vectors();
                child.kill().unwrap();
                child.wait().unwrap();
                killed += 1;
                home.assert_sound(self.name);
                assert!(
                    !self.only_adds || home.vectors() >= vectors,
                    "{}: vectors that were there are gone",
                    self.name
                );
            }
            home.run(step);
        }
        home.assert_same(wanted, self.name);
        killed
    }
}

fn kill_at_random(rounds: usize, kills: usize) -> usize {
    let Some(vault) = Vault::new(120) else {
        return 0;
    };
    let seed = 20_261_130;
    eprintln!("seed {seed}");
    let mut dice = Dice(seed);
    let mut killed = 0;
    for work in WORKS {
        let wanted = work.undisturbed(&vault);
        for _ in 0..rounds {
            killed += work.disturbed(&vault, &wanted, &mut dice, kills);
        }
    }
    eprintln!("{killed} kills");
    killed
}

#[test]
fn killed_at_random_moments_it_goes_on_and_ends_the_same() {
    kill_at_random(3, 4);
}

#[test]
#[ignore = "takes minutes: `just soak` runs it"]
fn killed_two_hundred_times_it_goes_on_and_ends_the_same() {
    let killed = kill_at_random(20, 6);
    assert!(killed == 0 || killed >= 200, "only {killed} kills");
}

/// Dies at the first commit, before or after it, then at the second ... until
/// none is left, each time going on afterwards to the same end.
#[test]
fn dying_at_any_commit_loses_nothing() {
    let Some(vault) = Vault::new(30) else {
        return;
    };
    for work in WORKS {
        let (wanted, _) = work.undisturbed(&vault);
        for step in ["before-commit", "after-commit"] {
            let mut commits = 0;
            loop {
                let home = (work.prepare)(&vault);
                let told = format!("{step}={commits}*off->return(abort)");
                let died = work
                    .steps
                    .iter()
                    .any(|arguments| !home.with_failpoints(arguments, &told));
                home.assert_sound(work.name);
                if !died {
                    break;
                }
                commits += 1;
                for arguments in work.steps {
                    home.run(arguments);
                }
                home.assert_same(&wanted, &format!("{}, {told}", work.name));
            }
            assert!(
                commits >= work.commits,
                "{}: {step} passed {commits} times",
                work.name
            );
        }
    }
}

#[test]
fn a_disk_that_fails_at_any_commit_loses_nothing() {
    let Some(vault) = Vault::new(30) else {
        return;
    };
    let work = &WORKS[0];
    let (wanted, _) = work.undisturbed(&vault);
    for commits in 0.. {
        let home = (work.prepare)(&vault);
        let told = format!("before-commit={commits}*off->1*return(io)->off");
        let done = home.with_failpoints(SYNC, &told);
        home.assert_sound(work.name);
        home.run(SYNC);
        home.assert_same(&wanted, &told);
        if done {
            assert!(commits >= 3, "{commits}");
            break;
        }
    }
}

/// What the disk had not written yet is lost when the power goes: the end of the
/// log, cut anywhere.
#[test]
fn a_power_cut_that_costs_the_end_of_the_log_loses_nothing_else() {
    let Some(vault) = Vault::new(60) else {
        return;
    };
    let work = &WORKS[0];
    let (wanted, _) = work.undisturbed(&vault);
    let died = (work.prepare)(&vault);
    assert!(!died.with_failpoints(SYNC, "after-commit=4*off->return(abort)"));
    let log = died.log_bytes();
    assert!(log > 0, "the log was emptied");
    let mut dice = Dice(7);
    for cut in 0..10 {
        let left = match cut {
            0 => 0,
            1 => log - 1,
            _ => dice.below(log),
        };
        let home = died.copied_with_log(&vault, left);
        home.assert_sound("a power cut");
        home.run(SYNC);
        home.assert_same(&wanted, &format!("{left} of {log} bytes of the log"));
    }
}
