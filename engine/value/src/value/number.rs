//! Numbers of the four BSON types in one exact form, for the order and for key bytes.
//!
//! A finite number is sign, binary exponent and the 120 highest bits of its magnitude, cut towards
//! zero, and whether anything was cut. int32, int64 and double fit whole. A decimal may be cut, but
//! two decimals of 34 digits differ by more than one part in 10^34 (2^113), so no two different
//! ones have the same 120 bits; and a cut decimal is strictly between its bits and the next ones.
//! The form is therefore exact in its order and one to one.

use std::cmp::Ordering;

use bson::{Decimal128, raw::RawBsonRef};

/// Position of the highest bit of a mantissa.
const TOP_BIT: u32 = 119;
/// Bits of a mantissa below its highest one, in groups of seven.
const GROUPS: usize = 17;
const GROUP_BITS: u32 = 7;
/// Added to binary exponents so that they sort as unsigned: decimals reach from -20,517 to 20,410.
const EXPONENT_BIAS: i32 = 32_768;
/// Largest coefficient of a Decimal128; what is larger counts as zero.
const COEFFICIENT_MAX: u128 = 9_999_999_999_999_999_999_999_999_999_999_999;
/// Bias of the exponent field of a Decimal128.
const DECIMAL_BIAS: i32 = 6_176;
/// 5^27, the largest power of five in 64 bits.
const FIVE_POW_27: u64 = 7_450_580_596_923_828_125;

/// A number of any BSON type. The order of the variants is MongoDB's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Number {
    Nan,
    NegativeInfinity,
    Negative(Magnitude),
    Zero,
    Positive(Magnitude),
    Infinity,
}

/// A magnitude above zero.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Magnitude {
    /// Power of two of the highest bit.
    exponent: i32,
    /// The highest bits, the first of them at `TOP_BIT`.
    mantissa: u128,
    /// Whether bits other than zero were cut.
    cut: bool,
}

impl Number {
    /// The number in this value; `None` if it is of another type.
    pub(super) fn of(value: RawBsonRef<'_>) -> Option<Self> {
        match value {
            RawBsonRef::Int32(int) => Some(Self::of_int(i64::from(int))),
            RawBsonRef::Int64(int) => Some(Self::of_int(int)),
            RawBsonRef::Double(double) => Some(Self::of_double(double)),
            RawBsonRef::Decimal128(decimal) => Some(Self::of_decimal(decimal)),
            _ => None,
        }
    }

    fn of_int(int: i64) -> Self {
        Self::signed(int < 0, Magnitude::of_bits(u128::from(int.unsigned_abs()), 0))
    }

    fn of_double(double: f64) -> Self {
        if double.is_nan() {
            return Self::Nan;
        }
        let bits = double.to_bits();
        let negative = double.is_sign_negative();
        if double.is_infinite() {
            return if negative { Self::NegativeInfinity } else { Self::Infinity };
        }
        let fraction = bits & ((1 << 52) - 1);
        let field = ((bits >> 52) & 0x7ff) as i32;
        let (mantissa, exponent) =
            if field == 0 { (fraction, -1_074) } else { (fraction | 1 << 52, field - 1_075) };
        Self::signed(negative, Magnitude::of_bits(u128::from(mantissa), exponent))
    }

    fn of_decimal(decimal: Decimal128) -> Self {
        let bits = u128::from_le_bytes(decimal.bytes());
        let negative = bits >> 127 == 1;
        if (bits >> 123) & 0xf == 0xf {
            return match ((bits >> 122) & 1 == 1, negative) {
                (true, _) => Self::Nan,
                (false, true) => Self::NegativeInfinity,
                (false, false) => Self::Infinity,
            };
        }
        if (bits >> 125) & 0b11 == 0b11 {
            // The long form of the coefficient always exceeds the maximum.
            return Self::Zero;
        }
        let coefficient = bits & ((1 << 113) - 1);
        if coefficient > COEFFICIENT_MAX {
            return Self::Zero;
        }
        let exponent = i32::try_from((bits >> 113) & 0x3fff).unwrap_or(0) - DECIMAL_BIAS;
        Self::signed(negative, Magnitude::of_decimal(coefficient, exponent))
    }

    fn signed(negative: bool, magnitude: Option<Magnitude>) -> Self {
        match magnitude {
            None => Self::Zero,
            Some(magnitude) if negative => Self::Negative(magnitude),
            Some(magnitude) => Self::Positive(magnitude),
        }
    }

