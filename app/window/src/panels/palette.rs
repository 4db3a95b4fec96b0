//! The palette: anything that can be done, found by its name.

use egui::{
    Align2, Area, Context, CornerRadius, Frame, Id, Key, Margin, Modifiers, Order, Rect,
    ScrollArea, Sense, Shadow, Stroke, Ui, WidgetInfo, vec2,
};

use crate::action::lookup::{missing, synonyms};
use crate::action::{
    Action, Actions, Entry, LessonAction, StoreAction, TabsAction, ViewAction, entries, lesson,
};
use crate::job::lesson::{LessonEntry, LessonList};
use crate::state::{Drafts, Namespace, State, StoreBeside};
use crate::theme::{Colors, colors, sizes, text};
use crate::widgets::hint::Hint as _;
use crate::widgets::value_text::with_marks;
use crate::widgets::{field, paint};

/// Lines listed at once; typing narrows them.
const LINES_MAX: usize = 60;

/// How much more the last used command counts.
const RECENT: i32 = 10;

/// How much more a command of the open lesson counts that fits by another word: to leave means the
/// lesson then, however often the window was left.
const IN_LESSON: i32 = RECENT + 1;

struct Line {
    words: String,
    keys: String,
    group: &'static str,
    tooltip: &'static str,
    /// The action, or why it can't be used now.
    action: Result<Action, &'static str>,
    /// The label that is noted when it was used. Empty for none.
    noted: &'static str,
    rank: Rank,
    score: i32,
}

/// How useful a line is, the best first. How well its words fit decides only among equals.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    Fits,
    /// A command that can't be used now.
    Unavailable,
    Lesson,
    /// The letters are scattered over its words.
    Letters,
}

impl Rank {
    /// Whether the words contain what was typed, or their beginnings do: `ct` for *Close tab*.
    fn of(words: &str, typed: &str) -> Self {
        let is_in = words.to_lowercase().contains(&typed.to_lowercase());
        let is_close = fit(words, typed).is_some_and(|(_, is_close)| is_close);
        if is_in || is_close { Self::Fits } else { Self::Letters }
    }
}

pub fn ui(context: &Context, state: &State, drafts: &mut Drafts, actions: &mut Actions) {
    let lines = lines(state, drafts.palette.trim());
    let at = state.view.palette_at.min(lines.len().saturating_sub(1));
    let close = || Action::View(ViewAction::SetPalette(false));
    let mut moved = None;
    context.input_mut(|input| {
        if input.consume_key(Modifiers::NONE, Key::ArrowDown) {
            moved = Some(if at + 1 < lines.len() { at + 1 } else { 0 });
        }
        if input.consume_key(Modifiers::NONE, Key::ArrowUp) {
            moved = Some(if at == 0 { lines.len().saturating_sub(1) } else { at - 1 });
        }
    });
    let escape = context.input_mut(|input| input.consume_key(Modifiers::NONE, Key::Escape));
    let enter = context.input_mut(|input| input.consume_key(Modifiers::NONE, Key::Enter));
    let mut chosen = if enter { lines.get(at) } else { None };
    let typed = drafts.palette.clone();
    let area = backdrop_ui(context, &mut |ui| {
        let id = Id::unique("palette line");
        let name = "Find a command";
        let hint = "Search commands";
        let response = field::search(ui, name, hint, &mut drafts.palette, id);
        if !response.has_focus() {
            response.request_focus();
        }
        ui.add_space(sizes::GAP_TINY);
        let room = ui.ctx().content_rect().bottom() - ui.cursor().top() - sizes::GAP_LARGE;
        let height = sizes::PALETTE_LIST.min(room);
        let list = ScrollArea::vertical()
            .max_height(height)
            // egui would keep it as low as what was listed before.
            .min_scrolled_height(height)
            .auto_shrink([false, true]);
        list.show(ui, |ui| {
            ui.spacing_mut().item_spacing.y = 0.0;
            for (number, line) in lines.iter().enumerate() {
                let scroll = moved == Some(number);
                if line_ui(ui, line, number == at, scroll) {
                    chosen = Some(line);
                }
            }
            if lines.is_empty() {
                ui.label(text::rich("No matching commands", text::body()).color(colors(ui).dim));
            }
        });
    });
    if typed != drafts.palette {
        moved = Some(0);
        ask_for_lessons(state, actions);
    }
    if let Some(moved) = moved {
        actions.push(Action::View(ViewAction::ChooseInPalette(moved)));
    }
    let beside = context.input(|input| {
        let at = input.pointer.interact_pos();
        input.pointer.any_pressed() && at.is_some_and(|at| !area.contains(at))
    });
    // A line that can't be used leaves the palette open, with its reason in sight.
    if let Some((line, action)) = chosen.and_then(|line| Some((line, line.action.as_ref().ok()?))) {
        actions.push(close());
        if !line.noted.is_empty() {
            actions.push(Action::View(ViewAction::NoteCommand(line.noted)));
        }
        actions.push(action.clone());
    } else if escape || beside {
        actions.push(close());
    }
}

