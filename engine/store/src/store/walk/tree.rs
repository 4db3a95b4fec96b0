//! Walks one B+ tree from its root to its leaves.

use std::cmp::Ordering;
use std::collections::HashMap;

use super::header::{Header, NO_PAGE, Tree};
use super::page::{Node, PageKind, Payload, overflow_run, parse};
use super::source::{Source, u64_at};
use crate::limits::{ROW_BYTES_MAX, TREE_DEPTH_MAX};
use crate::store::progress::{JobStep, Watch};
use crate::store::{DamagedRow, DamagedRows, StoreError};

const PAGE_HEADER_BYTES: usize = 16;
const KEY_BYTES_MAX: usize = 511;
/// Tree pages between two progress reports.
const PAGES_BETWEEN_REPORTS: u64 = 256;

/// The order of a tree's keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum KeyOrder {
    Bytes,
    /// As native 64-bit numbers: the tree of free pages.
    Numbers,
}

impl KeyOrder {
    fn compare(self, a: &[u8], b: &[u8]) -> Ordering {
        match self {
            Self::Bytes => a.cmp(b),
            Self::Numbers => u64_at(a, 0).cmp(&u64_at(b, 0)),
        }
    }
}

/// A bitmap of the pages visited. Its memory grows with the visited pages, not with the length that the file
/// claims: a sparse file may be long and empty.
#[derive(Default)]
pub(super) struct PageSet {
    words: HashMap<u64, u64>,
    pub(super) count: u64,
}

impl PageSet {
    /// False when the page was already in the set.
    pub(super) fn mark(&mut self, page: u64) -> bool {
        let word = self.words.entry(page / 64).or_default();
        let bit = 1 << (page % 64);
        let is_new = *word & bit == 0;
        *word |= bit;
        self.count += u64::from(is_new);
        is_new
    }

    pub(super) fn contains(&self, page: u64) -> bool {
        self.words.get(&(page / 64)).is_some_and(|word| word & (1 << (page % 64)) != 0)
    }
}

/// The use of a tree's rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RowAction {
    Skip,
    /// Return them: for the two small trees.
    Keep,
    /// Verify their checksums; the tree is this table.
    Check(&'static str),
}

/// A value of a small tree, copied out.
pub(super) enum Value {
    Bytes(Vec<u8>),
    Tree(Tree),
}

/// Walks the trees of one file.
pub(super) struct Walker<'f> {
    pub(super) source: Source<'f>,
    pub(super) header: Header,
    pub(super) seen: PageSet,
    /// Damaged rows of the trees that are walked with [`RowAction::Check`].
    pub(super) damaged: DamagedRows,
    pub(super) watch: &'f mut Watch<'f>,
}

pub(super) struct TreeWalk<'a> {
    name: &'a str,
    order: KeyOrder,
    depth: u16,
    found: Tree,
    rows: RowAction,
    kept: Vec<(Vec<u8>, Value)>,
}

