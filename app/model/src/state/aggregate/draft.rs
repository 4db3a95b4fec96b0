//! A pipeline as it is typed: stages as cards, or the whole as text.

use bson::{Bson, Document};
use mayfly_engine::value::{Layout, shell};
use serde::{Deserialize, Serialize};

use super::stages;
use crate::limits::PIPELINE_CARDS_MAX;
use crate::state::completion::Completing;

/// Makes one document of the text of an array.
const BEFORE: &str = "{p: ";

/// Marks a stage that is off while its text is read.
const OFF: &str = "$mayflyOff";

/// One stage, as typed.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Card {
    /// Its name in this draft.
    #[serde(skip)]
    pub id: u64,
    /// The stage, such as `$match`.
    pub stage: String,
    pub body: String,
    /// Whether it is off: it stays on its card and does not run.
    pub is_off: bool,
}

/// A pipeline that is kept: its cards, and whether the whole is shown as text.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct PipelineText {
    pub cards: Vec<Card>,
    /// Whether the whole is typed as text.
    pub is_text: bool,
    /// The whole as text, while it is typed so.
    pub text: String,
}

/// A mistake in the text, and its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StageError {
    /// The card, or `None` for the whole pipeline as text.
    pub card: Option<u64>,
    /// The byte of the text at which reading stopped, if it is about one.
    pub offset: Option<usize>,
    pub message: String,
}

/// A stage that was read.
#[derive(Debug, Clone, PartialEq)]
pub struct Stage {
    /// The card that it is from; as text, its place from 0 on.
    pub card: u64,
    pub document: Document,
}

/// The user's unsent input in the Aggregate view.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct AggregateDraft {
    pub pipeline: PipelineText,
    /// Whether what was kept is in place.
    pub restored: bool,
    /// The pipeline that was run last, to run again only what changed.
    pub ran: Option<PipelineText>,
    /// The text as it was made from the cards: cards that were not edited stay as they are.
    made: String,
    /// The words that are offered for what is typed.
    pub completing: Option<Completing>,
    pub dragged: Option<u64>,
    /// The card that was just added: the keyboard goes to it.
    pub added: Option<u64>,
    pub scroll: crate::state::documents::Scroll,
    last_id: u64,
}

impl AggregateDraft {
    pub fn restore(&mut self, kept: &PipelineText) {
        self.restored = true;
        self.pipeline = kept.clone();
        self.made.clear();
        for card in &mut self.pipeline.cards {
            self.last_id += 1;
            card.id = self.last_id;
        }
    }

    fn card(&mut self, stage: &str, body: &str, is_off: bool) -> Card {
        self.last_id += 1;
        Card { id: self.last_id, stage: stage.to_owned(), body: body.to_owned(), is_off }
    }

    /// Adds a stage before another one, or at the end. Returns its card, or `None` if there are too
    /// many.
    pub fn add(&mut self, stage: &str, before: Option<u64>) -> Option<u64> {
        if self.pipeline.cards.len() >= PIPELINE_CARDS_MAX {
            return None;
        }
        let body = stages::known(stage).map_or("{ }", |known| known.template);
        let card = self.card(stage, body, false);
        let id = card.id;
        let cards = &mut self.pipeline.cards;
        // A stage that writes is the last one.
        let last = cards.iter().position(|card| stages::writes(&card.stage));
        let end = last.filter(|_| !stages::writes(stage)).unwrap_or(cards.len());
        let at = before.and_then(|before| cards.iter().position(|card| card.id == before));
        cards.insert(at.unwrap_or(end), card);
        self.added = Some(id);
        Some(id)
    }

    /// Adds a copy of a stage after it.
    pub fn duplicate(&mut self, id: u64) {
        let Some(at) = self.place(id) else { return };
        let Some(card) = self.pipeline.cards.get(at).cloned() else { return };
        if self.pipeline.cards.len() < PIPELINE_CARDS_MAX {
            let copy = self.card(&card.stage, &card.body, card.is_off);
            self.pipeline.cards.insert(at + 1, copy);
        }
    }

    /// Takes a stage out.
    pub fn remove(&mut self, id: u64) {
        self.pipeline.cards.retain(|card| card.id != id);
    }

    /// Moves a stage to a gap between the others: 0 is before the first one.
    pub fn move_to(&mut self, id: u64, gap: usize) {
        let Some(at) = self.place(id) else { return };
        let card = self.pipeline.cards.remove(at);
        let gap = if gap > at { gap - 1 } else { gap };
        self.pipeline.cards.insert(gap.min(self.pipeline.cards.len()), card);
    }

