//! JavaScript to BSON, as mongosh does: a whole number in 32 bits is an int32, `undefined` is null,
//! a function is code, and symbols are left out.

use std::cell::{Cell, RefCell};

use bson::raw::CString;
use bson::spec::BinarySubtype;
use bson::{Binary, Bson, DateTime, Document, JavaScriptCodeWithScope, Regex, Timestamp};
use rquickjs::object::Filter;
use rquickjs::{Array, Atom, Ctx, Error, FromJs, Object, Result, Type, Value};

use super::LEVELS_MAX;
use super::kinds::{Kind, Prelude};

/// About how many bytes one command may have. More than any store takes, so that a sparse array
/// can't fill the memory.
const BYTES_MAX: usize = 64 << 20;
/// More items than fit into [`BYTES_MAX`].
const ITEMS_MAX: u32 = 16 << 20;

/// Reads an object as a document.
///
/// # Errors
/// A thrown `BSONError` if it isn't an object, is too large or too deep, or has a value of no BSON
/// type. Also any exception of a getter.
pub(in crate::shell) fn document(value: &Value<'_>) -> Result<Document> {
    let reader = Reader::new(value.ctx())?;
    reader.root(value).or_else(|error| reader.refused(error))
}

struct Reader<'js> {
    ctx: Ctx<'js>,
    prelude: Prelude<'js>,
    /// The method with which an object says what is stored in its place.
    to_bson: Atom<'js>,
    room: Cell<usize>,
    /// Why it failed, to be thrown by [`document`], where the stack has room.
    refusal: RefCell<Option<Refusal<'js>>>,
}

/// A value that no document can hold.
enum Refusal<'js> {
    Because(String),
    /// A value with too many levels around it.
    TooDeep(Value<'js>),
}

impl<'js> Reader<'js> {
    fn new(ctx: &Ctx<'js>) -> Result<Self> {
        let to_bson = Atom::from_str(ctx.clone(), "toBSON")?;
        let prelude = Prelude::of(ctx)?;
        let room = Cell::new(BYTES_MAX);
        Ok(Self { ctx: ctx.clone(), prelude, to_bson, room, refusal: RefCell::default() })
    }

    fn root(&self, value: &Value<'js>) -> Result<Document> {
        let is_object = !value.is_array() && !value.is_function();
        let Some(object) = value.as_object().filter(|_| is_object) else {
            return self.fail("a document must be an object");
        };
        match self.prelude.kind(object)? {
            None => self.fields(object, 1),
            Some(Kind::Map) => self.map(object, 1),
            Some(_) => self.fail("a document must be an object with fields"),
        }
    }

    /// Throws the refusal, if there is one.
    fn refused<V>(&self, error: Error) -> Result<V> {
        match self.refusal.take() {
            Some(Refusal::Because(message)) => {
                self.prelude.function("fail")?.call::<_, ()>((message,))?;
            }
            Some(Refusal::TooDeep(value)) => self.call::<()>("tooDeep", &value)?,
            None => {}
        }
        Err(error)
    }

