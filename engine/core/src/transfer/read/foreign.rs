//! Files that are neither documents nor a table, recognized by how they begin.

use crate::value::scan::DOCUMENT_BYTES_MAX;

/// Formats by the bytes that they begin with, and what to do.
const FORMATS: [(&[u8], &str); 34] = [
    (b"FEA1", "the file is Feather of version 1; write it again as version 2"),
    (b"Obj\x01", "the file is Avro; convert it to JSON first"),
    (b"SQLite format 3\0", "the file is an SQLite database; export its tables as CSV first"),
    (b"\x41\xd8\x01\0", "the file is one of WiredTiger, MongoDB's storage; use mongodump first"),
    (b"%PDF-", "the file is a PDF; download the data file itself"),
    (b"\x89PNG", PICTURE),
    (b"\xff\xd8\xff", PICTURE),
    (b"GIF8", PICTURE),
    (b"PK\x03\x04", ZIP),
    (b"PK\x05\x06", ZIP),
    (b"7z\xbc\xaf\x27\x1c", "the file is a 7z archive; extract it first"),
    (b"Rar!", "the file is a rar archive; extract it first"),
    (b"\x1f\x8b", TWICE),
    (b"\x28\xb5\x2f\xfd", TWICE),
    (b"\xfd7zXZ\0", "the file is compressed with xz; decompress it first"),
    (b"BZh", "the file is compressed with bzip2; decompress it first"),
    (b"\x04\x22\x4d\x18", "the file is compressed with lz4; decompress it first"),
    (b"\xff\x06\0\0sNaPpY", "the file is compressed with Snappy; decompress it first"),
    (b"\x1f\x9d", "the file is compressed with compress; decompress it first"),
    (b"LZIP", "the file is compressed with lzip; decompress it first"),
    (b"RDX", "the file is R data; export it with write.csv first"),
    (b"\x89HDF", "the file is HDF5; convert it to CSV or JSON first"),
    (b"<stata_dta>", "the file is Stata data; convert it to CSV first"),
    (b"\x93NUMPY", "the file is a NumPy array; export it as CSV first"),
    (b"\x80\x03", PICKLE),
    (b"\x80\x04\x95", PICKLE),
    (b"\x80\x05\x95", PICKLE),
    (b"\0\x01\0\0Standard", "the file is an Access database; export its tables as CSV first"),
    (b"\x7fELF", PROGRAM),
    (b"MZ\x90\0", PROGRAM),
    (b"\xcf\xfa\xed\xfe", PROGRAM),
    (b"\xca\xfe\xba\xbe", PROGRAM),
    (b"II*\0", PICTURE),
    (b"MM\0*", PICTURE),
];

const PICTURE: &str = "the file is a picture; choose a file with documents";
const ZIP: &str = "the file is a zip archive; extract it first";
const TWICE: &str = "the file is compressed twice; decompress it once first";
const PICKLE: &str = "the file is a pickle of Python; export it as CSV or JSON first";
const PROGRAM: &str = "the file is a program; choose a file with documents";

/// LMDB's number in the header of a data file, and where it is.
const LMDB: (usize, &[u8]) = (16, &[0xde, 0xc0, 0xef, 0xbe]);

/// `DuckDB`'s.
const DUCK_DB: (usize, &[u8]) = (8, b"DUCK");

/// A format that is recognized by its first bytes, then what to do. Before the text is decoded,
/// because some look like UTF-16. `is_open` means that no format was chosen: then four letters are
/// enough to recognize one.
pub(in crate::transfer) fn known(bytes: &[u8], is_open: bool) -> Option<&'static str> {
    let has =
        |(at, magic): (usize, &[u8])| bytes.get(at..).is_some_and(|bytes| bytes.starts_with(magic));
    if has(LMDB) {
        return Some(
            "the file is the data file of a store, or a backup of one; open its folder with mayfly \
             DIR, or restore the backup with mayfly restore",
        );
    }
    if has(DUCK_DB) {
        return Some("the file is a DuckDB database; export its tables as Parquet or CSV first");
    }
    let is_sure = |magic: &[u8]| is_open || !magic.iter().all(u8::is_ascii_graphic);
    let found = FORMATS.iter().find(|(magic, _)| bytes.starts_with(magic) && is_sure(magic));
    found.map(|(_, what)| *what)
}

/// The contents of another such file, then what to do. `text` has no byte order mark. `is_table` means
/// that its name or its rows are those of a table: text in its cells may have zero bytes.
pub(in crate::transfer) fn foreign(text: &[u8], is_table: bool) -> Option<&'static str> {
    if let Some(what) = binary(text, is_table) {
        return Some(what);
    }
    let text = text.trim_ascii_start();
    let line = text.split(|byte| *byte == b'\n').next().unwrap_or_default();
    match text {
        [b'<', ..] => Some(
            "the file starts with <, so it is a web page or XML, not JSON or CSV; download the \
             data file itself",
        ),
        _ if is_script(line) => Some(
            "the file is JavaScript, not JSON or CSV; keep only the part from the first { or [ to \
             the bracket that closes it",
        ),
        _ => None,
    }
}

