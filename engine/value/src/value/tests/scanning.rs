//! Bad documents, byte by byte.

use bson::{RawDocumentBuf, doc};

use crate::value::scan::{Limits, ScanErrorKind as Kind, check, check_with};

/// A document around these bytes, with the right length.
fn document(elements: &[u8]) -> Vec<u8> {
    let length = u32::try_from(elements.len() + 5).unwrap();
    [&length.to_le_bytes(), elements, &[0]].concat()
}

fn kind(bytes: &[u8]) -> String {
    match check(bytes) {
        Ok(_) => "good".to_owned(),
        Err(error) => {
            let text = format!("{:?}", error.kind);
            text.split([' ', '{']).next().unwrap_or_default().to_owned()
        }
    }
}

#[test]
fn corpus() {
    let bad =
        |name: &str, bytes: &[u8], expected: &str| assert_eq!(kind(bytes), expected, "{name}");
    let within = |elements: &[u8]| document(elements);
    bad("nothing", b"", "CutShort");
    bad("four bytes", b"\x04\0\0\0", "WrongLength");
    bad("empty", b"\x05\0\0\0\0", "good");
    bad("negative length", b"\xff\xff\xff\xff\0", "WrongLength");
    bad("two gigabytes", b"\xff\xff\xff\x7f\0", "CutShort");
    bad("trailing byte", b"\x05\0\0\0\0\0", "WrongLength");
    bad("one too short", b"\x06\0\0\0\0", "CutShort");
    bad("no terminator", b"\x05\0\0\0\x01", "NotTerminated");
    bad("ends inside", b"\x08\0\0\0\x0aa\0\x0a", "NotTerminated");
    bad("early terminator", &within(b"\0\0"), "WrongLength");
    bad("unknown type", &within(b"\x20a\0"), "UnknownType");
    bad("name without end", within(b"\x0aab").split_last().unwrap().1, "CutShort");
    bad("name no UTF-8", &within(b"\x0a\xff\0"), "NotUtf8");
    bad("int32 cut", &within(b"\x10a\0\x01\0\0"), "CutShort");
    bad("bool of two", &within(b"\x08a\0\x02"), "NotBoolean");
    bad("bool", &within(b"\x08a\0\x01"), "good");
    bad("string", &within(b"\x02a\0\x02\0\0\0x\0"), "good");
    bad("string of no bytes", &within(b"\x02a\0\0\0\0\0"), "WrongLength");
    bad("string of negative length", &within(b"\x02a\0\xff\xff\xff\xffx\0"), "WrongLength");
    bad("string too long", &within(b"\x02a\0\x09\0\0\0x\0"), "CutShort");
    bad("string without NUL", &within(b"\x02a\0\x02\0\0\0xy"), "NotTerminated");
    bad("string no UTF-8", &within(b"\x02a\0\x02\0\0\0\xc3\0"), "NotUtf8");
    bad("string with NUL", &within(b"\x02a\0\x03\0\0\0\0x\0"), "good");
    bad("inner beyond outer", &within(b"\x03a\0\x09\0\0\0\0"), "CutShort");
    bad("inner too small", &within(b"\x03a\0\x04\0\0\0\0"), "WrongLength");
    bad("inner swallows the end", &within(b"\x03a\0\x06\0\0\0\0"), "WrongLength");
    bad("binary", &within(b"\x05a\0\x01\0\0\0\0x"), "good");
    bad("binary too long", &within(b"\x05a\0\x03\0\0\0\0x"), "CutShort");
    bad("binary negative", &within(b"\x05a\0\xff\xff\xff\xff\0x"), "WrongLength");
    bad("old binary", &within(b"\x05a\0\x05\0\0\0\x02\x01\0\0\0x"), "good");
    bad("old binary lies", &within(b"\x05a\0\x05\0\0\0\x02\x02\0\0\0x"), "WrongLength");
    bad("old binary too short", &within(b"\x05a\0\x01\0\0\0\x02x"), "WrongLength");
    bad("regex", &within(b"\x0ba\0x\0i\0"), "good");
    bad("regex without end", &within(b"\x0ba\0x\0i"), "CutShort");
    bad("code with scope", &within(b"\x0fa\0\x0f\0\0\0\x02\0\0\0x\0\x05\0\0\0\0"), "good");
    bad("scope lies", &within(b"\x0fa\0\x10\0\0\0\x02\0\0\0x\0\x05\0\0\0\0"), "WrongLength");
    bad("DBPointer", &within(b"\x0ca\0\x02\0\0\0x\0abcdefghijkl"), "good");
    bad("DBPointer cut", &within(b"\x0ca\0\x02\0\0\0x\0abcde"), "CutShort");
}

fn nested(levels: usize) -> Vec<u8> {
    (1..levels).fold(document(b""), |inner, _| {
        document(&[b"\x03a\0".as_slice(), inner.as_slice()].concat())
    })
}

#[test]
fn depth_and_size_have_limits() {
    assert_eq!(kind(&nested(100)), "good");
    assert_eq!(kind(&nested(101)), "TooDeep");
    assert_eq!(kind(&nested(100_000)), "TooDeep");
    let large = |bytes: usize| {
        document(
            &[
                b"\x05a\0".as_slice(),
                &u32::try_from(bytes - 13).unwrap().to_le_bytes(),
                &vec![0; bytes - 12],
            ]
            .concat(),
        )
    };
    assert_eq!(large(16_777_216).len(), 16_777_216);
    assert_eq!(kind(&large(16_777_216)), "good");
    assert_eq!(kind(&large(16_777_217)), "TooLarge");
}

#[test]
fn duplicate_names_on_request() {
    let bytes = document(b"\x0aa\0\x0ab\0\x0aa\0");
    assert!(check(&bytes).is_ok());
    let strict = Limits { allow_duplicate_names: false, ..Limits::default() };
    let error = check_with(&bytes, &strict).unwrap_err();
    assert_eq!(error.kind, Kind::DuplicateName { name: "a".to_owned() });
    let same_in_two = doc! { "a": { "a": 1, "b": [1, 2] }, "b": { "a": 1 } };
    let same_in_two = RawDocumentBuf::try_from(&same_in_two).unwrap();
    assert!(check_with(same_in_two.as_bytes(), &strict).is_ok());
    let inner = document(&[b"\x03x\0".as_slice(), &bytes].concat());
    assert!(check_with(&inner, &strict).is_err());
}

#[test]
fn errors_are_sentences() {
    let error = check(&document(b"\x08a\0\x02")).unwrap_err();
    assert_eq!(error.to_string(), "the document is damaged: 2 is not a boolean (byte 8)");
}