    fn fields(&self, object: &Object<'js>, level: usize) -> Result<Document> {
        let mut document = Document::new();
        for key in object.own_keys::<Atom<'js>>(Filter::default()) {
            let key = key?;
            let item = object.get::<_, Value<'js>>(key.clone())?;
            let name = self.text(&key.to_js_string()?)?;
            if name.contains('\0') {
                return self.fail(&format!("key {name} must not contain null bytes"));
            }
            if let Some(item) = self.value(item, level)? {
                document.insert(name, item);
            }
        }
        Ok(document)
    }

    /// The entries of a `Map`, which has no fields.
    fn map(&self, map: &Object<'js>, level: usize) -> Result<Document> {
        self.fields(&self.call("fields", map.as_value())?, level)
    }

    /// A value inside `level` documents and arrays.
    fn value(&self, value: Value<'js>, level: usize) -> Result<Option<Bson>> {
        self.take(8)?;
        let bson = match value.type_of() {
            Type::Undefined | Type::Null | Type::Uninitialized => Bson::Null,
            Type::Bool => Bson::Boolean(value.as_bool().unwrap_or_default()),
            Type::Int => Bson::Int32(value.as_int().unwrap_or_default()),
            Type::Float => number(value.as_float().unwrap_or_default()),
            Type::String => Bson::String(self.string(value)?),
            Type::BigInt => Bson::Int64(self.big_int(value)?),
            Type::Array => Bson::Array(self.array(value, level + 1)?),
            Type::Proxy if self.call::<bool>("isArray", &value)? => {
                Bson::Array(self.array(self.call("copy", &value)?, level + 1)?)
            }
            Type::Function | Type::Constructor => return self.function(&value, level),
            Type::Object | Type::Exception | Type::Promise | Type::Proxy => {
                return self.object(&Object::from_js(&self.ctx, value)?, level + 1);
            }
            _ => return Ok(None),
        };
        Ok(Some(bson))
    }

    fn array(&self, value: Value<'js>, level: usize) -> Result<Vec<Bson>> {
        self.check(level, &value)?;
        let array = Array::from_js(&self.ctx, value)?;
        // A sparse array can have four billion items.
        let length: f64 = array.as_object().get("length")?;
        if length > f64::from(ITEMS_MAX) {
            return self.fail("an array is too long");
        }
        let mut items = Vec::new();
        for item in array.iter::<Value<'js>>() {
            items.extend(self.value(item?, level)?);
        }
        Ok(items)
    }

    /// Code, as mongosh has it, except `MinKey` and its like without parentheses.
    fn function(&self, function: &Value<'js>, level: usize) -> Result<Option<Bson>> {
        match self.replacement(&Object::from_js(&self.ctx, function.clone())?)? {
            Some(value) if !value.is_function() => self.value(value, level),
            _ => {
                let code = self.string(self.call("source", function)?)?;
                Ok(Some(Bson::JavaScriptCode(code)))
            }
        }
    }

    fn object(&self, object: &Object<'js>, level: usize) -> Result<Option<Bson>> {
        let Some(kind) = self.prelude.kind(object)? else {
            self.check(level, object.as_value())?;
            return match self.replacement(object)? {
                Some(value) => self.value(value, level),
                None => self.fields(object, level).map(Bson::Document).map(Some),
            };
        };
        self.class(kind, object, level).map(Some)
    }

    fn class(&self, kind: Kind, object: &Object<'js>, level: usize) -> Result<Bson> {
        Ok(match kind {
            Kind::ObjectId => match self.raw_text(object)?.parse() {
                Ok(id) => Bson::ObjectId(id),
                Err(_) => return self.fail("an ObjectId must have 24 hex digits"),
            },
            Kind::Int32 => Bson::Int32(object.get("value")?),
            Kind::Double => Bson::Double(object.get("value")?),
            Kind::Long => Bson::Int64(self.raw_int(object)?),
            Kind::Decimal128 => match self.raw_text(object)?.parse() {
                Ok(decimal) => Bson::Decimal128(decimal),
                Err(error) => return self.fail(&error.to_string()),
            },
            Kind::Timestamp => Bson::Timestamp(timestamp(self.raw_int(object)?)),
            Kind::Binary => {
                let bytes = self.bytes(&self.call("content", object.as_value())?)?;
                let subtype = BinarySubtype::from(object.get::<_, u8>("sub_type")?);
                Bson::Binary(Binary { subtype, bytes })
            }
            Kind::Bytes => {
                let bytes = self.bytes(object.as_value())?;
                Bson::Binary(Binary { subtype: BinarySubtype::Generic, bytes })
            }
            Kind::BsonRegExp => self.regex(object.get("pattern")?, object.get("options")?)?,
            Kind::RegExp => {
                let (pattern, options) = self.pair("regex", object)?;
                self.regex(pattern, options)?
            }
            Kind::Code => self.code(object, level)?,
            Kind::BsonSymbol => Bson::Symbol(self.string(object.get("value")?)?),
            Kind::DbRef => {
                self.check(level, object.as_value())?;
                Bson::Document(self.fields(&self.call("dbRef", object.as_value())?, level)?)
            }
            Kind::DbPointer => self.db_pointer(object)?,
            Kind::MinKey => Bson::MinKey,
            Kind::MaxKey => Bson::MaxKey,
            Kind::Date => Bson::DateTime(self.date(object)?),
            Kind::FarDate => Bson::DateTime(DateTime::from_millis(self.raw_int(object)?)),
            Kind::Map => {
                self.check(level, object.as_value())?;
                Bson::Document(self.map(object, level)?)
            }
        })
    }

    fn regex(&self, pattern: Value<'js>, options: Value<'js>) -> Result<Bson> {
        let (pattern, options) = (self.string(pattern)?, self.string(options)?);
        match (CString::try_from(pattern.as_str()), CString::try_from(options)) {
            (Ok(pattern), Ok(options)) => Ok(Bson::RegularExpression(Regex { pattern, options })),
            _ => self.fail(&format!("value {pattern} must not contain null bytes")),
        }
    }

    fn code(&self, object: &Object<'js>, level: usize) -> Result<Bson> {
        let code = self.string(object.get("code")?)?;
        let scope: Value<'js> = object.get("scope")?;
        let Some(scope) = scope.as_object() else {
            return Ok(Bson::JavaScriptCode(code));
        };
        self.check(level, scope.as_value())?;
        let scope = self.fields(scope, level)?;
        Ok(Bson::JavaScriptCodeWithScope(JavaScriptCodeWithScope { code, scope }))
    }

    /// The BSON crate makes this deprecated type only from Extended JSON.
    fn db_pointer(&self, object: &Object<'js>) -> Result<Bson> {
        let (namespace, id) = self.pair("pointer", object)?;
        let (namespace, id) = (self.string(namespace)?, self.string(id)?);
        let json = serde_json::json!({"$dbPointer": {"$ref": namespace, "$id": {"$oid": id}}});
        Bson::try_from(json).or_else(|error| self.fail(&error.to_string()))
    }

    /// As the driver: an invalid date is 1970-01-01.
    fn date(&self, date: &Object<'js>) -> Result<DateTime> {
        let ms: f64 = self.call("time", date.as_value())?;
        #[expect(clippy::cast_possible_truncation, reason = "a Date holds whole milliseconds")]
        Ok(DateTime::from_millis(ms as i64))
    }

    fn replacement(&self, object: &Object<'js>) -> Result<Option<Value<'js>>> {
        let method: Value<'js> = object.get(self.to_bson.clone())?;
        if !method.is_function() {
            return Ok(None);
        }
        self.call("toBSON", object.as_value()).map(Some)
    }

    fn big_int(&self, value: Value<'js>) -> Result<i64> {
        if !self.call::<bool>("fits", &value)? {
            return self.fail("a BigInt must fit into 64 bits");
        }
        value.into_big_int().map_or(Ok(0), rquickjs::BigInt::to_i64)
    }

    /// Unsigned ones wrap around.
    fn raw_int(&self, object: &Object<'js>) -> Result<i64> {
        self.prelude.raw(object)?.into_big_int().map_or(Ok(0), rquickjs::BigInt::to_i64)
    }

    fn raw_text(&self, object: &Object<'js>) -> Result<String> {
        self.string(self.prelude.raw(object)?)
    }

    fn pair(&self, function: &str, object: &Object<'js>) -> Result<(Value<'js>, Value<'js>)> {
        let pair: Array<'js> = self.call(function, object.as_value())?;
        Ok((pair.get(0)?, pair.get(1)?))
    }

    /// The bytes of an `Uint8Array`.
    fn bytes(&self, array: &Value<'js>) -> Result<Vec<u8>> {
        let digits: String = self.call("hex", array)?;
        self.take(digits.len() / 2)?;
        Ok(hex_bytes(&digits))
    }

    fn string(&self, value: Value<'js>) -> Result<String> {
        match value.into_string() {
            Some(string) => self.text(&string),
            None => self.fail("expected a string"),
        }
    }

    /// A lone surrogate becomes U+FFFD.
    fn text(&self, string: &rquickjs::String<'js>) -> Result<String> {
        let text = match string.to_string() {
            Ok(text) => text,
            Err(_) => self.call("wellFormed", string.as_value())?,
        };
        self.take(text.len())?;
        Ok(text)
    }

    fn check(&self, level: usize, value: &Value<'js>) -> Result<()> {
        if level <= LEVELS_MAX {
            return Ok(());
        }
        self.refusal.replace(Some(Refusal::TooDeep(value.clone())));
        Err(Error::Unknown)
    }

    fn take(&self, bytes: usize) -> Result<()> {
        match self.room.get().checked_sub(bytes) {
            Some(room) => {
                self.room.set(room);
                Ok(())
            }
            None => self.fail(&format!("a command can have at most {} MB", BYTES_MAX >> 20)),
        }
    }

    fn call<V: FromJs<'js>>(&self, function: &str, value: &Value<'js>) -> Result<V> {
        self.prelude.function(function)?.call((value.clone(),))
    }

    fn fail<V>(&self, message: &str) -> Result<V> {
        self.refusal.replace(Some(Refusal::Because(message.to_owned())));
        Err(Error::Unknown)
    }
}

/// A whole number in 32 bits is an int32, except negative zero.
fn number(number: f64) -> Bson {
    #[expect(clippy::cast_possible_truncation, reason = "compared below")]
    let int = number as i32;
    if f64::from(int).to_bits() == number.to_bits() {
        Bson::Int32(int)
    } else {
        Bson::Double(number)
    }
}

fn timestamp(bits: i64) -> Timestamp {
    let bits = bits.cast_unsigned();
    #[expect(clippy::cast_possible_truncation, reason = "each half has 32 bits")]
    let (time, increment) = ((bits >> 32) as u32, bits as u32);
    Timestamp { time, increment }
}

/// The bytes that lower-case hex digits encode.
pub(super) fn hex_bytes(digits: &str) -> Vec<u8> {
    let nibble = |digit: u8| if digit > b'9' { digit - b'a' + 10 } else { digit - b'0' };
    digits.as_bytes().chunks_exact(2).map(|two| nibble(two[0]) << 4 | nibble(two[1])).collect()
}
