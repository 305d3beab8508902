//! The modules of a crate as its sources declare them, and the paths in each of them. Test code is left out.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use proc_macro2::{TokenStream, TokenTree};
use syn::visit::{self, Visit};
use syn::{Attribute, Item, ItemMod, ItemUse, UseTree};

/// A module by its segments from the root of the crate, which has no segments.
pub(crate) type Name = Vec<String>;

/// The declarations and paths of one module.
#[derive(Default)]
pub(crate) struct Module {
    /// Names that `use` brings into the module, with their paths.
    pub(crate) uses: BTreeMap<String, Name>,
    /// Every path from the root of the crate in the module, with its location.
    pub(crate) paths: Vec<(Name, String)>,
}

/// All modules of a crate.
pub(crate) type Modules = BTreeMap<Name, Module>;

/// Returns the modules of the crate with this root file.
///
/// # Panics
/// A file cannot be read or parsed.
pub(crate) fn of_crate(root: &Path) -> Modules {
    let mut modules = Modules::new();
    file(root, root.parent().expect("a file is in a folder").to_owned(), Vec::new(), &mut modules);
    modules
}

/// Reads the file of a module; `folder` contains the files of its submodules.
fn file(path: &Path, folder: PathBuf, name: Name, modules: &mut Modules) {
    let text = fs::read_to_string(path).unwrap_or_else(|why| panic!("{}: {why}", path.display()));
    let parsed = syn::parse_file(&text).unwrap_or_else(|why| panic!("{}: {why}", path.display()));
    let mut reader = Reader { path, folder, name: name.clone(), module: Module::default(), modules };
    parsed.items.iter().for_each(|item| reader.visit_item(item));
    let Reader { module, modules, .. } = reader;
    modules.insert(name, module);
}

struct Reader<'a> {
    path: &'a Path,
    folder: PathBuf,
    name: Name,
    module: Module,
    modules: &'a mut Modules,
}

impl Reader<'_> {
    /// Adds a path. A path that begins with `crate`, `super` or `self` is made absolute; other paths lead to other crates, or begin
    /// with a name from a `use`.
    fn add(&mut self, segments: &[String], line: usize) -> Option<Name> {
        let mut name = self.name.clone();
        let mut rest = segments.iter().peekable();
        match rest.next()?.as_str() {
            "crate" => name.clear(),
            "self" => {}
            "super" => _ = name.pop()?,
            _ => return None,
        }
        while rest.next_if(|segment| *segment == "super").is_some() {
            name.pop()?;
        }
        name.extend(rest.cloned());
        let location = format!("{}:{line}", self.path.display());
        self.module.paths.push((name.clone(), location));
        Some(name)
    }

    fn use_tree(&mut self, tree: &UseTree, before: &mut Vec<String>, line: usize) {
        match tree {
            UseTree::Path(path) => {
                before.push(path.ident.to_string());
                self.use_tree(&path.tree, before, line);
                before.pop();
            }
            UseTree::Group(group) => group.items.iter().for_each(|item| self.use_tree(item, before, line)),
            UseTree::Name(name) => self.bring(&name.ident.to_string(), &name.ident.to_string(), before, line),
            UseTree::Rename(name) => self.bring(&name.ident.to_string(), &name.rename.to_string(), before, line),
            UseTree::Glob(_) => _ = self.add(before, line),
        }
    }

    fn bring(&mut self, what: &str, named: &str, before: &[String], line: usize) {
        let mut path = before.to_vec();
        if what != "self" {
            path.push(what.to_owned());
        }
        let local = if what == named && what == "self" { before.last().cloned() } else { Some(named.to_owned()) };
        // A path without a keyword begins at this module, or in another crate; then it leads to no module.
        let found = self.add(&path, line).unwrap_or_else(|| [self.name.clone(), path].concat());
        self.module.uses.extend(local.map(|local| (local, found)));
    }

    /// Adds the paths in a macro call, whose tokens are not parsed.
    fn tokens(&mut self, tokens: TokenStream) {
        let mut path: Vec<String> = Vec::new();
        let (mut line, mut colons) = (0, 0);
        for token in tokens {
            match token {
                TokenTree::Ident(word) if path.is_empty() || colons == 2 => {
                    line = if path.is_empty() { word.span().start().line } else { line };
                    path.push(word.to_string());
                    colons = 0;
                    continue;
                }
                TokenTree::Punct(mark) if mark.as_char() == ':' && !path.is_empty() => {
                    colons += 1;
                    continue;
                }
                TokenTree::Group(group) => self.tokens(group.stream()),
                TokenTree::Ident(word) => {
                    self.end(&mut path, line);
                    path.push(word.to_string());
                    (line, colons) = (word.span().start().line, 0);
                    continue;
                }
                _ => {}
            }
            self.end(&mut path, line);
            colons = 0;
        }
        self.end(&mut path, line);
    }

    fn end(&mut self, path: &mut Vec<String>, line: usize) {
        self.add(path, line);
        path.clear();
    }

    fn submodule(&mut self, item: &ItemMod) {
        let word = item.ident.to_string();
        let name = [self.name.clone(), vec![word.clone()]].concat();
        let folder = self.folder.join(&word);
        if let Some((_, items)) = &item.content {
            let mut inner = Reader {
                path: self.path,
                folder,
                name: name.clone(),
                module: Module::default(),
                modules: self.modules,
            };
            items.iter().for_each(|item| inner.visit_item(item));
            let Reader { module, .. } = inner;
            self.modules.insert(name, module);
            return;
        }
        let parent = self.path.parent().expect("a file is in a folder");
        match given_path(&item.attrs).map(|given| parent.join(given)) {
            Some(path) => file(&path, path.parent().expect("a file is in a folder").to_owned(), name, self.modules),
            None if folder.join("mod.rs").exists() => file(&folder.join("mod.rs"), folder, name, self.modules),
            None => file(&self.folder.join(format!("{word}.rs")), folder, name, self.modules),
        }
    }
}

