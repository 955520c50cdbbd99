#include "resources/custom_events/custom_events_api.h"

#include "base/limits.h"
#include "http/wire/body.h"
#include "resources/custom_events/event_writing.h"
#include "resources/custom_events/rejected_events_api.h"
#include "resources/triggers/trigger.h"

namespace shopbell::custom_events {

namespace {

const integrations::KnownEventType* by_alias(const http::Call& call,
                                             const integrations::EventTypeSet& types) {
  return types.find(std::string_view{call.path("alias")});
}

boost::asio::awaitable<http::Response> create(http::Call call, FindType find, Memory memory) {
  return http::has_lines(call.request()) ? take_lines(call, find, std::move(memory))
                                         : take_one(call, find, std::move(memory));
}

http::Route route(std::string path, std::string id, std::string summary, FindType find,
                  const Memory& memory) {
  http::Operation described{
      .id = std::move(id),
      .tag = "Custom events",
      .tag_description = "What a store tells of its contacts, of types it has defined itself.",
      .summary = std::move(summary),
      .description =
          "Answered once the event is kept. The same `eventId` with the same content again is a "
          "duplicate, answered 200 with the first event's id. As `application/x-ndjson` it takes "
          "up to 10,000 events, one a line, and answers 200 with a result for each. With `Prefer: "
          "respond-async`, where the operator has Kafka, it is answered 202 with status `queued` "
          "once the event is durable there; what later proves invalid is listed under "
          "`/manage/rejected-events/`.",
      .may_create = true,
      .may_queue = true,
      .located = false,
      .answer_name = "CustomEventAnswer",
      .problems = {Code::not_found, Code::event_exists, Code::event_type_not_receivable,
                   Code::integration_disabled, Code::contact_not_found,
                   Code::contact_identity_conflict, Code::contact_erased}};
  described.answer.description = "A receipt; of many events a result for each.";
  described.answer.any_of = {receipt_json().answer_schema(), queued_receipt_json().answer_schema(),
                             lines_schema()};
  described.further_scopes = {"contacts:write"};
  described.parameters = contacts::naming_parameters();
  described.parameters.push_back(triggers::trigger_parameter());
  described.body = http::Body{.name = "NewCustomEvent",
                              .schema = sent_event_json().new_schema(),
                              .example = sent_event_json().example(),
                              .bytes_max = limits::kEventBytes,
                              .lines_bytes_max = limits::kEventLinesBytes};
  return {http::Method::post, std::move(path), http::Access::scope("custom-events:write"),
          [find, memory](http::Call call) { return create(call, find, memory); },
          std::move(described)};
}

}  // namespace

std::vector<http::Route> routes(EventQueue* queue) {
  const Memory memory{.queue = queue};
  std::vector<http::Route> all{route("/custom-events/alias/{alias}", "createCustomEventByAlias",
                                     "Create a custom event by alias", by_alias, memory),
                               route("/custom-events/id/{id}", "createCustomEventById",
                                     "Create a custom event by id", type_by_id, memory)};
  std::ranges::move(rejected_event_routes(memory), std::back_inserter(all));
  return all;
}

}  // namespace shopbell::custom_events