impl Walker<'_> {
    /// Checks a tree. Returns its rows for [`RowAction::Keep`], else none.
    pub(super) fn tree(
        &mut self,
        name: &str,
        tree: &Tree,
        order: KeyOrder,
        rows: RowAction,
    ) -> Result<Vec<(Vec<u8>, Value)>, StoreError> {
        let mut walk = TreeWalk::new(name, order, tree, rows);
        if tree.root == NO_PAGE {
            walk.found.root = NO_PAGE;
        } else {
            if tree.depth == 0 || tree.depth > TREE_DEPTH_MAX {
                return Err(walk.damaged("has an invalid depth"));
            }
            self.page(&mut walk, tree.root, 1, (None, None))?;
            walk.found.root = tree.root;
            walk.found.depth = tree.depth;
        }
        (walk.found.pad, walk.found.flags) = (tree.pad, tree.flags);
        if walk.found != *tree {
            return Err(walk.damaged("has a different number of pages or entries than recorded"));
        }
        Ok(walk.kept)
    }

    fn page(
        &mut self,
        walk: &mut TreeWalk<'_>,
        number: u64,
        level: u16,
        bounds: (Option<&[u8]>, Option<&[u8]>),
    ) -> Result<(), StoreError> {
        self.claim(walk, number, 1)?;
        self.report(walk)?;
        let (bytes, kind, nodes) = self.parsed(walk, number, level)?;
        check_keys(walk, number, kind, &bytes, &nodes, bounds)?;
        match kind {
            PageKind::Branch => {
                walk.found.branch_pages += 1;
                for (index, node) in nodes.iter().enumerate() {
                    let Payload::Child(child) = node.payload else { continue };
                    let lower = if index == 0 { bounds.0 } else { bytes.get(node.key.clone()) };
                    let next = nodes.get(index + 1).and_then(|next| bytes.get(next.key.clone()));
                    self.page(walk, child, level + 1, (lower, next.or(bounds.1)))?;
                }
            }
            PageKind::Leaf => {
                walk.found.leaf_pages += 1;
                walk.found.entries += nodes.len() as u64;
                for node in &nodes {
                    self.value(walk, number, &bytes, node)?;
                }
            }
        }
        Ok(())
    }

    /// Reads and parses a page.
    pub(super) fn parsed(
        &self,
        walk: &TreeWalk<'_>,
        number: u64,
        level: u16,
    ) -> Result<(Vec<u8>, PageKind, Vec<Node>), StoreError> {
        let mut bytes = vec![0; self.header.page_bytes];
        self.read(walk, number, &mut bytes)?;
        let (kind, nodes) = parse(&bytes, number).map_err(|why| walk.bad_page(number, why))?;
        if (kind == PageKind::Leaf) != (level == walk.depth) {
            return Err(walk.bad_page(number, "is at the wrong depth"));
        }
        Ok((bytes, kind, nodes))
    }

    /// The last transaction in a header's list of free pages; `None` when the list is empty or can't be read.
    /// The walk reports why the current header's list can't be read, and the previous one's does not matter.
    pub(super) fn last_freed(&self, header: &Header) -> Result<Option<u64>, StoreError> {
        let tree = header.free;
        let page_bytes = self.header.page_bytes;
        let mut number = tree.root;
        for level in 1..=tree.depth.min(TREE_DEPTH_MAX) {
            let mut bytes = vec![0; page_bytes];
            let offset = number.saturating_mul(page_bytes as u64);
            if self.source.read(offset, &mut bytes)?.is_none() {
                break;
            }
            let Ok((kind, nodes)) = parse(&bytes, number) else { break };
            let Some(last) = nodes.last() else { break };
            match (kind, &last.payload) {
                (PageKind::Branch, Payload::Child(child)) if level < tree.depth => number = *child,
                (PageKind::Leaf, _) if level == tree.depth => {
                    return Ok(bytes.get(last.key.clone()).and_then(|key| u64_at(key, 0)));
                }
                _ => break,
            }
        }
        Ok(None)
    }

    pub(super) fn value(
        &mut self,
        walk: &mut TreeWalk<'_>,
        number: u64,
        bytes: &[u8],
        node: &Node,
    ) -> Result<(), StoreError> {
        let slice = |place: &std::ops::Range<usize>| bytes.get(place.clone()).unwrap_or_default();
        let key = slice(&node.key);
        match &node.payload {
            Payload::Child(_) => {}
            Payload::Inline(place) => self.row(walk, key, Some(slice(place))),
            Payload::Overflow { page, len } => {
                self.overflow(walk, *page, *len)?;
                match walk.rows {
                    RowAction::Skip => {}
                    RowAction::Check(_) if *len > ROW_BYTES_MAX => self.row(walk, key, None),
                    RowAction::Keep | RowAction::Check(_) => {
                        let value = self.overflow_bytes(walk, *page, *len)?;
                        self.row(walk, key, value.get(PAGE_HEADER_BYTES..));
                    }
                }
            }
            Payload::Tree(place) => match Tree::parse(slice(place)) {
                Some(tree) if walk.name == MAIN && place.len() == 48 => {
                    walk.kept.push((key.to_vec(), Value::Tree(tree)));
                }
                _ => return Err(walk.bad_page(number, "has a tree in place of data")),
            },
        }
        Ok(())
    }

    /// Handles one row. `value` is `None` when it is longer than any that the store writes.
    fn row(&mut self, walk: &mut TreeWalk<'_>, key: &[u8], value: Option<&[u8]>) {
        match walk.rows {
            RowAction::Skip => {}
            RowAction::Keep => {
                walk.kept.push((key.to_vec(), Value::Bytes(value.unwrap_or_default().to_vec())));
            }
            RowAction::Check(table) => {
                if let Some(row) = DamagedRow::check(table, key, value) {
                    self.damaged.add(row);
                }
            }
        }
    }

    /// Checks a run of overflow pages.
    fn overflow(&mut self, walk: &mut TreeWalk<'_>, page: u64, len: u64) -> Result<(), StoreError> {
        let mut head = [0; PAGE_HEADER_BYTES];
        self.in_range(walk, page, 1)?;
        self.read(walk, page, &mut head)?;
        let run = overflow_run(&head, page).map_err(|why| walk.bad_page(page, why))?;
        let page_bytes = self.header.page_bytes as u64;
        let end = PAGE_HEADER_BYTES as u64 + len;
        if run == 0 || end > run.saturating_mul(page_bytes) {
            return Err(walk.bad_page(page, "starts a run shorter than its data"));
        }
        // LMDB writes a run as a whole, so its end must be inside the file. Checking that first bounds `claim`.
        if page.saturating_add(run).saturating_mul(page_bytes) > self.source.len {
            return Err(walk.bad_page(page, "starts a run that extends past the end of the file"));
        }
        self.claim(walk, page, run)?;
        walk.found.overflow_pages += run;
        Ok(())
    }

    /// The bytes of a checked run, starting with the header of its first page.
    fn overflow_bytes(
        &self,
        walk: &TreeWalk<'_>,
        page: u64,
        len: u64,
    ) -> Result<Vec<u8>, StoreError> {
        let mut bytes = vec![0; PAGE_HEADER_BYTES + usize::try_from(len).unwrap_or(0)];
        self.read(walk, page, &mut bytes)?;
        Ok(bytes)
    }

    fn report(&mut self, walk: &TreeWalk<'_>) -> Result<(), StoreError> {
        let pages = walk.found.branch_pages + walk.found.leaf_pages;
        if !pages.is_multiple_of(PAGES_BETWEEN_REPORTS) {
            return Ok(());
        }
        let done = self.seen.count.saturating_mul(self.header.page_bytes as u64);
        JobStep::Walking.report(self.watch, done.min(self.source.len), self.source.len)
    }

    pub(super) fn in_range(
        &self,
        walk: &TreeWalk<'_>,
        page: u64,
        run: u64,
    ) -> Result<(), StoreError> {
        let last = page.checked_add(run.saturating_sub(1));
        if page < 2 || last.is_none_or(|last| last > self.header.last_page) {
            return Err(walk.bad_page(page, "is outside the file"));
        }
        Ok(())
    }

    fn claim(&mut self, walk: &TreeWalk<'_>, page: u64, run: u64) -> Result<(), StoreError> {
        self.in_range(walk, page, run)?;
        for page in page..page + run {
            if !self.seen.mark(page) {
                return Err(walk.bad_page(page, "is used twice"));
            }
        }
        Ok(())
    }

    pub(super) fn read(
        &self,
        walk: &TreeWalk<'_>,
        page: u64,
        bytes: &mut [u8],
    ) -> Result<(), StoreError> {
        let offset = page.saturating_mul(self.header.page_bytes as u64);
        self.source
            .read(offset, bytes)?
            .ok_or_else(|| walk.bad_page(page, "is past the end of the truncated file"))
    }
}

