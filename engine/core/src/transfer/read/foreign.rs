//! Files that are neither documents nor a table, recognized by how they begin.

/// The contents of such a file, then what to do. `text` has no byte order mark. `is_table` means that
/// the name of the file is that of a table: text in its cells may have zero bytes.
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

/// Formats that aren't text.
fn binary(bytes: &[u8], is_table: bool) -> Option<&'static str> {
    let known: [(&[u8], &str); 12] = [
        (b"FEA1", "the file is Feather of version 1; write it again as version 2"),
        (b"Obj\x01", "the file is Avro; convert it to JSON first"),
        (b"SQLite format 3\0", "the file is an SQLite database; export its tables as CSV first"),
        (b"%PDF-", "the file is a PDF; download the data file itself"),
        (b"\x89PNG", "the file is a picture; choose a file with documents"),
        (b"\xff\xd8\xff", "the file is a picture; choose a file with documents"),
        (b"GIF8", "the file is a picture; choose a file with documents"),
        (b"7z\xbc\xaf\x27\x1c", "the file is a 7z archive; extract it first"),
        (b"Rar!", "the file is a rar archive; extract it first"),
        (b"RDX", "the file is R data; export it with write.csv first"),
        (b"\x89HDF", "the file is HDF5; convert it to CSV or JSON first"),
        (b"<stata_dta>", "the file is Stata data; convert it to CSV first"),
    ];
    let found = known.iter().find(|(start, _)| bytes.starts_with(start));
    if let Some((_, what)) = found {
        return Some(what);
    }
    let is_text = || match str::from_utf8(bytes) {
        Ok(_) => true,
        // The last character may be cut.
        Err(error) => error.error_len().is_none(),
    };
    (bytes.contains(&0) && !(is_table && is_text())).then_some(
        "the file is binary data, not JSON, CSV or BSON; export it as CSV or JSON with the program \
         that wrote it",
    )
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
            (b"FEA1,\0", "Feather"),
            (b"a,b\nx,\0\n", "binary"),
        ] {
            let what =
                foreign(text, false).unwrap_or_else(|| panic!("{}", String::from_utf8_lossy(text)));
            assert!(what.contains(word) && what.contains("; "), "{what}");
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
