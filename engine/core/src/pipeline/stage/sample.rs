//! `$sample`.

use std::{
    collections::BinaryHeap,
    hash::{BuildHasher, Hasher, RandomState},
};

use bson::{RawDocumentBuf, raw::RawBsonRef};

use crate::pipeline::flow::{Input, Stage};
use crate::pipeline::{PipelineError, error::fail, memory::MemoryBudget};

/// `$sample`: every document gets a random number; those with the smallest ones are given.
#[derive(Debug, Clone)]
pub(in crate::pipeline) struct Sample {
    size: usize,
    drawn: Option<Vec<RawDocumentBuf>>,
    held: MemoryBudget,
}

struct Ticket {
    number: u64,
    document: RawDocumentBuf,
}

impl Sample {
    pub(in crate::pipeline) fn parse(value: RawBsonRef<'_>) -> Result<Self, PipelineError> {
        let RawBsonRef::Document(options) = value else {
            let message = "the $sample stage specification must be an object";
            return fail(28745, message);
        };
        let mut size = None;
        for element in options {
            let (name, value) = element?;
            if name.as_str() != "size" {
                let message = format!("unrecognized option to $sample: {name}");
                return fail(28748, message);
            }
            let number = match value {
                RawBsonRef::Int32(number) => i64::from(number),
                RawBsonRef::Int64(number) => number,
                #[expect(clippy::cast_possible_truncation, reason = "`as` saturates")]
                RawBsonRef::Double(number) => number as i64,
                #[expect(clippy::cast_possible_truncation, reason = "`as` saturates")]
                RawBsonRef::Decimal128(number) => {
                    number.to_string().parse::<f64>().unwrap_or(0.0) as i64
                }
                _ => {
                    let message = "size argument to $sample must be a number";
                    return fail(28746, message);
                }
            };
            if number <= 0 {
                let message = "size argument to $sample must be a positive integer";
                return fail(28747, message);
            }
            size = Some(usize::try_from(number).unwrap_or(usize::MAX));
        }
        match size {
            Some(size) => Ok(Self { size, drawn: None, held: MemoryBudget::default() }),
            None => fail(28749, "$sample stage must specify a size"),
        }
    }

    fn draw(&mut self, input: &mut Input<'_>) -> Result<Vec<RawDocumentBuf>, PipelineError> {
        // A hash of the position under a random key is a random number without another crate.
        let random = RandomState::new();
        let mut tickets: BinaryHeap<Ticket> = BinaryHeap::new();
        let mut count = 0_u64;
        while let Some(document) = input.next_document()? {
            count += 1;
            let mut hasher = random.build_hasher();
            hasher.write_u64(count);
            let number = hasher.finish();
            let is_full = tickets.len() >= self.size;
            if is_full && tickets.peek().is_some_and(|last| last.number <= number) {
                continue;
            }
            self.held.add("$sample", document.as_bytes().len())?;
            tickets.push(Ticket { number, document });
            if is_full && let Some(dropped) = tickets.pop() {
                // Returned to the budget: a sample of a large collection holds no more than its
                // size.
                self.held.remove(dropped.document.as_bytes().len());
            }
        }
        Ok(tickets.into_iter().map(|ticket| ticket.document).collect())
    }
}

impl Ord for Ticket {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.number.cmp(&other.number)
    }
}

impl PartialOrd for Ticket {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Ticket {
    fn eq(&self, other: &Self) -> bool {
        self.number == other.number
    }
}

impl Eq for Ticket {}

impl Stage for Sample {
    fn next(&mut self, input: &mut Input<'_>) -> Result<Option<RawDocumentBuf>, PipelineError> {
        if self.drawn.is_none() {
            self.drawn = Some(self.draw(input)?);
        }
        Ok(self.drawn.as_mut().and_then(Vec::pop))
    }
}
