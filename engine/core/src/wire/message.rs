//! The content of a frame: the command of an `OP_MSG` or an `OP_QUERY`, and its reply.

use std::{borrow::Cow, io::Write as _};

use bson::{
    raw::{RawBsonRef, RawDocument, RawDocumentBuf},
    spec::ElementType,
};

use super::frame::{HEADER_BYTES, OP_MSG, OP_REPLY, ReplyIds, begin_reply, end_reply};
use crate::{
    command::{Code, CommandError},
    limits::{COMMAND_BYTES_MAX, COMMAND_DEPTH_MAX},
    value::scan::{self, DocumentFacts, Limits},
};

const CHECKSUM_PRESENT: u32 = 1;
const MORE_TO_COME: u32 = 1 << 1;
/// The client takes several replies to one request.
const EXHAUST_ALLOWED: u32 = 1 << 16;
/// Bits that a receiver must know; the others may be passed over.
const REQUIRED_BITS: u32 = 0xFFFF;
const KNOWN_BITS: u32 = CHECKSUM_PRESENT | MORE_TO_COME;

/// Bit of `OP_REPLY` that every server of today sets.
const AWAIT_CAPABLE: i32 = 8;

/// Sequences in one message: no command has more than two arrays of documents (MongoDB's limit).
const SEQUENCES_MAX: usize = 2;

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
    /// The facts of all its pieces.
    pub met: DocumentFacts,
    /// False when the client does not wait for a reply; none may be sent then.
    pub wants_reply: bool,
    /// Whether the client takes the batches of a cursor without asking for each.
    pub allows_exhaust: bool,
}

/// Why a message can't be answered as a command.
#[derive(Debug)]
pub enum MessageRefusal {
    /// The stream can't be trusted any more.
    Close,
    /// The frame is whole; what is in it is wrong.
    Error(CommandError),
}

impl From<CommandError> for MessageRefusal {
    fn from(error: CommandError) -> Self {
        Self::Error(error)
    }
}

/// Reads the body of an `OP_MSG`. `frame` is the whole frame, which the checksum covers.
///
/// # Errors
/// See [`MessageRefusal`].
pub fn read_msg(frame: &[u8]) -> Result<Message<'_>, MessageRefusal> {
    let body = frame.get(HEADER_BYTES..).unwrap_or_default();
    let (flags, mut rest) = take_u32(body).ok_or(MessageRefusal::Close)?;
    if flags & CHECKSUM_PRESENT != 0 {
        let (sections, sum) = rest.split_last_chunk::<4>().ok_or(MessageRefusal::Close)?;
        let covered = frame.len().saturating_sub(sum.len());
        let found = crc32c::crc32c(frame.get(..covered).unwrap_or_default());
        // Nothing in a message with a wrong checksum can be trusted, not even its length.
        if found != u32::from_le_bytes(*sum) {
            return Err(MessageRefusal::Close);
        }
        rest = sections;
    }
    if flags & REQUIRED_BITS & !KNOWN_BITS != 0 {
        // An unknown required bit may change the meaning of the rest, or announce more of it
        // (MongoDB ends the connection with IllegalOpMsgFlag too).
        return Err(MessageRefusal::Close);
    }
    let sections = Sections::read(rest)?;
    let db = match sections.body.get("$db").map_err(CommandError::from)? {
        Some(RawBsonRef::String(db)) => Cow::Borrowed(db),
        Some(_) => {
            // The frame is whole, so the client gets an error and the connection stays.
            let what = "BSON field '$db' is the wrong type, expected type 'string'";
            return Err(coded(Code::TYPE_MISMATCH, what));
        }
        None => {
            let what = "OP_MSG requests require a $db argument";
            return Err(coded(Code::MESSAGE_WITHOUT_DB, what));
        }
    };
    let met = sections.met;
    let command = sections.command()?;
    let wants_reply = flags & MORE_TO_COME == 0;
    Ok(Message {
        db,
        command,
        met,
        wants_reply,
        allows_exhaust: wants_reply && flags & EXHAUST_ALLOWED != 0,
    })
}

