//! What stands in a frame: the command of an `OP_MSG` or an `OP_QUERY`, and the reply to it.

use std::borrow::Cow;

use bson::{
    RawArrayBuf,
    raw::{CString, RawBsonRef, RawDocument},
};

use super::frame::{HEADER_BYTES, OP_MSG, OP_REPLY, begin_reply, end_reply};
use crate::{
    command::{Code, CommandError},
    limits::{COMMAND_BYTES_MAX, COMMAND_DEPTH_MAX},
    value::scan::{self, Limits},
};

const CHECKSUM_PRESENT: u32 = 1;
const MORE_TO_COME: u32 = 1 << 1;
/// Bits that a receiver must know; the others may be passed over.
const REQUIRED_BITS: u32 = 0xFFFF;
const KNOWN_BITS: u32 = CHECKSUM_PRESENT | MORE_TO_COME;

/// Bit of `OP_REPLY` that every server of today sets.
const AWAIT_CAPABLE: i32 = 8;

/// A sequence may hold as many documents as fit; each is checked by itself.
const LIMITS: Limits = Limits {
    bytes_max: COMMAND_BYTES_MAX,
    depth_max: COMMAND_DEPTH_MAX,
    allow_duplicate_names: true,
};

/// A command that came in.
#[derive(Debug)]
pub struct Message<'m> {
    /// The database that it is for.
    pub db: Cow<'m, str>,
    /// All of it, with the documents of sequences in their arrays.
    pub command: Cow<'m, RawDocument>,
    /// False when the client does not wait for a reply; none may be sent then.
    pub wants_reply: bool,
}

/// Why a message can't be answered as a command.
#[derive(Debug)]
pub enum Refusal {
    /// The stream can't be trusted any more.
    Close,
    /// The frame is whole; what is in it is wrong.
    Error(CommandError),
}

impl From<CommandError> for Refusal {
    fn from(error: CommandError) -> Self {
        Self::Error(error)
    }
}

/// Reads the body of an `OP_MSG`. `frame` is the whole frame, which the checksum covers.
///
/// # Errors
/// See [`Refusal`].
pub fn read_msg(frame: &[u8]) -> Result<Message<'_>, Refusal> {
    let body = frame.get(HEADER_BYTES..).unwrap_or_default();
    let (flags, mut rest) = take_u32(body).ok_or(Refusal::Close)?;
    if flags & CHECKSUM_PRESENT != 0 {
        let (sections, sum) = rest.split_last_chunk::<4>().ok_or(Refusal::Close)?;
        let covered = frame.len().saturating_sub(sum.len());
        let found = crc32c::crc32c(frame.get(..covered).unwrap_or_default());
        if found != u32::from_le_bytes(*sum) {
            return Err(Refusal::Close);
        }
        rest = sections;
    }
    let unknown = flags & REQUIRED_BITS & !KNOWN_BITS;
    if unknown != 0 {
        return Err(protocol(format!(
            "OP_MSG message contains illegal flags value {unknown:#06b}"
        )));
    }
    let sections = Sections::read(rest)?;
    let db = match sections.body.get("$db").map_err(CommandError::from)? {
        Some(RawBsonRef::String(db)) => Cow::Borrowed(db),
        Some(_) => {
            return Err(wrong_db("BSON field '$db' is the wrong type, expected type 'string'"));
        }
        None => return Err(wrong_db("OP_MSG requests require a $db argument")),
    };
    let command = sections.command()?;
    Ok(Message { db, command, wants_reply: flags & MORE_TO_COME == 0 })
}

/// Reads the body of an `OP_QUERY`: only commands are taken, queries of collections are not.
///
/// # Errors
/// See [`Refusal`].
pub fn read_query(frame: &[u8]) -> Result<Message<'_>, Refusal> {
    let body = frame.get(HEADER_BYTES..).unwrap_or_default();
    let (_flags, rest) = take_u32(body).ok_or(Refusal::Close)?;
    let (name, rest) = take_text(rest).ok_or(Refusal::Close)?;
    let (_skip, rest) = take_u32(rest).ok_or(Refusal::Close)?;
    let (_limit, rest) = take_u32(rest).ok_or(Refusal::Close)?;
    let (query, _projection) = take_document(rest)?;
    let Some(db) = name.strip_suffix(".$cmd") else {
        return Err(Refusal::Error(CommandError::new(
            Code::UNSUPPORTED_OP_QUERY_COMMAND,
            format!("Unsupported OP_QUERY on {name}; the client driver may require an upgrade"),
        )));
    };
    // Some clients wrap the command to add a read preference.
    let command = match query.get("$query").map_err(CommandError::from)? {
        Some(RawBsonRef::Document(wrapped)) => wrapped,
        _ => query,
    };
    Ok(Message { db: Cow::Borrowed(db), command: Cow::Borrowed(command), wants_reply: true })
}

