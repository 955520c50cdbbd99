#include "resources/custom_events/rejected_events_operations.h"

#include "operations/page.h"
#include "operations/resource_operations.h"
#include "operations/retry.h"
#include "operations/write.h"
#include "resources/custom_events/queued_call.h"
#include "resources/custom_events/rejected_event_store.h"

namespace shopbell::custom_events {

namespace {

using Answer = boost::asio::awaitable<operations::Output>;

Problem no_such() { return Problem{Code::not_found, "The rejected event does not exist."}; }

Answer list(operations::Input input) {
  const operations::PageRequest wish = operations::read_page_request(input);
  const std::vector<RejectedEvent> events = co_await list_rejected(
      input.database(), input.scope(), wish.after, wish.ascending, wish.limit + 1);
  co_return operations::page_output<RejectedEvent>(
      input, wish, rejected_event_json(), events,
      [](const RejectedEvent& event) { return event.id.to_string(); });
}

boost::asio::awaitable<std::optional<RejectedEvent>> find(operations::Input input) {
  const auto id = Uuid::parse(input.path("id"));
  if (!id) co_return std::nullopt;
  co_return co_await find_rejected(input.database(), input.scope(), *id);
}

Answer remove(operations::Input input) {
  const auto event = co_await find(input);
  co_return co_await operations::write(input, {},
                                       [&](const operations::Premises&, pg::Group& effect) {
                                         if (!event) throw no_such();
                                         delete_rejected(effect, input.account(), event->id);
                                         return operations::Output::no_content();
                                       });
}

// Writes the event as if it had just been sent; deletes the rejected event in that transaction.
Answer write_again(operations::Input input, const Memory& memory, const RejectedEvent& rejected) {
  QueuedCall queued{rejected.message, operations::Invocation{.operation = &input.operation(),
                                                             .caller = input.caller(),
                                                             .deadline = input.scope().deadline,
                                                             .database = &input.database(),
                                                             .clock = &input.clock(),
                                                             .keyring = &input.keyring()}};
  const auto types = co_await current_types(input, memory);
  CustomEvent event = co_await queued.validate(*types);
  Receipt receipt;
  co_return co_await write_alone(
      input, memory, std::move(event), queued.wish, types->version(), queued.reading, receipt,
      operations::Keep::output,
      [&](pg::Group& effect) { delete_rejected(effect, input.account(), rejected.id); });
}

Answer retry(operations::Input input, Memory memory) {
  const auto rejected = co_await find(input);
  // No rejected event: a retry with the same Idempotency-Key still gets its stored response.
  if (!rejected) {
    co_return co_await operations::write(
        input, {},
        [](const operations::Premises&, pg::Group&) -> operations::Output { throw no_such(); });
  }
  co_return co_await operations::while_stale<TypesChanged>(
      [&](const auto&) { return write_again(input, memory, *rejected); }, kTypesKeepChanging);
}

operations::ResourceOperations rejected_event_operations() {
  return {.tag = "Rejected events",
          .tag_description =
              "Events that were queued (`Prefer: respond-async`) and could not be written: they "
              "were invalid, a duplicate, or had no known contact. Kept for 35 days.",
          .answer_name = rejected_event_json().name(),
          .page_item = rejected_event_json().answer_schema()};  // only the list uses this schema
}

operations::Description retry_operation() {
  const auto event = rejected_event_operations().with_answer(receipt_json());
  operations::Description described = event.upsert(
      "retryRejectedEvent", "Retry a rejected event",
      "Writes the event as if it had just been sent, with its original id, and removes it from the "
      "rejected events. If it is still invalid, the response has the reason and the event stays "
      "rejected.",
      {.problems = {Code::not_found, Code::event_exists, Code::event_type_not_receivable,
                    Code::integration_disabled, Code::contact_not_found,
                    Code::contact_identity_conflict, Code::contact_erased},
       .further_scopes = {"contacts:write"}});
  described.located = false;
  return described;
}

}  // namespace

std::vector<operations::Operation> rejected_event_routes(const Memory& memory) {
  using operations::Access;
  using operations::Method;
  const auto event = rejected_event_operations();
  return {
      {Method::get, "/manage/rejected-events/", Access::scope("manage-rejected-events:read"), list,
       event.list("listRejectedEvents", "List rejected events",
                  "The most recently queued come first.")},
      {Method::post, "/manage/rejected-events/{id}/retry",
       Access::scope("manage-rejected-events:write"),
       [memory](operations::Input input) { return retry(input, memory); }, retry_operation()},
      {Method::delete_, "/manage/rejected-events/{id}",
       Access::scope("manage-rejected-events:delete"), remove,
       event.remove("deleteRejectedEvent", "Delete a rejected event",
                    "Deletes it permanently; it can no longer be retried.")}};
}

}  // namespace shopbell::custom_events
