//! Commands whose reply is always the same.

use bson::{Bson, Document, RawDocumentBuf, doc};

use crate::command::core::{Command, CommandError, ignored, raw};

/// `{ping: 1}`
pub static PING: Command = Command::any("ping", &[], |_, _| Ok(RawDocumentBuf::new()));

/// `{connPoolStats: 1}`: connections to other servers, of which there are none.
pub static CONN_POOL_STATS: Command = Command::any("connPoolStats", &[], |_, _| {
    raw(&doc! {
        "numClientConnections": 0,
        "numAScopedConnections": 0,
        "totalInUse": 0,
        "totalAvailable": 0,
        "totalLeased": 0,
        "totalCreated": 0,
        "totalRefreshing": 0,
        "pools": Document::new(),
        "hosts": Document::new(),
    })
});

/// `{getCmdLineOpts: 1}`. Arguments may contain private paths, so clients see only the
/// program's name.
pub static GET_CMD_LINE_OPTS: Command = Command::admin("getCmdLineOpts", &[], |_, _| {
    raw(&doc! { "argv": ["mayfly"], "parsed": Document::new() })
});

/// `{lockInfo: 1}`. Readers need no locks, and writers wait inside a call.
pub static LOCK_INFO: Command =
    Command::admin("lockInfo", &[], |_, _| raw(&doc! { "lockInfo": Vec::<Bson>::new() }));

/// `{fsyncUnlock: 1}`: nothing is ever locked.
pub static FSYNC_UNLOCK: Command = Command::admin("fsyncUnlock", &[], |_, _| {
    Err(CommandError::illegal_operation("fsyncUnlock called when not locked"))
});

/// `{planCacheClear: collection, query, sort, projection}`. Every query plans from scratch, so
/// there is no cache to clear.
pub static PLAN_CACHE_CLEAR: Command = Command::any(
    "planCacheClear",
    &[ignored("query"), ignored("sort"), ignored("projection"), ignored("collation")],
    |_, request| request.namespace().map(|_| RawDocumentBuf::new()),
);
