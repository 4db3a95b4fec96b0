//! One tree, from its root to its leaves.

use std::cmp::Ordering;
use std::collections::HashMap;

use super::header::{Header, NO_PAGE, Tree};
use super::page::{Kind, Node, Payload, overflow_run, parse};
use super::source::{Source, u64_at};
use crate::limits::{ROW_BYTES_MAX, TREE_DEPTH_MAX};
use crate::store::progress::{JobStep, Watch};
use crate::store::{DamagedRow, DamagedRows, StoreError};

const PAGE_HEADER_BYTES: usize = 16;
const KEY_BYTES_MAX: usize = 511;
/// Pages of trees between two words to the watcher.
const PAGES_BETWEEN_WORDS: u64 = 256;

/// How the keys of a tree are ordered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Order {
    Bytes,
    /// Eight bytes in the machine's own order: the tree of free pages.
    Numbers,
}

impl Order {
    fn compare(self, a: &[u8], b: &[u8]) -> Ordering {
        match self {
            Self::Bytes => a.cmp(b),
            Self::Numbers => u64_at(a, 0).cmp(&u64_at(b, 0)),
        }
    }
}

/// The pages met so far, a bit for each. It takes the room of what was met, and not of what the file
/// says of its length: a file may be long with nothing in it.
#[derive(Default)]
pub(super) struct Seen {
    words: HashMap<u64, u64>,
    pub(super) count: u64,
}

impl Seen {
    /// False when the page was met before.
    pub(super) fn mark(&mut self, page: u64) -> bool {
        let word = self.words.entry(page / 64).or_default();
        let bit = 1 << (page % 64);
        let is_new = *word & bit == 0;
        *word |= bit;
        self.count += u64::from(is_new);
        is_new
    }
}

/// What is done with the rows of a tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Rows {
    /// Nothing: only their places are looked at.
    Skip,
    /// They are handed back: for the two small trees.
    Keep,
    /// Their checksums are looked at; the tree is this table.
    Check(&'static str),
}

/// What a leaf of a small tree holds, copied out.
pub(super) enum Value {
    Bytes(Vec<u8>),
    Tree(Tree),
}

/// Walks the trees of one file.
pub(super) struct Walker<'f> {
    pub(super) source: Source<'f>,
    pub(super) header: Header,
    pub(super) seen: Seen,
    /// Rows that do not match their checksums, of the trees whose rows are read.
    pub(super) damaged: DamagedRows,
    /// Told how far the walk is.
    pub(super) watch: &'f mut Watch<'f>,
}

/// One tree while it is walked.
struct Task<'a> {
    name: &'a str,
    order: Order,
    depth: u16,
    found: Tree,
    rows: Rows,
    kept: Vec<(Vec<u8>, Value)>,
}

