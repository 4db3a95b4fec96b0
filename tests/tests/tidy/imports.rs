//! Which file of a crate names which other file of it, read from the parsed source.
//!
//! Every form counts: nested `use` trees, renames, globs, relative paths, paths written out in code and in macros. Code
//! under `#[cfg(test)]` does not count. A name that a `mod.rs` re-exports, or that is reached through an imported
//! module, leads to the file that defines it.

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::{TokenStream, TokenTree};
use syn::visit::{self, Visit};

use super::source::Source;

/// A path from the root of its crate, such as `store`, `env`, `Env`.
pub type ModulePath = Vec<String>;

/// One mention of something else in the same crate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Import {
    /// The file that names it, as an index into [`CrateImports::files`].
    pub from: usize,
    /// The line of the mention.
    pub line: usize,
    /// The item, with re-exports resolved.
    pub path: ModulePath,
    /// The file that defines it. `None` if the path leads to no file of this crate.
    pub to: Option<usize>,
    pub form: Form,
}

/// The form of a mention.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// A path from the root of the crate, or relative to the file's module.
    Path,
    /// The import of a module, whose names are reached through it.
    Module,
    /// A path that begins with an imported module.
    Through,
}

/// Every mention within one crate.
pub struct CrateImports {
    /// The crate's files without tests, in the order given.
    pub files: Vec<String>,
    /// The module that each file holds.
    pub modules: Vec<ModulePath>,
    /// All mentions.
    pub imports: Vec<Import>,
    /// Mentions of other crates: file, line, name of the crate. A local name with `::` after it may be among them.
    pub foreign: Vec<(usize, usize, String)>,
}

impl CrateImports {
    /// Reads the crates whose source folders are `roots`, such as `engine/core/src`, as one: each names the folders of
    /// those below it as its own.
    pub fn read(roots: &[&str], sources: &[Source]) -> Self {
        let tests: Vec<ModulePath> =
            sources.iter().flat_map(|source| test_modules(roots, source)).collect();
        let sources: Vec<&Source> = sources
            .iter()
            .filter(|source| !source.is_tests() && !tests.contains(&module_of(roots, &source.path)))
            .collect();
        let modules: Vec<ModulePath> =
            sources.iter().map(|source| module_of(roots, &source.path)).collect();
        let known: BTreeMap<ModulePath, usize> =
            modules.iter().enumerate().map(|(file, module)| (module.clone(), file)).collect();
        let names: BTreeSet<ModulePath> = known.keys().cloned().collect();
        let mut mentions = Vec::new();
        let mut foreign = Vec::new();
        let mut exports = BTreeMap::new();
        for (file, source) in sources.iter().enumerate() {
            let parsed = syn::parse_file(&source.text)
                .unwrap_or_else(|error| panic!("{} can't be parsed: {error}", source.path));
            let mut reader = Reader::new(file, modules[file].clone(), &names);
            reader.visit_file(&parsed);
            mentions.extend(reader.mentions);
            foreign.extend(reader.foreign);
            exports.extend(reader.exports);
        }
        let imports = mentions
            .into_iter()
            .map(|(from, line, path, form)| {
                let path = follow(path, &exports, &names);
                let to = (0..=path.len()).rev().find_map(|end| known.get(&path[..end])).copied();
                Import { from, line, path, to, form }
            })
            .filter(|import| import.to != Some(import.from))
            .collect();
        let files = sources.iter().map(|source| source.path.clone()).collect();
        Self { files, modules, imports, foreign }
    }
}

/// Modules that a file declares for its tests alone, such as `#[cfg(test)] mod testing;`.
fn test_modules(roots: &[&str], source: &Source) -> Vec<ModulePath> {
    let Ok(parsed) = syn::parse_file(&source.text) else { return Vec::new() };
    let module = module_of(roots, &source.path);
    parsed
        .items
        .iter()
        .filter_map(|item| match item {
            syn::Item::Mod(item) if is_for_tests(&item.attrs) => {
                Some([module.as_slice(), &[item.ident.to_string()]].concat())
            }
            _ => None,
        })
        .collect()
}

