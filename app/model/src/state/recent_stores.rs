//! The stores that were open before, for the start page and for the next start.
//!
//! `Settings::stores` lists the stores that were open (`state/recent_stores.rs`): for the start page
//! (`panels/welcome.rs`), the menu of the store's name, the dialog of a folder, and the next start
//! (`WindowOptions::open_last`). Such a request has `OpenRequest::must_exist`, because a folder may be gone
//! by then, and `apply/choose_store.rs` looks into it before the present store is closed.
//! `Settings::store_tabs` keeps open and closed tabs, with their filters, and folded databases by the path of
//! the store's folder; `source/embedded.rs` gives a path one form.

use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::job::{Attached, ConnectionString, OpenRequest, ServerMark};
use crate::limits::{DATE_MS_MAX, RECENT_STORES_MAX};

/// A server that was attached before, without its password.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct SavedServer {
    /// The connection string without the password.
    pub address: String,
    pub mark: ServerMark,
    /// Whether the system's keyring has its password.
    pub remembered: bool,
}

impl SavedServer {
    /// Under what the system's keyring keeps its password.
    pub fn secret_key(&self) -> Option<String> {
        ConnectionString::read(&self.address).ok()?.secret_key()
    }
}

/// A store that was open before.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct RecentStore {
    /// Its name in the top bar.
    pub name: String,
    /// Where it is: its folder, or the address of its server.
    pub folder: String,
    /// Whether it is opened as the demo store.
    pub demo: bool,
    /// Whether it is opened by its folder. The user's own store and the demo store have theirs in
    /// the platform's data directory.
    pub is_named: bool,
    /// The server, or `None` for a store on this machine.
    pub server: Option<SavedServer>,
    /// When it was opened last, in milliseconds since 1970.
    pub opened_ms: i64,
}

impl RecentStore {
    pub fn new(request: &OpenRequest, name: &str, folder: &Path, opened_ms: i64) -> Self {
        Self {
            name: name.to_owned(),
            folder: folder.to_string_lossy().into_owned(),
            demo: request.demo,
            is_named: request.folder.is_some(),
            server: None,
            opened_ms,
        }
    }

    pub fn attached(server: &Attached, opened_ms: i64) -> Self {
        let address = server.address.clone();
        Self {
            name: server.name.clone(),
            folder: address.clone(),
            server: Some(SavedServer { address, mark: server.mark, remembered: false }),
            opened_ms,
            ..Self::default()
        }
    }

    /// A store in a folder that the user chose.
    pub fn in_folder(folder: &Path, opened_ms: i64) -> Self {
        let name = folder.file_name().map(|name| name.to_string_lossy().into_owned());
        let request = OpenRequest { folder: Some(folder.into()), ..OpenRequest::default() };
        Self::new(&request, &name.unwrap_or_default(), folder, opened_ms)
    }

    /// The request that opens it again, and never makes a store where there is none any more.
    pub fn request(&self) -> OpenRequest {
        OpenRequest {
            folder: self.is_named.then(|| PathBuf::from(&self.folder)),
            demo: self.demo,
            must_exist: self.is_named,
            ..OpenRequest::default()
        }
    }
}

/// The stores that were open before, the latest first: at most [`RECENT_STORES_MAX`].
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct RecentStores(Vec<RecentStore>);

impl RecentStores {
    /// Orders stores that several windows noted: the latest first, none opened before 1970.
    pub(super) fn bound(&mut self) {
        for store in &mut self.0 {
            store.opened_ms = store.opened_ms.clamp(0, DATE_MS_MAX);
        }
        self.0.sort_by_key(|store| Reverse(store.opened_ms));
        self.0.truncate(RECENT_STORES_MAX);
    }

    /// The stores, the latest first.
    pub fn list(&self) -> &[RecentStore] {
        &self.0
    }

    /// The store on this machine that was opened last. A server is attached only when the user asks.
    pub fn last(&self) -> Option<&RecentStore> {
        self.0.iter().find(|store| store.server.is_none())
    }