impl Walker<'_> {
    /// Checks a tree. Its rows are returned if they are kept.
    pub(super) fn tree(
        &mut self,
        name: &str,
        tree: &Tree,
        order: Order,
        rows: Rows,
    ) -> Result<Vec<(Vec<u8>, Value)>, StoreError> {
        let (depth, found, kept) = (tree.depth, Tree::default(), Vec::new());
        let mut task = Task { name, order, depth, found, rows, kept };
        if tree.root == NO_PAGE {
            task.found.root = NO_PAGE;
        } else {
            if tree.depth == 0 || tree.depth > TREE_DEPTH_MAX {
                return Err(task.damaged("has an impossible depth"));
            }
            self.page(&mut task, tree.root, 1, (None, None))?;
            task.found.root = tree.root;
            task.found.depth = tree.depth;
        }
        (task.found.pad, task.found.flags) = (tree.pad, tree.flags);
        if task.found != *tree {
            return Err(task.damaged("does not hold as many pages and entries as it says"));
        }
        Ok(task.kept)
    }

    fn page(
        &mut self,
        task: &mut Task<'_>,
        number: u64,
        level: u16,
        bounds: (Option<&[u8]>, Option<&[u8]>),
    ) -> Result<(), StoreError> {
        self.claim(task, number, 1)?;
        self.tell(task)?;
        let (bytes, kind, nodes) = self.parsed(task, number, level)?;
        check_keys(task, number, kind, &bytes, &nodes, bounds)?;
        match kind {
            Kind::Branch => {
                task.found.branch_pages += 1;
                for (index, node) in nodes.iter().enumerate() {
                    let Payload::Child(child) = node.payload else { continue };
                    let lower = if index == 0 { bounds.0 } else { bytes.get(node.key.clone()) };
                    let next = nodes.get(index + 1).and_then(|next| bytes.get(next.key.clone()));
                    self.page(task, child, level + 1, (lower, next.or(bounds.1)))?;
                }
            }
            Kind::Leaf => {
                task.found.leaf_pages += 1;
                task.found.entries += nodes.len() as u64;
                for node in &nodes {
                    self.value(task, number, &bytes, node)?;
                }
            }
        }
        Ok(())
    }

    /// The bytes of a page of a tree, and what is in it.
    fn parsed(
        &self,
        task: &Task<'_>,
        number: u64,
        level: u16,
    ) -> Result<(Vec<u8>, Kind, Vec<Node>), StoreError> {
        let mut bytes = vec![0; self.header.page_bytes];
        self.read(task, number, &mut bytes)?;
        let (kind, nodes) = parse(&bytes, number).map_err(|why| task.bad_page(number, why))?;
        if (kind == Kind::Leaf) != (level == task.depth) {
            return Err(task.bad_page(number, "lies at the wrong depth"));
        }
        Ok((bytes, kind, nodes))
    }

    /// Reads the rows of the leaf in which place `place` of `of` even ones lies, if it was not read yet,
    /// as long as `goes_on`.
    pub(super) fn leaf_at(
        &mut self,
        (table, tree): (&'static str, &Tree),
        (mut place, of): (usize, usize),
        goes_on: &dyn Fn() -> bool,
    ) -> Result<(), StoreError> {
        let name = &format!("table {table}");
        let (order, rows, depth) = (Order::Bytes, Rows::Check(table), tree.depth);
        let mut task = Task { name, order, depth, found: Tree::default(), rows, kept: Vec::new() };
        let mut number = tree.root;
        for level in 1..=tree.depth.min(TREE_DEPTH_MAX) {
            self.in_range(&task, number, 1)?;
            let (bytes, kind, nodes) = self.parsed(&task, number, level)?;
            if kind == Kind::Leaf {
                let is_new = self.seen.mark(number);
                for node in nodes.iter().filter(|_| is_new).take_while(|_| goes_on()) {
                    self.value(&mut task, number, &bytes, node)?;
                }
                return Ok(());
            }
            let child = place * nodes.len() / of;
            place = place * nodes.len() - child * of;
            number = match nodes.get(child).map(|node| &node.payload) {
                Some(Payload::Child(below)) => *below,
                _ => return Err(task.bad_page(number, "has too few entries")),
            };
        }
        Err(task.damaged("has an impossible depth"))
    }

    /// The last transaction in a header's list of free pages; `None` when it is empty or can't be read: of
    /// the header that counts, the walk will say why, and the other one's does not matter.
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
                (Kind::Branch, Payload::Child(child)) if level < tree.depth => number = *child,
                (Kind::Leaf, _) if level == tree.depth => {
                    return Ok(bytes.get(last.key.clone()).and_then(|key| u64_at(key, 0)));
                }
                _ => break,
            }
        }
        Ok(None)
    }

    fn value(
        &mut self,
        task: &mut Task<'_>,
        number: u64,
        bytes: &[u8],
        node: &Node,
    ) -> Result<(), StoreError> {
        let slice = |place: &std::ops::Range<usize>| bytes.get(place.clone()).unwrap_or_default();
        let key = slice(&node.key);
        match &node.payload {
            Payload::Child(_) => {}
            Payload::Inline(place) => self.row(task, key, Some(slice(place))),
            Payload::Overflow { page, len } => {
                self.overflow(task, *page, *len)?;
                match task.rows {
                    Rows::Skip => {}
                    Rows::Check(_) if *len > ROW_BYTES_MAX => self.row(task, key, None),
                    Rows::Keep | Rows::Check(_) => {
                        let value = self.overflow_bytes(task, *page, *len)?;
                        self.row(task, key, value.get(PAGE_HEADER_BYTES..));
                    }
                }
            }
            Payload::Tree(place) => match Tree::parse(slice(place)) {
                Some(tree) if task.name == MAIN && place.len() == 48 => {
                    task.kept.push((key.to_vec(), Value::Tree(tree)));
                }
                _ => return Err(task.bad_page(number, "holds a tree where data belongs")),
            },
        }
        Ok(())
    }

    /// One row; without a value it is longer than any that is written.
    fn row(&mut self, task: &mut Task<'_>, key: &[u8], value: Option<&[u8]>) {
        match task.rows {
            Rows::Skip => {}
            Rows::Keep => {
                task.kept.push((key.to_vec(), Value::Bytes(value.unwrap_or_default().to_vec())));
            }
            Rows::Check(table) => {
                if let Some(row) = DamagedRow::look(table, key, value) {
                    self.damaged.add(row);
                }
            }
        }
    }

    /// Checks a run of overflow pages.
    fn overflow(&mut self, task: &mut Task<'_>, page: u64, len: u64) -> Result<(), StoreError> {
        let mut head = [0; PAGE_HEADER_BYTES];
        self.in_range(task, page, 1)?;
        self.read(task, page, &mut head)?;
        let run = overflow_run(&head, page).map_err(|why| task.bad_page(page, why))?;
        let page_bytes = self.header.page_bytes as u64;
        let end = PAGE_HEADER_BYTES as u64 + len;
        if run == 0 || end > run.saturating_mul(page_bytes) {
            return Err(task.bad_page(page, "begins a run that is shorter than its data"));
        }
        // LMDB writes a run whole, so the file is a bound on it before anything is counted.
        if page.saturating_add(run).saturating_mul(page_bytes) > self.source.len {
            return Err(task.bad_page(page, "begins a run that lies past the end of the file"));
        }
        self.claim(task, page, run)?;
        task.found.overflow_pages += run;
        Ok(())
    }

    /// The bytes of a run that was checked, with the header of its first page in front.
    fn overflow_bytes(&self, task: &Task<'_>, page: u64, len: u64) -> Result<Vec<u8>, StoreError> {
        let mut bytes = vec![0; PAGE_HEADER_BYTES + usize::try_from(len).unwrap_or(0)];
        self.read(task, page, &mut bytes)?;
        Ok(bytes)
    }

    fn tell(&mut self, task: &Task<'_>) -> Result<(), StoreError> {
        let pages = task.found.branch_pages + task.found.leaf_pages;
        if !pages.is_multiple_of(PAGES_BETWEEN_WORDS) {
            return Ok(());
        }
        let done = self.seen.count.saturating_mul(self.header.page_bytes as u64);
        JobStep::Walking.tell(self.watch, done.min(self.source.len), self.source.len)
    }

    fn in_range(&self, task: &Task<'_>, page: u64, run: u64) -> Result<(), StoreError> {
        let last = page.checked_add(run.saturating_sub(1));
        if page < 2 || last.is_none_or(|last| last > self.header.last_page) {
            return Err(task.bad_page(page, "lies outside the file"));
        }
        Ok(())
    }

    fn claim(&mut self, task: &Task<'_>, page: u64, run: u64) -> Result<(), StoreError> {
        self.in_range(task, page, run)?;
        for page in page..page + run {
            if !self.seen.mark(page) {
                return Err(task.bad_page(page, "is used twice"));
            }
        }
        Ok(())
    }

    fn read(&self, task: &Task<'_>, page: u64, bytes: &mut [u8]) -> Result<(), StoreError> {
        let offset = page.saturating_mul(self.header.page_bytes as u64);
        self.source
            .read(offset, bytes)?
            .ok_or_else(|| task.bad_page(page, "lies past the end of the file, which was cut off"))
    }
}

