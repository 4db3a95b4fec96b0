//! The console's classes, as Rust tells them apart.

use rquickjs::{Atom, Ctx, Function, Object, Symbol, Value};

/// The classes that hold BSON types, as `kinds` in `js/types.js` lists them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    ObjectId,
    Int32,
    Double,
    Long,
    Decimal128,
    Timestamp,
    Binary,
    BsonRegExp,
    Code,
    BsonSymbol,
    DbRef,
    MinKey,
    MaxKey,
    Date,
    RegExp,
    Map,
    Bytes,
    FarDate,
    DbPointer,
}

impl Kind {
    const ALL: [Self; 19] = [
        Self::ObjectId,
        Self::Int32,
        Self::Double,
        Self::Long,
        Self::Decimal128,
        Self::Timestamp,
        Self::Binary,
        Self::BsonRegExp,
        Self::Code,
        Self::BsonSymbol,
        Self::DbRef,
        Self::MinKey,
        Self::MaxKey,
        Self::Date,
        Self::RegExp,
        Self::Map,
        Self::Bytes,
        Self::FarDate,
        Self::DbPointer,
    ];

    fn of_number(number: i32) -> Option<Self> {
        Self::ALL.get(usize::try_from(number).ok()?.checked_sub(1)?).copied()
    }
}

/// The prelude's private parts that a conversion needs. Scripts can't change them.
pub(super) struct Prelude<'js> {
    shell: Object<'js>,
    /// The symbol under which a prototype holds its kind.
    kind: Atom<'js>,
    /// The symbol under which an object holds its value.
    raw: Atom<'js>,
}

impl<'js> Prelude<'js> {
    pub(super) fn of(ctx: &Ctx<'js>) -> rquickjs::Result<Self> {
        let shell: Object<'js> = ctx.globals().get("__shell")?;
        let kind = shell.get::<_, Symbol<'js>>("kind")?.as_atom();
        let raw = shell.get::<_, Symbol<'js>>("raw")?.as_atom();
        Ok(Self { shell, kind, raw })
    }

    /// The class of an object. `None` for a document.
    pub(super) fn kind(&self, object: &Object<'js>) -> rquickjs::Result<Option<Kind>> {
        let number: Value<'js> = object.get(self.kind.clone())?;
        Ok(number.as_int().and_then(Kind::of_number))
    }

    /// The value that an object hides.
    pub(super) fn raw(&self, object: &Object<'js>) -> rquickjs::Result<Value<'js>> {
        object.get(self.raw.clone())
    }

    /// How a value of the store prints itself: the symbol of its property, and the function there.
    pub(super) fn printer(&self) -> rquickjs::Result<(Atom<'js>, Function<'js>)> {
        let custom = self.shell.get::<_, Symbol<'js>>("custom")?.as_atom();
        Ok((custom, self.shell.get("printStored")?))
    }

    /// A function that makes an object of a class.
    pub(super) fn maker(&self, class: &str) -> rquickjs::Result<Function<'js>> {
        self.shell.get::<_, Object<'js>>("make")?.get(class)
    }

    /// A private function.
    pub(super) fn function(&self, name: &str) -> rquickjs::Result<Function<'js>> {
        self.shell.get(name)
    }
}
