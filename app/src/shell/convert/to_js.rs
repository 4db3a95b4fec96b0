//! BSON to JavaScript.

use bson::{Bson, Document};
use rquickjs::{Array, Ctx, IntoJs as _, Object, Value};

/// An object with the fields of a document, in order.
pub(in crate::shell) fn document<'js>(
    ctx: &Ctx<'js>,
    document: &Document,
) -> rquickjs::Result<Value<'js>> {
    let object = Object::new(ctx.clone())?;
    for (key, field) in document {
        object.set(key.as_str(), value(ctx, field)?)?;
    }
    Ok(object.into_value())
}

fn value<'js>(ctx: &Ctx<'js>, bson: &Bson) -> rquickjs::Result<Value<'js>> {
    match bson {
        Bson::Document(fields) => document(ctx, fields),
        Bson::Array(items) => {
            let array = Array::new(ctx.clone())?;
            for (index, item) in items.iter().enumerate() {
                array.set(index, value(ctx, item)?)?;
            }
            Ok(array.into_value())
        }
        Bson::Boolean(flag) => flag.into_js(ctx),
        Bson::Int32(int) => int.into_js(ctx),
        Bson::Double(number) => number.into_js(ctx),
        Bson::String(text) => text.as_str().into_js(ctx),
        Bson::Null => Ok(Value::new_null(ctx.clone())),
        other => other.to_string().into_js(ctx),
    }
}
