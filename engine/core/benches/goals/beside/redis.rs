//! Redis, if the machine has it: the same documents as values that expire, in memory only.

use std::{
    io::{BufRead, BufReader, Write},
    os::unix::net::UnixStream,
    path::Path,
    process::{Child, Command, Stdio},
    thread,
    time::Duration,
};

use bson::RawDocumentBuf;
use mayfly_engine::clock::{Clock, SystemClock};

use super::super::measure::now;

/// Time between two looks: short compared with a removal, long compared with a look.
const LOOK: Duration = Duration::from_millis(5);

/// A server that ends with this value.
struct Server(Child);

/// A connection to it.
struct Redis {
    _server: Server,
    socket: BufReader<UnixStream>,
}

/// Seconds from the threshold that all documents share until active expiry, at its highest effort, has
/// removed them. None without Redis.
pub fn expiry_secs(folder: &Path, all: &[RawDocumentBuf]) -> Option<f64> {
    let mut redis = Redis::start(folder)?;
    // Room for the inserts, of which 100,000 a second are few.
    let due_ms = SystemClock.now_ms() + 2_000 + i64::try_from(all.len() / 100).unwrap_or(0);
    for (number, batch) in (0..).zip(all.chunks(1_000)) {
        redis.set(number, batch, due_ms);
    }
    assert_eq!(redis.count(), all.len() as u64, "nothing expired while it was inserted");
    let left_ms = u64::try_from(due_ms - SystemClock.now_ms()).expect("time left");
    thread::sleep(Duration::from_millis(left_ms));
    let began = now();
    while redis.count() > 0 {
        thread::sleep(LOOK);
    }
    Some(now().saturating_sub(began).as_secs_f64())
}

impl Redis {
    fn start(folder: &Path) -> Option<Self> {
        let path = folder.join("redis.sock");
        let server = Command::new("redis-server")
            .args(["--port", "0", "--save", "", "--active-expire-effort", "10", "--unixsocket"])
            .arg(&path)
            .stdout(Stdio::null())
            .spawn()
            .ok()
            .map(Server)?;
        for _ in 0..1_000 {
            if let Ok(socket) = UnixStream::connect(&path) {
                return Some(Self { _server: server, socket: BufReader::new(socket) });
            }
            thread::sleep(LOOK);
        }
        None
    }

    /// Sets a batch of documents, and waits until all are.
    fn set(&mut self, number: usize, batch: &[RawDocumentBuf], due_ms: i64) {
        let mut commands = Vec::new();
        for (at, document) in batch.iter().enumerate() {
            let (key, due) = (format!("{number}:{at}"), due_ms.to_string());
            commands.extend_from_slice(b"*5\r\n");
            let value = document.as_bytes();
            let words: [&[u8]; 5] = [b"SET", key.as_bytes(), value, b"PXAT", due.as_bytes()];
            for word in words {
                commands.extend_from_slice(format!("${}\r\n", word.len()).as_bytes());
                commands.extend_from_slice(word);
                commands.extend_from_slice(b"\r\n");
            }
        }
        self.socket.get_mut().write_all(&commands).expect("sends");
        for _ in batch {
            assert_eq!(self.line(), "+OK");
        }
    }

    fn count(&mut self) -> u64 {
        self.socket.get_mut().write_all(b"*1\r\n$6\r\nDBSIZE\r\n").expect("sends");
        let line = self.line();
        line.strip_prefix(':').and_then(|number| number.parse().ok()).expect("a number")
    }

    fn line(&mut self) -> String {
        let mut line = String::new();
        self.socket.read_line(&mut line).expect("an answer");
        line.trim_end().to_owned()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
