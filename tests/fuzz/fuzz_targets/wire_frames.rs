//! Any bytes are a frame or are refused, and the contents of a frame are a valid command.
#![no_main]

use libfuzzer_sys::fuzz_target;
use mayfly_engine::value::scan;
use mayfly_engine::wire::{
    frame::{HEADER_BYTES, Header, OP_MSG},
    message,
};

const MESSAGE_BYTES_MAX: usize = 48_000_000;

fuzz_target!(|bytes: &[u8]| {
    let Some((head, body)) = bytes.split_first_chunk::<HEADER_BYTES>() else { return };
    let Some(header) = Header::read(head, MESSAGE_BYTES_MAX) else { return };
    // A frame that claims more bytes waits for the rest.
    if body.len() < header.body_bytes {
        return;
    }
    let frame = &bytes[..HEADER_BYTES + header.body_bytes];
    let read = if header.opcode == OP_MSG { message::read_msg } else { message::read_query };
    if let Ok(message) = read(frame) {
        let limits = scan::Limits {
            bytes_max: MESSAGE_BYTES_MAX,
            depth_max: 200,
            allow_duplicate_names: true,
        };
        scan::check_with(message.command.as_bytes(), &limits).expect("a command is sound");
    }
    let _ = message::expects_no_reply(frame);
});
