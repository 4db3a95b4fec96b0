//! The list of lessons as its page shows it: by place and series, with the half-hour path.

use std::sync::Arc;

use super::{LessonStart, Way};
use crate::job::lesson::{
    LessonEntry, LessonKind, LessonList, LessonProgress, LessonSource, Level, MissedQuestion, Stop,
    Tour,
};
use crate::state::number;

/// Which lessons belong together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SeriesKey {
    /// The half-hour path, which runs through the others.
    Path,
    /// A course of the user, by its title.
    Course(String),
    /// Single files of the user.
    Files,
    Level(Level),
    Scenes,
}

impl SeriesKey {
    fn of(entry: &LessonEntry) -> Self {
        match (&entry.course, entry.file(), entry.kind) {
            (Some(course), ..) => Self::Course(course.clone()),
            (None, Some(_), _) => Self::Files,
            (None, None, LessonKind::Scene) => Self::Scenes,
            (None, None, _) => Self::Level(entry.level),
        }
    }

    pub fn title(&self) -> &str {
        match self {
            Self::Path => "The half-hour path",
            Self::Course(title) => title,
            Self::Files => "Your files",
            Self::Level(level) => level_title(*level),
            Self::Scenes => "Scenes, for lecturers",
        }
    }

    /// Its key in [`LessonList::predicts`].
    fn name(&self) -> &str {
        match self {
            Self::Path => "path",
            Self::Course(title) => title,
            Self::Level(level) => level.name(),
            Self::Files | Self::Scenes => "",
        }
    }

    fn lessons<'a>(&self, list: &'a LessonList) -> Vec<&'a LessonEntry> {
        match self {
            Self::Path => path(list),
            Self::Scenes => scenes(list),
            _ => list.lessons.iter().filter(|entry| Self::of(entry) == *self).collect(),
        }
    }
}

/// Lessons under one heading.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Series<'a> {
    pub key: SeriesKey,
    /// The lessons, in the order of their course.
    pub lessons: Vec<&'a LessonEntry>,
}

impl Series<'_> {
    /// How many were played to the end.
    pub fn done(&self) -> usize {
        self.lessons.iter().filter(|entry| entry.progress == LessonProgress::Done).count()
    }
}

/// Every series: the courses and files of the user, the newest first, then those of the program by
/// level, and its scenes.
pub fn series(list: &LessonList) -> Vec<Series<'_>> {
    let mut keys: Vec<SeriesKey> = Vec::new();
    for entry in list.lessons.iter().rev().filter(|entry| entry.file().is_some()) {
        let key = SeriesKey::of(entry);
        if !keys.contains(&key) {
            keys.push(key);
        }
    }
    keys.extend(Level::ALL.map(SeriesKey::Level));
    keys.push(SeriesKey::Scenes);
    let found = keys.into_iter().map(|key| Series { lessons: key.lessons(list), key });
    found.filter(|series| !series.lessons.is_empty()).collect()
}

/// The series with the lessons that fit what was typed: every word is in the title or the slug.
pub fn search<'a>(list: &'a LessonList, typed: &str) -> Vec<Series<'a>> {
    let typed = typed.to_lowercase();
    let fits = |entry: &&LessonEntry| {
        let text = format!("{} {} {}", list.number(entry), entry.title, entry.slug).to_lowercase();
        typed.split_whitespace().all(|word| text.contains(word))
    };
    let mut found = series(list);
    for series in &mut found {
        series.lessons.retain(fits);
    }
    found.retain(|series| !series.lessons.is_empty());
    found
}

/// Where the way leads from a lesson.
#[derive(Debug, PartialEq, Eq)]
pub enum After<'a> {
    Lesson(&'a LessonEntry),
    /// The next stop of a tour.
    Stop(LessonStart),
    /// It was the last one of a series.
    Summary(SeriesKey),
    /// It was the last stop of a tour.
    TourEnd,
    /// Back to the list.
    Page,
}

/// Where the way leads from a lesson: along a tour or the path, or through its series.
pub fn after<'a>(list: &'a LessonList, source: &LessonSource, way: &Way) -> After<'a> {
    if let Way::Tour { tour, at } = way {
        return stop(tour, at + 1).map_or(After::TourEnd, After::Stop);
    }
    let is_on_path = *way == Way::Path;
    let here = list.lessons.iter().find(|entry| entry.source == *source);
    let Some(here) = here.filter(|entry| entry.kind != LessonKind::Scene) else {
        return After::Page;
    };
    let key = if is_on_path { SeriesKey::Path } else { SeriesKey::of(here) };
    let lessons = key.lessons(list);
    let rest = lessons.iter().skip_while(|entry| entry.source != *source).skip(1);
    match rest.copied().find(|entry| entry.problems.is_empty()) {
        Some(next) => After::Lesson(next),
        None if key == SeriesKey::Files => After::Page,
        None => After::Summary(key),
    }
}