/// Reads the body of an `OP_QUERY`: only commands are taken, queries of collections are not.
///
/// # Errors
/// See [`MessageRefusal`].
pub fn read_query(frame: &[u8]) -> Result<Message<'_>, MessageRefusal> {
    let body = frame.get(HEADER_BYTES..).unwrap_or_default();
    let (_flags, rest) = take_u32(body).ok_or(MessageRefusal::Close)?;
    let (name, rest) = take_text(rest).ok_or(MessageRefusal::Close)?;
    let (_skip, rest) = take_u32(rest).ok_or(MessageRefusal::Close)?;
    let (_limit, rest) = take_u32(rest).ok_or(MessageRefusal::Close)?;
    let mut met = DocumentFacts::default();
    let (query, _projection) = take_document(rest, &mut met)?;
    let Some(db) = name.strip_suffix(".$cmd") else {
        return Err(MessageRefusal::Error(CommandError::new(
            Code::UNSUPPORTED_OP_QUERY_COMMAND,
            format!("Unsupported OP_QUERY on {name}; the client driver may require an upgrade"),
        )));
    };
    // Some clients wrap the command to add a read preference.
    let command = match query.get("$query").map_err(CommandError::from)? {
        Some(RawBsonRef::Document(wrapped)) => wrapped,
        _ => query,
    };
    Ok(Message {
        db: Cow::Borrowed(db),
        command: Cow::Borrowed(command),
        met,
        wants_reply: true,
        allows_exhaust: false,
    })
}

/// Writes a whole `OP_MSG` reply, after which another one follows if `is_more_to_come`.
pub fn write_msg(out: &mut Vec<u8>, ids: ReplyIds, reply: &RawDocument, is_more_to_come: bool) {
    begin_reply(out, ids, OP_MSG);
    let flags = if is_more_to_come { MORE_TO_COME } else { 0 };
    out.extend_from_slice(&flags.to_le_bytes());
    out.push(0);
    out.extend_from_slice(reply.as_bytes());
    end_reply(out);
}

/// Writes a whole `OP_REPLY`.
pub fn write_reply(out: &mut Vec<u8>, ids: ReplyIds, reply: &RawDocument) {
    begin_reply(out, ids, OP_REPLY);
    out.extend_from_slice(&AWAIT_CAPABLE.to_le_bytes());
    out.extend_from_slice(&0_i64.to_le_bytes());
    out.extend_from_slice(&0_i32.to_le_bytes());
    out.extend_from_slice(&1_i32.to_le_bytes());
    out.extend_from_slice(reply.as_bytes());
    end_reply(out);
}

/// Whether the sender of this `OP_MSG` waits for no reply, as far as its flags can be read.
pub fn expects_no_reply(frame: &[u8]) -> bool {
    let flags = frame.get(HEADER_BYTES..).and_then(take_u32);
    flags.is_some_and(|(flags, _)| flags & MORE_TO_COME != 0)
}

/// The sections of an `OP_MSG`: one body, and sequences of documents for its arrays.
struct Sections<'m> {
    body: &'m RawDocument,
    sequences: Vec<Sequence<'m>>,
    met: DocumentFacts,
}

/// Documents that belong into one array of the body.
struct Sequence<'m> {
    name: &'m str,
    documents: Vec<&'m RawDocument>,
}

impl<'m> Sections<'m> {
    fn read(mut rest: &'m [u8]) -> Result<Self, MessageRefusal> {
        let (mut body, mut sequences) = (None, Vec::<Sequence<'m>>::new());
        let mut met = DocumentFacts::default();
        while let Some((kind, after)) = rest.split_first() {
            rest = match kind {
                0 if body.is_some() => {
                    return Err(coded(Code::MESSAGE_BODIES, "Multiple body sections in message"));
                }
                0 => {
                    let (document, after) = take_document(after, &mut met)?;
                    body = Some(document);
                    after
                }
                // As in MongoDB.
                1 if sequences.len() >= SEQUENCES_MAX => return Err(MessageRefusal::Close),
                1 => {
                    let (sequence, after) = take_sequence(after, &mut met)?;
                    if sequences.iter().any(|other| other.name == sequence.name) {
                        let what = format!("Duplicate document sequence: {}", sequence.name);
                        return Err(coded(Code::MESSAGE_SEQUENCE_TWICE, what));
                    }
                    sequences.push(sequence);
                    after
                }
                kind => {
                    let what = format!("Unknown section kind {kind}");
                    return Err(coded(Code::MESSAGE_SECTION_KIND, what));
                }
            };
        }
        match body {
            Some(body) => Ok(Self { body, sequences, met }),
            None => Err(coded(Code::MESSAGE_WITHOUT_BODY, "OP_MSG messages must have a body")),
        }
    }

    /// The body with the sequences in it as arrays, in one copy.
    fn command(self) -> Result<Cow<'m, RawDocument>, MessageRefusal> {
        if self.sequences.is_empty() {
            return Ok(Cow::Borrowed(self.body));
        }
        let (_, fields) = self.body.as_bytes().split_last().ok_or(MessageRefusal::Close)?;
        let room: usize = self.sequences.iter().map(Sequence::array_bytes_max).sum();
        let mut bytes = Vec::with_capacity(fields.len().saturating_add(room).saturating_add(1));
        bytes.extend_from_slice(fields);
        for sequence in &self.sequences {
            // A field that is given twice would be ambiguous.
            if self.body.get(sequence.name).map_err(CommandError::from)?.is_some() {
                let what =
                    format!("Duplicate field between body and document sequence {}", sequence.name);
                return Err(coded(Code::MESSAGE_FIELD_TWICE, what));
            }
            sequence.write_array(&mut bytes);
        }
        bytes.push(0);
        write_length(&mut bytes, 0);
        let command = RawDocumentBuf::from_bytes(bytes).map_err(CommandError::from)?;
        Ok(Cow::Owned(command))
    }
}

