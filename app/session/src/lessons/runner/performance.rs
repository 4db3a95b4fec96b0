//! A lesson on one stage, step by step. A replay builds another one.

use std::rc::Rc;
use std::sync::Arc;

use bson::Document;

use crate::job::Cancel;
use crate::job::lesson::{BlockKind, Card, Goal, Lesson, Part};
use crate::lessons::script::{Ran, Script, SharedPermit};
use crate::lessons::stage::{EventSink, Pacer, PlayEnd, Stage};

/// Something that is done on a stage. The same steps on another stage lead to the same state.
#[derive(Debug, Clone, PartialEq)]
pub enum Step {
    Open(usize),
    /// A block of the open card runs.
    Block(usize),
    Input(String),
    /// Time passes until this instant, in milliseconds since 1970.
    Play(i64),
    /// Moves only the wall clock, in milliseconds.
    Jump(i64),
    Command(String, Document),
    Traffic(bool),
    /// Something is done with a member of the replica set.
    Member(String, &'static str),
}

/// A lesson on a stage.
pub struct Performance {
    lesson: Arc<Lesson>,
    stage: Rc<Stage>,
    script: Script,
    card: usize,
    opened_ms: i64,
    is_traffic_on: bool,
    /// Traffic blocks that run, as card and part.
    traffic: Vec<(usize, usize)>,
}

impl Performance {
    /// A lesson before its first card.
    pub fn open(
        lesson: Arc<Lesson>,
        pacer: Arc<Pacer>,
        sink: EventSink,
        permit: SharedPermit,
    ) -> Result<Self, String> {
        let stage = Rc::new(Stage::open(&lesson, pacer, sink)?);
        let script = Script::open(&lesson, Rc::clone(&stage), permit)?;
        let opened_ms = stage.start_ms();
        let (card, is_traffic_on, traffic) = (0, true, Vec::new());
        Ok(Self { lesson, stage, script, card, opened_ms, is_traffic_on, traffic })
    }

    pub fn stage(&self) -> &Stage {
        &self.stage
    }

    /// The runtime.
    pub fn script(&mut self) -> &mut Script {
        &mut self.script
    }

    /// When the open card was opened, in milliseconds since 1970.
    pub fn opened_ms(&self) -> i64 {
        self.opened_ms
    }

    /// Whether traffic of the file may run. `None` if it has none.
    pub fn traffic(&self) -> Option<bool> {
        (!self.traffic.is_empty()).then_some(self.is_traffic_on)
    }

    pub fn step(&mut self, step: &Step, cancel: &Cancel) -> Ran {
        match step {
            Step::Open(card) => self.open_card(*card, cancel),
            Step::Block(part) => self.block(*part, cancel),
            Step::Input(text) => self.script.input(text, cancel),
            Step::Play(end_ms) => {
                let failure = self.script.play_until(*end_ms, cancel).err();
                self.ended(failure)
            }
            Step::Jump(ms) => {
                let failure = self.stage.jump(None, *ms).err();
                Ran { failure, ..Ran::default() }
            }
            Step::Command(db, command) => {
                let reply = self.stage.store().run(db, command, cancel);
                self.stage.note_event();
                Ran { reply: Some(reply), ..Ran::default() }
            }
            Step::Traffic(is_on) => self.switch_traffic(*is_on),
            Step::Member(name, what) => self.ended(self.stage.member(name, what).err()),
        }
    }

    fn ended(&self, failure: Option<String>) -> Ran {
        Ran { failure, end: self.stage.pacer().end(), ..Ran::default() }
    }

    /// Closes the open card and opens another: its traffic starts, and its setup runs.
    fn open_card(&mut self, card: usize, cancel: &Cancel) -> Ran {
        let lesson = Arc::clone(&self.lesson);
        self.script.set_goal(None);
        let ending: Vec<_> = self.traffic.extract_if(.., |at| !stays(&lesson, *at)).collect();
        for at in ending {
            if let Some(name) = traffic_name(&lesson, at) {
                self.script.stop_traffic(name);
            }
        }
        self.card = card;
        let Some(open) = lesson.cards.get(card) else { return Ran::default() };
        for (part, kind, line) in blocks(open) {
            let failure = match kind {
                BlockKind::Setup(text) => self.script.set_up(text, cancel).err(),
                BlockKind::Traffic(traffic) => {
                    self.traffic.push((card, part));
                    let starts = self.is_traffic_on.then(|| self.script.start_traffic(traffic));
                    starts.and_then(Result::err)
                }
                _ => None,
            };
            let end = self.stage.pacer().end();
            if failure.is_some() || end.is_some() {
                return Ran { failure, end, line: Some(line), ..Ran::default() };
            }
        }
        self.opened_ms = self.stage.clock().now_ms();
        self.script.set_goal(goal(open).map(|(_, goal)| goal));
        Ran::default()
    }