/// Lessons are found by their titles too.
fn ask_for_lessons(state: &State, actions: &mut Actions) {
    if !state.lessons.is_asked {
        actions.push(Action::Lesson(LessonAction::Reload));
    }
}

fn backdrop_ui(context: &Context, draw: &mut dyn FnMut(&mut Ui)) -> Rect {
    let look = Colors::of_window(context);
    let area = Area::new(Id::unique("palette")).order(Order::Foreground);
    // The layers below get neither the keyboard nor tooltips.
    context.memory_mut(|memory| memory.set_modal_layer(area.layer()));
    area.anchor(Align2::CENTER_TOP, vec2(0.0, sizes::PALETTE_TOP))
        .show(context, |ui| {
            Frame::new()
                .fill(look.panel)
                .stroke(Stroke::new(sizes::LINE, look.hairline))
                .corner_radius(CornerRadius::same(12))
                .shadow(Shadow { offset: [0, 16], blur: 48, spread: 0, color: look.shadow })
                .inner_margin(Margin::same(10))
                .show(ui, |ui| {
                    ui.set_width(sizes::PALETTE.min(context.content_rect().width() - 48.0));
                    draw(ui);
                });
        })
        .response
        .rect
}

fn line_ui(ui: &mut Ui, line: &Line, chosen: bool, scroll: bool) -> bool {
    let colors = colors(ui);
    let (rect, response) =
        ui.allocate_exact_size(vec2(ui.available_width(), sizes::ROW), Sense::click());
    let enabled = line.action.is_ok();
    let ink = if enabled { colors.text } else { colors.dim };
    response.widget_info(|| WidgetInfo::selected(egui::Role::Button, enabled, chosen, &line.words));
    if scroll {
        ui.scroll_to_rect(rect, None);
    }
    if chosen {
        paint::selection(ui, rect, sizes::RADIUS_BUTTON);
    } else if response.hovered() {
        ui.painter().rect_filled(rect, sizes::RADIUS_BUTTON, colors.raised);
    }
    let inner: Rect = rect.shrink2(vec2(sizes::GAP, 0.0));
    let (right, align) = (inner.right_center(), Align2::RIGHT_CENTER);
    let keys = paint::text_at(ui, right, align, &line.keys, text::mono_small(), colors.dim, 160.0);
    let left = inner.left_center();
    let place = paint::text_at(
        ui,
        left,
        Align2::LEFT_CENTER,
        &line.words,
        text::body(),
        ink,
        inner.width() - 200.0,
    );
    let at = place.right_center() + vec2(sizes::GAP, 0.0);
    let room = keys.left() - at.x - sizes::GAP;
    if room > 40.0 {
        let words = line.action.as_ref().err().unwrap_or(&line.group);
        paint::text_at(ui, at, Align2::LEFT_CENTER, words, text::small(), colors.dim, room);
    }
    let clicked = response.clicked();
    match (&line.action, line.tooltip) {
        (Ok(_), "") => {}
        (Ok(_), tooltip) => drop(response.hint(tooltip)),
        (Err(reason), "") => drop(response.hint(*reason)),
        (Err(reason), tooltip) => drop(response.hint(format!("{tooltip}\n{reason}"))),
    }
    clicked
}

