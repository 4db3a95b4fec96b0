//! A program that reports its progress on standard output and is killed.

use std::io::{BufRead as _, BufReader};
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use crate::deadline::Deadline;

/// Seconds within which the program must have acknowledged its first step.
const START_SECS_MAX: u64 = 60;

/// Runs a writer and kills it `life` after its first acknowledgement. Returns the last number that it
/// acknowledged.
///
/// # Panics
/// When it can't be started or killed, or acknowledges nothing.
pub fn write_until_killed(writer: &mut Command, life: Duration) -> i64 {
    let mut writer = writer.stdout(Stdio::piped()).spawn().expect("the writer starts");
    let stdout = writer.stdout.take().expect("the writer's output is piped");
    let (sender, receiver) = mpsc::channel();
    let reader = thread::Builder::new().name("acknowledgements".into()).spawn(move || {
        for line in BufReader::new(stdout).lines().map_while(Result::ok) {
            // A line is whole because it is written at once.
            if let Ok(number) = line.parse::<i64>() {
                let _ = sender.send(number);
            }
        }
    });
    let mut last = receiver
        .recv_timeout(Duration::from_secs(START_SECS_MAX))
        .expect("the writer acknowledges its first step");
    let deadline = Deadline::after(life);
    while let Some(left) = deadline.left() {
        last = receiver.recv_timeout(left).map_or(last, |number| last.max(number));
    }
    writer.kill().expect("the writer can be killed");
    writer.wait().expect("the writer ends");
    reader.expect("the reading thread starts").join().expect("the reading thread ends");
    while let Ok(number) = receiver.try_recv() {
        last = last.max(number);
    }
    last
}
