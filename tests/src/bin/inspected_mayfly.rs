//! Mayfly with a port through which tests drive its window, at the address in `EGUI_INSPECTION`.

use std::process::ExitCode;

fn main() -> ExitCode {
    mayfly::program::run(std::env::args_os(), |context| {
        let label = Some("Mayfly".to_owned());
        if let Err(error) = egui_inspection::attach_from_env(context, label) {
            eprintln!("The window can't be driven: {error}");
        }
    })
}
