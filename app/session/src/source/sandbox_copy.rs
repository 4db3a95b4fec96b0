//! A copy of collections as a sandbox that is not open yet.

use mayfly_engine::engine::{ClockOption, Engine, EngineOptions};
use mayfly_engine::store::StoreOptions;

use super::{Namespace, OpenRequest, Sandbox, sandbox_folder};
use crate::job::{CopiedStore, SandboxFolder};
use crate::limits::DEMO_BALLAST_BYTES;

/// Copies a collection, and others with it, at the present time of their store. The report is that
/// of the first one.
pub fn copy(
    engine: &Engine,
    namespace: &Namespace,
    others: &[Namespace],
) -> Result<OpenRequest, String> {
    let made = sandbox_folder::create()
        .map_err(|error| format!("Couldn't create a temporary folder for the sandbox: {error}"));
    let folder = made.map(|(lock, folder)| SandboxFolder::new(lock, folder))?;
    // At the time of its store, or the documents would be due at another time than there.
    let start_ms = engine.clock().now_ms();
    let clock = ClockOption::Simulated { start_ms };
    let store = StoreOptions { ballast_bytes_max: DEMO_BALLAST_BYTES, ..StoreOptions::default() };
    let options = EngineOptions { clock, run_reaper: false, store, ..EngineOptions::default() };
    let data = folder.path().join("store");
    let copy = Engine::open(&data, options).map_err(|error| error.message)?;
    let report = engine.copy_collection(&copy, namespace)?;
    for other in others.iter().filter(|other| *other != namespace) {
        engine.copy_collection(&copy, other)?;
    }
    copy.close().map_err(|error| error.message)?;
    Ok(OpenRequest {
        sandbox: Some(Sandbox::Copy(CopiedStore::new(folder, report))),
        simulated_start_ms: Some(start_ms),
        ..OpenRequest::default()
    })
}
