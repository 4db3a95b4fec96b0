//! Databases, collections, index definitions, and the rules for creating and changing them.
