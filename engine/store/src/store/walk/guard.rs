//! Checks pages before LMDB follows them, while the walk of an opening is not done.
//!
//! LMDB can't be asked to check what it reads. So before it searches for a key, the guard descends to that key
//! itself, with plain reads, and checks each page on the way as the walk does: its number, its kind, its bounds,
//! its keys between the separators above it, and the checksums of its rows. LMDB's cursors also step to the
//! neighbors of a leaf, so these are checked too. Nothing writes until the walk has ended, so the tree that the
//! guard knows is the one that LMDB reads.
//!
//! A corrupt page is an error of each read that needs it. It is never skipped: a scan would be short.

use std::fs::File;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::check::{StructureReport, read_watched, tables, walker};
use super::header::{Header, NO_PAGE, Tree};
use super::page::{PageKind, branch_node, node_count};
use super::source::{Source, unreadable};
use super::tree::{KeyOrder, PageSet, RowAction, TreeWalk, Walker, check_keys};
use crate::limits::TREE_DEPTH_MAX;
use crate::store::{DamagedRows, JobProgress, StoreError};

/// The place in a table that a read begins at.
#[derive(Debug, Clone, Copy)]
pub(in crate::store) enum Place<'k> {
    First,
    At(&'k [u8]),
    Last,
}

/// The leaves to which LMDB may step from the one that it searches for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::store) enum Neighbors {
    Neither,
    Both,
    /// A scan that came from the leaf before.
    After,
    Before,
}

/// The direction of a descent where a key is a separator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Side {
    Own,
    /// The leaf before that key.
    Before,
}

/// The separators around a leaf; `None` at an end of the table.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(in crate::store) struct Span {
    pub(in crate::store) lower: Option<Vec<u8>>,
    pub(in crate::store) upper: Option<Vec<u8>>,
}

/// How the walk of an opening stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::store) enum WalkState {
    Running,
    /// The structure is sound. Rows may still be damaged.
    Sound(DamagedRows),
    /// The finding, as a clause.
    Damaged(String),
    Canceled,
}

/// The tree that LMDB reads until the walk has ended.
struct Frozen {
    file: File,
    header: Header,
    trees: Vec<(&'static str, Tree)>,
    /// Pages that need no second check.
    checked: PageSet,
}

/// Guards reads of one data file. See the module's page.
pub(in crate::store) struct PageGuard {
    is_on: AtomicBool,
    has_damaged_rows: AtomicBool,
    is_canceled: AtomicBool,
    /// Bytes that the walk has read, and those it has to read.
    progress: (AtomicU64, AtomicU64),
    /// `None` once the guard is off: the file may then be replaced.
    frozen: Mutex<Option<Frozen>>,
    state: Mutex<WalkState>,
    ended: Condvar,
}

impl PageGuard {
    /// A guard that is on. The headers and the list of tables are checked here.
    pub(in crate::store) fn new(file: &File) -> Result<Self, StoreError> {
        let mut ignore_progress = |_| ControlFlow::Continue(());
        let mut walker = walker(file, &mut ignore_progress)?;
        let trees = tables(&mut walker)?;
        let header = walker.header;
        let file = file.try_clone().map_err(|error| unreadable(&error))?;
        let frozen = Frozen { file, header, trees, checked: PageSet::default() };
        Ok(Self::in_state(WalkState::Running, Some(frozen)))
    }

    /// The guard of a file that was walked whole: it is off, and only remembers whether rows are damaged.
    pub(in crate::store) fn walked(damaged: DamagedRows) -> Self {
        Self::in_state(WalkState::Sound(damaged), None)
    }

    fn in_state(state: WalkState, frozen: Option<Frozen>) -> Self {
        let has_damaged_rows = matches!(&state, WalkState::Sound(damaged) if damaged.count > 0);
        Self {
            is_on: AtomicBool::new(frozen.is_some()),
            has_damaged_rows: AtomicBool::new(has_damaged_rows),
            is_canceled: AtomicBool::new(false),
            progress: (AtomicU64::new(0), AtomicU64::new(0)),
            frozen: Mutex::new(frozen),
            state: Mutex::new(state),
            ended: Condvar::new(),
        }
    }