/// `engine/store/src/store/txn/env.rs` is `store`, `txn`, `env`; a `mod.rs` is its folder; `lib.rs` is the root.
fn module_of(roots: &[&str], path: &str) -> ModulePath {
    let inner = roots.iter().find_map(|root| path.strip_prefix(root)).unwrap_or(path);
    let inner = inner.trim_start_matches('/');
    let mut parts: ModulePath =
        inner.trim_end_matches(".rs").split('/').map(str::to_owned).collect();
    if matches!(parts.last().map(String::as_str), Some("mod"))
        || matches!(inner, "lib.rs" | "main.rs")
    {
        parts.pop();
    }
    parts
}

/// Replaces a re-exported name by its target, repeatedly while the target is a re-export too.
fn follow(
    mut path: ModulePath,
    exports: &BTreeMap<ModulePath, ModulePath>,
    modules: &BTreeSet<ModulePath>,
) -> ModulePath {
    const STEPS_MAX: usize = 8;
    for _ in 0..STEPS_MAX {
        let found = (1..=path.len()).find_map(|end| {
            let target = exports.get(&path[..end])?;
            (!modules.contains(&path[..end])).then(|| [target, &path[end..]].concat())
        });
        match found {
            Some(next) if next != path => path = next,
            _ => break,
        }
    }
    path
}

struct Reader<'a> {
    file: usize,
    module: ModulePath,
    modules: &'a BTreeSet<ModulePath>,
    mentions: Vec<(usize, usize, ModulePath, Form)>,
    foreign: Vec<(usize, usize, String)>,
    exports: BTreeMap<ModulePath, ModulePath>,
    /// Imported modules, by their names in the file.
    imported: BTreeMap<String, ModulePath>,
}

impl<'a> Reader<'a> {
    fn new(file: usize, module: ModulePath, modules: &'a BTreeSet<ModulePath>) -> Self {
        let (mentions, foreign) = (Vec::new(), Vec::new());
        let (exports, imported) = (BTreeMap::new(), BTreeMap::new());
        Self { file, module, modules, mentions, foreign, exports, imported }
    }

    /// A path as written, from the root of the crate. `None` if it begins in another crate or with
    /// a local name.
    fn absolute(&self, written: &[String]) -> Option<ModulePath> {
        let (first, rest) = written.split_first()?;
        let mut base = match first.as_str() {
            "crate" => Vec::new(),
            "self" => self.module.clone(),
            "super" => self.module.split_last()?.1.to_vec(),
            child => {
                let path = [self.module.as_slice(), &[child.to_owned()]].concat();
                self.modules.contains(&path).then_some(path)?
            }
        };
        for part in rest {
            match part.as_str() {
                "super" => {
                    base.pop();
                }
                "self" | "*" => {}
                name => base.push(name.to_owned()),
            }
        }
        Some(base)
    }

    fn mention(&mut self, line: usize, written: &[String]) {
        if let Some(path) = self.absolute(written) {
            self.mentions.push((self.file, line, path, Form::Path));
        } else if let Some((name, rest)) = written.split_first() {
            self.foreign.push((self.file, line, name.clone()));
            if let Some(module) = self.imported.get(name) {
                let path = [module.as_slice(), rest].concat();
                self.mentions.push((self.file, line, path, Form::Through));
            }
        }
    }

    fn use_tree(&mut self, tree: &syn::UseTree, prefix: &[String], is_public: bool) {
        let joined = |ident: &syn::Ident| [prefix, &[ident.to_string()]].concat();
        match tree {
            syn::UseTree::Path(path) => {
                self.use_tree(&path.tree, &joined(&path.ident), is_public);
            }
            syn::UseTree::Group(group) => {
                for item in &group.items {
                    self.use_tree(item, prefix, is_public);
                }
            }
            syn::UseTree::Glob(glob) => {
                let line = glob.star_token.spans[0].start().line;
                self.mention(line, prefix);
            }
            syn::UseTree::Name(name) => self.used(&joined(&name.ident), &name.ident, is_public),
            syn::UseTree::Rename(rename) => {
                self.used(&joined(&rename.ident), &rename.rename, is_public);
            }
        }
    }