/// Writes a whole `OP_MSG` reply.
pub fn write_msg(out: &mut Vec<u8>, response_to: i32, reply: &RawDocument) {
    begin_reply(out, response_to, OP_MSG);
    out.extend_from_slice(&[0; 5]);
    out.extend_from_slice(reply.as_bytes());
    end_reply(out);
}

/// Writes a whole `OP_REPLY`.
pub fn write_reply(out: &mut Vec<u8>, response_to: i32, reply: &RawDocument) {
    begin_reply(out, response_to, OP_REPLY);
    out.extend_from_slice(&AWAIT_CAPABLE.to_le_bytes());
    out.extend_from_slice(&0_i64.to_le_bytes());
    out.extend_from_slice(&0_i32.to_le_bytes());
    out.extend_from_slice(&1_i32.to_le_bytes());
    out.extend_from_slice(reply.as_bytes());
    end_reply(out);
}

/// The sections of an `OP_MSG`: one body, and sequences of documents for its arrays.
struct Sections<'m> {
    body: &'m RawDocument,
    sequences: Vec<(&'m str, RawArrayBuf)>,
}

impl<'m> Sections<'m> {
    fn read(mut rest: &'m [u8]) -> Result<Self, Refusal> {
        let (mut body, mut sequences) = (None, Vec::new());
        while let Some((kind, after)) = rest.split_first() {
            rest = match kind {
                0 if body.is_some() => {
                    return Err(protocol("OP_MSG has more than one body section".to_owned()));
                }
                0 => {
                    let (document, after) = take_document(after)?;
                    body = Some(document);
                    after
                }
                1 => {
                    let (sequence, after) = take_sequence(after)?;
                    sequences.push(sequence);
                    after
                }
                kind => return Err(protocol(format!("Unknown section kind {kind}"))),
            };
        }
        match body {
            Some(body) => Ok(Self { body, sequences }),
            None => Err(protocol("OP_MSG messages must have exactly one body section".to_owned())),
        }
    }

    /// The body with the sequences in it.
    fn command(self) -> Result<Cow<'m, RawDocument>, Refusal> {
        if self.sequences.is_empty() {
            return Ok(Cow::Borrowed(self.body));
        }
        let mut command = self.body.to_owned();
        for (name, array) in self.sequences {
            if command.get(name).map_err(CommandError::from)?.is_some() {
                return Err(protocol(format!("Duplicate field '{name}' in command and sequence")));
            }
            let name = CString::try_from(name).map_err(CommandError::from)?;
            command.append(name, array);
        }
        Ok(Cow::Owned(command))
    }
}

fn take_sequence(bytes: &[u8]) -> Result<((&str, RawArrayBuf), &[u8]), Refusal> {
    let (length, _) = take_u32(bytes).ok_or(Refusal::Close)?;
    let length = usize::try_from(length).map_err(|_| Refusal::Close)?;
    let (section, after) = bytes.split_at_checked(length).ok_or(Refusal::Close)?;
    let section = section.get(4..).ok_or(Refusal::Close)?;
    let (name, mut rest) = take_text(section).ok_or(Refusal::Close)?;
    let mut documents = RawArrayBuf::new();
    while !rest.is_empty() {
        let (document, after) = take_document(rest)?;
        documents.push(document);
        rest = after;
    }
    Ok(((name, documents), after))
}

/// A document at the beginning of the bytes, scanned.
fn take_document(bytes: &[u8]) -> Result<(&RawDocument, &[u8]), Refusal> {
    let (length, _) = take_u32(bytes).ok_or(Refusal::Close)?;
    let length = usize::try_from(length).map_err(|_| Refusal::Close)?;
    let (document, after) = bytes.split_at_checked(length).ok_or(Refusal::Close)?;
    let document = scan::check_with(document, &LIMITS).map_err(CommandError::from)?;
    Ok((document, after))
}

fn take_u32(bytes: &[u8]) -> Option<(u32, &[u8])> {
    let (number, rest) = bytes.split_first_chunk::<4>()?;
    Some((u32::from_le_bytes(*number), rest))
}

fn take_text(bytes: &[u8]) -> Option<(&str, &[u8])> {
    let end = bytes.iter().position(|byte| *byte == 0)?;
    let (text, rest) = bytes.split_at_checked(end)?;
    Some((std::str::from_utf8(text).ok()?, rest.get(1..)?))
}

fn protocol(message: String) -> Refusal {
    Refusal::Error(CommandError::new(Code::PROTOCOL_ERROR, message))
}

fn wrong_db(message: &str) -> Refusal {
    Refusal::Error(CommandError::new(Code::IDL_FAILED_TO_PARSE, message))
}
