//! A model of a disk: it is fed with a trace of calls and computes what a power cut may leave of a
//! folder.
//!
//! Bytes are durable after their file was flushed, names after their folder was flushed. This is
//! what a file system promises, and no more. Of names that are not durable, a prefix in order may
//! exist.
//! system promises, and no more. Of names that are not safe, the first ones may be there and those after them not.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use crate::random::Random;
use crate::shim::Call;

/// The files of a folder, as the program sees them and as they are on the disk.
#[derive(Debug, Clone)]
pub struct Disk {
    files: Vec<File>,
    /// The names on the disk.
    safe: Names,
    /// The names that the program sees.
    now: Names,
    /// The changes between them, in order, and whether each is on the disk.
    changes: Vec<(NameChange, bool)>,
}

/// A store's file that only reserves space.
pub const BALLAST: &str = "ballast";

/// LMDB's lock file, which has no meaning after its program, and the ballast.
const PASSING: [&str; 2] = ["lock.mdb", BALLAST];

type Names = BTreeMap<String, Node>;

/// The contents of each file after a cut, by name; `None` is a folder.
pub type Image = BTreeMap<String, Option<Vec<u8>>>;

#[derive(Debug, Clone, Copy, PartialEq)]
enum Node {
    Folder,
    /// The number of a file.
    File(usize),
}

#[derive(Debug, Clone, Default)]
struct File {
    safe: Vec<u8>,
    /// The writes since the last flush, and whether each is on the disk.
    changes: Vec<(Change, bool)>,
}

#[derive(Debug, Clone)]
enum Change {
    Bytes(usize, Vec<u8>),
    Length(usize),
}

#[derive(Debug, Clone)]
enum NameChange {
    Made(String, Node),
    Rename(String, String),
    Exchange(String, String),
    Link(String, String),
    Unlink(String),
}

impl Disk {
    /// A folder whose contents are all on the disk.
    ///
    /// # Panics
    /// When it can't be read.
    pub fn of(folder: &Path) -> Self {
        let mut disk =
            Self { files: Vec::new(), safe: Names::new(), now: Names::new(), changes: Vec::new() };
        disk.read(folder, "");
        disk.now = disk.safe.clone();
        disk
    }

    fn read(&mut self, folder: &Path, below: &str) {
        for entry in fs::read_dir(folder).expect("the folder can be read") {
            let path = entry.expect("an entry").path();
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            let name = format!("{below}{name}");
            if path.is_dir() {
                self.read(&path, &format!("{name}/"));
                self.safe.insert(name, Node::Folder);
            } else if path.file_name().is_none_or(|name| name != BALLAST) {
                let node = Node::File(self.files.len());
                let safe = fs::read(&path).expect("the file can be read");
                self.files.push(File { safe, changes: Vec::new() });
                self.safe.insert(name, node);
            }
        }
    }

    /// Whether the program sees a file of this name.
    pub fn has(&self, name: &str) -> bool {
        self.now.contains_key(name)
    }

    /// Applies a call of the program. An unfinished call has not flushed anything.
    pub fn apply(&mut self, call: &Call, has_returned: bool) {
        match call {
            Call::Made(file) => {
                let node = Node::File(self.files.len());
                self.files.push(File::default());
                self.rename(NameChange::Made(file.clone(), node));
            }
            Call::Folder(name) => self.rename(NameChange::Made(name.clone(), Node::Folder)),
            Call::Write { file, offset, bytes, through } => {
                let change = Change::Bytes(whole(*offset), bytes.clone());
                self.change(file, change, *through && has_returned);
            }
            Call::Length(file, bytes) => self.change(file, Change::Length(whole(*bytes)), false),
            Call::Flush(name) => self.flush(name),
            Call::Rename(from, to) => self.rename(NameChange::Rename(from.clone(), to.clone())),
            Call::Exchange(one, other) => {
                self.rename(NameChange::Exchange(one.clone(), other.clone()));
            }
            Call::Link(from, to) => self.rename(NameChange::Link(from.clone(), to.clone())),
            Call::Unlink(name) => self.rename(NameChange::Unlink(name.clone())),
            // Reserved space that was never written is not read.
            Call::Room(..) | Call::Opened(_) | Call::Closed(_) | Call::Print(_) => {}
        }
    }