    /// The number, if it is a whole one from 0 to 2^64 - 1.
    pub(super) fn whole(self) -> Option<u64> {
        match self {
            Self::Zero => Some(0),
            Self::Positive(magnitude) => magnitude.whole(),
            _ => None,
        }
    }

    /// The integer at or below the number that key bytes encode, after the byte of its class.
    pub(super) fn floor_of_key(key: &[u8]) -> u64 {
        // A guess: an incomplete key gives any number.
        let Some((&class, rest)) = key.split_first() else { return 0 };
        if class != Self::Positive(Magnitude::ONE).class() {
            return if class > Self::Zero.class() { u64::MAX } else { 0 };
        }
        rest.split_first_chunk().map_or(0, |(exponent, groups)| {
            Magnitude::floor_of_key(
                i32::from(u16::from_be_bytes(*exponent)) - EXPONENT_BIAS,
                groups,
            )
        })
    }

    fn class(self) -> u8 {
        match self {
            Self::Nan => 1,
            Self::NegativeInfinity => 2,
            Self::Negative(_) => 3,
            Self::Zero => 4,
            Self::Positive(_) => 5,
            Self::Infinity => 6,
        }
    }

    /// Appends bytes that sort as the numbers do, none a prefix of another.
    ///
    /// A class byte; for finite numbers other than zero then the exponent (two bytes) and the bits
    /// below the highest one, seven a byte with a low bit that says "more follows". Negative
    /// numbers have exponent and bits inverted.
    pub(super) fn append_key(self, out: &mut Vec<u8>) {
        out.push(self.class());
        let start = out.len();
        match self {
            Self::Negative(magnitude) => {
                magnitude.append_key(out);
                out.iter_mut().skip(start).for_each(|byte| *byte = !*byte);
            }
            Self::Positive(magnitude) => magnitude.append_key(out),
            Self::Nan | Self::NegativeInfinity | Self::Zero | Self::Infinity => {}
        }
    }
}

impl Ord for Number {
    fn cmp(&self, other: &Self) -> Ordering {
        match (self, other) {
            (Self::Negative(a), Self::Negative(b)) => b.cmp(a),
            (Self::Positive(a), Self::Positive(b)) => a.cmp(b),
            _ => self.class().cmp(&other.class()),
        }
    }
}

impl PartialOrd for Number {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Magnitude {
    /// `bits * 2^exponent`; `None` for zero. `bits` has at most 120 bits.
    fn of_bits(bits: u128, exponent: i32) -> Option<Self> {
        let top = bits.checked_ilog2()?;
        let mantissa = bits << TOP_BIT.saturating_sub(top);
        Some(Self { exponent: exponent + top.cast_signed(), mantissa, cut: false })
    }

    /// `coefficient * 10^exponent`; `None` for zero.
    fn of_decimal(coefficient: u128, exponent: i32) -> Option<Self> {
        if coefficient == 0 {
            return None;
        }
        if exponent == 0 {
            return Self::of_bits(coefficient, 0);
        }
        let fives = exponent.unsigned_abs();
        let magnitude = if exponent > 0 {
            let mut product = Big::from(coefficient);
            product.multiply_power_of_five(fives);
            product.quotient(Big::from(1))
        } else {
            let mut divisor = Big::from(1);
            divisor.multiply_power_of_five(fives);
            Big::from(coefficient).quotient(divisor)
        };
        Some(Self { exponent: magnitude.exponent + exponent, ..magnitude })
    }

    const ONE: Self = Self { exponent: 0, mantissa: 1 << TOP_BIT, cut: false };

    fn floor_of_key(exponent: i32, groups: &[u8]) -> u64 {
        let Ok(mut left) = u32::try_from(exponent) else { return 0 };
        if left >= u64::BITS {
            return u64::MAX;
        }
        let mut whole = 1;
        for group in groups {
            let bits = left.min(GROUP_BITS);
            whole = whole << bits | u64::from(group >> 1) >> (GROUP_BITS - bits);
            left -= bits;
        }
        whole << left
    }

    fn whole(self) -> Option<u64> {
        let exponent =
            u32::try_from(self.exponent).ok().filter(|exponent| *exponent < u64::BITS)?;
        let below = TOP_BIT - exponent;
        let is_whole = !self.cut && self.mantissa.trailing_zeros() >= below;
        is_whole.then(|| u64::try_from(self.mantissa >> below).ok()).flatten()
    }