    /// Gives a card another stage. What was typed stays, unless it is the template of the old one.
    pub fn choose(&mut self, id: u64, stage: &str) {
        let Some(card) = self.pipeline.cards.iter_mut().find(|card| card.id == id) else { return };
        let old = stages::known(&card.stage).map_or("", |known| known.template);
        if card.body.trim().is_empty() || card.body == old {
            let template = stages::known(stage).map_or("{ }", |known| known.template);
            template.clone_into(&mut card.body);
        }
        stage.clone_into(&mut card.stage);
    }

    /// Turns a stage on or off.
    pub fn set_off(&mut self, id: u64, is_off: bool) {
        if let Some(card) = self.pipeline.cards.iter_mut().find(|card| card.id == id) {
            card.is_off = is_off;
        }
    }

    fn place(&self, id: u64) -> Option<usize> {
        self.pipeline.cards.iter().position(|card| card.id == id)
    }

    /// Shows the whole as text. Stages that are off are comments in it.
    pub fn show_text(&mut self) {
        if self.pipeline.is_text {
            return;
        }
        self.pipeline.text = self.pipeline.to_text();
        self.made.clone_from(&self.pipeline.text);
        self.pipeline.is_text = true;
    }

    /// Shows the stages as cards.
    ///
    /// # Errors
    /// The text can't be read; it stays.
    pub fn show_cards(&mut self, now_ms: i64) -> Result<(), StageError> {
        if !self.pipeline.is_text {
            return Ok(());
        }
        if self.pipeline.text != self.made {
            let read = read_cards(&self.pipeline.text, now_ms)?;
            if read.len() > PIPELINE_CARDS_MAX {
                let message = format!("Cards show up to {PIPELINE_CARDS_MAX} stages");
                return Err(StageError { card: None, offset: None, message });
            }
            self.pipeline.cards = read
                .into_iter()
                .map(|(stage, body, is_off)| self.card(&stage, &body, is_off))
                .collect();
        }
        self.pipeline.is_text = false;
        Ok(())
    }

    /// Takes a whole pipeline in place of this one.
    pub fn replace(&mut self, pipeline: &PipelineText) {
        self.restore(pipeline);
    }
}

impl PipelineText {
    /// Whether there is no stage.
    pub fn is_empty(&self) -> bool {
        if self.is_text { self.text.trim().is_empty() } else { self.cards.is_empty() }
    }

    /// Reads the stages that are on. `new Date()` is the time that is passed in.
    ///
    /// # Errors
    /// The first one that can't be read.
    pub fn read(&self, now_ms: i64) -> Result<Vec<Stage>, StageError> {
        if self.is_text {
            return read_text(&self.text, now_ms);
        }
        let on = self.cards.iter().filter(|card| !card.is_off);
        let stages: Vec<Stage> = on.map(|card| card.read(now_ms)).collect::<Result<_, _>>()?;
        check_writer(&stages)?;
        Ok(stages)
    }

    /// The whole as text, as typed: stages that are off are comments.
    pub fn to_text(&self) -> String {
        let mut text = "[\n".to_owned();
        for card in &self.cards {
            let body = if card.body.trim().is_empty() { "{}" } else { card.body.trim() };
            let stage = format!("{{ {}: {body} }},", card.stage.trim());
            for line in stage.lines() {
                text.push_str(if card.is_off { "  // " } else { "  " });
                text.push_str(line);
                text.push('\n');
            }
        }
        text.push(']');
        text
    }
}

impl Card {
    fn read(&self, now_ms: i64) -> Result<Stage, StageError> {
        let failed = |offset, message| StageError { card: Some(self.id), offset, message };
        if let Some(message) = stages::refusal(&self.stage) {
            return Err(failed(None, message));
        }
        let before = format!("{{{}: ", self.stage.trim());
        let text = format!("{before}{}\n}}", self.body);
        let document = shell::read_document_at(&text, now_ms).map_err(|error| {
            let error = error.within(&before, &self.body);
            failed(Some(error.offset), error.to_string())
        })?;
        if document.len() != 1 {
            let message = "A stage has one value; put the rest on another card".to_owned();
            return Err(failed(None, message));
        }
        Ok(Stage { card: self.id, document })
    }
}

/// A stage that writes is the last one.
fn check_writer(stages: &[Stage]) -> Result<(), StageError> {
    let name = |stage: &Stage| stage.document.keys().next().cloned().unwrap_or_default();
    let Some(at) = stages.iter().position(|stage| stages::writes(&name(stage))) else {
        return Ok(());
    };
    if at + 1 == stages.len() {
        return Ok(());
    }
    let message = format!("{} must be the last stage", name(&stages[at]));
    Err(StageError { card: Some(stages[at].card), offset: None, message })
}

fn text_failed(offset: usize, message: String) -> StageError {
    StageError { card: None, offset: Some(offset), message }
}

