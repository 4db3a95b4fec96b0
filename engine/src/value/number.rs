//! Numbers of the four BSON types in one exact form.