    pub fn others<'a>(
        &'a self,
        folder: Option<&'a Path>,
    ) -> impl Iterator<Item = &'a RecentStore> + 'a {
        let is_shown = move |store: &RecentStore| folder == Some(Path::new(&store.folder));
        self.0.iter().filter(move |store| !is_shown(store))
    }

    /// Under what the system's keyring keeps the passwords of these servers.
    pub fn secret_keys(&self) -> BTreeSet<String> {
        let servers = self.0.iter().filter_map(|store| store.server.as_ref());
        servers.filter(|it| it.remembered).filter_map(SavedServer::secret_key).collect()
    }

    /// Whether a server with this key is listed.
    pub fn has_server(&self, key: &str) -> bool {
        let mut servers = self.0.iter().filter_map(|store| store.server.as_ref());
        servers.any(|server| server.secret_key().as_deref() == Some(key))
    }

    /// Notes whether the system's keyring has the password of the servers with this key.
    pub fn set_remembered(&mut self, key: &str, remembered: bool) {
        for server in self.0.iter_mut().filter_map(|store| store.server.as_mut()) {
            if server.secret_key().as_deref() == Some(key) {
                server.remembered = remembered;
            }
        }
    }

    /// Puts a store first. A server has its password where the same server had it before.
    pub fn note(&mut self, mut store: RecentStore) {
        if let Some(server) = &mut store.server {
            let key = server.secret_key();
            server.remembered = key.is_some_and(|key| self.secret_keys().contains(&key));
        }
        self.forget(&store.folder);
        self.0.insert(0, store);
        self.0.truncate(RECENT_STORES_MAX);
    }

    /// Takes a store off the list.
    pub fn forget(&mut self, folder: &str) {
        self.0.retain(|known| known.folder != folder);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn noted(folders: &[&str]) -> RecentStores {
        let mut stores = RecentStores::default();
        for folder in folders {
            stores.note(RecentStore::in_folder(Path::new(folder), 0));
        }
        stores
    }

    fn folders(stores: &RecentStores) -> Vec<&str> {
        stores.list().iter().map(|store| store.folder.as_str()).collect()
    }

    #[test]
    fn the_latest_store_comes_first_and_once() {
        assert_eq!(folders(&noted(&["/a", "/b", "/a"])), ["/a", "/b"]);
        let many: Vec<String> = (0..20).map(|number| format!("/{number}")).collect();
        let many = noted(&many.iter().map(String::as_str).collect::<Vec<_>>());
        assert_eq!(many.list().len(), RECENT_STORES_MAX);
        assert_eq!(many.last().map(|store| store.folder.as_str()), Some("/19"));
    }

    #[test]
    fn a_store_is_opened_again_as_it_was() {
        let own = OpenRequest::default();
        let demo = OpenRequest { demo: true, ..OpenRequest::default() };
        for request in [own, demo] {
            let store = RecentStore::new(&request, "it", Path::new("/data/it"), 7);
            assert_eq!(store.request(), request);
        }
        let named = RecentStore::in_folder(Path::new("/data/shop"), 7);
        assert_eq!(named.name, "shop");
        let expected = OpenRequest {
            folder: Some("/data/shop".into()),
            must_exist: true,
            ..OpenRequest::default()
        };
        assert_eq!(named.request(), expected);
    }

    #[test]
    fn the_settings_know_of_a_password_only_that_it_is_remembered() {
        let server = |address: &str| {
            let attached = Attached {
                address: address.to_owned(),
                name: "h".to_owned(),
                mark: ServerMark::default(),
                topology: String::new(),
                version: String::new(),
                ahead_ms: 0,
                pass_job: None,
                is_replica_set: false,
                slow_down: crate::job::server::SlowDown::default(),
                stored: crate::job::Stored::default(),
            };
            RecentStore::attached(&attached, 0)
        };
        let key = "mongodb://u@h/admin";
        let mut stores = RecentStores::default();
        stores.note(server("mongodb://u@h/"));
        assert!(stores.secret_keys().is_empty() && stores.has_server(key));
        stores.set_remembered(key, true);
        stores.set_remembered("mongodb://v@h/admin", false);
        // The same server with another option, and another one.
        stores.note(server("mongodb://u@h/?tls=true"));
        stores.note(server("mongodb://v@h/"));
        let remembered: Vec<bool> = stores
            .list()
            .iter()
            .filter_map(|store| Some(store.server.as_ref()?.remembered))
            .collect();
        assert_eq!(remembered, [false, true, true]);
        stores.forget("mongodb://u@h/");
        assert_eq!(stores.secret_keys().into_iter().collect::<Vec<_>>(), [key]);
        stores.forget("mongodb://u@h/?tls=true");
        assert!(stores.secret_keys().is_empty() && !stores.has_server(key));
        // Written before passwords could be remembered.
        let old = r#"{"address": "mongodb://u@h/", "mark": {}}"#;
        let old: SavedServer = serde_json::from_str(old).expect("settings");
        assert!(!old.remembered);
    }

    #[test]
    fn the_store_that_is_shown_is_no_other() {
        let stores = noted(&["/a", "/b"]);
        let others: Vec<&str> =
            stores.others(Some(Path::new("/b"))).map(|store| store.folder.as_str()).collect();
        assert_eq!(others, ["/a"]);
        assert_eq!(stores.others(None).count(), 2);
    }
}