/// Questions that are repeated at a time.
const REPEATS_MAX: usize = 5;

/// How many questions are due now.
pub fn due(list: &LessonList, now_ms: i64) -> usize {
    let repeats = list.lessons.iter().flat_map(|entry| &entry.repeats);
    repeats.filter(|repeat| repeat.due_ms <= now_ms).count()
}

/// The cards of the questions that are due, the oldest first, with other numbers where a file has
/// `[vary]`. `None` if nothing is due.
pub fn repeats(list: &LessonList, now_ms: i64) -> Option<Arc<Tour>> {
    let mut due: Vec<_> = list
        .lessons
        .iter()
        .flat_map(|entry| entry.repeats.iter().map(move |repeat| (repeat, entry)))
        .filter(|(repeat, _)| repeat.due_ms <= now_ms)
        .collect();
    due.sort_by_key(|(repeat, _)| repeat.due_ms);
    let stops = due.iter().map(|(repeat, entry)| Stop {
        source: entry.source.clone(),
        card: Some(repeat.card),
        seed: entry.varies.then_some(now_ms.unsigned_abs()),
    });
    // A card may have two questions.
    let mut cards: Vec<Stop> = Vec::new();
    for stop in stops {
        if !cards.contains(&stop) && cards.len() < REPEATS_MAX {
            cards.push(stop);
        }
    }
    let title = "Repeat five".to_owned();
    (!cards.is_empty()).then(|| Arc::new(Tour { title, stops: cards }))
}

/// The beginning of a stop of a tour.
pub fn stop(tour: &Arc<Tour>, at: usize) -> Option<LessonStart> {
    let stop = tour.stops.get(at)?;
    let way = Way::Tour { tour: Arc::clone(tour), at };
    Some(LessonStart { source: stop.source.clone(), card: stop.card, seed: stop.seed, way })
}

/// The stop before this lesson, at its last card. A scene that was shown in between comes after the
/// present stop.
pub fn stop_before(list: &LessonList, source: &LessonSource, way: &Way) -> Option<LessonStart> {
    let Way::Tour { tour, at } = way else { return None };
    let is_stop = way.stop()?.source == *source;
    let start = stop(tour, if is_stop { at.checked_sub(1)? } else { *at })?;
    let entry = list.lessons.iter().find(|entry| entry.source == start.source);
    let last = entry.and_then(|entry| entry.cards.checked_sub(1));
    Some(LessonStart { card: start.card.or(last), ..start })
}

/// The title of a lesson, or the name of its file until the list was read.
pub fn title(list: &LessonList, source: &LessonSource) -> String {
    let entry = list.lessons.iter().find(|entry| entry.source == *source);
    match (entry, source) {
        (Some(entry), _) => entry.title.clone(),
        (None, LessonSource::Shipped(slug)) => slug.clone(),
        (None, LessonSource::File(file)) => file.display().to_string(),
    }
}

/// The end of a series.
#[derive(Debug, PartialEq, Eq)]
pub struct Summary<'a> {
    pub done: usize,
    pub count: usize,
    /// The predictions that the user can make now.
    pub predicts: &'a [String],
    /// Questions whose last guess was wrong, with their lessons.
    pub missed: Vec<(&'a LessonEntry, &'a MissedQuestion)>,
    /// The first lesson after the series that isn't done.
    pub next: Option<&'a LessonEntry>,
}

pub fn summary<'a>(list: &'a LessonList, key: &SeriesKey) -> Summary<'a> {
    let series = Series { key: key.clone(), lessons: key.lessons(list) };
    let missed = series.lessons.iter();
    let missed = missed.flat_map(|entry| entry.missed.iter().map(move |found| (*entry, found)));
    let is_open = |entry: &&&LessonEntry| {
        let is_own = series.lessons.iter().any(|own| own.source == entry.source);
        entry.progress != LessonProgress::Done && entry.problems.is_empty() && !is_own
    };
    let later = Level::ALL.into_iter().filter(|level| match key {
        SeriesKey::Level(done) => level > done,
        _ => true,
    });
    let later: Vec<&LessonEntry> =
        later.flat_map(|level| SeriesKey::Level(level).lessons(list)).collect();
    Summary {
        done: series.done(),
        count: series.lessons.len(),
        predicts: list.predicts.get(key.name()).map(Vec::as_slice).unwrap_or_default(),
        missed: missed.collect(),
        next: later.iter().find(is_open).copied(),
    }
}