/// The elements of an array of documents.
fn elements(text: &str, now_ms: i64) -> Result<Vec<Document>, StageError> {
    if text.trim().is_empty() {
        return Ok(Vec::new());
    }
    let whole = format!("{BEFORE}{text}\n}}");
    let read = shell::read_document_at(&whole, now_ms).map_err(|error| {
        let error = error.within(BEFORE, text);
        text_failed(error.offset, error.to_string())
    })?;
    let array = read.get_array("p").ok().filter(|_| read.len() == 1);
    let Some(array) = array else {
        return Err(text_failed(0, "A pipeline is an array: [ { $match: {} } ]".to_owned()));
    };
    let all: Option<Vec<Document>> =
        array.iter().map(|stage| stage.as_document().cloned()).collect();
    all.ok_or_else(|| text_failed(0, "Each stage is a document: { $match: {} }".to_owned()))
}

fn read_text(text: &str, now_ms: i64) -> Result<Vec<Stage>, StageError> {
    let mut stages = Vec::new();
    for (card, document) in (0..).zip(elements(text, now_ms)?) {
        let name = document.keys().next().cloned().unwrap_or_default();
        let at = text.find(&name).filter(|_| !name.is_empty()).unwrap_or(0);
        if document.len() != 1 {
            let message = "A stage has exactly one field: { $match: {} }".to_owned();
            return Err(text_failed(at, message));
        }
        if let Some(message) = stages::refusal(&name) {
            return Err(text_failed(at, message));
        }
        stages.push(Stage { card, document });
    }
    check_writer(&stages).map_err(|error| StageError { card: None, ..error })?;
    Ok(stages)
}

/// The cards of a text: stage, body, whether it is off.
fn read_cards(text: &str, now_ms: i64) -> Result<Vec<(String, String, bool)>, StageError> {
    let with_off = uncommented(text, now_ms);
    // Where the comments are no stages, the text alone counts.
    let found = with_off
        .and_then(|text| elements(&text, now_ms).ok())
        .map_or_else(|| elements(text, now_ms), Ok)?;
    let mut cards = Vec::new();
    for document in found {
        let Some((name, value)) = document.into_iter().next() else { continue };
        let (name, value, is_off) = match (name.as_str(), value) {
            (OFF, Bson::Document(inner)) => match inner.into_iter().next() {
                Some((name, value)) => (name, value, true),
                None => continue,
            },
            (_, value) => (name, value, false),
        };
        let one_line = shell::write_value(&value, Layout::OneLine);
        let body = if one_line.chars().count() <= 60 {
            one_line
        } else {
            shell::write_value(&value, Layout::Indented)
        };
        cards.push((name, body, is_off));
    }
    Ok(cards)
}

/// The text with stages in comments of whole lines as marked stages, or `None` if there are none.
fn uncommented(text: &str, now_ms: i64) -> Option<String> {
    let mut out = String::new();
    let mut block: Vec<&str> = Vec::new();
    let mut found = false;
    for line in text.lines().chain([""]) {
        if let Some(comment) = line.trim_start().strip_prefix("//") {
            block.push(comment);
            let whole = block.join("\n");
            let stage = whole.trim().trim_end_matches(',');
            let read = shell::read_document_at(stage, now_ms).ok();
            let is_stage = read.is_some_and(|read| {
                read.len() == 1 && read.keys().next().is_some_and(|name| name.starts_with('$'))
            });
            if is_stage {
                found = true;
                out.extend(["{ ", OFF, ": ", stage, " },\n"]);
                block.clear();
            }
            continue;
        }
        for comment in block.drain(..) {
            out.extend(["//", comment, "\n"]);
        }
        out.push_str(line);
        out.push('\n');
    }
    found.then_some(out)
}

#[cfg(test)]
mod tests {
    use bson::doc;

    use super::*;

    fn draft(cards: &[(&str, &str)]) -> AggregateDraft {
        let mut draft = AggregateDraft::default();
        for (stage, body) in cards {
            if let Some(id) = draft.add(stage, None) {
                draft.pipeline.cards.iter_mut().filter(|card| card.id == id).for_each(|card| {
                    card.body = (*body).to_owned();
                });
            }
        }
        draft
    }

    fn read(draft: &AggregateDraft) -> Vec<Document> {
        let read = draft.pipeline.read(5).expect("a pipeline");
        read.into_iter().map(|stage| stage.document).collect()
    }

    fn names(draft: &AggregateDraft) -> String {
        let names: Vec<&str> =
            draft.pipeline.cards.iter().map(|card| card.stage.as_str()).collect();
        names.join(" ")
    }

