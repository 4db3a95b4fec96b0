//! Commands of a MongoDB server that are known and refused, each with the reason.
//!
//! A name that no MongoDB server knows is not listed: it gets `CommandNotFound`.

use crate::command::core::{Answer, Code, Command, CommandError, Context, Request, Scope, any};

macro_rules! refused {
    ($($constant:ident $name:literal $scope:ident $code:ident $reason:literal;)*) => {
        $(
            #[doc = concat!("`", $name, "`: ", $reason)]
            pub static $constant: Command = Command {
                name: $name,
                aliases: &[],
                scope: Scope::$scope,
                fields: &[any()],
                run: |_: &Context, _: &Request<'_>| -> Answer {
                    Err(CommandError::new(Code::$code, $reason))
                },
            };
        )*

        /// All of them, for the table.
        pub static ALL: &[&Command] = &[$(&$constant,)*];
    };
}

refused! {
    // As a server answers that is not a member of a replica set.
    REPL_SET_GET_CONFIG "replSetGetConfig" Admin NO_REPLICATION_ENABLED "not running with --replSet";
    REPL_SET_INITIATE "replSetInitiate" Admin NO_REPLICATION_ENABLED
        "This node was not started with replication enabled.";
    REPL_SET_RECONFIG "replSetReconfig" Admin NO_REPLICATION_ENABLED "not running with --replSet";
    REPL_SET_STEP_DOWN "replSetStepDown" Admin NO_REPLICATION_ENABLED "not running with --replSet";
    REPL_SET_FREEZE "replSetFreeze" Admin NO_REPLICATION_ENABLED "not running with --replSet";
    REPL_SET_MAINTENANCE "replSetMaintenance" Admin NO_REPLICATION_ENABLED
        "not running with --replSet";
    REPL_SET_SYNC_FROM "replSetSyncFrom" Admin NO_REPLICATION_ENABLED "not running with --replSet";
    GET_DEFAULT_RW_CONCERN "getDefaultRWConcern" Admin STANDALONE
        "'getDefaultRWConcern' is not supported on standalone nodes.";
    SET_DEFAULT_RW_CONCERN "setDefaultRWConcern" Admin STANDALONE
        "'setDefaultRWConcern' is not supported on standalone nodes.";
    COMMIT_TRANSACTION "commitTransaction" Admin ILLEGAL_OPERATION
        "Transaction numbers are only allowed on a replica set member or mongos";
    ABORT_TRANSACTION "abortTransaction" Admin ILLEGAL_OPERATION
        "Transaction numbers are only allowed on a replica set member or mongos";

    // Users: Mayfly creates the only one.
    CREATE_USER "createUser" Any NOT_SUPPORTED
        "createUser is not supported; Mayfly creates its only user";
    UPDATE_USER "updateUser" Any NOT_SUPPORTED
        "updateUser is not supported; Mayfly creates its only user";
    DROP_USER "dropUser" Any NOT_SUPPORTED
        "dropUser is not supported; Mayfly creates its only user";
    DROP_ALL_USERS "dropAllUsersFromDatabase" Any NOT_SUPPORTED
        "dropAllUsersFromDatabase is not supported; Mayfly creates its only user";
    GRANT_ROLES_TO_USER "grantRolesToUser" Any NOT_SUPPORTED
        "grantRolesToUser is not supported; the only user has all privileges";
    REVOKE_ROLES_FROM_USER "revokeRolesFromUser" Any NOT_SUPPORTED
        "revokeRolesFromUser is not supported; the only user has all privileges";
    CREATE_ROLE "createRole" Any NOT_SUPPORTED
        "createRole is not supported; the only user has all privileges";
    UPDATE_ROLE "updateRole" Any NOT_SUPPORTED
        "updateRole is not supported; the only user has all privileges";
    DROP_ROLE "dropRole" Any NOT_SUPPORTED
        "dropRole is not supported; the only user has all privileges";
    DROP_ALL_ROLES "dropAllRolesFromDatabase" Any NOT_SUPPORTED
        "dropAllRolesFromDatabase is not supported; the only user has all privileges";

    // Commands of another storage engine, and unsupported ones.
    RE_INDEX "reIndex" Any NOT_SUPPORTED "reIndex is not supported; drop the index and create it again";
    DB_HASH "dbHash" Any NOT_SUPPORTED
        "dbHash is not supported; validate checks a collection against its checksums";
    TOP "top" Admin NOT_SUPPORTED "top is not supported; serverStatus counts commands";
    LOG_ROTATE "logRotate" Admin NOT_SUPPORTED
        "logRotate is not supported: the log is in memory and bounded, see getLog";
    GET_DIAGNOSTIC_DATA "getDiagnosticData" Admin NOT_SUPPORTED
        "getDiagnosticData is not supported; see serverStatus";
    SHUTDOWN "shutdown" Admin NOT_SUPPORTED
        "shutdown is not supported; close the program, or stop its listener there";
    SET_FCV "setFeatureCompatibilityVersion" Admin NOT_SUPPORTED
        "setFeatureCompatibilityVersion is not supported: there is only one";
    SET_CLUSTER_PARAMETER "setClusterParameter" Admin NOT_SUPPORTED
        "setClusterParameter is not supported: this is a single server";
    PLAN_CACHE_SET_FILTER "planCacheSetFilter" Any NOT_SUPPORTED
        "planCacheSetFilter is not supported; use hint";
    MAP_REDUCE "mapReduce" Any NOT_SUPPORTED "mapReduce is not supported; use aggregate";
    CLONE_COLLECTION_AS_CAPPED "cloneCollectionAsCapped" Any NOT_SUPPORTED
        "cloneCollectionAsCapped is not supported; create a capped collection and insert into it";
}