/// The prerequisites of a lesson that aren't done, by their numbers.
pub fn missing_before(list: &LessonList, entry: &LessonEntry) -> Vec<String> {
    let of_slug = |slug: &String| list.lessons.iter().find(|other| other.slug == *slug);
    let open = entry.after.iter().filter_map(of_slug);
    let open = open.filter(|other| other.progress != LessonProgress::Done);
    open.map(|other| list.number(other)).filter(|number| !number.is_empty()).collect()
}

/// The scenes of the program, on the keys 1 to 9 and 0.
pub fn scenes(list: &LessonList) -> Vec<&LessonEntry> {
    let is_it = |entry: &&LessonEntry| entry.file().is_none() && entry.course.is_none();
    list.scenes().filter(is_it).collect()
}

pub fn scene_key(place: usize) -> Option<char> {
    "1234567890".chars().nth(place)
}

/// The lessons of the half-hour path, as far as they are there.
pub fn path(list: &LessonList) -> Vec<&LessonEntry> {
    list.path.iter().filter_map(|slug| list.shipped(slug)).collect()
}

/// Whether a lesson of the path was opened.
pub fn is_path_begun(list: &LessonList) -> bool {
    path(list).iter().any(|entry| entry.progress != LessonProgress::NotStarted)
}

/// The first lesson of the path that was not played to the end.
pub fn next_on_path(list: &LessonList) -> Option<&LessonEntry> {
    let is_open =
        |entry: &&LessonEntry| entry.progress != LessonProgress::Done && entry.problems.is_empty();
    path(list).into_iter().find(is_open)
}

/// The heading of a series.
pub fn level_title(level: Level) -> &'static str {
    match level {
        Level::Start => "Start: what expires, and when",
        Level::Core => "Core: indexes and rules",
        Level::Cosmos => "Azure Cosmos DB’s API for MongoDB",
        Level::Operate => "Operate",
        Level::Challenge => "Challenges",
    }
}

/// How far the user got, in words.
pub fn progress(entry: &LessonEntry) -> String {
    match entry.progress {
        LessonProgress::NotStarted => "Not started".to_owned(),
        LessonProgress::Card(card) => format!("Card {} of {}", card + 1, entry.cards.max(card + 1)),
        LessonProgress::Done => "Done".to_owned(),
    }
}

/// The minutes in words. Empty if they are not known.
pub fn minutes(entry: &LessonEntry) -> String {
    match entry.minutes {
        0 => String::new(),
        minutes => format!("{minutes} min"),
    }
}