    fn used(&mut self, written: &[String], name: &syn::Ident, is_public: bool) {
        let line = name.span().start().line;
        match self.absolute(written).filter(|path| self.modules.contains(path)) {
            Some(module) if !is_public && !module.is_empty() => {
                self.mentions.push((self.file, line, module.clone(), Form::Module));
                // `use x::{self}` imports `x`.
                let name =
                    if name == "self" { module.last().cloned() } else { Some(name.to_string()) };
                self.imported.extend(name.map(|name| (name, module)));
            }
            _ => self.mention(line, written),
        }
        if is_public && let Some(target) = self.absolute(written) {
            let mut exported = self.module.clone();
            // `pub use x::{self}` exports `x`.
            let name = if name == "self" { target.last().cloned() } else { Some(name.to_string()) };
            exported.extend(name);
            self.exports.insert(exported, target);
        }
    }

    /// Paths in the tokens of a macro call, which are not parsed.
    fn tokens(&mut self, tokens: TokenStream) {
        let mut written: Vec<String> = Vec::new();
        let mut line = 0;
        let mut colons = 0;
        for token in tokens {
            match token {
                TokenTree::Ident(ident) => {
                    if colons != 2 {
                        self.macro_path(line, &written);
                        written.clear();
                        line = ident.span().start().line;
                    }
                    written.push(ident.to_string());
                    colons = 0;
                }
                TokenTree::Punct(punct) if punct.as_char() == ':' && !written.is_empty() => {
                    colons += 1;
                }
                other => {
                    self.macro_path(line, &written);
                    written.clear();
                    colons = 0;
                    if let TokenTree::Group(group) = other {
                        self.tokens(group.stream());
                    }
                }
            }
        }
        self.macro_path(line, &written);
    }

    fn macro_path(&mut self, line: usize, written: &[String]) {
        if written.len() > 1 {
            self.mention(line, written);
        }
    }
}

impl<'ast> Visit<'ast> for Reader<'_> {
    fn visit_item(&mut self, item: &'ast syn::Item) {
        if !is_for_tests(attributes(item)) {
            visit::visit_item(self, item);
        }
    }

    fn visit_impl_item_fn(&mut self, item: &'ast syn::ImplItemFn) {
        if !is_for_tests(&item.attrs) {
            visit::visit_impl_item_fn(self, item);
        }
    }

    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        if item.leading_colon.is_none() {
            let is_public = !matches!(item.vis, syn::Visibility::Inherited);
            self.use_tree(&item.tree, &[], is_public);
        }
    }

    fn visit_item_mod(&mut self, item: &'ast syn::ItemMod) {
        if item.content.is_some() {
            self.module.push(item.ident.to_string());
            visit::visit_item_mod(self, item);
            self.module.pop();
        }
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        if path.leading_colon.is_none() && path.segments.len() > 1 {
            let written: Vec<String> =
                path.segments.iter().map(|segment| segment.ident.to_string()).collect();
            self.mention(path.segments[0].ident.span().start().line, &written);
        }
        visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, call: &'ast syn::Macro) {
        self.tokens(call.tokens.clone());
        visit::visit_macro(self, call);
    }

    /// `pub(in crate::store)` names who may see, not what is used.
    fn visit_vis_restricted(&mut self, _: &'ast syn::VisRestricted) {}
}

fn attributes(item: &syn::Item) -> &[syn::Attribute] {
    match item {
        syn::Item::Const(item) => &item.attrs,
        syn::Item::Enum(item) => &item.attrs,
        syn::Item::Fn(item) => &item.attrs,
        syn::Item::Impl(item) => &item.attrs,
        syn::Item::Macro(item) => &item.attrs,
        syn::Item::Mod(item) => &item.attrs,
        syn::Item::Static(item) => &item.attrs,
        syn::Item::Struct(item) => &item.attrs,
        syn::Item::Trait(item) => &item.attrs,
        syn::Item::Type(item) => &item.attrs,
        syn::Item::Use(item) => &item.attrs,
        _ => &[],
    }
}

/// `#[cfg(test)]`, `#[cfg(all(test, …))]` and `#[test]`. What is compiled with a feature for tests alone counts: it is
/// compiled without the tests too.
fn is_for_tests(attributes: &[syn::Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        if attribute.path().is_ident("test") {
            return true;
        }
        let syn::Meta::List(list) = &attribute.meta else { return false };
        if !list.path.is_ident("cfg") {
            return false;
        }
        let text = list.tokens.to_string().replace(' ', "");
        text == "test" || text.starts_with("all(test,")
    })
}
