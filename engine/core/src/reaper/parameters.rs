//! The parameters of the TTL monitor: names, defaults and bounds of MongoDB, and two of our own.

use std::{
    sync::atomic::{AtomicI64, AtomicU32, Ordering},
    time::Duration,
};

use thiserror::Error;

use crate::{
    limits::{BATCH_BYTES_MAX, BATCH_MS_MAX, BULK_DOCS_MAX, TRASH_SECS_MAX},
    store::StoreError,
};

/// A parameter of the TTL monitor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TtlParameter {
    /// Whether the monitor works at all.
    Enabled,
    /// Seconds of sleep between two passes.
    SleepSecs,
    /// Whether the work on one index is limited, so that others get their turn.
    BatchDeletes,
    /// Seconds after which a sub-pass ends; 0 visits each index once.
    SubPassTargetSecs,
    /// Milliseconds of one visit to an index. 0 means no limit.
    IndexDeleteTargetMs,
    /// Documents of one visit to an index. 0 means no limit.
    IndexDeleteTargetDocs,
    /// Documents of one write transaction; 0 leaves it to the engine's own bound.
    BatchDocs,
    /// Milliseconds of one write transaction; 0 leaves it to the engine's own bound.
    BatchMs,
    /// Bytes of the documents of one write transaction. 0 means no limit.
    BatchBytes,
    /// Mayfly's own: also wake at the next threshold.
    ReapAtThreshold,
    /// Mayfly's own: seconds that removed documents are kept in the trash; 0 keeps none.
    TrashSecs,
}

/// How many parameters there are.
const COUNT: usize = TtlParameter::TrashSecs as usize + 1;

/// The type of a parameter's value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ParameterKind {
    /// True or false, kept as 1 or 0.
    Bool,
    /// A whole number within int32.
    Int32,
    /// A whole number within int64.
    Int64,
}

/// Name, type, default and bounds of a parameter (after MongoDB's `ttl.idl`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ParameterInfo {
    /// Which one.
    pub parameter: TtlParameter,
    /// The name in `getParameter` and `setParameter`.
    pub name: &'static str,
    /// The type of its values.
    pub kind: ParameterKind,
    /// The value of a new engine.
    pub default: i64,
    /// The lowest value it takes.
    pub min: i64,
    /// The highest value it takes.
    pub max: i64,
}

/// All parameters, in the order of [`TtlParameter`].
pub const TTL_PARAMETERS: [ParameterInfo; COUNT] = [
    bool_parameter(TtlParameter::Enabled, "ttlMonitorEnabled", true),
    int32_parameter(TtlParameter::SleepSecs, "ttlMonitorSleepSecs", 60, 1),
    bool_parameter(TtlParameter::BatchDeletes, "ttlMonitorBatchDeletes", true),
    int32_parameter(TtlParameter::SubPassTargetSecs, "ttlMonitorSubPassTargetSecs", 60, 0),
    int32_parameter(TtlParameter::IndexDeleteTargetMs, "ttlIndexDeleteTargetTimeMS", 1_000, 0),
    int32_parameter(TtlParameter::IndexDeleteTargetDocs, "ttlIndexDeleteTargetDocs", 50_000, 0),
    int64_parameter(TtlParameter::BatchDocs, "batchedDeletesTargetBatchDocs", 10, i64::MAX),
    int64_parameter(TtlParameter::BatchMs, "batchedDeletesTargetBatchTimeMS", 5, i64::MAX),
    int64_parameter(
        TtlParameter::BatchBytes,
        "batchedDeletesTargetStagedDocBytes",
        2_097_152,
        i32::MAX as i64,
    ),
    bool_parameter(TtlParameter::ReapAtThreshold, "mayflyReapAtThreshold", false),
    ParameterInfo {
        max: TRASH_SECS_MAX,
        ..int32_parameter(TtlParameter::TrashSecs, "mayflyTrashSecs", 0, 0)
    },
];

const fn bool_parameter(
    parameter: TtlParameter,
    name: &'static str,
    default: bool,
) -> ParameterInfo {
    let kind = ParameterKind::Bool;
    ParameterInfo { parameter, name, kind, default: default as i64, min: 0, max: 1 }
}

const fn int32_parameter(
    parameter: TtlParameter,
    name: &'static str,
    default: i64,
    min: i64,
) -> ParameterInfo {
    let kind = ParameterKind::Int32;
    ParameterInfo { parameter, name, kind, default, min, max: i32::MAX as i64 }
}

