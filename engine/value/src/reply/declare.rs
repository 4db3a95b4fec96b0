//! Declares the fields of a reply once, for writing and for reading.

/// Declares structs with the name and the form (`Plain` unless given) of each field in documents.
/// Documents have the fields in this order.
macro_rules! replies {
    ($(
        $(#[$meta:meta])*
        pub struct $name:ident {
            $($(#[$about:meta])* $key:literal $(as $form:ty)? => $field:ident: $type:ty,)*
        }
    )*) => {$(
        $(#[$meta])*
        #[derive(Debug, Clone, PartialEq, Default)]
        pub struct $name {
            $($(#[$about])* pub $field: $type,)*
        }

        impl $name {
            /// The document in the reply.
            pub fn to_document(&self) -> bson::Document {
                let mut document = bson::Document::new();
                $(
                    let value = $crate::reply::wire::Wire::<
                        $crate::reply::declare::form!($($form)?)
                    >::write(&self.$field);
                    if let Some(value) = value {
                        document.insert($key, value);
                    }
                )*
                document
            }

            /// Reads the document in the reply.
            pub fn from_document(document: &bson::Document) -> Option<Self> {
                Some(Self {
                    $($field: $crate::reply::wire::Wire::<
                        $crate::reply::declare::form!($($form)?)
                    >::read(document.get($key))?,)*
                })
            }
        }

        impl $crate::reply::wire::Wire<$crate::reply::wire::Plain> for $name {
            fn write(&self) -> Option<bson::Bson> {
                Some(self.to_document().into())
            }

            fn read(value: Option<&bson::Bson>) -> Option<Self> {
                Self::from_document(value?.as_document()?)
            }
        }
    )*};
}

/// The form of a field.
macro_rules! form {
    () => {
        $crate::reply::wire::Plain
    };
    ($form:ty) => {
        $form
    };
}

/// A reply reads back as the same document, its fields in the same order.
#[cfg(test)]
macro_rules! check_round_trip {
    ($name:ident, $document:expr) => {
        let document: bson::Document = $document;
        let read = $name::from_document(&document).expect("a reply");
        assert_eq!(format!("{:?}", read.to_document()), format!("{document:?}"));
    };
}

#[cfg(test)]
pub(super) use check_round_trip;
pub(super) use {form, replies};
