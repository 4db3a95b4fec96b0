//! Hexadecimal and base64 digits.

use base64::{Engine as _, engine::general_purpose::STANDARD};

/// Bytes of hexadecimal digits; `None` unless there are exactly `N` bytes.
pub(super) fn hex<const N: usize>(text: &str) -> Option<[u8; N]> {
    let bytes = hex_bytes(text)?;
    bytes.try_into().ok()
}

/// Bytes of hexadecimal digits.
pub(super) fn hex_bytes(text: &str) -> Option<Vec<u8>> {
    let (pairs, rest) = text.as_bytes().as_chunks::<2>();
    if !rest.is_empty() {
        return None;
    }
    let digit = |byte: u8| char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
    pairs.iter().map(|[high, low]| Some(digit(*high)? << 4 | digit(*low)?)).collect()
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
    const DIGITS: [u8; 16] = *b"0123456789abcdef";
    let digit = |four: u8| DIGITS.get(usize::from(four)).copied().unwrap_or(b'0');
    for byte in bytes {
        out.extend_from_slice(&[digit(byte >> 4), digit(byte & 0xf)]);
    }
}
