//! Makes an index.

use egui::{Context, Ui};
use mayfly_engine::reply::DocCount;

use super::tab_actions::{PLAN, PLAN_HINT, TabActions, offer_lesson};
use super::what_if;
use crate::action::{Action, ConvertAction, IndexesAction};
use crate::dialogs::frame::DialogFrame;
use crate::job::glossary::Term;
use crate::panels::collation_menu;
use crate::state::indexes::{CreateIndex, IndexesView, SampledField, no_ttl_reason, ttl_words};
use crate::state::lesson::why::Topic;
use crate::state::operations::Progress;
use crate::state::{Namespace, State, number};
use crate::theme::{Icon, colors, sizes, text};
use crate::widgets::field::{self, Field};
use crate::widgets::hint::Hint as _;
use crate::widgets::term::Explain as _;
use crate::widgets::value_text::with_marks;
use crate::widgets::{Button, menu, modal, number_field, tabs};

/// When an index with a collation is used.
const COLLATION_NOTE: &str = "Queries use the index for text only if they have this collation";

const FIELDS_MAX: usize = 32;

/// The longest usual label of the button.
const LONGEST: &str = "Create and expire 100,000 documents";

/// The height of the fields, in points.
const FIELDS_HEIGHT: f32 = 330.0;

/// The options that the store takes.
#[derive(Debug, Clone, Copy)]
struct Offered {
    /// The time of the last modification as a field.
    has_ts: bool,
    /// Hidden indexes and collations. DocumentDB refuses both.
    has_options: bool,
}

impl Offered {
    fn by(state: &State) -> Self {
        let server = state.store.connection.as_ref();
        Self { has_ts: server.is_none(), has_options: what_if::pass_max(state).is_none() }
    }
}

/// Draws the dialog.
pub(super) fn ui(
    context: &Context,
    create: &mut CreateIndex,
    view: &IndexesView,
    state: &State,
    actions: &mut TabActions<'_>,
) {
    let title = format!("Create index on {}", with_marks(&actions.names.1));
    create.is_typed |= modal::was_typed_into(context, &title);
    let before = create.clone();
    let command = create.command(&actions.names.1).ok().map(|command| actions.written(&command));
    let cliff = what_if::cliff(create.known(), state);
    let topic = topic(create, cliff.is_some());
    let going = what_if::going(create.known());
    let label = match going {
        going if going.is_zero() => "Create index".to_owned(),
        going => format!("Create and expire {}", number::documents(going)),
    };
    // Where documents expire at once, Enter alone is not enough.
    let button = if going.is_zero() { Button::primary(&label) } else { Button::amber(&label) };
    let button = button.enabled(create.is_ready()).room_for(LONGEST);
    let is_planned = !going.is_zero() && create.is_ready();
    // There with each TTL, so that Cancel stays where it is.
    let plan = Button::plain(PLAN).tooltip(PLAN_HINT).enabled(is_planned);
    let namespace = Namespace::new(&actions.names.0, &actions.names.1);
    let operation = state.operations.index_build(&create.final_name(), &namespace);
    let building = operation.filter(|_| create.sent.is_some()).map(|found| &found.progress);
    let share = building.map(Progress::share);
    let building = building.map(|progress| state.progress_words(progress));
    let problem = create.error.clone().or_else(|| create.problem());
    if let Some(topic) = topic {
        offer_lesson(context, state, topic);
    }
    let frame = DialogFrame::new(title)
        .height(FIELDS_HEIGHT)
        .warning(cliff)
        .command_named("Command", "", command)
        .waiting(create.sent.is_some())
        .working("Creating…", share)
        .progress(building.or(problem))
        .error(create.error.as_deref())
        .draft(create.is_typed)
        .button(button, IndexesAction::Send)
        .button_if(create.has_ttl, plan, IndexesAction::PlanRollout);
    let outcome = frame.ui(context, |ui| {
        content_ui(ui, create, view, Offered::by(state));
        convert_ui(ui, create, &view.fields, actions);
    });
    if *create != before {
        create.error = None;
        actions.push(IndexesAction::AskWhatIf);
    }
    if let Some(action) = outcome.end(actions.queue) {
        actions.push(action);
    }
}

