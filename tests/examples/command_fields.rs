//! Prints every command with what it does with each field that a client may send.
//!
//! usage: `cargo run -p mayfly-tests --example command_fields [unsupported]`

use mayfly_engine::command::{Support, table::COMMANDS};

fn main() {
    let only_unsupported = std::env::args().any(|argument| argument == "unsupported");
    let mut commands: Vec<_> = COMMANDS.iter().collect();
    commands.sort_by_key(|command| command.name);
    for command in commands {
        for (support, word) in [
            (Support::Required, "required"),
            (Support::Optional, "optional"),
            (Support::Ignored, "ignored"),
            (Support::Unsupported, "unsupported"),
            (Support::Any, "any other"),
        ] {
            let fields = command.fields.iter().filter(|field| field.support == support);
            let names: Vec<&str> = fields.map(|field| field.name).collect();
            if !names.is_empty() && (!only_unsupported || support == Support::Unsupported) {
                println!("{}: {word}: {}", command.name, names.join(" "));
            }
        }
    }
}