impl Sequence<'_> {
    /// Bytes of the array with room for names of seven digits.
    fn array_bytes_max(&self) -> usize {
        let documents: usize =
            self.documents.iter().map(|document| document.as_bytes().len()).sum();
        let names = self.documents.len().saturating_mul(9);
        documents.saturating_add(names).saturating_add(self.name.len()).saturating_add(7)
    }

    fn write_array(&self, bytes: &mut Vec<u8>) {
        bytes.push(ElementType::Array as u8);
        bytes.extend_from_slice(self.name.as_bytes());
        bytes.push(0);
        let from = bytes.len();
        bytes.extend_from_slice(&[0; 4]);
        for (index, document) in self.documents.iter().enumerate() {
            bytes.push(ElementType::EmbeddedDocument as u8);
            // A `Vec` takes whatever is written.
            let _ = write!(bytes, "{index}\0");
            bytes.extend_from_slice(document.as_bytes());
        }
        bytes.push(0);
        write_length(bytes, from);
    }
}

/// Writes the length of the document that begins at `from` and ends with the bytes.
fn write_length(bytes: &mut [u8], from: usize) {
    let length = i32::try_from(bytes.len().saturating_sub(from)).unwrap_or(i32::MAX);
    if let Some(place) = bytes.get_mut(from..).and_then(<[u8]>::first_chunk_mut::<4>) {
        *place = length.to_le_bytes();
    }
}

fn take_sequence<'m>(
    bytes: &'m [u8],
    met: &mut DocumentFacts,
) -> Result<(Sequence<'m>, &'m [u8]), MessageRefusal> {
    let (length, _) = take_u32(bytes).ok_or(MessageRefusal::Close)?;
    let length = usize::try_from(length).map_err(|_| MessageRefusal::Close)?;
    let (section, after) = bytes.split_at_checked(length).ok_or(MessageRefusal::Close)?;
    let section = section.get(4..).ok_or(MessageRefusal::Close)?;
    let (name, mut rest) = take_text(section).ok_or(MessageRefusal::Close)?;
    let (mut documents, mut inside) = (Vec::new(), DocumentFacts::default());
    while !rest.is_empty() {
        let (document, after) = take_document(rest, &mut inside)?;
        documents.push(document);
        rest = after;
    }
    // They lie in an array of the command.
    *met = met.with(DocumentFacts { levels: inside.levels + 2, ..inside });
    Ok((Sequence { name, documents }, after))
}

