//! Enums whose variants have a text.

/// Declares an enum, the array `ALL` of its variants in this order, and a method that returns the
/// text of each.
///
/// ```
/// mayfly_value::value::named! {
///     #[derive(Clone, Copy)]
///     pub enum Unit {
///         Seconds => "seconds",
///         Minutes => "minutes",
///     }
///     /// The word for it.
///     pub fn label;
/// }
/// assert_eq!(Unit::ALL.map(Unit::label), ["seconds", "minutes"]);
/// ```
#[macro_export]
macro_rules! named {
    (
        $(#[$meta:meta])*
        $vis:vis enum $name:ident {
            $($(#[$about:meta])* $variant:ident => $text:literal,)+
        }
        $(#[$of:meta])*
        $shown:vis fn $method:ident;
    ) => {
        $(#[$meta])*
        $vis enum $name {
            $($(#[$about])* $variant,)+
        }

        impl $name {
            /// All of them, in order.
            $vis const ALL: [Self; [$($text),+].len()] = [$(Self::$variant),+];

            $(#[$of])*
            #[must_use]
            $shown const fn $method(self) -> &'static str {
                match self {
                    $(Self::$variant => $text,)+
                }
            }
        }
    };
}

pub use named;