impl<'ast> Visit<'ast> for Reader<'_> {
    fn visit_item(&mut self, item: &'ast Item) {
        match item {
            _ if is_for_tests(attributes(item)) => {}
            Item::Mod(item) => self.submodule(item),
            item => visit::visit_item(self, item),
        }
    }

    fn visit_item_use(&mut self, item: &'ast ItemUse) {
        let line = item.use_token.span.start().line;
        self.use_tree(&item.tree, &mut Vec::new(), line);
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let segments: Vec<String> = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
        let line = path.segments.first().map_or(0, |segment| segment.ident.span().start().line);
        self.add(&segments, line);
        visit::visit_path(self, path);
    }

    fn visit_visibility(&mut self, _: &'ast syn::Visibility) {}

    fn visit_macro(&mut self, call: &'ast syn::Macro) {
        self.visit_path(&call.path);
        self.tokens(call.tokens.clone());
    }
}

fn attributes(item: &Item) -> &[Attribute] {
    match item {
        Item::Const(item) => &item.attrs,
        Item::Fn(item) => &item.attrs,
        Item::Impl(item) => &item.attrs,
        Item::Macro(item) => &item.attrs,
        Item::Mod(item) => &item.attrs,
        Item::Static(item) => &item.attrs,
        Item::Struct(item) => &item.attrs,
        Item::Use(item) => &item.attrs,
        _ => &[],
    }
}

/// Returns true for `#[cfg(test)]` and similar attributes; false for `#[cfg(not(test))]`.
fn is_for_tests(attributes: &[Attribute]) -> bool {
    attributes.iter().filter(|attribute| attribute.path().is_ident("cfg")).any(|attribute| {
        let condition = attribute.meta.require_list().map(|list| list.tokens.to_string()).unwrap_or_default();
        let has_word = condition.split(|c: char| !c.is_alphanumeric()).any(|word| word == "test");
        has_word && !condition.replace(' ', "").contains("not(test)")
    })
}

/// Returns the path of `#[path = ".."]`.
fn given_path(attributes: &[Attribute]) -> Option<String> {
    let value =
        attributes.iter().find(|attribute| attribute.path().is_ident("path"))?.meta.require_name_value().ok()?;
    match &value.value {
        syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(text), .. }) => Some(text.value()),
        _ => None,
    }
}
