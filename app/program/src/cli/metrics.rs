//! `mayfly metrics`: the figures of an audit as `OpenMetrics` text, once or on a port of this machine.

use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::time::Duration;

use mayfly_engine::clock::{Clock as _, SystemClock};

use super::Failure;
use super::audit::{Looks, audited};
use super::audit_args::{self, Metrics};
use super::limits::{METRICS_AGE_MAX, METRICS_REQUEST_BYTES_MAX, METRICS_WAIT, POLL_INTERVAL};
use crate::inspect::audit::samples::Samples;
use crate::inspect::audit::{Audit, form};
use crate::shutdown::ShutdownSignal;

/// Prints the figures, or answers with them until a signal arrives.
pub(super) fn run(args: &Metrics, shutdown: &ShutdownSignal) -> Result<(), Failure> {
    let audit = audit_args::Audit {
        of: args.of.clone(),
        time_limit: args.time_limit.clone(),
        ..audit_args::Audit::default()
    };
    let Some(port) = args.port else {
        return print(&form::metrics(&audited(&audit, Looks::UntilKnown, shutdown)?));
    };
    let read = |samples: Samples| audited(&audit, Looks::After(samples), shutdown);
    // A store or server that can't be read is an error now, before anyone asks.
    let mut figures = Figures::of(read(Samples::default())?);
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).and_then(|listener| {
        listener.set_nonblocking(true)?;
        Ok(listener)
    });
    let listener =
        listener.map_err(|error| Failure(format!("Can't listen on {port}: {error}.")))?;
    let address = listener.local_addr().map_err(Failure::from_error)?;
    print(&format!("http://{address}/metrics\n"))?;
    while !shutdown.is_requested() {
        match listener.accept() {
            Ok((stream, _)) => {
                // A client that is gone or silent must not stop the others.
                let _ = answer(&stream, || figures.fresh(&read));
            }
            Err(_) => _ = shutdown.wait_for(POLL_INTERVAL),
        }
    }
    Ok(())
}

/// Audits again after these samples.
type ReadAgain<'r> = dyn Fn(Samples) -> Result<Audit, Failure> + 'r;

/// The figures of the last audit.
struct Figures {
    text: String,
    /// The samples of a server's backlog so far.
    samples: Samples,
    /// When it ended, by the monotonic clock.
    read_at: Duration,
}

impl Figures {
    fn of(audit: Audit) -> Self {
        let (text, samples) = (form::metrics(&audit), audit.facts.samples);
        Self { text, samples, read_at: SystemClock.monotonic() }
    }

    /// The figures, read again if they are too old.
    fn fresh(&mut self, read: &ReadAgain<'_>) -> Result<&str, Failure> {
        if SystemClock.monotonic().saturating_sub(self.read_at) > METRICS_AGE_MAX {
            *self = Self::of(read(self.samples.clone())?);
        }
        Ok(&self.text)
    }
}

/// Answers one request.
fn answer<'t>(
    mut stream: &TcpStream,
    figures: impl FnOnce() -> Result<&'t str, Failure>,
) -> io::Result<()> {
    stream.set_nonblocking(false)?;
    stream.set_read_timeout(Some(METRICS_WAIT))?;
    stream.set_write_timeout(Some(METRICS_WAIT))?;
    let mut request = BufReader::new(stream.take(METRICS_REQUEST_BYTES_MAX));
    let mut first = String::new();
    request.read_line(&mut first)?;
    // The rest of the request, which a closed connection would lose together with the answer.
    let mut line = String::new();
    while request.read_line(&mut line)? > 2 {
        line.clear();
    }
    let reply = match asked(&first) {
        Asked::Figures => match figures() {
            Ok(text) => reply("200 OK", form::CONTENT_TYPE, text),
            Err(Failure(sentence)) => reply("503 Service Unavailable", PLAIN, &sentence),
        },
        Asked::Elsewhere => reply("404 Not Found", PLAIN, "The figures are at /metrics.\n"),
        Asked::Otherwise => reply("405 Method Not Allowed", PLAIN, "Only GET is answered.\n"),
    };
    stream.write_all(reply.as_bytes())
}

const PLAIN: &str = "text/plain; charset=utf-8";

/// The subject of a request.
#[derive(Debug, PartialEq, Eq)]
enum Asked {
    Figures,
    Elsewhere,
    Otherwise,
}

/// Reads the first line of a request.
fn asked(line: &str) -> Asked {
    let mut words = line.split_ascii_whitespace();
    match (words.next(), words.next()) {
        (Some("GET"), Some(target)) => {
            let path = target.split('?').next().unwrap_or_default();
            if path == "/metrics" { Asked::Figures } else { Asked::Elsewhere }
        }
        _ => Asked::Otherwise,
    }
}

fn reply(status: &str, kind: &str, body: &str) -> String {
    let bytes = body.len();
    format!(
        "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {bytes}\r\nConnection: close\r\n\r\n{body}"
    )
}

fn print(text: &str) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    let written = out.write_all(text.as_bytes()).and_then(|()| out.flush());
    written.map_err(|error| Failure(format!("Can't write to standard output: {error}.")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_is_for_the_figures_or_says_where_they_are() {
        for (line, expected) in [
            ("GET /metrics HTTP/1.1\r\n", Asked::Figures),
            ("GET /metrics?name=a HTTP/1.1\r\n", Asked::Figures),
            ("GET / HTTP/1.1\r\n", Asked::Elsewhere),
            ("GET /metrics/x HTTP/1.1\r\n", Asked::Elsewhere),
            ("POST /metrics HTTP/1.1\r\n", Asked::Otherwise),
            ("", Asked::Otherwise),
            ("\u{0}\u{1}", Asked::Otherwise),
        ] {
            assert_eq!(asked(line), expected, "{line:?}");
        }
    }
}