const fn int64_parameter(
    parameter: TtlParameter,
    name: &'static str,
    default: i64,
    max: i64,
) -> ParameterInfo {
    ParameterInfo { parameter, name, kind: ParameterKind::Int64, default, min: 0, max }
}

impl TtlParameter {
    /// Name, type, default and bounds.
    #[must_use]
    pub fn info(self) -> &'static ParameterInfo {
        &TTL_PARAMETERS[self as usize]
    }

    /// Whether it takes this value.
    ///
    /// # Errors
    /// `Bounds`.
    pub fn check(self, value: i64) -> Result<(), ParameterError> {
        let ParameterInfo { name, min, max, .. } = *self.info();
        if value < min || value > max {
            return Err(ParameterError::Bounds { name, value, min, max });
        }
        Ok(())
    }

    /// The parameter with this name; names are case-sensitive.
    pub fn by_name(name: &str) -> Option<Self> {
        TTL_PARAMETERS.iter().find(|info| info.name == name).map(|info| info.parameter)
    }
}

/// Why a parameter was not set.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ParameterError {
    /// The value is outside its bounds.
    #[error("Invalid value for parameter {name}: {value} is not between {min} and {max}")]
    Bounds {
        /// The parameter's name.
        name: &'static str,
        /// The refused value.
        value: i64,
        /// The lowest value it takes.
        min: i64,
        /// The highest value it takes.
        max: i64,
    },
    /// It is kept over a restart, and the store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// The values in force. They are set while the monitor runs and not kept when the engine closes,
/// as in MongoDB; only [`TtlParameter::TrashSecs`] is kept, see `trash`.
#[derive(Debug)]
pub struct TtlParameters {
    values: [AtomicI64; COUNT],
    /// One bit per parameter that was set.
    set: AtomicU32,
}

impl Default for TtlParameters {
    fn default() -> Self {
        let values = TTL_PARAMETERS.map(|info| AtomicI64::new(info.default));
        Self { values, set: AtomicU32::new(0) }
    }
}

impl TtlParameters {
    /// The value; 1 and 0 for true and false.
    pub fn get(&self, parameter: TtlParameter) -> i64 {
        self.values[parameter as usize].load(Ordering::Relaxed)
    }

    /// Sets a value and hands back the one before.
    ///
    /// # Errors
    /// When the value is outside its bounds; nothing changes then.
    pub fn set(&self, parameter: TtlParameter, value: i64) -> Result<i64, ParameterError> {
        parameter.check(value)?;
        self.set.fetch_or(1 << parameter as u32, Ordering::Relaxed);
        Ok(self.values[parameter as usize].swap(value, Ordering::Relaxed))
    }

    /// Whether the monitor works.
    pub fn enabled(&self) -> bool {
        self.get(TtlParameter::Enabled) != 0
    }

    /// Sleep between two passes.
    pub fn sleep(&self) -> Duration {
        Duration::from_secs(self.unsigned(TtlParameter::SleepSecs))
    }

    /// Whether the monitor also wakes at the next threshold.
    pub fn at_threshold(&self) -> bool {
        self.get(TtlParameter::ReapAtThreshold) != 0
    }

    /// Milliseconds that removed documents are kept in the trash; `None` keeps none.
    pub fn trash_ms(&self) -> Option<i64> {
        let secs = self.get(TtlParameter::TrashSecs);
        (secs > 0).then(|| secs.saturating_mul(1_000))
    }

    /// Whether a visit to an index is limited.
    pub fn batch_deletes(&self) -> bool {
        self.get(TtlParameter::BatchDeletes) != 0
    }

    /// Time after which a sub-pass ends; `None` if each index is visited once.
    pub fn sub_pass_target(&self) -> Option<Duration> {
        let secs = self.unsigned(TtlParameter::SubPassTargetSecs);
        (secs > 0).then(|| Duration::from_secs(secs))
    }

    /// Documents and time of one visit to an index.
    pub fn visit_limits(&self) -> Limits {
        if !self.batch_deletes() {
            return Limits { docs: u64::MAX, time: Duration::MAX };
        }
        let docs = self.unsigned(TtlParameter::IndexDeleteTargetDocs);
        let ms = self.unsigned(TtlParameter::IndexDeleteTargetMs);
        Limits {
            docs: if docs == 0 { u64::MAX } else { docs },
            time: if ms == 0 { Duration::MAX } else { Duration::from_millis(ms) },
        }
    }