/// Offers to convert a field that holds no dates: its documents would never expire.
fn convert_ui(
    ui: &mut Ui,
    create: &CreateIndex,
    sampled: &[SampledField],
    actions: &mut TabActions<'_>,
) {
    if !create.has_ttl {
        return;
    }
    ui.horizontal_wrapped(|ui| {
        // It comes with a count, while the user aims at a button below it.
        ui.set_min_height(sizes::CONTROL_SMALL);
        let Some((name, words)) = convert_words(create, sampled) else { return };
        ui.label(text::rich(words, text::small()).color(colors(ui).text));
        if ui.add(Button::plain("Convert to dates…").small()).clicked() {
            let namespace = Namespace::new(&actions.names.0, &actions.names.1);
            let path = name.to_owned();
            actions.queue.push(Action::Convert(ConvertAction::Open { namespace, path }));
        }
    });
}

/// The field that is to be converted, and why.
fn convert_words<'a>(
    create: &'a CreateIndex,
    sampled: &[SampledField],
) -> Option<(&'a str, String)> {
    let (name, _) = create.fields.first()?;
    let known = sampled.iter().find(|field| field.path == *name)?;
    let shown = with_marks(name);
    let (has_dates, convertible, of) = match create.known() {
        // Counted like what the TTL removes.
        Some(found) => {
            let text = ["string", "number"].map(|code| found.never.get(code).copied());
            let text = text.into_iter().flatten().fold(DocCount::default(), DocCount::plus);
            (known.dates > 0 || found.stays() != found.total, text, "document")
        }
        None => (known.dates > 0, known.convertible.into(), "sampled document"),
    };
    let words = match convertible {
        _ if !has_dates => format!("No {of} has a date in {shown}, so none would expire"),
        count if count.is_zero() => return None,
        DocCount::Exact(1) => {
            format!("1 {of} has text or a number in {shown}, so it never expires")
        }
        count => format!(
            "{} {of}s have text or numbers in {shown}, so they never expire",
            number::documents_and_bounds(count).0
        ),
    };
    Some((name, words))
}

/// The lesson's topic for the index as it is drafted.
fn topic(create: &CreateIndex, is_cliff: bool) -> Option<Topic> {
    let refused = create.error.as_deref();
    let exists = refused.is_some_and(|error| error.contains("already exists"));
    match () {
        () if exists || no_ttl_reason(&create.key()).is_some() => Some(Topic::CreateRefused),
        () if create.has_ttl && create.ttl_problem().is_some() => Some(Topic::BadSeconds),
        () if is_cliff => Some(Topic::Cliff),
        () if !what_if::going(create.known()).is_zero() => Some(Topic::WhatIf),
        () => None,
    }
}

fn content_ui(ui: &mut Ui, create: &mut CreateIndex, view: &IndexesView, offered: Offered) {
    field::labelled(ui, "Fields", None, |ui| fields_ui(ui, create, view, offered.has_ts));
    ttl_ui(ui, create);
    ui.horizontal(|ui| {
        // Each box belongs to the label after it.
        ui.spacing_mut().item_spacing.x = sizes::GAP_LARGE;
        ui.checkbox(&mut create.unique, "Unique").hint("Reject documents with duplicate values");
        ui.checkbox(&mut create.sparse, "Sparse").hint("Skip documents without the field");
        if offered.has_options {
            ui.checkbox(&mut create.hidden, "Hidden")
                .hint("Queries ignore this index; its TTL still removes documents");
        }
    });
    field::labelled(ui, "Partial filter", None, |ui| {
        let field = Field {
            name: "Partial filter",
            hint: "{ status: 'done' } indexes only matching documents",
            mono: true,
            ..Field::default()
        };
        field.ui(ui, &mut create.partial);
    });
    if offered.has_options {
        field::labelled(ui, "Sort as", None, |ui| {
            collation_menu::ui(ui, "Sort as", &mut create.collation, COLLATION_NOTE);
        });
    }
    field::labelled(ui, "Name", None, |ui| {
        let usual = create.usual_name();
        let field = Field { name: "Index name", hint: &usual, mono: true, ..Field::default() };
        field.ui(ui, &mut create.name);
    });
}

