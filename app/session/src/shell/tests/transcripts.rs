//! The console's output for lines that mongosh ran on the same store: each file was compared with
//! it.

use super::transcript;

#[test]
fn inserts_report_their_ids() {
    transcript(include_str!("transcripts/inserts_report_their_ids.txt"));
}

#[test]
fn updates_report_what_changed() {
    transcript(include_str!("transcripts/updates_report_what_changed.txt"));
}

#[test]
fn deletes_report_how_many() {
    transcript(include_str!("transcripts/deletes_report_how_many.txt"));
}

#[test]
fn counts_and_distinct_values() {
    transcript(include_str!("transcripts/counts_and_distinct_values.txt"));
}

#[test]
fn one_document_is_changed_and_returned() {
    transcript(include_str!("transcripts/one_document_is_changed_and_returned.txt"));
}

#[test]
fn pages_of_a_cursor() {
    transcript(include_str!("transcripts/pages_of_a_cursor.txt"));
}

#[test]
fn documents_one_by_one() {
    transcript(include_str!("transcripts/documents_one_by_one.txt"));
}

#[test]
fn options_of_a_find() {
    transcript(include_str!("transcripts/options_of_a_find.txt"));
}

#[test]
fn aggregations() {
    transcript(include_str!("transcripts/aggregations.txt"));
}

#[test]
fn explained_commands() {
    transcript(include_str!("transcripts/explained_commands.txt"));
}

#[test]
fn operations_of_a_bulk_write() {
    transcript(include_str!("transcripts/operations_of_a_bulk_write.txt"));
}

#[test]
fn a_builder_collects_operations() {
    transcript(include_str!("transcripts/a_builder_collects_operations.txt"));
}

#[test]
fn indexes_are_made_hidden_and_dropped() {
    transcript(include_str!("transcripts/indexes_are_made_hidden_and_dropped.txt"));
}

#[test]
fn a_reply_that_failed() {
    transcript(include_str!("transcripts/a_reply_that_failed.txt"));
}

#[test]
fn batches_that_failed() {
    transcript(include_str!("transcripts/batches_that_failed.txt"));
}

#[test]
fn a_validator_says_why() {
    transcript(include_str!("transcripts/a_validator_says_why.txt"));
}

#[test]
fn arguments_are_checked_before_they_are_sent() {
    transcript(include_str!("transcripts/arguments_are_checked_before_they_are_sent.txt"));
}

#[test]
fn javascript_errors() {
    transcript(include_str!("transcripts/javascript_errors.txt"));
}

#[test]
fn lines_that_are_no_javascript() {
    transcript(include_str!("transcripts/lines_that_are_no_javascript.txt"));
}

#[test]
fn databases_and_commands() {
    transcript(include_str!("transcripts/databases_and_commands.txt"));
}

#[test]
fn a_collection_as_a_whole() {
    transcript(include_str!("transcripts/a_collection_as_a_whole.txt"));
}

#[test]
fn values_are_printed() {
    transcript(include_str!("transcripts/values_are_printed.txt"));
}

#[test]
fn azure_cosmos_db() {
    transcript(include_str!("transcripts/azure_cosmos_db.txt"));
}

#[test]
fn mongodb_manual() {
    transcript(include_str!("transcripts/mongodb_manual.txt"));
}

#[test]
fn a_store_is_one_node() {
    transcript(include_str!("transcripts/a_store_is_one_node.txt"));
}

#[test]
fn various_lines() {
    transcript(include_str!("transcripts/various_lines.txt"));
}

#[test]
fn documents_print_whole() {
    transcript(include_str!("transcripts/documents_print_whole.txt"));
}
