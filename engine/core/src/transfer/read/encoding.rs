//! Text that is not UTF-8, and which encoding it looks like.

/// Why a file whose text begins like this is not read, and what to do. `None` for UTF-8, and for UTF-8
/// with a few broken characters, which cost only their documents.
pub(in crate::transfer) fn other_encoding(text: &[u8]) -> Option<String> {
    let cut = str::from_utf8(text).err()?;
    let is_text = |byte: &u8| !byte.is_ascii_control() || byte.is_ascii_whitespace();
    if cut.error_len().is_none() || !text.iter().all(is_text) {
        return None;
    }
    if !is_mostly_broken(text) {
        return None;
    }
    let name = name(text)?;
    Some(format!(
        "the file is not UTF-8 and looks like {name}; choose that encoding (--encoding {name})"
    ))
}

/// Whether fewer characters that aren't ASCII are valid UTF-8 than not.
pub(in crate::transfer) fn is_mostly_broken(text: &[u8]) -> bool {
    let (mut valid, mut broken) = (0, 0);
    for chunk in text.utf8_chunks() {
        valid += chunk.valid().chars().filter(|c| !c.is_ascii()).count();
        broken += usize::from(!chunk.invalid().is_empty());
    }
    valid < broken
}

/// The likely encoding.
fn name(text: &[u8]) -> Option<&'static str> {
    let high = text.iter().filter(|byte| !byte.is_ascii()).count();
    if let Some(pairs) = pairs(text, is_shift_jis)
        // The rows of the kana, which no text lacks.
        && pairs.iter().any(|(lead, _)| matches!(lead, 0x82 | 0x83))
    {
        return Some("Shift_JIS");
    }
    if let Some(pairs) = pairs(text, is_gb)
        && pairs.len() > 1
        && pairs.iter().filter(|(_, trail)| !trail.is_ascii()).count() * 10 > pairs.len() * 8
    {
        return Some("GB18030");
    }
    // Words of Cyrillic letters have no other ones; elsewhere accents are apart.
    let adjacent = text.windows(2).filter(|pair| pair.iter().all(|byte| !byte.is_ascii()));
    if adjacent.count() * 5 > high * 2 {
        return Some("Windows-1251");
    }
    // ÿ is rare, and frequent in data.
    let is_none = |byte: &u8| matches!(byte, 0x81 | 0x8d | 0x8f | 0x90 | 0x9d | 0xff);
    (!text.iter().any(is_none)).then_some("Windows-1252")
}

enum Kind {
    Single,
    Pair,
    None,
}

fn is_shift_jis(lead: u8, trail: u8) -> Kind {
    match (lead, trail) {
        (0xa1..=0xdf, _) => Kind::Single,
        (0x81..=0x9f | 0xe0..=0xfc, 0x40..=0x7e | 0x80..=0xfc) => Kind::Pair,
        _ => Kind::None,
    }
}

fn is_gb(lead: u8, trail: u8) -> Kind {
    match (lead, trail) {
        (0x81..=0xfe, 0x40..=0x7e | 0x80..=0xfe) => Kind::Pair,
        _ => Kind::None,
    }
}

/// The pairs of bytes that are characters. `None` if others than ASCII are not of this encoding.
fn pairs(text: &[u8], kind: fn(u8, u8) -> Kind) -> Option<Vec<(u8, u8)>> {
    let (mut rest, mut pairs) = (text, Vec::new());
    while let Some((lead, after)) = rest.split_first() {
        rest = after;
        let Some((trail, behind)) = after.split_first().filter(|_| !lead.is_ascii()) else {
            continue;
        };
        match kind(*lead, *trail) {
            Kind::Single => {}
            Kind::Pair => {
                pairs.push((*lead, *trail));
                rest = behind;
            }
            Kind::None => return None,
        }
    }
    Some(pairs)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_encoding_is_the_one_that_the_text_is_written_in() {
        let check = |text: &[u8], expected: &str| {
            let what = other_encoding(text).unwrap_or_else(|| panic!("{expected}: {text:?}"));
            assert!(what.contains(&format!("--encoding {expected})")), "{expected}: {what}");
        };
        check(b"name,town\nJos\xe9,M\xfcnchen\n", "Windows-1252");
        check(b"name\n\x93quoted\x94, it\x92s \x80 5\n", "Windows-1252");
        check(b"{\"town\": \"K\xf6ln\"}\n", "Windows-1252");
        // Tokyo and a greeting: 東京, こんにちは.
        check(b"a,b\n\x93\x8c\x8b\x9e,\x82\xb1\x82\xf1\x82\xc9\x82\xbf\x82\xcd\n", "Shift_JIS");
        // 你好, 中文.
        check(b"a,b\n\xc4\xe3\xba\xc3,\xd6\xd0\xce\xc4\n", "GB18030");
        // привет, мир.
        check(b"a,b\n\xef\xf0\xe8\xe2\xe5\xf2,\xec\xe8\xf0\n", "Windows-1251");
    }

    #[test]
    fn broken_utf8_costs_only_its_documents() {
        for text in [
            "name,town\nJosé,München\n".as_bytes(),
            b"{\"a\":\"\xff\"}\n",
            b"name\nJos\xc3\xa9 and M\xc3\xbcnchen \xe9\n",
            b"cut\xc3",
            b"ascii\n",
            b"",
        ] {
            assert_eq!(other_encoding(text), None, "{text:?}");
        }
    }
}
