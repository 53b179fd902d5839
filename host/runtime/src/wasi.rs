//! The WASI that a language's standard library pulls in, linked to a host that
//! grants nothing: no files, no sockets, no names, no environment, no
//! arguments, empty streams, a clock that stands still, a fixed random seed. So
//! a pure component links, finds nothing, and gives the same output for the
//! same input.

use wasmtime::component::{HasData, Linker, Resource, ResourceTable};
use wasmtime::{Result, error::bail};
use wasmtime_wasi::cli::{IsTerminal, StdoutStream, WasiCli, WasiCliView};
use wasmtime_wasi::clocks::{HostMonotonicClock, HostWallClock, WasiClocks, WasiClocksView};
use wasmtime_wasi::filesystem::{WasiFilesystem, WasiFilesystemView};
use wasmtime_wasi::p2::bindings::{cli, clocks, filesystem, random, sockets, sync};
use wasmtime_wasi::p2::pipe::SinkOutputStream;
use wasmtime_wasi::p2::{DynPollable, OutputStream};
use wasmtime_wasi::random::WasiRandom;
use wasmtime_wasi::sockets::{WasiSockets, WasiSocketsView};
use wasmtime_wasi::{Deterministic, WasiCtx, WasiView};

use crate::tail::Tail;

/// The host that grants nothing. The end of what the guest writes to its
/// standard error (a panic message, usually) is kept in `stderr`.
pub(crate) fn nothing(stderr: Tail) -> WasiCtx {
    let mut builder = WasiCtx::builder();
    builder
        .stdout(Discard)
        .stderr(stderr)
        .secure_random(Deterministic::new(vec![0x70, 0x6b, 0x62]))
        .insecure_random(Deterministic::new(vec![0x70, 0x6b, 0x62]))
        .insecure_random_seed(0x706b62)
        .max_random_size(1 << 20)
        .wall_clock(Still)
        .monotonic_clock(Still)
        .allow_tcp(false)
        .allow_udp(false)
        .allow_ip_name_lookup(false);
    builder.build()
}

/// Links all of WASI 0.2's command-line world. Polling never waits: nothing
/// that this host grants ever becomes ready later, and a guest that sleeps
/// would sleep past its deadline, which only interrupts running code.
pub(crate) fn add_to_linker<T: WasiView>(linker: &mut Linker<T>) -> Result<()> {
    let l = linker;
    clocks::wall_clock::add_to_linker::<T, WasiClocks>(l, T::clocks)?;
    clocks::monotonic_clock::add_to_linker::<T, WasiClocks>(l, T::clocks)?;
    random::random::add_to_linker::<T, WasiRandom>(l, |t| t.ctx().ctx.random())?;
    random::insecure::add_to_linker::<T, WasiRandom>(l, |t| t.ctx().ctx.random())?;
    random::insecure_seed::add_to_linker::<T, WasiRandom>(l, |t| t.ctx().ctx.random())?;
    cli::exit::add_to_linker::<T, WasiCli>(l, T::cli)?;
    cli::environment::add_to_linker::<T, WasiCli>(l, T::cli)?;
    cli::stdin::add_to_linker::<T, WasiCli>(l, T::cli)?;
    cli::stdout::add_to_linker::<T, WasiCli>(l, T::cli)?;
    cli::stderr::add_to_linker::<T, WasiCli>(l, T::cli)?;
    cli::terminal_input::add_to_linker::<T, WasiCli>(l, T::cli)?;
    cli::terminal_output::add_to_linker::<T, WasiCli>(l, T::cli)?;
    cli::terminal_stdin::add_to_linker::<T, WasiCli>(l, T::cli)?;
    cli::terminal_stdout::add_to_linker::<T, WasiCli>(l, T::cli)?;
    cli::terminal_stderr::add_to_linker::<T, WasiCli>(l, T::cli)?;
    filesystem::preopens::add_to_linker::<T, WasiFilesystem>(l, T::filesystem)?;
    sync::filesystem::types::add_to_linker::<T, WasiFilesystem>(l, T::filesystem)?;
    sockets::tcp_create_socket::add_to_linker::<T, WasiSockets>(l, T::sockets)?;
    sockets::instance_network::add_to_linker::<T, WasiSockets>(l, T::sockets)?;
    let options = sockets::network::LinkOptions::default();
    sockets::network::add_to_linker::<T, WasiSockets>(l, &options, T::sockets)?;
    sockets::ip_name_lookup::add_to_linker::<T, WasiSockets>(l, T::sockets)?;
    sync::sockets::tcp::add_to_linker::<T, WasiSockets>(l, T::sockets)?;
    sync::sockets::udp::add_to_linker::<T, WasiSockets>(l, T::sockets)?;
    sync::sockets::udp_create_socket::add_to_linker::<T, WasiSockets>(l, T::sockets)?;
    wasmtime_wasi_io::bindings::wasi::io::error::add_to_linker::<T, Tables>(l, |t| t.ctx().table)?;
    sync::io::streams::add_to_linker::<T, Tables>(l, |t| t.ctx().table)?;
    sync::io::poll::add_to_linker::<T, NeverWait>(l, |t| NeverWaiting(t.ctx().table))?;
    Ok(())
}

struct Tables;

impl HasData for Tables {
    type Data<'a> = &'a mut ResourceTable;
}

struct NeverWait;

impl HasData for NeverWait {
    type Data<'a> = NeverWaiting<'a>;
}

struct NeverWaiting<'a>(&'a mut ResourceTable);

impl sync::io::poll::Host for NeverWaiting<'_> {
    fn poll(&mut self, pollables: Vec<Resource<DynPollable>>) -> Result<Vec<u32>> {
        if pollables.is_empty() {
            bail!("the component polled an empty list");
        }
        Ok((0..u32::try_from(pollables.len())?).collect())
    }
}

impl sync::io::poll::HostPollable for NeverWaiting<'_> {
    fn ready(&mut self, _pollable: Resource<DynPollable>) -> Result<bool> {
        Ok(true)
    }

    fn block(&mut self, _pollable: Resource<DynPollable>) -> Result<()> {
        Ok(())
    }

    fn drop(&mut self, pollable: Resource<DynPollable>) -> Result<()> {
        sync::io::poll::HostPollable::drop(self.0, pollable)
    }
}

/// Time stands still at the epoch.
struct Still;

impl HostWallClock for Still {
    fn resolution(&self) -> std::time::Duration {
        std::time::Duration::from_secs(1)
    }

    fn now(&self) -> std::time::Duration {
        std::time::Duration::ZERO
    }
}

impl HostMonotonicClock for Still {
    fn resolution(&self) -> u64 {
        1
    }

    fn now(&self) -> u64 {
        0
    }
}

struct Discard;

impl IsTerminal for Discard {
    fn is_terminal(&self) -> bool {
        false
    }
}

impl StdoutStream for Discard {
    fn async_stream(&self) -> Box<dyn tokio::io::AsyncWrite + Send + Sync> {
        Box::new(tokio::io::sink())
    }

    fn p2_stream(&self) -> Box<dyn OutputStream> {
        Box::new(SinkOutputStream)
    }
}