    /// Runs a block of the open card. The rules of its goal bind only its solution.
    fn block(&mut self, part: usize, cancel: &Cancel) -> Ran {
        let lesson = Arc::clone(&self.lesson);
        let Some(Part::Block(block)) = part_of(&lesson, self.card, part) else {
            return Ran::default();
        };
        let mut ran = match &block.kind {
            BlockKind::Run { script, .. } | BlockKind::Play { script, .. } => {
                self.script.set_rules(false);
                let ran = self.script.run(script, cancel);
                let has_rules = goal(&lesson.cards[self.card])
                    .is_some_and(|(_, goal)| !goal.allow.is_empty() || !goal.deny.is_empty());
                self.script.set_rules(has_rules);
                ran
            }
            BlockKind::Solution(script) => self.script.run(script, cancel),
            _ => Ran::default(),
        };
        ran.line = Some(block.line);
        ran
    }

    fn switch_traffic(&mut self, is_on: bool) -> Ran {
        if is_on == self.is_traffic_on {
            return Ran::default();
        }
        self.is_traffic_on = is_on;
        let lesson = Arc::clone(&self.lesson);
        let mut failure = None;
        for &(card, part) in &self.traffic {
            let Some(Part::Block(block)) = part_of(&lesson, card, part) else { continue };
            let BlockKind::Traffic(traffic) = &block.kind else { continue };
            if is_on {
                failure = failure.or(self.script.start_traffic(traffic).err());
            } else {
                self.script.stop_traffic(&traffic.name);
            }
        }
        self.ended(failure)
    }
}

fn part_of(lesson: &Lesson, card: usize, part: usize) -> Option<&Part> {
    lesson.cards.get(card)?.parts.get(part)
}

fn traffic_name(lesson: &Lesson, (card, part): (usize, usize)) -> Option<&str> {
    let Part::Block(block) = part_of(lesson, card, part)? else { return None };
    let BlockKind::Traffic(traffic) = &block.kind else { return None };
    Some(&traffic.name)
}

fn stays(lesson: &Lesson, (card, part): (usize, usize)) -> bool {
    let Some(Part::Block(block)) = part_of(lesson, card, part) else { return false };
    matches!(&block.kind, BlockKind::Traffic(traffic) if traffic.stays)
}

/// The blocks of a card with their parts and lines.
pub fn blocks(card: &Card) -> impl Iterator<Item = (usize, &BlockKind, usize)> {
    card.parts.iter().enumerate().filter_map(|(part, kind)| match kind {
        Part::Block(block) => Some((part, &block.kind, block.line)),
        _ => None,
    })
}

/// The goal of a card, with its part.
pub fn goal(card: &Card) -> Option<(usize, &Goal)> {
    blocks(card).find_map(|(part, kind, _)| match kind {
        BlockKind::Goal(goal) => Some((part, goal)),
        _ => None,
    })
}

/// The steps of the file until this card is open: every card before it with its solutions.
pub fn steps_to(lesson: &Lesson, card: usize) -> Vec<Step> {
    let mut steps = Vec::new();
    for (index, before) in lesson.cards.iter().enumerate().take(card) {
        steps.push(Step::Open(index));
        steps.extend(played(before).map(Step::Block));
    }
    steps.push(Step::Open(card));
    steps
}

/// The parts of a card that run one after the other when it is played as its author meant it.
pub fn played(card: &Card) -> impl Iterator<Item = usize> {
    blocks(card).filter_map(|(part, kind, _)| match kind {
        BlockKind::Run { .. } | BlockKind::Play { .. } | BlockKind::Solution(_) => Some(part),
        _ => None,
    })
}

/// Whether a run block did what its author says.
pub fn holds(kind: &BlockKind, ran: &Ran) -> bool {
    match kind {
        BlockKind::Run { fails: Some(code), .. } => {
            ran.failure.is_some() && ran.code == Some(*code)
        }
        _ => ran.failure.is_none(),
    }
}

/// Whether a run was ended by the user or a replay.
pub fn was_cut(ran: &Ran) -> bool {
    matches!(ran.end, Some(PlayEnd::Stopped | PlayEnd::Halted))
}
