//! The messages of inputs that failed.

use rquickjs::{Ctx, Value};

use super::host::Halt;
use super::runtime::{ShellLimits, internal};

/// An exception of JavaScript.
pub(super) struct Thrown {
    /// As mongosh prints it, or the bound that was reached.
    pub(super) message: String,
    pub(super) is_out_of_memory: bool,
}

/// Says why an input was stopped.
pub(super) fn halted(halt: Halt, limits: &ShellLimits) -> String {
    match halt {
        Halt::Canceled => "Stopped.".to_owned(),
        Halt::Late => {
            let secs = limits.time.unwrap_or_default().as_secs_f64();
            format!(
                "Stopped after {secs} s, the time limit of an input: do the work in smaller parts."
            )
        }
        Halt::Printed => format!(
            "Stopped after printing {}, the limit of an input: print less, for example with limit().",
            megabytes(limits.output)
        ),
    }
}

/// Describes an exception of a script with this text. `file` is the script in which to look for the line.
pub(super) fn thrown<'js>(
    ctx: &Ctx<'js>,
    value: &Value<'js>,
    source: &str,
    file: Option<&str>,
    limits: &ShellLimits,
) -> Thrown {
    let field = |name: &str| value.as_object().and_then(|error| error.get(name).ok());
    let name: String = field("name").unwrap_or_default();
    let text: String = field("message").unwrap_or_default();
    let is_out_of_memory = name == "InternalError" && text == "out of memory" || value.is_null();
    let message = if is_out_of_memory {
        format!(
            "Out of memory: JavaScript holds {}, its limit. Work in smaller parts, and set large \
             variables to null.",
            megabytes(limits.memory)
        )
    } else if text == "Maximum call stack size exceeded" {
        format!(
            "{name}: {text}: the stack has {}. Nest calls and values less deeply.",
            megabytes(limits.stack)
        )
    } else {
        described(ctx, value, source).unwrap_or_else(|| plain(&name, &text, value))
    };
    let at = file.and_then(|file| place(&field("stack").unwrap_or_default(), file));
    let message = at.map_or(message.clone(), |at| format!("{at}: {message}"));
    Thrown { message, is_out_of_memory }
}

/// As the prelude prints it.
fn described<'js>(ctx: &Ctx<'js>, value: &Value<'js>, source: &str) -> Option<String> {
    let text = internal(ctx, "failure").ok()?.call((value.clone(), source));
    // An error's own code may fail.
    text.inspect_err(|_| drop(ctx.catch())).ok()
}

fn plain(name: &str, text: &str, value: &Value<'_>) -> String {
    match value.as_string() {
        Some(thrown) => format!("Uncaught {}", thrown.to_string().unwrap_or_default()),
        None if name.is_empty() => format!("Uncaught {text}"),
        None => format!("{name}: {text}"),
    }
}

/// `file:line` of the innermost frame in a file.
fn place(stack: &str, file: &str) -> Option<String> {
    let (_, after) = stack.split_once(&format!("{file}:"))?;
    let line: String = after.chars().take_while(char::is_ascii_digit).collect();
    (!line.is_empty()).then(|| format!("{file}:{line}"))
}

fn megabytes(bytes: usize) -> String {
    format!("{} MB", bytes >> 20)
}