/// A lesson in one line, as a screen reader says it.
pub fn spoken(list: &LessonList, entry: &LessonEntry, is_on_path: bool) -> String {
    let kind = match entry.kind {
        LessonKind::Lesson => "Lesson",
        LessonKind::Challenge => "Challenge",
        LessonKind::Scene => "Scene",
    };
    let number = list.number(entry);
    let mut parts = vec![if number.is_empty() {
        format!("{kind}: {}", entry.title)
    } else {
        format!("{kind} {number}: {}", entry.title)
    }];
    if entry.minutes > 0 {
        parts.push(number::counted(entry.minutes.into(), "minute", "minutes"));
    }
    if entry.problems.is_empty() && entry.kind != LessonKind::Scene {
        parts.push(progress(entry).to_lowercase());
    }
    let before = missing_before(list, entry);
    if !before.is_empty() {
        parts.push(format!("after {}", before.join(", ")));
    }
    if is_on_path {
        parts.push("on the half-hour path".to_owned());
    }
    parts.join(", ")
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;
    use crate::job::lesson::{LessonSource, RepeatedQuestion};

    fn entry(slug: &str, level: Level, kind: LessonKind) -> LessonEntry {
        LessonEntry {
            source: LessonSource::Shipped(slug.to_owned()),
            slug: slug.to_owned(),
            title: format!("Title of {slug}"),
            minutes: 4,
            level,
            kind,
            cards: 3,
            after: Vec::new(),
            course: None,
            problems: Vec::new(),
            progress: LessonProgress::NotStarted,
            missed: Vec::new(),
            repeats: Vec::new(),
            varies: false,
        }
    }

    fn list() -> LessonList {
        let lesson = |slug, level| entry(slug, level, LessonKind::Lesson);
        let mut own = lesson("mine", Level::Start);
        own.source = LessonSource::File(PathBuf::from("/l/mine.md"));
        let mut of_course = own.clone();
        of_course.course = Some("My course".to_owned());
        LessonList {
            lessons: vec![
                lesson("01-a", Level::Start),
                lesson("10-b", Level::Core),
                lesson("02-c", Level::Start),
                entry("s01-d", Level::Start, LessonKind::Scene),
                own,
                of_course,
            ],
            path: vec!["02-c".to_owned(), "99-missing".to_owned(), "01-a".to_owned()],
            predicts: [("start".to_owned(), vec!["when".to_owned()])].into(),
            ..LessonList::default()
        }
    }

    #[test]
    fn series_are_of_the_user_then_by_level_then_scenes() {
        let list = list();
        let found = series(&list);
        let slugs = |series: &Series<'_>| {
            let slugs = series.lessons.iter().map(|entry| entry.slug.as_str());
            slugs.collect::<Vec<_>>().join(" ")
        };
        let found: Vec<_> =
            found.iter().map(|series| (series.key.title(), slugs(series))).collect();
        let expected = [
            ("My course", "mine"),
            ("Your files", "mine"),
            ("Start: what expires, and when", "01-a 02-c"),
            ("Core: indexes and rules", "10-b"),
            ("Scenes, for lecturers", "s01-d"),
        ];
        assert_eq!(found, expected.map(|(title, slugs)| (title, slugs.to_owned())));
    }

    #[test]
    fn the_path_continues_where_it_was_left() {
        let mut list = list();
        assert_eq!(path(&list).len(), 2);
        assert_eq!(next_on_path(&list).map(|entry| entry.slug.as_str()), Some("02-c"));
        assert!(!is_path_begun(&list));
        list.lessons[2].progress = LessonProgress::Card(0);
        assert!(is_path_begun(&list), "none is done, but one was opened");
        list.lessons[2].progress = LessonProgress::Done;
        assert_eq!(next_on_path(&list).map(|entry| entry.slug.as_str()), Some("01-a"));
        list.lessons[0].progress = LessonProgress::Done;
        assert_eq!(next_on_path(&list), None);
    }

    #[test]
    fn the_way_follows_the_path_or_the_series() {
        let mut list = list();
        let at = |slug: &str| LessonSource::Shipped(slug.to_owned());
        let way = |list: &LessonList, slug: &str, is_on_path| {
            let way = if is_on_path { Way::Path } else { Way::Series };
            match after(list, &at(slug), &way) {
                After::Lesson(entry) => entry.slug.clone(),
                After::Summary(key) => key.title().to_owned(),
                After::Stop(_) | After::TourEnd => panic!("this is not a tour"),
                After::Page => "page".to_owned(),
            }
        };
        assert_eq!(way(&list, "02-c", true), "01-a", "the path has its own order");
        assert_eq!(way(&list, "01-a", true), "The half-hour path");
        assert_eq!(way(&list, "01-a", false), "02-c");
        assert_eq!(way(&list, "02-c", false), "Start: what expires, and when");
        assert_eq!(way(&list, "s01-d", false), "page", "scenes lead nowhere");
        assert_eq!(way(&list, "unknown", false), "page");
        let file = LessonSource::File(PathBuf::from("/l/mine.md"));
        assert_eq!(after(&list, &file, &Way::Series), After::Page);
        list.lessons[2].problems.push(crate::job::lesson::Problem {
            line: 1,
            column: 1,
            sentence: String::new(),
        });
        assert_eq!(way(&list, "01-a", false), "Start: what expires, and when");
    }

    #[test]
    fn five_questions_that_are_due_come_again_with_other_numbers() {
        let mut list = list();
        assert_eq!((due(&list, 100), repeats(&list, 100)), (0, None));
        let repeat = |card, due_ms| RepeatedQuestion { card, due_ms };
        list.lessons[0].repeats = vec![repeat(2, 50), repeat(2, 50), repeat(1, 101)];
        list.lessons[2].repeats =
            (0..6).zip(10..).map(|(card, due_ms)| repeat(card, due_ms)).collect();
        list.lessons[2].varies = true;
        assert_eq!(due(&list, 100), 8);
        let tour = repeats(&list, 100).expect("repeats");
        let stops: Vec<_> = tour.stops.iter().map(|stop| (stop.card, stop.seed)).collect();
        assert_eq!(stops, [0, 1, 2, 3, 4].map(|card| (Some(card), Some(100))));
        list.lessons[2].repeats.truncate(1);
        let tour = repeats(&list, 100).expect("repeats");
        let slugs: Vec<_> = tour.stops.iter().map(|stop| title(&list, &stop.source)).collect();
        assert_eq!(slugs, ["Title of 02-c", "Title of 01-a"], "a card comes once");
        assert_eq!(tour.stops[1].seed, None);
    }

    #[test]
    fn a_tour_leads_through_its_stops_and_back() {
        let list = list();
        let at = |slug: &str| LessonSource::Shipped(slug.to_owned());
        let stop = |slug, card| Stop { source: at(slug), card, seed: None };
        let stops = vec![stop("s01-d", None), stop("01-a", Some(1)), stop("02-c", None)];
        let tour = Arc::new(Tour { title: "45 minutes".to_owned(), stops });
        let way = |at| Way::Tour { tour: Arc::clone(&tour), at };
        let next = |place: usize| match after(&list, &tour.stops[place].source, &way(place)) {
            After::Stop(start) => Some((title(&list, &start.source), start.card, start.way)),
            After::TourEnd => None,
            other => panic!("{other:?}"),
        };
        assert_eq!(next(0), Some(("Title of 01-a".to_owned(), Some(1), way(1))), "a scene, too");
        assert_eq!(next(1), Some(("Title of 02-c".to_owned(), None, way(2))));
        assert_eq!(next(2), None);
        let before = |slug: &str, place| {
            stop_before(&list, &at(slug), &way(place)).map(|start| (start.card, start.way))
        };
        assert_eq!(before("02-c", 2), Some((Some(1), way(1))), "the only card of that stop");
        assert_eq!(before("01-a", 1), Some((Some(2), way(0))), "the last card of that lesson");
        assert_eq!(before("s01-d", 0), None);
        assert_eq!(before("s02", 0), Some((Some(2), way(0))), "the stop that it interrupted");
    }

    #[test]
    fn a_summary_has_what_was_missed_and_what_comes_next() {
        let mut list = list();
        let missed = MissedQuestion { text: "When?".to_owned(), card: 1 };
        list.lessons[2].missed.push(missed.clone());
        list.lessons[0].progress = LessonProgress::Done;
        let found = summary(&list, &SeriesKey::Level(Level::Start));
        assert_eq!(
            (found.done, found.count, found.predicts),
            (1, 2, ["when".to_owned()].as_slice())
        );
        assert_eq!(found.missed, [(&list.lessons[2], &missed)]);
        assert_eq!(found.next.map(|next| next.slug.as_str()), Some("10-b"));
        let found = summary(&list, &SeriesKey::Path);
        assert_eq!(found.next.map(|next| next.slug.as_str()), Some("10-b"));
        list.lessons[1].progress = LessonProgress::Done;
        assert_eq!(summary(&list, &SeriesKey::Path).next, None);
    }

    #[test]
    fn a_search_keeps_the_lessons_with_every_word() {
        let list = list();
        let found = |typed: &str| {
            let found = search(&list, typed);
            let slugs = found.iter().flat_map(|series| &series.lessons).map(|entry| &*entry.slug);
            slugs.collect::<Vec<_>>().join(" ")
        };
        assert_eq!(found("TITLE 10"), "10-b");
        assert_eq!(found("title mine"), "mine mine");
        assert_eq!(found("nothing"), "");
        assert_eq!(search(&list, " "), series(&list));
    }

    #[test]
    fn open_prerequisites_are_named_by_number() {
        let mut list = list();
        list.lessons[1].after = vec!["01-a".to_owned(), "02-c".to_owned(), "gone".to_owned()];
        assert_eq!(missing_before(&list, &list.lessons[1]), ["01", "03"]);
        list.lessons[0].progress = LessonProgress::Done;
        assert_eq!(missing_before(&list, &list.lessons[1]), ["03"]);
    }

    #[test]
    fn a_row_is_heard_with_its_progress() {
        let list = list();
        let mut found = list.lessons[1].clone();
        let words = "Lesson 02: Title of 10-b, 4 minutes, not started";
        assert_eq!(spoken(&list, &found, false), words, "the number is its place");
        found.progress = LessonProgress::Card(1);
        let words = spoken(&list, &found, true);
        assert!(words.ends_with(", card 2 of 3, on the half-hour path"), "{words}");
        let keys: String = (0..11).filter_map(scene_key).collect();
        assert_eq!(keys, "1234567890");
    }
}