fn fields_ui(ui: &mut Ui, create: &mut CreateIndex, view: &IndexesView, has_ts: bool) {
    let mut removed = None;
    let many = create.fields.len() > 1;
    for (at, (name, descends)) in create.fields.iter_mut().enumerate() {
        ui.horizontal(|ui| {
            let spoken = format!("Field {}", at + 1);
            let cross = if many { sizes::CONTROL + sizes::GAP_SMALL } else { 0.0 };
            let buttons = sizes::FIELD_BUTTONS + cross;
            let width = Some((ui.available_width() - buttons).max(120.0));
            let hint =
                if has_ts { "createdAt, or _ts for the last modified time" } else { "createdAt" };
            let field = Field { name: &spoken, hint, mono: true, width, ..Field::default() };
            field.ui(ui, name);
            ui.add_space(sizes::GAP_SMALL);
            let pick = format!("Pick field {}", at + 1);
            let button = ui.add(Button::plain("Pick").menu().name(&pick));
            menu::below(&button, |ui| picker_ui(ui, name, view, has_ts));
            let words = ["↑ Ascending", "↓ Descending"];
            let chosen = usize::from(*descends);
            let direction = format!("Direction of field {}", at + 1);
            if let Some(pressed) = tabs::segmented(ui, &direction, &words, chosen) {
                *descends = pressed == 1;
            }
            let remove = format!("Remove field {}", at + 1);
            if many && ui.add(Button::icon_only(Icon::Close, &remove)).clicked() {
                removed = Some(at);
            }
        });
    }
    if let Some(at) = removed {
        create.fields.remove(at);
    }
    let room = create.fields.len() < FIELDS_MAX;
    if ui.add(Button::plain("Add a field").icon(Icon::Plus).small().enabled(room)).clicked() {
        create.fields.push((String::new(), false));
    }
}

/// Fields of a sample of the documents, with the share of each type; fields that hold dates come
/// first.
fn picker_ui(ui: &mut Ui, name: &mut String, view: &IndexesView, has_ts: bool) {
    let words = match view.sampled {
        0 => "No documents to suggest fields from".to_owned(),
        sampled => format!("Types in {}", number::counted(sampled, "document", "documents")),
    };
    ui.label(text::rich(words, text::small()).color(colors(ui).dim));
    for field in view.fields.iter().take(24) {
        let entry = menu::entry(ui, &with_marks(&field.path), &field.types, true);
        if entry.clicked() {
            name.clone_from(&field.path);
        }
    }
    if has_ts {
        menu::line(ui);
        if menu::entry(ui, "_ts", "last modification", true).clicked() {
            "_ts".clone_into(name);
        }
    }
}

fn ttl_ui(ui: &mut Ui, create: &mut CreateIndex) {
    let reason = no_ttl_reason(&create.key());
    if reason.is_some() {
        create.has_ttl = false;
    }
    ui.add_enabled_ui(reason.is_none(), |ui| {
        let check = ui
            .checkbox(&mut create.has_ttl, "Expire documents (TTL)")
            .hint_disabled(reason.unwrap_or_default());
        check.explain(&[Term::Ttl, Term::TtlIndex]);
    });
    if let Some(reason) = reason {
        ui.label(text::rich(reason, text::small()).color(colors(ui).dim));
    }
    if !create.has_ttl {
        return;
    }
    let is_wrong = create.ttl_problem().is_some();
    ui.horizontal(|ui| {
        number_field::ui(ui, "TTL", &mut create.ttl, is_wrong);
        let on_ts = create.fields.first().is_some_and(|(field, _)| field == "_ts");
        let words = match create.secs() {
            Ok(secs @ ..0) => ttl_words(secs),
            Ok(0) => "at the time stored in the field".to_owned(),
            Ok(secs) if on_ts => {
                format!("{} after the document was last modified", number::secs(secs))
            }
            Ok(secs) => format!("{} after the date in the field", number::secs(secs)),
            Err(error) => error,
        };
        let ink = if is_wrong { colors(ui).error } else { colors(ui).dim };
        ui.label(text::rich(words, text::body()).color(ink));
    });
    what_if::ui(ui, create.known());
}
