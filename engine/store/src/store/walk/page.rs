//! Parses one tree page and checks every number in it.

use std::ops::Range;

use super::source::{u16_at, u32_at, u64_at};

const HEADER_BYTES: usize = 16;
const NODE_HEADER_BYTES: usize = 8;
const BRANCH: u16 = 0x01;
const LEAF: u16 = 0x02;
const OVERFLOW: u16 = 0x04;
const NODE_OVERFLOW: u16 = 0x01;
const NODE_TREE: u16 = 0x02;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PageKind {
    Branch,
    Leaf,
}

pub(super) struct Node {
    pub(super) key: Range<usize>,
    pub(super) payload: Payload,
}

pub(super) enum Payload {
    Child(u64),
    /// A value in this page.
    Inline(Range<usize>),
    /// A tree's record in this page.
    Tree(Range<usize>),
    /// A value in a run of overflow pages.
    Overflow {
        page: u64,
        len: u64,
    },
}

/// Parses a branch or leaf page. The error says what is wrong with it.
pub(super) fn parse(bytes: &[u8], number: u64) -> Result<(PageKind, Vec<Node>), &'static str> {
    const SHORT: &str = "is too short";
    if u64_at(bytes, 0) != Some(number) {
        return Err("has another page's number");
    }
    let kind = match u16_at(bytes, 10) {
        Some(BRANCH) => PageKind::Branch,
        Some(LEAF) => PageKind::Leaf,
        _ => return Err("has the wrong type"),
    };
    let lower = usize::from(u16_at(bytes, 12).ok_or(SHORT)?);
    let upper = usize::from(u16_at(bytes, 14).ok_or(SHORT)?);
    if lower < HEADER_BYTES || !lower.is_multiple_of(2) || lower > upper || upper > bytes.len() {
        return Err("has invalid bounds");
    }
    let count = (lower - HEADER_BYTES) / 2;
    let mut nodes = Vec::with_capacity(count);
    let mut places = Vec::with_capacity(count);
    for index in 0..count {
        let at = usize::from(u16_at(bytes, HEADER_BYTES + 2 * index).ok_or(SHORT)?);
        if at < upper {
            return Err("has an entry outside its bounds");
        }
        let (node, end) = node(bytes, at, kind).ok_or("has an entry that extends past the page")?;
        places.push((at, end));
        nodes.push(node);
    }
    places.sort_unstable();
    let mut expected = upper;
    for (at, end) in places {
        if at != expected {
            return Err("has entries that overlap or leave a gap");
        }
        expected = end;
    }
    if expected != bytes.len() {
        return Err("has entries that do not fill it");
    }
    Ok((kind, nodes))
}

/// The number of nodes of a checked page.
pub(super) fn node_count(bytes: &[u8]) -> Option<usize> {
    let lower = usize::from(u16_at(bytes, 12)?);
    Some(lower.checked_sub(HEADER_BYTES)? / 2)
}

/// The key and the child page of a node of a checked branch page.
pub(super) fn branch_node(bytes: &[u8], index: usize) -> Option<(&[u8], u64)> {
    let at = usize::from(u16_at(bytes, HEADER_BYTES + 2 * index)?);
    let (node, _) = node(bytes, at, PageKind::Branch)?;
    let Payload::Child(child) = node.payload else { return None };
    Some((bytes.get(node.key)?, child))
}

/// The node at `at` and where it ends.
fn node(bytes: &[u8], at: usize, kind: PageKind) -> Option<(Node, usize)> {
    let low = u64::from(u16_at(bytes, at)?) | u64::from(u16_at(bytes, at + 2)?) << 16;
    let flags = u16_at(bytes, at + 4)?;
    let key_start = at + NODE_HEADER_BYTES;
    let key_end = key_start + usize::from(u16_at(bytes, at + 6)?);
    let (payload, end) = match (kind, flags) {
        (PageKind::Branch, _) => (Payload::Child(low | u64::from(flags) << 32), key_end),
        (PageKind::Leaf, 0 | NODE_TREE) => {
            let end = key_end.checked_add(usize::try_from(low).ok()?)?;
            let place = key_end..end;
            let is_tree = flags == NODE_TREE;
            (if is_tree { Payload::Tree(place) } else { Payload::Inline(place) }, end)
        }
        (PageKind::Leaf, NODE_OVERFLOW) => {
            (Payload::Overflow { page: u64_at(bytes, key_end)?, len: low }, key_end + 8)
        }
        _ => return None,
    };
    let end = end.checked_next_multiple_of(2)?;
    (end <= bytes.len()).then_some((Node { key: key_start..key_end, payload }, end))
}

/// The number of pages in the overflow run that begins with this page header.
pub(super) fn overflow_run(bytes: &[u8], number: u64) -> Result<u64, &'static str> {
    if u64_at(bytes, 0) != Some(number) {
        return Err("has another page's number");
    }
    if u16_at(bytes, 10) != Some(OVERFLOW) {
        return Err("has the wrong type");
    }
    u32_at(bytes, 12).map(u64::from).ok_or("is too short")
}
