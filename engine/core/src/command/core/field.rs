//! The declared fields of a command and their support.

/// One field of a command.
#[derive(Debug, Clone, Copy)]
pub struct Field {
    /// Its name.
    pub name: &'static str,
    /// How the command treats it.
    pub support: Support,
}

/// How a command treats a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Support {
    /// Missing or null is an error (40414).
    Required,
    /// Missing is an error (40414), null is a value of the wrong type.
    Given,
    /// Read if present.
    Optional,
    /// Accepted and unused: it changes nothing here.
    Ignored,
    /// Refused with "not supported".
    Unsupported,
    /// The fields are free (parameters' names, options that the catalog checks): `*` as its name.
    Any,
}

/// Fields that every command may carry. Sessions and versions change nothing in one process.
pub const COMMON: &[Field] = &[
    ignored("$db"),
    ignored("lsid"),
    ignored("$clusterTime"),
    ignored("$readPreference"),
    ignored("$audit"),
    ignored("readConcern"),
    ignored("writeConcern"),
    ignored("comment"),
    ignored("maxTimeMS"),
    ignored("apiVersion"),
    ignored("apiStrict"),
    ignored("apiDeprecationErrors"),
    ignored("requestDeadlineMS"),
    // Asks for the buckets of a time-series collection as they are stored; see `check_usable`.
    ignored("rawData"),
];

pub const fn required(name: &'static str) -> Field {
    Field { name, support: Support::Required }
}

/// A required field of several types, none of which is null.
pub const fn given(name: &'static str) -> Field {
    Field { name, support: Support::Given }
}

pub const fn optional(name: &'static str) -> Field {
    Field { name, support: Support::Optional }
}

/// A field that changes nothing.
pub const fn ignored(name: &'static str) -> Field {
    Field { name, support: Support::Ignored }
}

/// A field that is refused.
pub const fn unsupported(name: &'static str) -> Field {
    Field { name, support: Support::Unsupported }
}

/// All other fields are accepted; the command checks them.
pub const fn any() -> Field {
    Field { name: "*", support: Support::Any }
}

/// Declares each field of a command once: its support, its name, the [`Request`] method that reads
/// it and the struct field for the value. `FIELDS` is for the check of unknown fields; `read` reads
/// the values in this order. Without a struct field a value is only checked, without a method it is
/// read elsewhere.
///
/// [`Request`]: super::request::Request
macro_rules! fields {
    ($(#[$meta:meta])* struct $name:ident $(<$life:lifetime>)? from $request:ty {
        $($support:ident $key:literal
            $(: $reader:ident $(($arg:expr))? $(=> $field:ident $type:ty)?)?,)*
    }) => {
        $(#[$meta])*
        struct $name $(<$life>)? {
            $($($($field: $type,)?)?)*
        }

        impl $(<$life>)? $name $(<$life>)? {
            const FIELDS: &'static [$crate::command::core::field::Field] =
                &[$($crate::command::core::field::$support($key),)*];

            fn read(
                request: &$request,
            ) -> Result<Self, $crate::command::core::error::CommandError> {
                $($(
                    #[allow(unused_variables, reason = "only checked")]
                    let value = request.$reader($key $(, $arg)?)?;
                    $(let $field: $type = value;)?
                )?)*
                Ok(Self { $($($($field,)?)?)* })
            }
        }
    };
}
pub(crate) use fields;
