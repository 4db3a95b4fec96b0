//! `$bitsAllSet` and its family.

use bson::raw::RawBsonRef;

use super::{
    integer::{not_negative, position},
    number::{as_double, whole},
};
use crate::{query::QueryError, value::error_text::element_text};

/// `$bitsAllSet`, `$bitsAnySet`, `$bitsAllClear`, `$bitsAnyClear`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BitTest {
    pub all: bool,
    pub set: bool,
    /// Positions, 0 = lowest.
    pub positions: Vec<u32>,
}

impl BitTest {
    /// Reads the argument: a number, binary data, or an array of positions.
    pub(super) fn parse(
        field: &str,
        operator: &str,
        argument: RawBsonRef<'_>,
        all: bool,
        set: bool,
    ) -> Result<Self, QueryError> {
        let positions = match argument {
            RawBsonRef::Array(list) => {
                let mut positions = Vec::new();
                for (at, item) in list.into_iter().enumerate() {
                    positions.push(position(&at.to_string(), item?).map_err(|reason| {
                        QueryError::bad_value(format!("Failed to parse bit position. {reason}"))
                    })?);
                }
                positions
            }
            RawBsonRef::Binary(binary) => ones(binary.bytes),
            _ if as_double(argument).is_some() => {
                let mask = not_negative(operator, argument).map_err(QueryError::failed_to_parse)?;
                ones(&mask.to_le_bytes())
            }
            _ => {
                return Err(QueryError::bad_value(format!(
                    "{field} takes an Array, a number, or a BinData but received: {}",
                    element_text(operator, argument)
                )));
            }
        };
        Ok(Self { all, set, positions })
    }

    pub(super) fn holds(&self, value: RawBsonRef<'_>) -> bool {
        let passes = |bit: bool| bit == self.set;
        let (bytes, beyond) = match value {
            RawBsonRef::Binary(binary) => (binary.bytes.to_vec(), false),
            _ => match whole(value) {
                Some(number) => (number.to_le_bytes().to_vec(), number < 0),
                None => return false,
            },
        };
        let mut bits = self.positions.iter().map(|&position| {
            let byte = usize::try_from(position / 8).ok().and_then(|at| bytes.get(at));
            passes(byte.map_or(beyond, |byte| byte >> (position % 8) & 1 == 1))
        });
        if self.all { bits.all(|bit| bit) } else { bits.any(|bit| bit) }
    }
}

fn ones(bytes: &[u8]) -> Vec<u32> {
    let bits = bytes.iter().flat_map(|byte| (0..8).map(move |bit| byte >> bit & 1 == 1));
    (0_u32..).zip(bits).filter(|(_, is_one)| *is_one).map(|(position, _)| position).collect()
}