    /// Documents and time of one write transaction. MongoDB's defaults suit its storage engine, so
    /// unset parameters mean the engine's own bounds, which also cap the set ones.
    pub fn batch_limits(&self) -> Limits {
        let docs = self.chosen(TtlParameter::BatchDocs).unwrap_or(u64::MAX);
        let ms = self.chosen(TtlParameter::BatchMs).unwrap_or(u64::MAX);
        Limits {
            docs: docs.min(BULK_DOCS_MAX as u64),
            time: Duration::from_millis(ms.min(BATCH_MS_MAX)),
        }
    }

    /// Bytes of documents in one write transaction.
    pub fn batch_bytes(&self) -> u64 {
        self.chosen(TtlParameter::BatchBytes).unwrap_or(BATCH_BYTES_MAX as u64)
    }

    fn unsigned(&self, parameter: TtlParameter) -> u64 {
        u64::try_from(self.get(parameter)).unwrap_or(0)
    }

    /// The value, unless unset or "no limit".
    fn chosen(&self, parameter: TtlParameter) -> Option<u64> {
        let is_set = self.set.load(Ordering::Relaxed) & (1 << parameter as u32) != 0;
        let value = self.unsigned(parameter);
        (is_set && value > 0).then_some(value)
    }
}

/// A bound in documents and one in time; whichever is reached first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Documents.
    pub docs: u64,
    /// Time of real work.
    pub time: Duration,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_in_the_order_of_the_enum() {
        for (place, info) in TTL_PARAMETERS.iter().enumerate() {
            assert_eq!(info.parameter as usize, place, "{}", info.name);
            assert_eq!(TtlParameter::by_name(info.name), Some(info.parameter));
        }
        assert_eq!(TtlParameter::by_name("ttlmonitorenabled"), None);
    }

    #[track_caller]
    fn check(parameter: TtlParameter, value: i64, accepted: bool) {
        let parameters = TtlParameters::default();
        assert_eq!(parameters.set(parameter, value).is_ok(), accepted);
        let expected = if accepted { value } else { parameter.info().default };
        assert_eq!(parameters.get(parameter), expected);
    }

    #[test]
    fn bounds() {
        check(TtlParameter::SleepSecs, 1, true);
        check(TtlParameter::SleepSecs, 0, false);
        check(TtlParameter::SleepSecs, -1, false);
        check(TtlParameter::SleepSecs, i64::from(i32::MAX), true);
        check(TtlParameter::SleepSecs, i64::from(i32::MAX) + 1, false);
        check(TtlParameter::SubPassTargetSecs, 0, true);
        check(TtlParameter::IndexDeleteTargetDocs, 0, true);
        check(TtlParameter::IndexDeleteTargetMs, -1, false);
        check(TtlParameter::Enabled, 2, false);
        check(TtlParameter::BatchBytes, i64::from(i32::MAX) + 1, false);
        check(TtlParameter::BatchDocs, i64::MAX, true);
        check(TtlParameter::TrashSecs, 0, true);
        check(TtlParameter::TrashSecs, TRASH_SECS_MAX, true);
        check(TtlParameter::TrashSecs, TRASH_SECS_MAX + 1, false);
    }

    #[test]
    fn limits_follow_the_values() {
        let parameters = TtlParameters::default();
        let engine =
            Limits { docs: BULK_DOCS_MAX as u64, time: Duration::from_millis(BATCH_MS_MAX) };
        assert_eq!(parameters.batch_limits(), engine);
        assert_eq!(
            parameters.visit_limits(),
            Limits { docs: 50_000, time: Duration::from_secs(1) }
        );
        parameters.set(TtlParameter::BatchDocs, 10).expect("within bounds");
        assert_eq!(parameters.batch_limits().docs, 10);
        parameters.set(TtlParameter::BatchDocs, 1_000_000).expect("within bounds");
        assert_eq!(parameters.batch_limits(), engine);
        parameters.set(TtlParameter::IndexDeleteTargetDocs, 0).expect("within bounds");
        assert_eq!(parameters.visit_limits().docs, u64::MAX);
        parameters.set(TtlParameter::BatchDeletes, 0).expect("within bounds");
        assert_eq!(parameters.visit_limits().time, Duration::MAX);
    }
}