fn lines(state: &State, typed: &str) -> Vec<Line> {
    // The labels of what asks for more end with the one character.
    let typed = &typed.replace("...", "…");
    let commands = entries().filter_map(|entry| command(entry, state, typed));
    let collections = state.tree.databases.iter().flat_map(|database| {
        database.collections.iter().filter_map(|collection| {
            let namespace = Namespace::new(&database.name, &collection.name);
            let words = format!("Open {}", with_marks(&namespace.to_string()));
            let score = collection_score(&words, &collection.name, typed)?;
            let rank = Rank::of(&words, typed);
            let action = Ok(Action::Tabs(TabsAction::Show(namespace)));
            let (keys, group, tooltip, noted) = (String::new(), "Collection", "", "");
            Some(Line { words, keys, group, tooltip, action, noted, rank, score })
        })
    });
    let list = state.lessons.list.as_deref();
    let lessons = list
        .into_iter()
        .flat_map(|list| list.lessons.iter().filter_map(|entry| lesson(list, entry, typed)));
    let stores = state.beside.iter().filter_map(|beside| store(beside, typed));
    let mut lines: Vec<Line> = commands.chain(collections).chain(lessons).chain(stores).collect();
    lines.sort_by_key(|line| (line.rank, -line.score));
    lines.truncate(LINES_MAX);
    lines
}

/// The line that shows another open store.
fn store(beside: &StoreBeside, typed: &str) -> Option<Line> {
    let words = format!("Show {}", with_marks(&beside.parked.store.name));
    let score = score(&words, typed)?;
    let rank = Rank::of(&words, typed);
    let action = Ok(Action::Store(StoreAction::Show(beside.slot())));
    let (keys, group, tooltip, noted) = (String::new(), "Open stores", "", "");
    Some(Line { words, keys, group, tooltip, action, noted, rank, score })
}

/// The line of a lesson. They are listed only when something was typed.
fn lesson(list: &LessonList, entry: &LessonEntry, typed: &str) -> Option<Line> {
    if typed.is_empty() || !entry.problems.is_empty() {
        return None;
    }
    let number = list.number(entry);
    let words = format!("Lesson {number} {}", with_marks(&entry.title));
    let score = score(&words, typed)?;
    let rank = Rank::of(&words, typed).max(Rank::Lesson);
    let action = Ok(Action::Lesson(LessonAction::Open(entry.source.clone())));
    let (keys, group, tooltip, noted) = (String::new(), "Lessons", "", "");
    Some(Line { words, keys, group, tooltip, action, noted, rank, score })
}

/// The line of an entry that fits. One that can't be used is listed only when it was searched for.
fn command(entry: &'static Entry, state: &State, typed: &str) -> Option<Line> {
    let action = entry.now(state).ok_or_else(|| missing(entry, state));
    if action.is_err() && typed.is_empty() {
        return None;
    }
    let by_words = word(synonyms(entry), typed);
    let by_name = score(entry.label, typed).max(by_words);
    let mut score = by_name.or_else(|| mentions(entry.tooltip, typed))?;
    if by_words.is_some() && is_of_open_lesson(entry, state) {
        score += IN_LESSON;
    }
    let is_said = by_words.is_some() || by_name.is_none();
    let mut rank = if is_said { Rank::Fits } else { Rank::of(entry.label, typed) };
    if action.is_err() {
        rank = rank.max(Rank::Unavailable);
    } else if let Some(at) = state.settings.recent_commands.iter().position(|it| it == entry.label)
    {
        score += RECENT - i32::try_from(at).unwrap_or(RECENT);
    }
    Some(Line {
        words: entry.label.to_owned(),
        keys: entry.keys_text(),
        group: entry.group.label(),
        tooltip: entry.tooltip,
        action,
        noted: entry.label,
        rank,
        score,
    })
}

fn is_of_open_lesson(entry: &Entry, state: &State) -> bool {
    state.lessons.is_playing() && lesson::ENTRIES.iter().any(|of| of.label == entry.label)
}

