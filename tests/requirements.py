"""Every clause of the design that the core must keep, with the tests that prove it.

A clause has an id; `proofs` are test functions as `path::name`, seen from `tests/`. A clause that does
not hold yet, or holds otherwise than written, is a `Divergence` with a reason: data, never a skip.
`tests/test_requirements.py` checks that each clause has a proof and that each proof exists.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["DIVERGENCES", "REQUIREMENTS", "Divergence", "Requirement"]


@dataclass(frozen=True, slots=True)
class Requirement:
    """One clause.

    Attributes:
        id: Stable: `L1` for a law, `row:pin` for a row of the table, else area and a name.
        says: The clause in one sentence.
        proofs: Tests that fail if it does not hold.
    """

    id: str
    says: str
    proofs: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Divergence:
    """Where what is built is not what the clause says.

    Attributes:
        id: Of the clause.
        what: What happens instead.
        why: The reason, and what a user is told meanwhile.
    """

    id: str
    what: str
    why: str


_LAWS = "core/test_laws.py"
_ROWS = "core/test_rows.py"
_PLAN = "core/test_planner.py"
_APPLY = "core/test_apply.py"
_TABLE = "core/test_table.py"
_REF = "core/test_plan_compaction.py"
_BIND = "core/test_bindings.py"
_GEN = "core/test_generated.py"
_LIFT = "core/test_lift.py"
_FOLD = "core/test_fold.py"
_CARRIED = "core/test_carried.py"
_CONTROL = "test_control.py"
_API = "test_api.py"

_TAMPERED = f"{_LAWS}::test_exactly_the_law_that_is_broken_reports_it"
_SPOKEN = f"{_LAWS}::test_exactly_the_law_that_is_broken_reports_it_where_text_left_and_lines_folded"
_GROWN = f"{_GEN}::test_what_hypothesis_draws_and_grows_gives_sound_views_in_a_row_or_a_halt"
_EVERYWHERE = f"{_GEN}::test_every_generated_transcript_gives_a_sound_view_or_a_halt"


def _law(identity: str, says: str, *more: str) -> Requirement:
    refused = f"{_LAWS}::test_a_compaction_that_would_break_a_law_writes_nothing_and_names_the_law"
    return Requirement(identity, says, (_TAMPERED, refused, *more))


def _row(identity: str, says: str, *names: str) -> Requirement:
    return Requirement(f"row:{identity}", says, tuple(f"{_ROWS}::{name}" for name in names))


def _clause(identity: str, says: str, path: str, *names: str) -> Requirement:
    return Requirement(identity, says, tuple(f"{path}::{name}" for name in names))


LAWS = (
    _law(
        "L1",
        "What is authoritative is kept byte-identical, or tombstoned as the policy allows.",
        _EVERYWHERE,
        f"{_APPLY}::test_every_action_that_the_table_does_not_hold_is_refused_for_every_span",
        f"{_API}::test_a_compaction_holds_for_a_checker_that_trusts_nothing_of_ours",
    ),
    _law(
        "L2",
        "Every store handle in the view resolves to bytes with that hash.",
        _SPOKEN,
        f"{_API}::test_every_tombstone_gives_its_verbatim_original_back",
    ),
    _law("L3", "Each handle of a span that left is in the record, under redaction."),
    _law(
        "L4",
        "Exchanges stay whole, and the view is valid for its provider.",
        f"{_LAWS}::test_l4_does_not_ask_for_more_than_came_in",
        f"{_BIND}::test_a_cut_at_every_boundary_of_a_turn_is_valid_or_names_the_way_out",
        _EVERYWHERE,
        _GROWN,
    ),
    _law(
        "L5",
        "Tokens after are within the target, by the counter that counted before.",
        f"{_PLAN}::test_tokens_after_is_what_the_view_weighs_when_it_is_counted_anew",
    ),
    _law(
        "L6",
        "The messages that came in can be rebuilt byte for byte from view and store.",
        f"{_APPLY}::test_a_message_taken_apart_is_put_together_to_the_byte",
        f"{_API}::test_a_compaction_holds_for_a_checker_that_trusts_nothing_of_ours",
    ),
    _law(
        "L7",
        "The same input is decided and written the same.",
        f"{_API}::test_equal_input_in_equal_stores_gives_equal_records",
        f"{_API}::test_two_runs_without_a_store_hand_out_the_same_bytes",
    ),
    _law("L8", "What stays stands in its order, once.", _EVERYWHERE),
    _law(
        "L9",
        "No handle of ours names what no span that left has, and a manifest names neither more nor less.",
        _SPOKEN,
        f"{_FOLD}::test_the_manifest_names_exactly_what_left_and_what_our_lines_pointed_to",
    ),
    _law(
        "L10",
        "Nothing to do gives the same object, and an untouched message is the one that came in.",
        f"{_API}::test_nothing_to_do_gives_the_very_object_back_and_writes_nothing",
        f"{_APPLY}::test_apply_never_changes_what_came_in_and_shares_what_it_did_not_touch",
    ),
    _law(
        "L11",
        "Unknown fields are kept.",
        f"{_APPLY}::test_a_result_message_of_chat_keeps_all_its_other_fields",
    ),
    _law("L12", "Plan states are unchanged.", f"{_LAWS}::test_l12_a_checklist_in_text_is_a_plan_as_well"),
    _law(
        "L13",
        "Nothing of tool, harness or foreign provenance is presented as the user's or as a rule.",
        _SPOKEN,
        f"{_LIFT}::test_tool_text_and_harness_text_are_never_lifted",
        f"{_LAWS}::test_l13_a_tools_name_can_not_speak_on_a_page",
        f"{_API}::test_a_marker_that_no_record_put_there_is_inert_and_reported",
    ),
    _law(
        "L14",
        "The plan names every span once.",
        f"{_APPLY}::test_a_plan_names_every_span_once_and_in_order",
    ),
    _law(
        "L15",
        "Each pin stands in every view on every path.",
        f"{_LAWS}::test_l15_pins_hold_against_every_way_of_leaving",
        f"{_API}::test_a_pin_stands_in_the_view_at_every_target",
        f"{_API}::test_a_session_rehydrates_what_left_and_pins_hold",
    ),
)

ROWS = (
    Requirement(
        "row:rel",
        "What the caller lets go may leave, a call, an open exchange and system text aside.",
        (
            f"{_CONTROL}::test_a_release_lets_that_span_go_with_a_tombstone_and_only_that",
            f"{_TABLE}::test_each_way_through_the_table_ends_where_a_second_reading_of_the_design_ends",
        ),
    ),
    _row(
        "pin",
        "What the caller, a person or a declared pattern pinned is never evicted.",
        "test_pin_what_the_caller_pins_is_pinned_whatever_else_it_is",
        "test_pin_by_span_id_pins_that_span_only",
        "test_pin_a_message_that_its_client_pinned_is_pinned",
    ),
    _row(
        "sys",
        "System and developer text.",
        "test_sys_system_and_developer_messages",
        "test_sys_the_requests_own_system_text",
        "test_sys_is_not_what_a_person_calls_system_text",
    ),
    _row(
        "ans",
        "A result that carries a human's act, by structure, with its call.",
        "test_ans_a_persons_refusal_stays_with_its_call",
        "test_ans_a_file_that_quotes_the_refusal_is_a_read_like_any_other",
        "test_ans_a_failed_command_that_prints_the_refusal_later_in_its_output_is_no_refusal",
        "test_ans_the_answer_to_a_question_and_to_a_plan_by_declaration",
        "test_ans_a_tool_of_the_callers_that_answers_for_a_human",
    ),
    _row(
        "req",
        "The newest human message, and what it leans on.",
        "test_req_the_newest_human_message",
        "test_req_an_answer_keeps_the_question_and_what_the_question_answered",
        "test_req_a_long_message_that_answers_no_question_leans_on_nothing",
        "test_req_short_is_under_200_characters",
        "test_req_without_any_human_message_it_is_the_first_in_the_users_role",
    ),
    _row(
        "ins",
        "The content of an instruction file, by its name and place.",
        "test_ins_the_content_of_an_instruction_file",
        "test_ins_a_file_whose_name_only_resembles_one_is_a_read",
        "test_ins_a_file_that_says_of_itself_that_it_holds_rules_is_a_read",
    ),
    _row(
        "pay",
        "A payload inside a human message that is not the newest.",
        "test_pay_a_large_quoted_or_attached_or_pasted_part_of_an_older_message",
        "test_pay_an_image_of_an_older_message",
        "test_pay_what_the_agent_fences_is_no_payload",
    ),
    _row(
        "usr",
        "Any other human text; in doubt it is speech.",
        "test_pay_a_long_typed_list_of_rules_is_speech",
        "test_pay_a_small_fence_is_speech",
        "test_req_the_newest_human_message",
    ),
    _row(
        "pln",
        "What the live plan needs.",
        "test_pln_the_newest_plan_stays_and_plo_the_older_one_may_leave",
        "test_pln_a_plan_built_of_single_changes_needs_each_call_that_no_later_one_replaces",
        "test_pln_a_failed_plan_call_changes_nothing_and_the_one_before_stays",
        "test_pln_a_checklist_in_the_agents_text_where_no_plan_tool_says_more",
        "test_pln_a_checklist_in_a_file_is_no_plan_of_the_agents",
    ),
    _row(
        "plo",
        "Plan calls that the fold no longer needs.",
        "test_pln_the_newest_plan_stays_and_plo_the_older_one_may_leave",
        "test_pln_a_plan_built_of_single_changes_needs_each_call_that_no_later_one_replaces",
    ),
    _row(
        "opn",
        "A call without result and nothing but its batch after it.",
        "test_opn_a_batch_at_the_end_that_waits_for_a_result",
        "test_opn_is_closed_by_the_last_result",
    ),
    _row(
        "abd", "An older unanswered call.", "test_abd_an_older_call_without_a_result_stays_and_bars_nothing"
    ),
    _row(
        "liv",
        "Start and latest state of what still runs.",
        "test_liv_start_and_latest_state_of_a_background_shell_stay_until_its_end",
        "test_liv_a_shell_in_the_foreground_leaves_nothing_that_runs",
        "test_liv_what_still_runs_may_write_so_a_read_after_its_start_is_not_live",
    ),
    _row(
        "sup",
        "A read that a later successful read covers.",
        "test_sup_the_same_read_again_covers_the_earlier_one",
        "test_sup_a_range_is_covered_by_a_whole_read_that_is_long_enough",
        "test_sup_another_range_or_an_argument_that_is_no_range_covers_nothing",
        "test_sup_a_failed_read_covers_nothing",
        "test_sup_a_read_in_the_same_batch_covers_nothing",
    ),
    _row(
        "rec",
        "A successful result of a repeatable tool, and nothing since could have changed it.",
        "test_rec_a_read_that_nothing_could_have_changed",
        "test_rec_what_cannot_have_written_the_handle_leaves_the_read_live",
        "test_rec_a_write_before_the_read_does_not_count",
        "test_rec_needs_an_argument_for_its_handle",
    ),
    _row(
        "ded",
        "The same, after anything that may have written its handle.",
        "test_ded_a_read_before_anything_that_may_have_written_its_handle",
        "test_ded_a_tool_that_the_request_no_longer_offers_cannot_be_asked_again",
        "test_ded_a_read_grows_old_by_its_declared_age_in_turns",
    ),
    _row(
        "wrt",
        "Arguments and result of a successful write.",
        "test_wrt_arguments_and_result_of_a_successful_write",
        "test_wrt_also_where_the_file_was_written_again",
        "test_wrt_a_failed_write_is_one_shot_and_its_arguments_stay",
    ),
    _row(
        "one",
        "A result of any other tool, and failed results.",
        "test_one_the_result_of_a_tool_that_nobody_declared",
        "test_one_a_failed_read_is_one_shot",
        "test_one_a_reminder_inside_a_result_is_part_of_the_result",
    ),
    _row("arg", "Arguments of any other call.", "test_one_the_result_of_a_tool_that_nobody_declared"),
    _row("thk", "Reasoning.", "test_thk_reasoning_whether_signed_or_not"),
    _row(
        "nar",
        "Agent text followed by more work in the same turn.",
        "test_nar_text_before_more_work_and_rep_the_last_text_of_a_turn",
        "test_nar_a_turn_that_ends_in_a_call_has_no_last_word",
    ),
    _row(
        "rep",
        "The agent's last text of a turn.",
        "test_nar_text_before_more_work_and_rep_the_last_text_of_a_turn",
        "test_rep_all_texts_of_the_message_that_ends_the_turn",
    ),
    _row(
        "hrn",
        "Harness text, by the dialect's table.",
        "test_hrn_a_reminder_that_fills_its_block_is_the_harness_and_beside_words_it_is_the_persons",
        "test_hrn_is_never_taken_for_the_newest_human_message",
    ),
    _row(
        "for",
        "A foreign summary, and any marker of ours without a record.",
        "test_for_a_summary_of_another_compaction",
        "test_for_a_page_of_ours_without_a_record_is_not_ours",
    ),
    _row("own", "Our own pages.", "test_own_a_page_that_a_record_of_the_session_put_there"),
)

CLAUSES = (
    _clause(
        "table:total",
        "Every combination of facts has exactly one row.",
        _TABLE,
        "test_every_combination_of_facts_has_a_row_and_only_one",
        "test_each_way_through_the_table_ends_where_a_second_reading_of_the_design_ends",
    ),
    _clause(
        "table:no-text", "No row reads a span's text.", _TABLE, "test_no_fact_is_text_and_none_is_a_number"
    ),
    _clause(
        "table:ids", "The row ids are the design's.", _TABLE, "test_the_ids_are_the_designs_in_its_order"
    ),
    _clause(
        "table:actions",
        "What may be done with a shelf is the table of actions.",
        _TABLE,
        "test_what_may_be_done_with_a_shelf_is_the_table_of_actions",
    ),
    _clause(
        "plan_compaction",
        "The reference algorithm keeps to its contract.",
        _REF,
        "test_it_gives_the_shortest_prefix_that_is_worth_the_target_or_refuses",
        "test_a_generator_is_planned_like_the_list_it_yields",
        "test_an_unknown_class_is_named_before_anything_is_planned",
        "test_a_refusal_says_what_was_wanted_what_could_be_had_and_what_stays",
        "test_a_handle_that_is_not_known_to_be_valid_is_invalid",
        "test_a_target_of_nothing_gives_an_empty_plan",
    ),
    _clause(
        "planner:net",
        "It counts net; a span whose gain is not positive stays.",
        _PLAN,
        "test_a_result_no_larger_than_its_tombstone_stays",
        "test_an_exchange_leaves_only_if_it_frees_more_than_its_line_and_the_page_around_it",
        "test_each_entry_says_what_its_leaving_frees_net_of_its_own_line",
    ),
    _clause(
        "planner:phases",
        "Disposable, live, invalidated, evictable; superseded and written-over first, then by age.",
        _PLAN,
        "test_disposable_then_live_then_invalidated_then_evictable_then_text",
        "test_what_was_written_over_leaves_before_what_was_merely_put_in_doubt",
        "test_within_a_phase_the_oldest_leaves_first",
        "test_it_stops_at_the_first_move_that_meets_the_target",
    ),
    _clause(
        "planner:calls",
        "Calls stay byte for byte; a result that leaves becomes one line; a write takes its batch along.",
        _PLAN,
        "test_calls_stay_byte_for_byte_and_each_result_that_leaves_alone_becomes_one_line",
        "test_a_batch_with_one_member_that_must_stay_keeps_all_its_calls",
        "test_a_write_leaves_with_its_call_as_one_line_on_the_page",
    ),
    _clause(
        "planner:sup",
        "A covered read is planned as what it otherwise is if the covering read leaves as well.",
        _PLAN,
        "test_a_covered_read_is_planned_as_what_it_otherwise_is_once_the_covering_read_leaves_too",
    ),
    _clause(
        "planner:unconsumed",
        "Results that no agent item follows leave last.",
        _PLAN,
        "test_results_that_no_agent_item_follows_leave_last_and_only_if_needed",
    ),
    _clause(
        "planner:gentle",
        "A small reclaim takes lossless steps only, or gives the same object back with a reason.",
        _API,
        "test_a_small_reclaim_takes_lossless_steps_or_returns_the_same_object_with_its_reason",
    ),
    _clause(
        "planner:binding",
        "Signed reasoning is kept whole or dropped whole, and a frozen prefix is not cut.",
        _PLAN,
        "test_under_prefix_an_open_loop_is_not_cut_and_the_halt_names_the_way_out",
        "test_under_prefix_a_closed_loop_loses_all_reasoning_behind_the_first_change",
        "test_under_newest_only_the_newest_agent_messages_reasoning_is_spared",
        "test_an_edit_drops_only_the_reasoning_behind_it",
    ),
    _clause(
        "planner:halt",
        "A halt reports target, reachable, protected, tools and ways out.",
        _API,
        "test_a_halt_says_what_was_wanted_what_can_be_reached_and_the_ways_out",
        "test_where_no_tool_has_a_handle_the_halt_says_so",
        "test_what_archive_would_reach_is_what_it_reaches",
    ),
    _clause(
        "planner:early-warning",
        "What may not move is named before any trigger.",
        _API,
        "test_a_growing_protected_part_is_warned_of_before_any_trigger",
    ),
    _clause(
        "budget",
        "A budget acts above its trigger and ends at its target; to_tokens acts whenever there are more.",
        _API,
        "test_a_budget_acts_only_above_its_trigger_and_ends_at_its_target",
        "test_overhead_counts_toward_the_trigger_and_against_the_target",
        "test_exactly_at_the_trigger_nothing_happens",
        "test_to_tokens_acts_whenever_there_are_more_and_ends_there_or_below",
        "test_neither_a_budget_nor_a_usable_number_of_tokens_is_an_error_before_anything_is_done",
    ),
    _clause(
        "planner:archive-text",
        "Text leaves under archive as one run: the agent's oldest first, then a person's oldest first, after all else.",
        _LIFT,
        "test_text_leaves_only_after_all_else",
        "test_the_agents_text_leaves_before_a_persons_and_the_oldest_first",
        "test_no_more_messages_leave_than_must",
        "test_the_request_never_leaves_and_the_newest_agent_message_only_once_answered_and_unbound",
        "test_what_one_voice_said_stays_if_the_line_for_it_would_take_as_much",
    ),
    _clause(
        "planner:strict-text",
        "Under strict only narration leaves, dropped under a line that names it and with what weighs in it.",
        _LIFT,
        "test_under_strict_only_narration_leaves_and_it_leaves_with_its_lift",
    ),
    _clause(
        "lift:whole",
        "Lifted are whole sentences, verbatim, under the name of who said them; the line counts them rightly.",
        _LIFT,
        "test_every_lifted_line_is_a_whole_sentence_of_what_left_with_who_said_it_and_when",
        "test_the_line_of_what_left_counts_its_sentences_rightly",
        "test_the_line_of_a_single_text_names_it_and_that_of_several_a_manifest_of_exactly_them",
        "test_a_secret_stands_by_its_fingerprint_only",
        "test_what_looks_like_a_line_of_ours_is_never_lifted",
    ),
    _clause(
        "lift:ranking",
        "What weighs stays while anything else stands; the room that is left is filled, newest first.",
        _LIFT,
        "test_all_that_weighs_stands_as_long_as_anything_else_stands",
        "test_what_weighs_leaves_oldest_first_and_a_persons_last_but_no_prohibition",
        "test_the_room_that_is_left_is_filled_with_the_newest_of_the_other_sentences",
    ),
    _clause(
        "lift:order",
        "A person's sentences first; a question before its answer, a later statement behind the earlier one.",
        _LIFT,
        "test_a_persons_sentences_stand_first_and_then_the_agents_each_in_their_order",
        "test_a_question_stands_right_before_the_answer_to_it",
        "test_an_earlier_statement_on_the_same_thing_stands_right_before_the_later_one",
        "test_what_rests_on_a_file_that_was_written_since_says_so",
    ),
    _clause(
        "fold",
        "Old lines fold into one pointer, exchanges whole; lifts, pins and what must stay never fold.",
        _FOLD,
        "test_exchanges_fold_whole_with_their_calls_and_the_lines_in_place_of_their_results",
        "test_what_folded_twice_is_still_found_behind_the_newest_pointer",
        "test_statements_and_pins_stand_to_the_byte_where_they_stood_when_their_page_folds",
        "test_what_must_stay_never_folds",
        "test_where_earlier_cuts_left_lines_at_least_half_of_what_is_left_of_their_exchanges_goes_at_once",
        "test_a_view_after_two_folds_is_valid_and_its_page_stands_where_the_first_thing_stood",
    ),
    _clause(
        "index-budget",
        "Our own text, lifted words not counted, stays within its bound; a halt for that alone says so.",
        _FOLD,
        "test_our_own_text_stays_within_its_bound_or_it_says_that_this_is_why",
        "test_lifted_words_and_pins_do_not_count_as_our_own_text",
        "test_where_only_the_bound_of_our_own_text_stands_in_the_way_the_halt_says_so",
    ),
    _clause(
        "carried",
        "A later cut reads the last view; ids, turns and writes are what they were, and its state is JSON.",
        _CARRIED,
        "test_what_stands_keeps_its_id_its_turn_and_its_number_through_every_cut",
        "test_a_write_that_left_with_its_call_still_invalidates_an_earlier_read",
        "test_the_state_behind_its_json_is_the_state",
        "test_a_client_that_resends_its_history_and_one_that_goes_on_from_the_view_are_shown_the_same",
    ),
    _clause(
        "fork",
        "A resend that differs before the last cut goes on as a child session.",
        _CONTROL,
        "test_a_history_that_differs_before_the_last_cut_goes_on_as_a_child",
        "test_a_fork_is_found_again_by_another_process_and_does_not_touch_its_parent",
    ),
    _clause(
        "surrogate",
        "A model's text stands only if the verifier takes it, and each of its lines names its source.",
        "core/test_verifier.py",
        "test_a_reply_of_whole_sentences_with_their_handles_is_taken",
    ),
    _clause(
        "sticky",
        "What left stays left; an unchanged prefix keeps its bytes, and later cuts keep earlier lines.",
        _API,
        "test_what_left_stays_left_and_the_prefix_is_the_same_to_the_byte",
        "test_a_second_cut_keeps_earlier_lines_and_pages_to_the_byte",
        "test_a_history_that_was_edited_before_the_cut_is_noticed_and_starts_afresh",
    ),
    _clause(
        "write-order",
        "Spans, then names, then the record, then the view; a failed write compacts nothing.",
        _API,
        "test_a_store_that_fails_at_any_write_leaves_the_messages_as_they_were_and_shows_no_view",
        "test_a_session_whose_store_fails_goes_on_as_if_nothing_had_been_tried",
        "test_a_store_that_can_not_be_read_is_never_reported_as_a_gap",
    ),
    _clause(
        "record",
        "A record has the fixed fields and stands in a hash chain; a halt writes one too.",
        _API,
        "test_a_record_has_the_fixed_fields_and_they_say_what_happened",
        "test_the_records_of_a_session_form_a_chain",
        "test_a_halt_leaves_a_record_that_says_halted_and_nothing_else",
        "test_the_time_and_the_actor_are_not_part_of_a_records_identity",
    ),
    _clause(
        "rehydrate",
        "By handle, never by prose; a gap is raised with hints, never content.",
        _API,
        "test_a_native_handle_gives_all_that_was_seen_of_it_newest_first",
        "test_an_exchange_that_left_whole_comes_back_whole",
        "test_a_gap_is_raised_with_hints_that_are_handles_and_never_content",
        "test_what_no_handle_resolves_is_a_gap",
        "test_a_handle_resolves_only_inside_its_session",
    ),
    _clause(
        "no-store",
        "Without a store no store handle stands in the view.",
        _API,
        "test_without_a_store_no_store_handle_stands_in_the_view_and_the_result_holds_the_bytes",
    ),
    _clause(
        "surface",
        "The public names and signatures are fixed.",
        "test_public_surface.py",
        "test_the_public_names_are_these_and_each_is_there",
        "test_the_fixed_signatures_are_as_written",
        "test_importing_the_package_loads_no_third_party_module_and_nothing_heavy",
    ),
    _clause(
        "purity",
        "The core and the dialects read nothing of the world, and no error is swallowed.",
        "test_architecture.py",
        "test_the_core_and_the_dialects_import_nothing_that_reads_the_world",
        "test_no_module_swallows_an_error",
    ),
)

REQUIREMENTS: tuple[Requirement, ...] = (*LAWS, *ROWS, *CLAUSES)

DIVERGENCES: tuple[Divergence, ...] = (
    Divergence(
        "span-id",
        "A span id ends in its turn, the exchanges of the turn before it and its occurrence there.",
        "A count over the whole transcript would change when spans before it leave.",
    ),
    Divergence(
        "row:rel",
        "The table has a row more: what the caller released, right behind what is pinned.",
        "A release is a decision of the caller's like a pin, and has to show in the plan as one.",
    ),
    Divergence(
        "lift:ranking",
        "Among the sentences that weigh those of the lowest grade leave first, and of equal ones the oldest.",
        "A rule outlasts a number that somebody mentioned; oldest first alone would lose the first rules first.",
    ),
)
