//! Messages of a server, as far as the relay looks into them: `OP_MSG` alone, because the driver asks for
//! no compression and reads no older reply.

use std::io;

use bson::RawDocumentBuf;
use tokio::io::{AsyncRead, AsyncReadExt as _};
use tokio::time::timeout;

use super::depth::is_deep;
use crate::limits::{SERVER_MESSAGE_MAX, SERVER_PART, SERVER_REST};
use crate::source::remote::failure;

/// Bytes of a header: length, number, number of the request, kind.
const HEADER: usize = 16;

/// Bytes of the flags after the header.
const FLAGS: usize = 4;

/// The bit of the flags for a checksum at the end.
const HAS_CHECKSUM: u8 = 1;

/// The kind of all messages.
const OP_MSG: i32 = 2013;

/// The part of a message that the driver gets.
#[derive(Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Itself.
    Whole,
    /// [`too_deep`].
    Deep,
    /// [`unreadable`], and the end of the connection.
    Unreadable,
}

/// Reads the next message. `None` at the end of the connection.
///
/// # Errors
/// The connection broke, or ended inside of a message. A length that no message has isn't an error: then
/// `message` is the header.
pub async fn read(
    server: &mut (impl AsyncRead + Unpin),
    message: &mut Vec<u8>,
) -> io::Result<Option<()>> {
    message.clear();
    if message.capacity() > SERVER_PART {
        // The next reply of an export needs the memory again; a connection that rests does not.
        match timeout(SERVER_REST, fill(server, message, HEADER)).await {
            Ok(filled) => filled?,
            Err(_) => message.shrink_to(SERVER_PART),
        }
    }
    fill(server, message, HEADER).await?;
    if message.is_empty() {
        return Ok(None);
    }
    let length = length_of(message).unwrap_or(HEADER);
    fill(server, message, length).await?;
    let is_whole = message.len() == length;
    if is_whole { Ok(Some(())) } else { Err(io::ErrorKind::UnexpectedEof.into()) }
}

/// Reads until a message has this length, or the connection ends. It may be dropped at any time.
async fn fill(
    server: &mut (impl AsyncRead + Unpin),
    message: &mut Vec<u8>,
    length: usize,
) -> io::Result<()> {
    while message.len() < length {
        // Memory grows with what arrives, not with what the header says.
        let part = (length - message.len()).min(SERVER_PART);
        message.reserve(part);
        let part = u64::try_from(part).unwrap_or(u64::MAX);
        if (&mut *server).take(part).read_buf(message).await? == 0 {
            break;
        }
    }
    Ok(())
}

/// The length that a header says, if a message can have it.
fn length_of(message: &[u8]) -> Option<usize> {
    let length = usize::try_from(word(message, 0)?).ok()?;
    let is_possible = (HEADER..=SERVER_MESSAGE_MAX).contains(&length);
    (is_possible && word(message, 12) == Some(OP_MSG)).then_some(length)
}

/// Looks at each document of a message.
pub fn verdict(message: &[u8]) -> Verdict {
    is_any_deep(message).map_or(Verdict::Unreadable, |is_any_deep| {
        if is_any_deep { Verdict::Deep } else { Verdict::Whole }
    })
}

/// Whether a document of a message is too deep. `None` if it can't be read.
fn is_any_deep(message: &[u8]) -> Option<bool> {
    length_of(message).filter(|length| *length == message.len())?;
    let (flags, mut rest) = message.get(HEADER..)?.split_at_checked(FLAGS)?;
    if flags.first()? & HAS_CHECKSUM != 0 {
        rest = rest.get(..rest.len().checked_sub(4)?)?;
    }
    while let Some((kind, section)) = rest.split_first() {
        let size = usize::try_from(word(section, 0)?).ok()?;
        let (section, after) = section.split_at_checked(size)?;
        let mut documents = match kind {
            0 => section,
            // Documents after the name of their field.
            1 => {
                let name = section.get(4..)?;
                name.get(name.iter().position(|byte| *byte == 0)? + 1..)?
            }
            _ => return None,
        };
        while !documents.is_empty() {
            let size = usize::try_from(word(documents, 0)?).ok().filter(|size| *size > 0)?;
            let (document, others) = documents.split_at_checked(size)?;
            if is_deep(document) {
                return Some(true);
            }
            documents = others;
        }
        rest = after;
    }
    Some(false)
}

/// The error that the driver gets instead of a message that is too deep.
///
/// # Errors
/// Never: it is a small document.
pub fn too_deep(message: &[u8]) -> io::Result<Vec<u8>> {
    let reply = RawDocumentBuf::try_from(&failure::too_deep()).map_err(io::Error::other)?;
    let length = HEADER + FLAGS + 1 + reply.as_bytes().len();
    let length = i32::try_from(length).map_err(io::Error::other)?;
    let numbers = message.get(4..HEADER).unwrap_or_default();
    Ok([&length.to_le_bytes(), numbers, &[0; FLAGS], &[0], reply.as_bytes()].concat())
}

/// The header that the driver gets instead of a message that can't be read.
pub fn unreadable(message: &[u8]) -> Vec<u8> {
    let numbers = message.get(4..12).unwrap_or_default();
    // The length is more than the driver reads, so it reports an error that [`failure`] knows.
    [&i32::MAX.to_le_bytes(), numbers, &OP_MSG.to_le_bytes()].concat()
}

fn word(bytes: &[u8], at: usize) -> Option<i32> {
    bytes.get(at..)?.first_chunk().map(|word| i32::from_le_bytes(*word))
}