    #[inline]
    pub(in crate::store) fn is_on(&self) -> bool {
        self.is_on.load(Ordering::Relaxed)
    }

    /// Whether a row is known that does not match its checksum. Then a key that is not found may be a damaged
    /// key.
    pub(in crate::store) fn has_damaged_rows(&self) -> bool {
        self.has_damaged_rows.load(Ordering::Relaxed)
    }

    /// Walks the whole file. Turns the guard off if it is sound. The caller passes the result to
    /// [`PageGuard::end`].
    pub(in crate::store) fn walk(&self, file: &File) -> WalkState {
        let mut watch = |progress: JobProgress| {
            self.progress.0.store(progress.done, Ordering::Relaxed);
            self.progress.1.store(progress.total, Ordering::Relaxed);
            if self.is_canceled.load(Ordering::Relaxed) {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        };
        let end = end_of(read_watched(file, &mut watch));
        if let WalkState::Sound(damaged) = &end {
            if damaged.count > 0 {
                self.has_damaged_rows.store(true, Ordering::Relaxed);
            }
            // Off before the tree is dropped. A read that still saw it on finds no tree, and needs
            // no check any more.
            self.is_on.store(false, Ordering::Relaxed);
            *lock(&self.frozen) = None;
        }
        end
    }

    /// Ends the waiting for the walk.
    pub(in crate::store) fn end(&self, state: WalkState) {
        *lock(&self.state) = state;
        self.ended.notify_all();
    }

    /// Ends the walk soon.
    pub(in crate::store) fn cancel(&self) {
        self.is_canceled.store(true, Ordering::Relaxed);
    }

    pub(in crate::store) fn state(&self) -> WalkState {
        lock(&self.state).clone()
    }

    /// Percent of the file that the walk has read.
    pub(in crate::store) fn percent(&self) -> u64 {
        let (done, total) = (&self.progress.0, &self.progress.1);
        let (done, total) = (done.load(Ordering::Relaxed), total.load(Ordering::Relaxed));
        done.saturating_mul(100).checked_div(total).unwrap_or(0).min(100)
    }

    /// Waits for the end of the walk, for at most `time`.
    pub(in crate::store) fn wait(&self, time: Duration) -> WalkState {
        let is_running = |state: &mut WalkState| *state == WalkState::Running;
        let waited = self.ended.wait_timeout_while(lock(&self.state), time, is_running);
        waited.unwrap_or_else(PoisonError::into_inner).0.clone()
    }

    /// Checks the leaf with this place of a table, and the neighbors to which a cursor may step from there.
    pub(in crate::store) fn check(
        &self,
        table: &'static str,
        place: Place<'_>,
        neighbors: Neighbors,
    ) -> Result<Span, StoreError> {
        let mut frozen = lock(&self.frozen);
        let Some(Frozen { file, header, trees, checked }) = &mut *frozen else {
            return Ok(Span::default());
        };
        let tree = trees.iter().find(|(name, tree)| *name == table && tree.root != NO_PAGE);
        let Some((_, tree)) = tree else { return Ok(Span::default()) };
        let mut ignore_progress = |_| ControlFlow::Continue(());
        // If the check fails, the set stays empty. That only checks pages again, and never trusts a
        // page that was not checked.
        let (source, seen) = (Source::new(file)?, std::mem::take(checked));
        let (damaged, watch) = (DamagedRows::default(), &mut ignore_progress);
        let mut walker = Walker { source, header: *header, seen, damaged, watch };
        let span = around(&mut walker, (table, tree), place, neighbors);
        if walker.damaged.count > 0 {
            self.has_damaged_rows.store(true, Ordering::Relaxed);
        }
        *checked = walker.seen;
        span
    }
}

fn end_of(report: Result<StructureReport, StoreError>) -> WalkState {
    match report {
        Ok(report) => match report.findings.into_iter().next() {
            Some(finding) => WalkState::Damaged(finding),
            None => WalkState::Sound(report.rows),
        },
        Err(StoreError::Stopped) => WalkState::Canceled,
        Err(error) => WalkState::Damaged(error.to_string()),
    }
}

/// Checks the leaf with this place and its neighbors. Returns the span of the leaf.
fn around(
    walker: &mut Walker<'_>,
    table: (&'static str, &Tree),
    place: Place<'_>,
    neighbors: Neighbors,
) -> Result<Span, StoreError> {
    let span = walker.leaf(table, place, Side::Own)?;
    let (before, after) = match neighbors {
        Neighbors::Neither => (None, None),
        Neighbors::Both => (span.lower.as_deref(), span.upper.as_deref()),
        Neighbors::After => (None, span.upper.as_deref()),
        Neighbors::Before => (span.lower.as_deref(), None),
    };
    if let Some(upper) = after {
        walker.leaf(table, Place::At(upper), Side::Own)?;
    }
    if let Some(lower) = before {
        walker.leaf(table, Place::At(lower), Side::Before)?;
    }
    Ok(span)
}

impl Walker<'_> {
    /// Descends to a leaf and checks the pages on the way that were not checked before. Returns its separators.
    fn leaf(
        &mut self,
        (table, tree): (&'static str, &Tree),
        place: Place<'_>,
        side: Side,
    ) -> Result<Span, StoreError> {
        let name = format!("table {table}");
        let mut walk = TreeWalk::new(&name, KeyOrder::Bytes, tree, RowAction::Check(table));
        let mut span = Span::default();
        let mut number = tree.root;
        let mut bytes = vec![0; self.header.page_bytes];
        for level in 1..=tree.depth.min(TREE_DEPTH_MAX) {
            let is_leaf = level == tree.depth;
            // Each page once: nothing is written until the walk ends, so a checked page can't
            // change.
            if !self.seen.contains(number) {
                self.in_range(&walk, number, 1)?;
                let bounds = (span.lower.as_deref(), span.upper.as_deref());
                self.check_page(&mut walk, number, level, bounds)?;
                self.seen.mark(number);
            }
            if is_leaf {
                return Ok(span);
            }
            self.read(&walk, number, &mut bytes)?;
            let (child, separators) = child(&bytes, place, side)
                .ok_or_else(|| walk.bad_page(number, "has changed since it was checked"))?;
            span.lower = separators.lower.or(span.lower);
            span.upper = separators.upper.or(span.upper);
            number = child;
        }
        Err(walk.damaged("has an invalid depth"))
    }

    fn check_page(
        &mut self,
        walk: &mut TreeWalk<'_>,
        number: u64,
        level: u16,
        bounds: (Option<&[u8]>, Option<&[u8]>),
    ) -> Result<(), StoreError> {
        let (bytes, kind, nodes) = self.parsed(walk, number, level)?;
        check_keys(walk, number, kind, &bytes, &nodes, bounds)?;
        for node in nodes.iter().filter(|_| kind == PageKind::Leaf) {
            self.value(walk, number, &bytes, node)?;
        }
        Ok(())
    }
}

/// The child of a branch page that leads to the place, and the separators around it.
fn child(bytes: &[u8], place: Place<'_>, side: Side) -> Option<(u64, Span)> {
    let count = node_count(bytes)?;
    let key = |index: usize| branch_node(bytes, index).map(|(key, _)| key);
    // LMDB ignores the first key of a branch page.
    let (mut low, mut high) = match place {
        Place::First => (0, 1),
        Place::Last => (count.checked_sub(1)?, count),
        Place::At(_) => (0, count),
    };
    while let Place::At(sought) = place
        && high - low > 1
    {
        let middle = usize::midpoint(low, high);
        let order = key(middle)?.cmp(sought);
        if order.is_lt() || order.is_eq() && side == Side::Own {
            low = middle;
        } else {
            high = middle;
        }
    }
    let (_, child) = branch_node(bytes, low)?;
    let separator = |index: usize| key(index).map(<[u8]>::to_vec);
    let lower = if low > 0 { Some(separator(low)?) } else { None };
    let upper = if low + 1 < count { Some(separator(low + 1)?) } else { None };
    Some((child, Span { lower, upper }))
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