/// The tree of tables, as findings name it. Only its leaves may hold trees.
pub(super) const MAIN: &str = "list of tables";

impl<'a> TreeWalk<'a> {
    pub(super) fn new(name: &'a str, order: KeyOrder, tree: &Tree, rows: RowAction) -> Self {
        let (depth, found, kept) = (tree.depth, Tree::default(), Vec::new());
        Self { name, order, depth, found, rows, kept }
    }

    pub(super) fn damaged(&self, why: &str) -> StoreError {
        StoreError::damaged(format!("the {} {why}", self.name))
    }

    pub(super) fn bad_page(&self, page: u64, why: &str) -> StoreError {
        StoreError::damaged(format!("page {page} of the {} {why}", self.name))
    }
}

/// Keys must ascend strictly, between the separators of the parent page.
pub(super) fn check_keys(
    walk: &TreeWalk<'_>,
    number: u64,
    kind: PageKind,
    bytes: &[u8],
    nodes: &[Node],
    (lower, upper): (Option<&[u8]>, Option<&[u8]>),
) -> Result<(), StoreError> {
    let fewest = if kind == PageKind::Branch && walk.order == KeyOrder::Bytes { 2 } else { 1 };
    if nodes.len() < fewest {
        return Err(walk.bad_page(number, "has too few entries"));
    }
    let mut previous = lower;
    let mut may_equal = true;
    // LMDB ignores the first key of a branch page.
    for node in nodes.iter().skip(usize::from(kind == PageKind::Branch)) {
        let key = bytes.get(node.key.clone()).unwrap_or_default();
        let length_fits = match walk.order {
            KeyOrder::Bytes => (1..=KEY_BYTES_MAX).contains(&key.len()),
            KeyOrder::Numbers => key.len() == 8,
        };
        if !length_fits {
            return Err(walk.bad_page(number, "has a key of invalid length"));
        }
        let rises = previous.is_none_or(|previous| match walk.order.compare(previous, key) {
            Ordering::Less => true,
            Ordering::Equal => may_equal,
            Ordering::Greater => false,
        });
        if !rises || upper.is_some_and(|upper| walk.order.compare(key, upper).is_ge()) {
            return Err(walk.bad_page(number, "has keys out of order"));
        }
        previous = Some(key);
        may_equal = false;
    }
    Ok(())
}
