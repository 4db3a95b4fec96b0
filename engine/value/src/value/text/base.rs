//! Hexadecimal and base64 digits.

use base64::{Engine as _, engine::general_purpose::STANDARD};

/// Bytes of hexadecimal digits; `None` unless there are exactly `N` bytes.
pub(super) fn hex<const N: usize>(text: &str) -> Option<[u8; N]> {
    let (pairs, rest) = text.as_bytes().as_chunks::<2>();
    if !rest.is_empty() || pairs.len() != N {
        return None;
    }
    let mut bytes = [0; N];
    for (byte, pair) in bytes.iter_mut().zip(pairs) {
        *byte = pair_value(*pair)?;
    }
    Some(bytes)
}

fn pair_value([high, low]: [u8; 2]) -> Option<u8> {
    let digit = |byte: u8| match byte {
        b'0'..=b'9' => Some(byte - b'0'),
        b'a'..=b'f' => Some(byte - b'a' + 10),
        b'A'..=b'F' => Some(byte - b'A' + 10),
        _ => None,
    };
    Some(digit(high)? << 4 | digit(low)?)
}

/// Bytes of hexadecimal digits.
pub(super) fn hex_bytes(text: &str) -> Option<Vec<u8>> {
    let (pairs, rest) = text.as_bytes().as_chunks::<2>();
    if !rest.is_empty() {
        return None;
    }
    pairs.iter().map(|pair| pair_value(*pair)).collect()
}

/// The 16 bytes of `8-4-4-4-12` hexadecimal digits.
pub(super) fn uuid(text: &str) -> Option<[u8; 16]> {
    let groups = text.split('-').map(str::len);
    if !groups.eq([8, 4, 4, 4, 12]) {
        return None;
    }
    hex(&text.replace('-', ""))
}

/// Bytes of padded standard base64.
pub(super) fn base64_bytes(text: &str) -> Option<Vec<u8>> {
    STANDARD.decode(text).ok()
}

/// Bytes as padded standard base64.
pub(in crate::value) fn base64_text(bytes: &[u8]) -> String {
    STANDARD.encode(bytes)
}

/// Appends bytes as lower-case hexadecimal digits.
pub(in crate::value) fn append_hex(out: &mut Vec<u8>, bytes: &[u8]) {
    const AT_ONCE: usize = 12;
    let digit = |four: u8| if four < 10 { b'0' + four } else { b'a' - 10 + four };
    for some in bytes.chunks(AT_ONCE) {
        let mut text = [[0; 2]; AT_ONCE];
        for (pair, byte) in text.iter_mut().zip(some) {
            *pair = [digit(byte >> 4), digit(byte & 0xf)];
        }
        out.extend_from_slice(text.as_flattened().get(..2 * some.len()).unwrap_or_default());
    }
}