/// How well `words` fit the typed letters, or `None` if they don't: every letter must come in
/// order. Letters that begin a word or follow one another count more, an early fit counts more, and
/// a common beginning counts most.
pub fn score(words: &str, typed: &str) -> Option<i32> {
    fit(words, typed).map(|(score, _)| score)
}

/// The same, and whether each letter begins a word or follows the one before it.
fn fit(words: &str, typed: &str) -> Option<(i32, bool)> {
    let words = words.to_lowercase();
    let is_start = words.starts_with(&typed.to_lowercase());
    let words: Vec<char> = words.chars().collect();
    let (mut from, mut total, mut last) = (0, if is_start { 20 } else { 0 }, None);
    let mut is_close = true;
    for wanted in typed.to_lowercase().chars().filter(|c| !c.is_whitespace()) {
        let begins = |at: usize| at == 0 || !words[at - 1].is_alphanumeric();
        let rest = from..words.len();
        // The start of a word, when there is one, else the next such letter.
        let follows = last.map(|last: usize| last + 1).filter(|at| words.get(*at) == Some(&wanted));
        let starts = rest.clone().find(|at| words[*at] == wanted && begins(*at));
        let any = rest.clone().find(|at| words[*at] == wanted);
        let at = follows.or(starts).or(any)?;
        total += match () {
            () if follows.is_some() => 12,
            () if begins(at) => 8,
            () => {
                is_close = false;
                1
            }
        };
        total -= i32::try_from(at.min(20)).unwrap_or(20) / 10;
        last = Some(at);
        from = at + 1;
    }
    Some((total, is_close))
}

/// How well the line of a collection fits.
fn collection_score(words: &str, name: &str, typed: &str) -> Option<i32> {
    // Best when its own name begins with what was typed, as the words of other lines do.
    let by_name = score(name, typed).filter(|_| !typed.is_empty());
    score(words, typed).max(by_name)
}

/// How well other words for a command fit: one of them begins with what was typed. Less than the
/// start of a name, more than letters scattered over one.
fn word(words: &str, typed: &str) -> Option<i32> {
    const LETTERS_MIN: usize = 2;
    const WHOLE: i32 = 55;
    const BEGIN: i32 = 40;
    let typed = typed.to_lowercase();
    if typed.chars().count() < LETTERS_MIN {
        return None;
    }
    let fits = |one: &str| match one.strip_prefix(typed.as_str()) {
        Some("") => Some(WHOLE),
        Some(_) => Some(BEGIN),
        None => None,
    };
    words.split(", ").filter_map(fits).max()
}

/// How well a sentence about a command fits: less than any name, and only where one of its words
/// begins with what was typed.
fn mentions(sentence: &str, typed: &str) -> Option<i32> {
    const LETTERS_MIN: usize = 3;
    const SCORE: i32 = -1_000;
    let (sentence, typed) = (sentence.to_lowercase(), typed.to_lowercase());
    let mut places = sentence.match_indices(&typed);
    let begins = |at: usize| !sentence[..at].ends_with(char::is_alphanumeric);
    let is_mentioned = typed.chars().count() >= LETTERS_MIN && places.any(|(at, _)| begins(at));
    is_mentioned.then_some(SCORE)
}

#[cfg(test)]
mod tests {
    use super::{collection_score, lines, mentions, score, word};
    use crate::state::store::{Collection, Database};
    use crate::state::{Namespace, Phase, State};

    fn check_order(typed: &str, better: &str, worse: &str) {
        let (better_score, worse_score) = (score(better, typed), score(worse, typed));
        assert!(better_score > worse_score, "{typed}: {better_score:?} {worse_score:?}");
    }

    #[test]
    fn letters_come_in_order() {
        assert_eq!(score("Run pass", "xq"), None);
        assert_eq!(score("Run pass", "nur"), None);
        assert!(score("Run pass", "").is_some());
        assert!(score("Run pass", "RN").is_some());
        assert!(score("Öffne", "öf").is_some());
    }

