#include "resources/contacts/timeline.h"

#include <algorithm>
#include <charconv>
#include <format>
#include <ranges>

#include "base/limits.h"
#include "base/text.h"
#include "events/history.h"
#include "operations/page.h"
#include "resources/contacts/contact_answer.h"

namespace shopbell::contacts {

namespace {

using Answer = boost::asio::awaitable<operations::Output>;
using events::HistoryPosition;

// An event in its API form.
struct TimelineEvent {
  Uuid id;
  std::string kind;
  Instant occurred_at;
  Instant received_at;
  Uuid contact_id;
  std::optional<json::Raw> data;
  HistoryPosition position;
};

const json::Table<TimelineEvent>& timeline_event_json() {
  static const json::Table<TimelineEvent> table{
      "TimelineEvent",
      "An event of a contact.",
      {json::uuid("id", &TimelineEvent::id)
           .doc("The event's id, the same wherever the service delivers the event."),
       json::text("kind", &TimelineEvent::kind).example(R"("contact.created")"),
       json::instant("occurredAt", &TimelineEvent::occurred_at)
           .doc("When it happened, according to the system that reported it."),
       json::instant("receivedAt", &TimelineEvent::received_at).doc("When the service stored it."),
       json::uuid("contactId", &TimelineEvent::contact_id)
           .doc("This contact, or one that was merged into it later."),
       json::any("data", &TimelineEvent::data)
           .doc("The event's data, in the schema of its kind.")}};
  return table;
}

TimelineEvent shown(events::PastEvent event) {
  return {.id = event.uid,
          .kind = std::move(event.kind),
          .occurred_at = event.occurred_at,
          .received_at = event.position.received_at,
          .contact_id = event.contact_id,
          .data = std::move(event.payload).transform([](std::string payload) {
            return json::Raw{std::move(payload)};
          }),
          .position = event.position};
}

std::string text_of(const HistoryPosition& position) {
  return std::format("{} {}", to_rfc3339_exactly(position.received_at), position.id);
}

HistoryPosition position_in(std::string_view text) {
  HistoryPosition position;
  const auto middle = text.find(' ');
  position.received_at = parse_rfc3339(text.substr(0, middle)).value();
  std::from_chars(text.data() + middle + 1, text.data() + text.size(), position.id);
  return position;
}

std::vector<std::string> kinds_of(const operations::Input& input) {
  std::vector<std::string> kinds;
  if (const auto list = input.parameter("kinds")) {
    for (const auto part : std::views::split(*list, ',')) {
      std::string kind{trimmed(std::string_view{part})};
      if (!std::ranges::contains(kinds, kind)) kinds.push_back(std::move(kind));
    }
  }
  if (kinds.size() > limits::kTimelineKinds) {
    throw Problem{Code::invalid_parameter,
                  "The query has parameters that cannot be used.",
                  {{Fault::Where::parameter, "kinds", "too-long",
                    std::format("At most {} kinds are allowed.", limits::kTimelineKinds)}}};
  }
  return kinds;
}

Answer timeline(operations::Input input) {
  const operations::PageRequest request = operations::read_page_request(input);
  events::HistoryPage page{.kinds = kinds_of(input),
                           .from = input.parameter("from").and_then(parse_rfc3339),
                           .to = input.parameter("to").and_then(parse_rfc3339),
                           .ascending = request.ascending,
                           .limit = request.limit + 1};
  if (request.after) page.behind = position_in(*request.after);
  if (const auto id = Uuid::parse(input.path("id")))
    page.contacts = co_await find_person(input.database(), input.scope(), *id);
  if (page.contacts.empty()) throw missing();
  auto found = co_await events::list_history(input.database(), input.scope(), std::move(page));
  std::vector<TimelineEvent> events;
  events.reserve(found.size());
  for (auto& event : found) events.push_back(shown(std::move(event)));
  co_return operations::page_output<TimelineEvent>(
      input, request, timeline_event_json(), events,
      [](const TimelineEvent& event) { return text_of(event.position); });
}

}  // namespace

operations::Operation timeline_route() {
  operations::Description described{
      .id = "listContactTimeline",
      .tag = "Manage contacts",
      .summary = "List the events of a contact",
      .description =
          "In the order received, newest first. Includes the events of contacts that were merged "
          "into this one; the id of any of them works."};
  described.parameters =
      operations::page_parameters({{"kinds",
                                    "Only events of these kinds, separated by commas.",
                                    {.type = "string", .length_min = 1, .length_max = 2000}},
                                   {"from",
                                    "Only events received at this time or later.",
                                    {.type = "string", .format = "date-time"}},
                                   {"to",
                                    "Only events received before this time.",
                                    {.type = "string", .format = "date-time"}}});
  described.answer_name = "TimelineEventPage";
  described.answer = operations::page_schema(timeline_event_json().name());
  // TimelineEvent is not a named schema: no other operation returns it.
  described.answer.members[0].schema.items = {timeline_event_json().schema()};
  described.problems = {Code::not_found, Code::invalid_cursor};
  return {operations::Method::get, "/manage/contacts/{id}/timeline",
          operations::Access::scope("manage-contacts:read"), timeline, std::move(described)};
}

}  // namespace shopbell::contacts
