#include "resources/custom_events/rejected_events_api.h"

#include "base/limits.h"
#include "http/page.h"
#include "http/write.h"
#include "resources/custom_events/queued_call.h"
#include "resources/custom_events/rejected_event_store.h"
#include "resources/integrations/event_type_store.h"

namespace shopbell::custom_events {

namespace {

using Answer = boost::asio::awaitable<http::Response>;

Problem no_such() { return Problem{Code::not_found, "There is no rejected event of that id."}; }

Answer list(http::Call call) {
  const http::PageWish wish = http::read_page_wish(call);
  const std::vector<RejectedEvent> events = co_await list_rejected(
      call.database(), call.scope(), wish.after, wish.ascending, wish.limit + 1);
  co_return http::page_answer<RejectedEvent>(
      call, wish, rejected_event_json(), events,
      [](const RejectedEvent& event) { return event.id.to_string(); });
}

boost::asio::awaitable<std::optional<RejectedEvent>> find(http::Call call) {
  const auto id = Uuid::parse(call.path("id"));
  if (!id) co_return std::nullopt;
  co_return co_await find_rejected(call.database(), call.scope(), *id);
}

Answer remove(http::Call call) {
  const auto event = co_await find(call);
  co_return co_await http::write(call, {}, [&](const http::Premises&, pg::Group& effect) {
    if (!event) throw no_such();
    delete_rejected(effect, call.account(), event->id);
    return http::Response{.status = 204};
  });
}

// The event as its own request would have had it written now; the row goes with it.
Answer write_again(http::Call call, const Memory& memory, const RejectedEvent& rejected) {
  QueuedCall queued{rejected.message, http::Exchange{.database = &call.database(),
                                                     .clock = &call.clock(),
                                                     .keyring = &call.keyring(),
                                                     .route = &call.route()}};
  queued.exchange.caller = call.caller();
  queued.exchange.deadline = call.scope().deadline;
  pg::Group reads;
  integrations::read_definitions_version(reads, call.account());
  const pg::Results found = co_await call.database().run(std::move(reads), call.scope());
  const auto types = co_await memory.types->get(call.database(), call.scope(),
                                                integrations::found_definitions_version(found[0]));
  CustomEvent event = co_await queued.judge(*types);
  Receipt receipt;
  co_return co_await write_alone(
      call, memory, std::move(event), queued.wish, types->version(), queued.reading, receipt,
      http::Keep::answer,
      [&](pg::Group& effect) { delete_rejected(effect, call.account(), rejected.id); });
}

Answer retry(http::Call call, Memory memory) {
  const auto rejected = co_await find(call);
  // One that was retried before under the same Idempotency-Key is answered as then.
  if (!rejected) {
    co_return co_await http::write(
        call, {}, [](const http::Premises&, pg::Group&) -> http::Response { throw no_such(); });
  }
  for (int tries = 0; tries < limits::kWriteAttempts; ++tries) {
    try {
      co_return co_await write_again(call, memory, *rejected);
    } catch (const TypesChanged&) {
    }
  }
  throw Problem{Code::unavailable, "The event types change too fast."};
}

http::Operation operation(std::string id, std::string summary, std::string description) {
  return {.id = std::move(id),
          .tag = "Rejected events",
          .tag_description =
              "Events that were queued (`Prefer: respond-async`) and could not be written: invalid "
              "by then, duplicate, or of nobody known. Kept for 35 days.",
          .summary = std::move(summary),
          .description = std::move(description),
          .versioned = false,
          .problems = {Code::not_found}};
}

http::Route list_route() {
  http::Operation described =
      operation("listRejectedEvents", "List rejected events", "Those queued last come first.");
  described.parameters = http::page_parameters();
  described.answer_name = "RejectedEventPage";
  described.answer = http::page_schema(rejected_event_json().name());
  // Shown nowhere else.
  described.answer.members[0].schema.items = {rejected_event_json().answer_schema()};
  described.problems = {Code::invalid_cursor};
  return {http::Method::get, "/manage/rejected-events/",
          http::Access::scope("manage-rejected-events:read"), list, std::move(described)};
}

http::Route retry_route(const Memory& memory) {
  http::Operation described = operation(
      "retryRejectedEvent", "Retry a rejected event",
      "Writes it as its request would have now, under its own id; then it is rejected no longer. "
      "What still stands in its way is answered, and it stays.");
  described.may_create = true;
  described.located = false;
  described.answer_name = receipt_json().name();
  described.answer = receipt_json().answer_schema();
  described.further_scopes = {"contacts:write"};
  described.problems = {Code::not_found,
                        Code::event_exists,
                        Code::event_type_not_receivable,
                        Code::integration_disabled,
                        Code::contact_not_found,
                        Code::contact_identity_conflict,
                        Code::contact_erased};
  return {http::Method::post, "/manage/rejected-events/{id}/retry",
          http::Access::scope("manage-rejected-events:write"),
          [memory](http::Call call) { return retry(call, memory); }, std::move(described)};
}

http::Route delete_route() {
  http::Operation described =
      operation("deleteRejectedEvent", "Delete a rejected event", "It is gone for good.");
  described.success = 204;
  return {http::Method::delete_, "/manage/rejected-events/{id}",
          http::Access::scope("manage-rejected-events:delete"), remove, std::move(described)};
}

}  // namespace

std::vector<http::Route> rejected_event_routes(const Memory& memory) {
  return {list_route(), retry_route(memory), delete_route()};
}

}  // namespace shopbell::custom_events
