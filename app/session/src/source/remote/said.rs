//! Texts of a server, as a terminal and the window may show them: nothing in them can't be seen, and
//! they are cut.

use bson::{Bson, Document};
use mongodb::error::Error;

use crate::job::invisible;
use crate::limits::SERVER_TEXT_MAX;

/// The fields of a reply that messages show.
const SHOWN: [&str; 3] = ["errmsg", "codeName", "errInfo"];

/// A text of a server with marks for characters that can't be seen, cut after [`SERVER_TEXT_MAX`]
/// characters.
pub fn text(said: &str) -> String {
    let Some((end, _)) = said.char_indices().nth(SERVER_TEXT_MAX) else {
        return invisible::with_marks(said);
    };
    let (shown, rest) = said.split_at(end);
    format!("{}… ({} more)", invisible::with_marks(shown), rest.chars().count())
}

/// A reply whose messages can be shown.
///
/// # Errors
/// The driver's own.
pub fn showable(reply: Result<Document, Error>) -> Result<Document, Error> {
    let mut reply = reply?;
    make_showable(&mut reply);
    Ok(reply)
}

/// Makes the messages of a reply fit to be shown: its own, and those of its write errors.
pub fn make_showable(reply: &mut Document) {
    of_error(reply);
    for name in ["writeErrors", "writeConcernError"] {
        match reply.get_mut(name) {
            Some(Bson::Document(error)) => of_error(error),
            Some(Bson::Array(errors)) => {
                errors.iter_mut().filter_map(Bson::as_document_mut).for_each(of_error);
            }
            _ => {}
        }
    }
}

fn of_error(error: &mut Document) {
    for name in SHOWN {
        if let Some(Bson::String(said)) = error.get_mut(name) {
            *said = text(said);
        }
    }
}

#[cfg(test)]
mod tests {
    use bson::doc;

    use super::*;

    #[test]
    fn a_text_has_nothing_invisible_and_an_end() {
        assert_eq!(text("no such collection"), "no such collection");
        assert_eq!(text("\u{1b}[2J\u{7}a\nb\u{202e}"), "\\u{1b}[2J\\u{7}a\\nb\\u{202e}");
        let long = text(&"é".repeat(SERVER_TEXT_MAX + 98_000));
        assert_eq!(long, format!("{}… (98000 more)", "é".repeat(SERVER_TEXT_MAX)));
    }

    #[test]
    fn each_message_of_a_reply_can_be_shown() {
        let mut reply = doc! {
            "ok": 0.0, "errmsg": "\u{1b}", "codeName": "\u{202e}",
            "writeErrors": [{ "index": 0, "errmsg": "\u{1b}" }],
            "writeConcernError": { "errmsg": "\u{1b}" },
            "value": "\u{1b}",
        };
        make_showable(&mut reply);
        let expected = doc! {
            "ok": 0.0, "errmsg": "\\u{1b}", "codeName": "\\u{202e}",
            "writeErrors": [{ "index": 0, "errmsg": "\\u{1b}" }],
            "writeConcernError": { "errmsg": "\\u{1b}" },
            "value": "\u{1b}",
        };
        assert_eq!(reply, expected);
    }
}