    #[test]
    fn cards_are_read_in_their_order_without_those_that_are_off() {
        let mut draft = draft(&[("$match", "{at: {$lt: new Date()}}"), ("$limit", "3")]);
        let now = bson::DateTime::from_millis(5);
        let expected = doc! {"$match": {"at": {"$lt": now}}};
        assert_eq!(read(&draft), [expected.clone(), doc! {"$limit": 3}]);
        draft.set_off(2, true);
        assert_eq!(read(&draft), [expected]);
    }

    #[test]
    fn an_error_names_the_card_and_the_place() {
        let draft = draft(&[("$limit", "3"), ("$match", "{a: }")]);
        let error = draft.pipeline.read(0).expect_err("an error");
        assert_eq!((error.card, error.offset), (Some(2), Some(4)));
    }

    #[test]
    fn an_error_counts_lines_and_columns_in_the_text_as_typed() {
        for (typed, place) in [
            ("{ a: 'x", "(line 1, column 8)"),
            ("{ a: 1,\n  b: ? }", "(line 2, column 6)"),
            ("{ a: 1", "(line 1, column 7)"),
        ] {
            let error = draft(&[("$match", typed)]).pipeline.read(0).expect_err("an error");
            assert!(error.message.ends_with(place), "{typed}: {}", error.message);
            let mut whole = AggregateDraft::default();
            whole.show_text();
            whole.pipeline.text = format!("[{typed}");
            let error = whole.show_cards(0).expect_err("an error");
            assert!(error.offset.is_some_and(|at| at <= typed.len() + 1), "{error:?}");
        }
    }

    #[test]
    fn a_card_can_not_smuggle_a_second_stage() {
        let draft = draft(&[("$limit", "3, $out: 'x'")]);
        assert!(draft.pipeline.read(0).is_err());
    }

    #[test]
    fn stages_move_and_a_writing_one_stays_last() {
        let mut draft = draft(&[("$match", "{}"), ("$out", "'x'")]);
        draft.add("$sort", None);
        assert_eq!(names(&draft), "$match $sort $out");
        draft.move_to(1, 2);
        assert_eq!(names(&draft), "$sort $match $out");
        draft.move_to(1, 0);
        assert_eq!(names(&draft), "$match $sort $out");
        draft.move_to(2, 0);
        let error = draft.pipeline.read(0).expect_err("it writes");
        assert_eq!(error.message, "$out must be the last stage");
    }

    #[test]
    fn another_stage_keeps_what_was_typed() {
        let mut draft = AggregateDraft::default();
        let id = draft.add("$match", None).expect("room");
        draft.choose(id, "$limit");
        assert_eq!(draft.pipeline.cards[0].body, "10");
        draft.pipeline.cards[0].body = "77".to_owned();
        draft.choose(id, "$skip");
        assert_eq!(draft.pipeline.cards[0].body, "77");
    }

    #[test]
    fn cards_become_text_and_cards_again() {
        let mut draft = draft(&[("$match", "{a: 1}"), ("$sort", "{\n  b: -1\n}"), ("$limit", "9")]);
        draft.set_off(2, true);
        let cards = draft.pipeline.cards.clone();
        draft.show_text();
        assert_eq!(read(&draft), [doc! {"$match": {"a": 1}}, doc! {"$limit": 9}]);
        assert!(draft.pipeline.text.contains("  // { $sort: {\n  //   b: -1\n"));
        draft.show_cards(0).expect("cards");
        assert_eq!(draft.pipeline.cards, cards, "nothing was edited");
        draft.show_text();
        draft.pipeline.text = draft.pipeline.text.replace('9', "8");
        draft.show_cards(0).expect("cards");
        assert_eq!(names(&draft), "$match $sort $limit");
        let off: Vec<bool> = draft.pipeline.cards.iter().map(|card| card.is_off).collect();
        assert_eq!(off, [false, true, false]);
        assert_eq!(draft.pipeline.cards[2].body, "8");
    }

    #[test]
    fn text_that_is_no_pipeline_stays() {
        let mut draft = AggregateDraft::default();
        draft.show_text();
        for (text, message) in [
            ("{}", "A pipeline is an array: [ { $match: {} } ]"),
            ("[1]", "Each stage is a document: { $match: {} }"),
            ("[{}]", "A stage has exactly one field: { $match: {} }"),
            ("[{$fill: {}}]", "$fill is not supported by Mayfly"),
        ] {
            draft.pipeline.text = text.to_owned();
            let error = draft.pipeline.read(0).expect_err(text);
            assert_eq!(error.message, message, "{text}");
        }
        draft.pipeline.text = "[{$match: }]".to_owned();
        assert_eq!(draft.show_cards(0).expect_err("an error").offset, Some(10));
        assert!(draft.pipeline.is_text);
        draft.pipeline.text = "[ // words\n{$limit: 1} ]".to_owned();
        draft.show_cards(0).expect("cards");
        assert_eq!(names(&draft), "$limit");
    }
}
