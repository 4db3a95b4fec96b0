//! Order-preserving key bytes.

mod encoder;
pub mod ts;

pub(super) use encoder::append_text;
pub use encoder::{
    Direction, KEY_BYTES_KEPT, KEY_BYTES_MAX, KeyBytes, KeyEncoder, append_key, date_key,
    decode_date, encode, encode_in, prefix_end, type_section,
};
