//! The frame around a message: sixteen bytes that are checked before anything of the body is kept.

/// Bytes of a frame's header.
pub const HEADER_BYTES: usize = 16;

/// Bytes of the length with which a header begins.
pub const LENGTH_BYTES: usize = 4;

/// `OP_MSG`: every modern request and reply.
pub const OP_MSG: i32 = 2013;
/// `OP_QUERY`: the first hello of many clients, and commands of very old ones.
pub const OP_QUERY: i32 = 2004;
/// `OP_REPLY`: the answer to `OP_QUERY`.
pub const OP_REPLY: i32 = 1;

/// The header of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Header {
    /// Bytes that follow the header.
    pub body_bytes: usize,
    /// The client's number of the request.
    pub request_id: i32,
    /// [`OP_MSG`] or [`OP_QUERY`].
    pub opcode: i32,
}

/// Whether these bytes begin a message of a size that is taken. Those of an HTTP request do not.
pub fn is_length(bytes: [u8; LENGTH_BYTES], message_bytes_max: usize) -> bool {
    let length = usize::try_from(i32::from_le_bytes(bytes)).unwrap_or(usize::MAX);
    length > HEADER_BYTES && length <= message_bytes_max
}

impl Header {
    /// Reads a header. `None` if it doesn't begin a request that is accepted here. Other protocols
    /// end here: the first bytes of HTTP are a length beyond any limit, and TLS has no known
    /// opcode.
    pub fn read(bytes: &[u8; HEADER_BYTES], message_bytes_max: usize) -> Option<Self> {
        let [length, request_id, _response_to, opcode] = words(bytes);
        let is_taken = is_length(length.to_le_bytes(), message_bytes_max)
            && matches!(opcode, OP_MSG | OP_QUERY);
        let body_bytes = usize::try_from(length).ok()?.checked_sub(HEADER_BYTES)?;
        is_taken.then_some(Self { body_bytes, request_id, opcode })
    }
}

/// The numbers of a reply.
#[derive(Debug, Clone, Copy, Default)]
pub struct ReplyIds {
    /// Its own.
    pub own: i32,
    /// That of the message that it answers.
    pub response_to: i32,
}

/// Begins a reply: leaves room for the length and writes the rest of the header.
pub fn begin_reply(out: &mut Vec<u8>, ids: ReplyIds, opcode: i32) {
    out.clear();
    for word in [0, ids.own, ids.response_to, opcode] {
        out.extend_from_slice(&word.to_le_bytes());
    }
}

/// Writes the length into a reply that is complete.
pub fn end_reply(out: &mut [u8]) {
    let length = i32::try_from(out.len()).unwrap_or(i32::MAX);
    if let Some(place) = out.first_chunk_mut::<4>() {
        *place = length.to_le_bytes();
    }
}

fn words(bytes: &[u8; HEADER_BYTES]) -> [i32; 4] {
    let (words, _) = bytes.as_chunks::<4>();
    std::array::from_fn(|at| words.get(at).map_or(0, |word| i32::from_le_bytes(*word)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(bytes: &[u8; HEADER_BYTES], expected: Option<usize>) {
        let found = Header::read(bytes, 48_000_000).map(|header| header.body_bytes);
        assert_eq!(found, expected, "{bytes:?}");
    }

    fn header(length: i32, opcode: i32) -> [u8; HEADER_BYTES] {
        let mut bytes = [0; HEADER_BYTES];
        bytes[..4].copy_from_slice(&length.to_le_bytes());
        bytes[12..].copy_from_slice(&opcode.to_le_bytes());
        bytes
    }

    #[test]
    fn only_requests_pass() {
        check(&header(17, OP_MSG), Some(1));
        check(&header(48_000_000, OP_QUERY), Some(47_999_984));
        check(&header(48_000_001, OP_MSG), None);
        check(&header(16, OP_MSG), None);
        check(&header(0, OP_MSG), None);
        check(&header(-1, OP_MSG), None);
        check(&header(100, 2012), None);
        check(&header(100, OP_REPLY), None);
        check(b"GET / HTTP/1.1\r\n", None);
        check(b"POST / HTTP/1.1\r", None);
        check(b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03abcde", None);
    }
}