    fn append_key(self, out: &mut Vec<u8>) {
        let exponent = u16::try_from(self.exponent + EXPONENT_BIAS).unwrap_or(u16::MAX);
        out.extend_from_slice(&exponent.to_be_bytes());
        let mut rest = self.mantissa << (u128::BITS - TOP_BIT);
        for group in 1..=GROUPS {
            let seven = rest.to_be_bytes()[0] & 0xfe;
            rest <<= 7;
            let more = rest != 0 || self.cut;
            out.push(seven | u8::from(more));
            if !more {
                return;
            }
            if group == GROUPS {
                out.push(0b10);
            }
        }
    }
}

/// A natural number of any size: limbs of 64 bits, the lowest first.
struct Big(Vec<u64>);

impl From<u128> for Big {
    fn from(value: u128) -> Self {
        let [low, high] = [value & u128::from(u64::MAX), value >> 64];
        Self([low, high].map(|limb| u64::try_from(limb).unwrap_or(0)).to_vec())
    }
}

impl Big {
    fn multiply_power_of_five(&mut self, power: u32) {
        for _ in 0..power / 27 {
            self.multiply(FIVE_POW_27);
        }
        self.multiply(5_u64.pow(power % 27));
    }

    fn multiply(&mut self, factor: u64) {
        let mut carry = 0_u64;
        for limb in &mut self.0 {
            (*limb, carry) = limb.carrying_mul(factor, carry);
        }
        if carry != 0 {
            self.0.push(carry);
        }
    }

    /// Bits of the number; zero has none.
    fn bit_length(&self) -> usize {
        let top = self.0.iter().rposition(|limb| *limb != 0);
        top.map_or(0, |at| (at + 1) * 64 - self.0.get(at).map_or(0, |l| l.leading_zeros() as usize))
    }

    fn is_zero(&self) -> bool {
        self.0.iter().all(|limb| *limb == 0)
    }

    /// Shifts left by any number of bits, growing as needed.
    fn shift_left(&mut self, bits: usize) {
        self.0.splice(0..0, std::iter::repeat_n(0, bits / 64));
        let small = bits % 64;
        if small == 0 {
            return;
        }
        let mut carry = 0;
        for limb in &mut self.0 {
            let next = *limb >> (64 - small);
            *limb = *limb << small | carry;
            carry = next;
        }
        if carry != 0 {
            self.0.push(carry);
        }
    }

    /// Makes both as long as the longer one, with one limb to spare.
    fn align(a: &mut Self, b: &mut Self) {
        let length = a.0.len().max(b.0.len()) + 1;
        a.0.resize(length, 0);
        b.0.resize(length, 0);
    }

    /// Compares two numbers of the same length in limbs.
    fn at_least(&self, other: &Self) -> bool {
        self.0.iter().rev().cmp(other.0.iter().rev()) != Ordering::Less
    }

    fn subtract(&mut self, other: &Self) {
        let mut borrow = false;
        for (limb, other) in self.0.iter_mut().zip(&other.0) {
            (*limb, borrow) = limb.borrowing_sub(*other, borrow);
        }
    }

    fn double(&mut self) {
        let mut carry = 0;
        for limb in &mut self.0 {
            let next = *limb >> 63;
            *limb = *limb << 1 | carry;
            carry = next;
        }
    }

    /// The highest 120 bits of `self / divisor`; neither is zero.
    fn quotient(mut self, mut divisor: Self) -> Magnitude {
        let (mine, theirs) = (self.bit_length(), divisor.bit_length());
        let mut exponent = i32::try_from(mine).unwrap_or(0) - i32::try_from(theirs).unwrap_or(0);
        self.shift_left(theirs.saturating_sub(mine));
        divisor.shift_left(mine.saturating_sub(theirs));
        Self::align(&mut self, &mut divisor);
        if !self.at_least(&divisor) {
            self.double();
            exponent -= 1;
        }
        let mut mantissa = 0_u128;
        for _ in 0..=TOP_BIT {
            mantissa <<= 1;
            if self.at_least(&divisor) {
                self.subtract(&divisor);
                mantissa |= 1;
            }
            self.double();
        }
        Magnitude { exponent, mantissa, cut: !self.is_zero() }
    }
}