/// A document at the beginning of the bytes, scanned; what is in it is added to what was met.
fn take_document<'m>(
    bytes: &'m [u8],
    met: &mut DocumentFacts,
) -> Result<(&'m RawDocument, &'m [u8]), MessageRefusal> {
    let (length, _) = take_u32(bytes).ok_or(MessageRefusal::Close)?;
    let length = usize::try_from(length).map_err(|_| MessageRefusal::Close)?;
    let (document, after) = bytes.split_at_checked(length).ok_or(MessageRefusal::Close)?;
    let (document, inside) = scan::check_telling(document, &LIMITS).map_err(CommandError::from)?;
    *met = met.with(inside);
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

fn coded(code: Code, message: impl Into<String>) -> MessageRefusal {
    MessageRefusal::Error(CommandError::new(code, message))
}

#[cfg(test)]
mod tests {
    use bson::{Document, doc};

    use super::*;

    /// A section with the body.
    fn body(document: &Document) -> Vec<u8> {
        let mut bytes = vec![0];
        document.to_writer(&mut bytes).expect("a vector takes it");
        bytes
    }

    /// A section with a sequence.
    fn sequence(name: &str, documents: &[Document]) -> Vec<u8> {
        let mut content = [name.as_bytes(), &[0]].concat();
        for document in documents {
            document.to_writer(&mut content).expect("a vector takes it");
        }
        let length = u32::try_from(content.len() + 4).expect("short");
        [&[1][..], &length.to_le_bytes(), &content].concat()
    }

    fn frame(flags: u32, sections: &[Vec<u8>]) -> Vec<u8> {
        let mut frame = Vec::new();
        begin_reply(&mut frame, ReplyIds::default(), OP_MSG);
        frame.extend_from_slice(&flags.to_le_bytes());
        frame.extend(sections.concat());
        end_reply(&mut frame);
        frame
    }

    /// The command that a frame holds, with every byte of it scanned again.
    #[track_caller]
    fn check(flags: u32, sections: &[Vec<u8>], expected: &Document) {
        let frame = frame(flags, sections);
        let message = read_msg(&frame).expect("a message");
        let found = scan::check_telling(message.command.as_bytes(), &LIMITS);
        let (command, met) = found.expect("whole");
        assert_eq!(met, message.met);
        assert_eq!(Document::try_from(command).ok().as_ref(), Some(expected));
    }

    /// The code with which a frame is refused; 0: the connection ends.
    #[track_caller]
    fn refused(flags: u32, sections: &[Vec<u8>], code: i32) {
        let found = match read_msg(&frame(flags, sections)) {
            Ok(message) => panic!("taken: {message:?}"),
            Err(MessageRefusal::Close) => 0,
            Err(MessageRefusal::Error(error)) => {
                error.to_document().get_i32("code").expect("a code")
            }
        };
        assert_eq!(found, code, "{sections:?}");
    }

    #[test]
    fn sequences_become_arrays() {
        let ping = doc! { "ping": 1, "$db": "a" };
        let insert = doc! { "insert": "c", "$db": "a" };
        let some: Vec<Document> = (0..11).map(|n| doc! { "_id": n }).collect();
        check(0, &[body(&ping)], &ping);
        check(1 << 16, &[body(&ping)], &ping);
        for sections in [
            [body(&insert), sequence("documents", &some)],
            [sequence("documents", &some), body(&insert)],
        ] {
            check(0, &sections, &doc! { "insert": "c", "$db": "a", "documents": &some });
        }
        let none = doc! { "insert": "c", "$db": "a", "documents": [] };
        check(0, &[body(&insert), sequence("documents", &[])], &none);
        let two = [body(&insert), sequence("ops", &some), sequence("nsInfo", &[doc! {}])];
        let both = doc! { "insert": "c", "$db": "a", "ops": &some, "nsInfo": [{}] };
        check(0, &two, &both);
    }

    #[test]
    fn sections_follow_the_protocol() {
        let ping = body(&doc! { "ping": 1, "$db": "a", "x": [] });
        let a = || sequence("a", &[]);
        refused(0, &[], 40587);
        refused(0, &[a()], 40587);
        refused(0, &[ping.clone(), ping.clone()], 40430);
        refused(0, &[ping.clone(), a(), a()], 40431);
        refused(0, &[ping.clone(), a(), sequence("b", &[]), sequence("c", &[])], 0);
        refused(0, &[ping.clone(), vec![2]], 40432);
        refused(0, &[ping.clone(), sequence("x", &[doc! {}])], 40433);
        refused(0, &[body(&doc! { "ping": 1 })], 40571);
        refused(0, &[body(&doc! { "ping": 1, "$db": 1 })], 14);
        refused(1 << 2, std::slice::from_ref(&ping), 0);
        refused(1 << 15, std::slice::from_ref(&ping), 0);
        refused(0, &[vec![0, 6, 0, 0, 0, 99, 0]], 22);
        // A length that reaches beyond the frame, and one that ends within itself.
        refused(0, &[ping.clone(), vec![1, 99, 0, 0, 0, b'a', 0]], 0);
        refused(0, &[ping.clone(), vec![1, 3, 0, 0, 0, b'a', 0]], 0);
        refused(0, &[ping, vec![1, 6, 0, 0, 0, b'a', b'b']], 0);
    }

    #[test]
    fn checksums_are_verified() {
        let sections = body(&doc! { "ping": 1, "$db": "a" });
        let mut good = frame(CHECKSUM_PRESENT, &[sections, vec![0; 4]]);
        let at = good.len() - 4;
        let sum = crc32c::crc32c(&good[..at]);
        good[at..].copy_from_slice(&sum.to_le_bytes());
        assert!(read_msg(&good).is_ok());
        for bit in 0..good.len() * 8 {
            let mut bad = good.clone();
            bad[bit / 8] ^= 1 << (bit % 8);
            let is_flag = bit == HEADER_BYTES * 8;
            assert!(is_flag || read_msg(&bad).is_err(), "bit {bit}");
        }
    }

    #[test]
    fn who_waits_for_nothing_gets_nothing() {
        let sections = [body(&doc! { "ping": 1 })];
        assert!(expects_no_reply(&frame(MORE_TO_COME, &sections)));
        assert!(!expects_no_reply(&frame(0, &sections)));
        assert!(!expects_no_reply(&[0; 18]));
    }
}
