#include "resources/custom_events/custom_events_operations.h"

#include "base/limits.h"
#include "operations/resource_operations.h"
#include "operations/trigger.h"
#include "resources/custom_events/event_writing.h"
#include "resources/custom_events/rejected_events_operations.h"

namespace shopbell::custom_events {

namespace {

const integrations::KnownEventType* by_alias(const operations::Input& input,
                                             const integrations::EventTypeSet& types) {
  return types.find(std::string_view{input.path("alias")});
}

boost::asio::awaitable<operations::Output> create(operations::Input input, FindType find,
                                                  Memory memory) {
  return input.has_lines() ? take_lines(input, find, std::move(memory))
                           : take_one(input, find, std::move(memory));
}

json::Schema answer_schema() {
  json::Schema schema{.description = "A receipt; for several events, a result for each."};
  schema.any_of = {receipt_json().answer_schema(), queued_receipt_json().answer_schema(),
                   lines_schema()};
  return schema;
}

operations::Body event_body() {
  operations::Body body = operations::body_of(sent_event_json());
  body.bytes_max = limits::kEventBytes;
  body.lines_bytes_max = limits::kEventLinesBytes;
  return body;
}

operations::Operation route(std::string path, std::string id, std::string summary, FindType find,
                            const Memory& memory) {
  const operations::ResourceOperations event{
      .tag = "Custom events",
      .tag_description = "Events of contacts, of types that the store has defined itself.",
      .answer_name = "CustomEventAnswer",
      .answer = answer_schema()};
  auto parameters = contacts::naming_parameters();
  parameters.push_back(operations::trigger_parameter());
  operations::Description described = event.upsert(
      std::move(id), std::move(summary),
      "Responds once the event is committed. Repeating an `eventId` with the same content is a "
      "duplicate: the response is 200 with the first event's id. As `application/x-ndjson` the "
      "request takes up to 10,000 events, one per line, and the response is 200 with a result for "
      "each. With `Prefer: respond-async`, if the operator has configured Kafka, the response is "
      "202 with status `queued` once the event is durable in Kafka. Queued events that turn out to "
      "be invalid are listed under `/manage/rejected-events/`.",
      {.body = event_body(),
       .parameters = std::move(parameters),
       .problems = {Code::not_found, Code::event_exists, Code::event_type_not_receivable,
                    Code::integration_disabled, Code::contact_not_found,
                    Code::contact_identity_conflict, Code::contact_erased},
       .further_scopes = {"contacts:write"}});
  described.may_queue = true;
  described.located = false;
  return {operations::Method::post, std::move(path),
          operations::Access::scope("custom-events:write"),
          [find, memory](operations::Input input) { return create(input, find, memory); },
          std::move(described)};
}

}  // namespace

std::vector<operations::Operation> operation_table(EventQueue* queue) {
  const Memory memory{.queue = queue};
  std::vector<operations::Operation> all{
      route("/custom-events/alias/{alias}", "createCustomEventByAlias",
            "Create a custom event by alias", by_alias, memory),
      route("/custom-events/id/{id}", "createCustomEventById", "Create a custom event by id",
            type_by_id, memory)};
  std::ranges::move(rejected_event_routes(memory), std::back_inserter(all));
  return all;
}

}  // namespace shopbell::custom_events