/// The name of the tree of tables in findings; only its leaves hold trees.
pub(super) const MAIN: &str = "list of tables";

impl Task<'_> {
    fn damaged(&self, why: &str) -> StoreError {
        StoreError::damaged(format!("the {} {why}", self.name))
    }

    fn bad_page(&self, page: u64, why: &str) -> StoreError {
        StoreError::damaged(format!("page {page} of the {} {why}", self.name))
    }
}

/// Keys rise strictly and lie between the separators above them.
fn check_keys(
    task: &Task<'_>,
    number: u64,
    kind: Kind,
    bytes: &[u8],
    nodes: &[Node],
    (lower, upper): (Option<&[u8]>, Option<&[u8]>),
) -> Result<(), StoreError> {
    let fewest = if kind == Kind::Branch && task.order == Order::Bytes { 2 } else { 1 };
    if nodes.len() < fewest {
        return Err(task.bad_page(number, "has too few entries"));
    }
    let mut previous = lower;
    let mut may_equal = true;
    // LMDB never looks at the first key of a branch page.
    for node in nodes.iter().skip(usize::from(kind == Kind::Branch)) {
        let key = bytes.get(node.key.clone()).unwrap_or_default();
        let length_fits = match task.order {
            Order::Bytes => (1..=KEY_BYTES_MAX).contains(&key.len()),
            Order::Numbers => key.len() == 8,
        };
        if !length_fits {
            return Err(task.bad_page(number, "has a key of impossible length"));
        }
        let rises = previous.is_none_or(|previous| match task.order.compare(previous, key) {
            Ordering::Less => true,
            Ordering::Equal => may_equal,
            Ordering::Greater => false,
        });
        if !rises || upper.is_some_and(|upper| task.order.compare(key, upper).is_ge()) {
            return Err(task.bad_page(number, "has keys out of order"));
        }
        previous = Some(key);
        may_equal = false;
    }
    Ok(())
}