    fn change(&mut self, name: &str, change: Change, is_safe: bool) {
        // A file that was removed while it was open has no name.
        if let Some(Node::File(number)) = self.now.get(name) {
            self.files[*number].changes.push((change, is_safe));
        }
    }

    fn rename(&mut self, change: NameChange) {
        change.apply(&mut self.now);
        self.changes.push((change, false));
    }

    fn flush(&mut self, name: &str) {
        if let Some(Node::File(number)) = self.now.get(name) {
            let file = &mut self.files[*number];
            file.safe = file.image(&mut |_| true, usize::MAX);
            file.changes.clear();
            return;
        }
        for (change, is_safe) in &mut self.changes {
            *is_safe |= folder_of(change.name()) == name;
        }
        while self.changes.first().is_some_and(|(_, is_safe)| *is_safe) {
            self.changes.remove(0).0.apply(&mut self.safe);
        }
    }

    /// The names at or below `name` that a cut may remove.
    pub fn unsafe_names(&self, name: &str) -> Vec<String> {
        let changes = self.changes.iter().filter(|(change, is_safe)| {
            let is_at = is_at(change.name(), name)
                || change.other().is_some_and(|other| is_at(other, name));
            let is_given = !matches!(change, NameChange::Unlink(_));
            !is_safe && is_at && is_given && !is_passing(change.name())
        });
        changes.map(|(change, _)| format!("{change:?}")).collect()
    }

    /// The files at or below `name` whose bytes a cut may change.
    pub fn unsafe_bytes(&self, name: &str) -> Vec<String> {
        let files = self.now.iter().filter(|(found, node)| match node {
            Node::File(number) => {
                let changes = &self.files[*number].changes;
                is_at(found, name)
                    && !is_passing(found)
                    && changes.iter().any(|(_, is_safe)| !is_safe)
            }
            Node::Folder => false,
        });
        files.map(|(found, _)| found.clone()).collect()
    }

    /// A state that a power cut may leave now, and how many pieces of files and names were in
    /// flight.
    pub fn cut(&self, random: &mut Random) -> (Image, usize) {
        let piece_bytes = *random.pick(&[512, 4096]);
        let kept_of_ten = *random.pick(&[0, 3, 5, 8, 10]);
        let in_flight = self.changes.iter().filter(|(_, is_safe)| !is_safe).count();
        let mut names_kept = match random.below(3) {
            0 => 0,
            1 => random.below(in_flight + 1),
            _ => in_flight,
        };
        let mut names = self.safe.clone();
        for (change, is_safe) in &self.changes {
            if !is_safe && names_kept == 0 {
                continue;
            }
            names_kept -= usize::from(!is_safe);
            change.apply(&mut names);
        }
        let mut pieces = in_flight;
        let mut keep = |is_safe: bool| {
            pieces += usize::from(!is_safe);
            is_safe || random.below(10) < kept_of_ten
        };
        let image = names.iter().map(|(name, node)| {
            let bytes = match node {
                Node::Folder => None,
                Node::File(number) => Some(self.files[*number].image(&mut keep, piece_bytes)),
            };
            (name.clone(), bytes)
        });
        let image: Image = image.collect();
        (image, pieces)
    }
}

/// Power cuts at random moments of a trace, in order.
pub struct Cuts<'c> {
    /// Before the call at this index.
    disk: Disk,
    calls: &'c [Call],
    at: usize,
    /// The call counts after which the power is cut, in descending order.
    moments: Vec<usize>,
}

impl<'c> Cuts<'c> {
    /// This many cuts during these calls.
    #[must_use]
    pub fn new(start: Disk, calls: &'c [Call], count: usize, random: &mut Random) -> Self {
        let mut moments: Vec<usize> = (0..count).map(|_| random.below(calls.len() + 1)).collect();
        moments.sort_unstable_by(|a, b| b.cmp(a));
        Self { disk: start, calls, at: 0, moments }
    }

    /// The next cut: after how many calls, what it leaves, and how many pieces of files and names
    /// were in flight.
    pub fn next(&mut self, random: &mut Random) -> Option<(usize, Image, usize)> {
        let moment = self.moments.pop()?;
        while self.at + 1 < moment {
            self.disk.apply(&self.calls[self.at], true);
            self.at += 1;
        }
        let mut disk = self.disk.clone();
        // The last call may not have returned yet.
        if let Some(call) = self.calls[..moment].get(self.at) {
            disk.apply(call, false);
        }
        let (image, in_flight) = disk.cut(random);
        Some((moment, image, in_flight))
    }
}

