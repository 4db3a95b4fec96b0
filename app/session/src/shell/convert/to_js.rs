//! BSON to JavaScript.

use bson::{Bson, DateTime, Document};
use rquickjs::function::IntoArgs;
use rquickjs::object::Property;
use rquickjs::{Array, Atom, BigInt, Ctx, Function, IntoJs as _, Object, TypedArray, Value};

use super::kinds::Prelude;

/// The farthest instant from 1970 that a JavaScript `Date` holds, in milliseconds.
const DATE_MAX_MS: i64 = 8_640_000_000_000_000;

/// An object with the fields of a document, in order. As in every JavaScript object, names that are
/// whole numbers come first.
pub(in crate::shell) fn document<'js>(
    ctx: &Ctx<'js>,
    document: &Document,
) -> rquickjs::Result<Value<'js>> {
    let prelude = Prelude::of(ctx)?;
    let printer = prelude.printer()?;
    Writer { ctx, prelude, printer }.document(document)
}

struct Writer<'a, 'js> {
    ctx: &'a Ctx<'js>,
    prelude: Prelude<'js>,
    printer: (Atom<'js>, Function<'js>),
}

impl<'js> Writer<'_, 'js> {
    fn document(&self, document: &Document) -> rquickjs::Result<Value<'js>> {
        let object = Object::new(self.ctx.clone())?;
        self.mark(&object)?;
        for (name, field) in document {
            let value = self.value(field)?;
            if name == "__proto__" {
                // Assigning would change the prototype.
                let field = Property::from(value).writable().enumerable().configurable();
                object.prop(name.as_str(), field)?;
            } else {
                object.set(name.as_str(), value)?;
            }
        }
        Ok(object.into_value())
    }

    /// Documents and arrays of the store print whole, as in mongosh.
    fn mark(&self, object: &Object<'js>) -> rquickjs::Result<()> {
        let (custom, print) = &self.printer;
        object.prop(custom.clone(), Property::from(print.clone()))
    }

    fn value(&self, bson: &Bson) -> rquickjs::Result<Value<'js>> {
        match bson {
            Bson::Document(fields) if is_db_ref(fields) => {
                self.make("DBRef", (self.document(fields)?,))
            }
            Bson::Document(fields) => self.document(fields),
            Bson::Array(items) => {
                let array = Array::new(self.ctx.clone())?;
                self.mark(&array)?;
                for (index, item) in items.iter().enumerate() {
                    array.set(index, self.value(item)?)?;
                }
                Ok(array.into_value())
            }
            Bson::Boolean(flag) => flag.into_js(self.ctx),
            Bson::Int32(int) => int.into_js(self.ctx),
            Bson::Double(number) => number.into_js(self.ctx),
            Bson::String(text) => text.as_str().into_js(self.ctx),
            Bson::Null => Ok(Value::new_null(self.ctx.clone())),
            Bson::Undefined => Ok(Value::new_undefined(self.ctx.clone())),
            other => self.class(other),
        }
    }

    fn class(&self, bson: &Bson) -> rquickjs::Result<Value<'js>> {
        match bson {
            Bson::ObjectId(id) => self.make("ObjectId", (id.to_hex(),)),
            Bson::DateTime(date) => self.date(*date),
            Bson::Int64(int) => self.make("Long", (self.int(*int)?,)),
            Bson::Decimal128(decimal) => self.make("Decimal128", (decimal.to_string(),)),
            Bson::Timestamp(stamp) => {
                let int = u64::from(stamp.time) << 32 | u64::from(stamp.increment);
                self.make("Timestamp", (BigInt::from_u64(self.ctx.clone(), int)?,))
            }
            Bson::Binary(binary) => {
                let bytes = TypedArray::<u8>::new_copy(self.ctx.clone(), &binary.bytes)?;
                self.make("Binary", (bytes, u8::from(binary.subtype)))
            }
            Bson::RegularExpression(regex) => {
                self.make("RegExp", (regex.pattern.as_str(), regex.options.as_str()))
            }
            Bson::JavaScriptCode(code) => self.make("Code", (code.as_str(),)),
            Bson::JavaScriptCodeWithScope(code) => {
                self.make("Code", (code.code.as_str(), self.document(&code.scope)?))
            }
            Bson::Symbol(text) => self.make("BSONSymbol", (text.as_str(),)),
            Bson::MinKey => self.make("MinKey", ()),
            Bson::MaxKey => self.make("MaxKey", ()),
            // The crate keeps the fields of this deprecated type to itself, but not their text.
            Bson::DbPointer(_) => {
                let json = bson.clone().into_canonical_extjson();
                let text =
                    |path| json.pointer(path).and_then(|text| text.as_str()).unwrap_or_default();
                let (namespace, id) = (text("/$dbPointer/$ref"), text("/$dbPointer/$id/$oid"));
                self.make("DBPointer", (namespace, self.make("ObjectId", (id,))?))
            }
            _ => Ok(Value::new_null(self.ctx.clone())),
        }
    }

    fn date(&self, date: DateTime) -> rquickjs::Result<Value<'js>> {
        let ms = date.timestamp_millis();
        if ms.unsigned_abs() > DATE_MAX_MS.unsigned_abs() {
            return self.make("FarDate", (self.int(ms)?,));
        }
        #[expect(clippy::cast_precision_loss, reason = "checked to be exact above")]
        self.make("Date", (ms as f64,))
    }

    fn int(&self, int: i64) -> rquickjs::Result<BigInt<'js>> {
        BigInt::from_i64(self.ctx.clone(), int)
    }

    fn make(&self, class: &str, values: impl IntoArgs<'js>) -> rquickjs::Result<Value<'js>> {
        self.prelude.maker(class)?.call(values)
    }
}

/// Whether the driver makes a `DBRef` of a document, and saves it with its fields in the same order.
fn is_db_ref(document: &Document) -> bool {
    let mut fields = document.iter().peekable();
    matches!(fields.next(), Some((name, Bson::String(_))) if name == "$ref")
        && matches!(fields.next(), Some((name, id)) if name == "$id" && *id != Bson::Null)
        && fields
            .next_if(|(name, _)| *name == "$db")
            .is_none_or(|(_, db)| matches!(db, Bson::String(_)))
        && fields.all(|(name, _)| !name.starts_with('$'))
}