    #[test]
    fn what_a_command_is_for_is_found_too() {
        let sentence = "Check the store: read everything";
        assert!(mentions(sentence, "check") < score("Export…", "e"));
        assert!(mentions(sentence, "The STORE").is_some());
        for typed in ["", "ch", "heck", "checks", "tore"] {
            assert_eq!(mentions(sentence, typed), None, "{typed}");
        }
    }

    fn listed(state: &State, typed: &str) -> Vec<(String, Option<&'static str>)> {
        let lines = lines(state, typed).into_iter();
        lines.map(|line| (line.words, line.action.err())).collect()
    }

    #[test]
    fn synonyms_fit_by_their_beginning() {
        assert!(word("font size, bigger", "font size") > word("font size, bigger", "font"));
        assert!(word("font size, bigger", "big").is_some());
        for typed in ["", "b", "size", "ont"] {
            assert_eq!(word("font size, bigger", typed), None, "{typed}");
        }
    }

    #[test]
    fn commands_are_found_by_the_words_of_newcomers() {
        let mut state = State::default();
        state.store.phase = Phase::Open;
        let check = |state: &State, typed: &str, expected: &str| {
            let found = listed(state, typed);
            let first: Vec<_> = found.iter().take(8).map(|(words, _)| words.as_str()).collect();
            assert!(first.contains(&expected), "{typed}: {first:?}");
        };
        check(&state, "help", "Keyboard shortcuts");
        check(&state, "delete", "Drop collection…");
        check(&state, "time", "Follow now");
        check(&state, "clock", "Local time");
        check(&state, "tutorial", "Open the demo store");
        check(&state, "font size", "Zoom in");
        check(&state, "dark", "Dark theme");
        check(&state, "undo", "Undo");
        check(&state, "backup", "Back up…");
        check(&state, "reaper", "Run pass");
        check(&state, "exit", "Quit");
        for typed in ["exam", "take the exam", "quiz"] {
            check(&state, typed, "Take the exam");
        }
        check(&state, "connect to a server...", "Connect to a server…");
        // They need a collection.
        let shown = Namespace::new("shop", "orders");
        state.tabs.show(&shown);
        let collections = vec![Collection::new("orders", "collection")];
        let database = Database { name: shown.db, collections, ..Database::default() };
        state.tree.databases = vec![database];
        check(&state, "ttl", "Create a TTL index…");
        check(&state, "expire", "Create a TTL index…");
    }

    #[test]
    fn a_collection_comes_before_what_only_mentions_its_name() {
        let found = |typed| collection_score("Open shop.orders", "orders", typed);
        for typed in ["orders", "ord", "Orders"] {
            assert!(found(typed) > score("Lesson C9 Keep the paid orders", typed), "{typed}");
        }
        assert!(found("shop.o").is_some() && found("open").is_some());
        assert_eq!(found(""), score("Open shop.orders", ""));
    }

    #[test]
    fn what_cannot_be_used_is_listed_with_its_reason() {
        let mut state = State::default();
        state.store.phase = Phase::Open;
        let reason = Some("Open a collection first");
        assert!(listed(&state, "drop collection").contains(&("Drop collection…".into(), reason)));
        assert!(listed(&state, "").iter().all(|(_, reason)| reason.is_none()));
    }

    #[test]
    fn the_last_used_command_comes_first() {
        let mut state = State::default();
        for label in ["Light theme", "Quit"] {
            state.settings.note_command(label);
        }
        let found = listed(&state, "");
        assert_eq!((found[0].0.as_str(), found[1].0.as_str()), ("Quit", "Light theme"));
        assert_eq!(listed(&state, "dark")[0].0, "Dark theme");
    }

    #[test]
    fn better_fits_come_first() {
        check_order("dark", "Dark theme", "Drop database… ark");
        check_order("ct", "Close tab", "Reopen closed tab");
        check_order("sess", "Open demo.sessions", "Show sent commands, operations");
        check_order("rp", "Run pass", "Rename collection…");
        check_order("back up", "Back up…", "Backup and maintenance…");
        check_order("backup", "Backup and maintenance…", "Back up…");
    }
}