/// Writes what a cut left into a new folder.
///
/// # Panics
/// When it can't be written.
pub fn lay(image: &Image, place: &Path) {
    fs::create_dir(place).expect("a folder can be made");
    // A name sorts after that of its folder.
    for (name, bytes) in image {
        let path = place.join(name);
        // A folder that lost its name lost its contents.
        if !path.parent().is_some_and(Path::is_dir) {
            continue;
        }
        match bytes {
            None => fs::create_dir(path).expect("a folder can be made"),
            Some(bytes) => fs::write(path, bytes).expect("a file can be written"),
        }
    }
}

impl File {
    /// The bytes with the changes that `keep` accepts; it gets whether a change is durable.
    fn image(&self, keep: &mut dyn FnMut(bool) -> bool, piece_bytes: usize) -> Vec<u8> {
        let mut image = self.safe.clone();
        for (change, is_safe) in &self.changes {
            match change {
                Change::Bytes(offset, bytes) => {
                    for (number, piece) in bytes.chunks(piece_bytes).enumerate() {
                        if keep(*is_safe) {
                            put(&mut image, offset + number * piece_bytes, piece);
                        }
                    }
                }
                Change::Length(bytes) if keep(*is_safe) => image.resize(*bytes, 0),
                Change::Length(_) => {}
            }
        }
        image
    }
}

impl NameChange {
    /// The created or removed name. Its folder decides when it is durable.
    fn name(&self) -> &str {
        match self {
            Self::Made(name, _) | Self::Unlink(name) => name,
            Self::Rename(_, to) | Self::Exchange(_, to) | Self::Link(_, to) => to,
        }
    }

    fn other(&self) -> Option<&str> {
        match self {
            Self::Rename(from, _) | Self::Exchange(from, _) => Some(from),
            Self::Made(..) | Self::Link(..) | Self::Unlink(_) => None,
        }
    }

    fn apply(&self, names: &mut Names) {
        match self {
            Self::Made(name, node) => {
                names.insert(name.clone(), *node);
            }
            Self::Link(from, to) => {
                if let Some(node) = names.get(from).copied() {
                    names.insert(to.clone(), node);
                }
            }
            Self::Unlink(name) => {
                names.remove(name);
            }
            Self::Rename(from, to) => {
                let moved = take(names, from);
                if !moved.is_empty() {
                    take(names, to);
                }
                give(names, to, moved);
            }
            Self::Exchange(one, other) => {
                let (first, second) = (take(names, one), take(names, other));
                give(names, other, first);
                give(names, one, second);
            }
        }
    }
}

/// Removes a name and all names below it. Returns the rest of each name.
fn take(names: &mut Names, name: &str) -> Vec<(String, Node)> {
    let below = |found: &str| {
        is_at(found, name).then(|| found.get(name.len()..).unwrap_or_default().to_owned())
    };
    let found = names.iter().filter_map(|(found, node)| Some((below(found)?, *node)));
    let found: Vec<_> = found.collect();
    names.retain(|found, _| below(found).is_none());
    found
}

fn give(names: &mut Names, name: &str, all: Vec<(String, Node)>) {
    names.extend(all.into_iter().map(|(rest, node)| (format!("{name}{rest}"), node)));
}

fn is_passing(name: &str) -> bool {
    PASSING.iter().any(|passing| name.ends_with(passing))
}

fn is_at(found: &str, name: &str) -> bool {
    let below = found.strip_prefix(name);
    below.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

fn folder_of(name: &str) -> &str {
    name.rsplit_once('/').map_or(".", |(folder, _)| folder)
}

fn put(image: &mut Vec<u8>, offset: usize, bytes: &[u8]) {
    if image.len() < offset + bytes.len() {
        image.resize(offset + bytes.len(), 0);
    }
    image[offset..offset + bytes.len()].copy_from_slice(bytes);
}

fn whole(number: u64) -> usize {
    usize::try_from(number).expect("a place in a file fits")
}