/// Bytes that aren't text.
pub(in crate::transfer) fn binary(bytes: &[u8], is_table: bool) -> Option<&'static str> {
    let is_text = || match str::from_utf8(bytes) {
        Ok(_) => true,
        // The last character may be cut.
        Err(error) => error.error_len().is_none(),
    };
    if !bytes.contains(&0) || is_table && is_text() {
        return None;
    }
    Some(if begins_like_bson(bytes) {
        "the file begins like BSON, but its first document is damaged or cut short; get a new copy, \
         or choose the format BSON (--format bson) to import what follows it"
    } else {
        "the file is binary data, not JSON, CSV or BSON; export it as CSV or JSON with the program \
         that wrote it"
    })
}

/// Whether a length of a document, the type of a value and a name come first.
fn begins_like_bson(bytes: &[u8]) -> bool {
    let Some((length, [kind, rest @ ..])) = bytes.split_first_chunk() else { return false };
    let length = usize::try_from(i32::from_le_bytes(*length)).unwrap_or(0);
    let name = rest.iter().position(|byte| *byte == 0).and_then(|end| rest.get(..end));
    let is_name = name.is_some_and(|name| !name.is_empty() && str::from_utf8(name).is_ok());
    (5..=DOCUMENT_BYTES_MAX).contains(&length) && matches!(kind, 1..=0x13) && is_name
}

/// Whether a line is JavaScript: JSONP, or a value that is assigned or exported.
fn is_script(line: &[u8]) -> bool {
    let Ok(line) = str::from_utf8(line.get(..1_000).unwrap_or(line)) else { return false };
    let line = line.trim();
    let words = [
        "var ",
        "let ",
        "const ",
        "function ",
        "function(",
        "export ",
        "import ",
        "(function",
        "!function",
        ";(",
        "//",
        "/*",
    ];
    let is_word = words.iter().any(|word| line.starts_with(word));
    let is_statement = line.contains(['=', '{', '[', '(', '"', '\'']) || line.starts_with('/');
    if is_word && is_statement {
        return true;
    }
    let is_name = |c: char| c.is_ascii_alphanumeric() || "_$.".contains(c);
    let rest = line.trim_start_matches(is_name);
    if rest.len() == line.len() {
        return false;
    }
    let rest = rest.trim_start();
    let value = rest.strip_prefix('(').or_else(|| rest.strip_prefix('='));
    value.is_some_and(|value| value.trim_start().starts_with(['{', '[']))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_that_hold_no_documents_are_named() {
        for (text, word) in [
            (&b"<html><body><h1>404, Not Found</h1></body></html>"[..], "web page"),
            (b"\n <!DOCTYPE html>\n<html>", "web page"),
            (b"<?xml version=\"1.0\", encoding=\"x\"?>\n<a/>", "web page"),
            (b"callback({\"a\":1, \"b\":2});", "JavaScript"),
            (b"jQuery.cb_1 ( [1, 2])", "JavaScript"),
            (b"window.data = [{\"a\":1, \"b\":2}]", "JavaScript"),
            (b"var a = {b: 1, c: 2};\n", "JavaScript"),
            (b"export default [1, 2]\n", "JavaScript"),
            (b"module.exports = {a: 1, b: 2}\n", "JavaScript"),
            (b"/* data, from here */\n", "JavaScript"),
            (b"a,b\nx,\0\n", "binary"),
            (b"\x20\0\0\0\x02a\0\x03\0\0\0xy\0", "BSON, but"),
        ] {
            let what =
                foreign(text, false).unwrap_or_else(|| panic!("{}", String::from_utf8_lossy(text)));
            assert!(what.contains(word) && what.contains("; "), "{what}");
        }
    }

    #[test]
    fn formats_are_known_by_their_first_bytes() {
        let lmdb = [&[0; 16][..], &[0xde, 0xc0, 0xef, 0xbe, 1, 0, 0, 0]].concat();
        for (bytes, word, is_sure) in [
            (lmdb.as_slice(), "the data file of a store", true),
            (b"\x1f\x8b\x08\0", "compressed twice", true),
            (b"\xfd7zXZ\0\0", "xz", true),
            (b"7z\xbc\xaf\x27\x1c\0", "7z", true),
            (b"SQLite format 3\0\x10", "SQLite", true),
            (b"PK\x03\x04\0", "zip", true),
            (b"FEA1,\0", "Feather", false),
            (b"GIF89a", "picture", false),
        ] {
            let what = known(bytes, true).unwrap_or_else(|| panic!("{word}"));
            assert!(what.contains(word) && what.contains("; "), "{what}");
            assert_eq!(known(bytes, false).is_some(), is_sure, "{what}");
        }
        for text in ["a,b\n1,2\n", "{\"a\":1}", "", "PK,name\n1,x\n"] {
            assert_eq!(known(text.as_bytes(), true), None, "{text}");
        }
    }

    #[test]
    fn tables_are_not_foreign() {
        for text in [
            "a,b\n1,2\n",
            "f(x),g(x)\n1,2\n",
            "var,let\n1,2\n",
            "variable,value\n",
            "import,export\n1,2\n",
            "n=1,m\n",
            "let it,be\n",
            "const\n",
            "\"<a>\",b\n",
            "",
        ] {
            assert_eq!(foreign(text.as_bytes(), false), None, "{text}");
        }
        assert_eq!(foreign(b"a,b\nx,\0\n\xc3", true), None);
        assert!(foreign(b"a,b\nx,\0\xff\n", true).is_some());
    }
}
