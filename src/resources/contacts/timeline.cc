#include "resources/contacts/timeline.h"

#include <algorithm>
#include <charconv>
#include <format>
#include <ranges>

#include "base/limits.h"
#include "base/text.h"
#include "events/history.h"
#include "http/page.h"
#include "resources/contacts/contact_answer.h"

namespace shopbell::contacts {

namespace {

using Answer = boost::asio::awaitable<http::Response>;
using events::HistoryPosition;

// An event as it is told outside.
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
      "Something that happened to a contact.",
      {json::uuid("id", &TimelineEvent::id).doc("Stays the same wherever the event is told."),
       json::text("kind", &TimelineEvent::kind).example(R"("contact.created")"),
       json::instant("occurredAt", &TimelineEvent::occurred_at)
           .doc("When it happened, as whoever reported it says."),
       json::instant("receivedAt", &TimelineEvent::received_at)
           .doc("When the service wrote it down."),
       json::uuid("contactId", &TimelineEvent::contact_id)
           .doc("Whom it happened to: this contact, or one that was merged into it since."),
       json::any("data", &TimelineEvent::data)
           .doc("What is told about it, as the schema of its kind says.")}};
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

std::vector<std::string> kinds_of(const http::Call& call) {
  std::vector<std::string> kinds;
  if (const auto list = call.parameter("kinds")) {
    for (const auto part : std::views::split(*list, ',')) {
      std::string kind{trimmed(std::string_view{part})};
      if (!std::ranges::contains(kinds, kind)) kinds.push_back(std::move(kind));
    }
  }
  if (kinds.size() > limits::kTimelineKinds) {
    throw Problem{Code::invalid_parameter,
                  "The query has parameters that cannot be used.",
                  {{Fault::Where::parameter, "kinds", "too-long",
                    std::format("At most {} kinds.", limits::kTimelineKinds)}}};
  }
  return kinds;
}

Answer timeline(http::Call call) {
  const http::PageWish wish = http::read_page_wish(call);
  events::HistoryPage page{.kinds = kinds_of(call),
                           .from = call.parameter("from").and_then(parse_rfc3339),
                           .to = call.parameter("to").and_then(parse_rfc3339),
                           .ascending = wish.ascending,
                           .limit = wish.limit + 1};
  if (wish.after) page.behind = position_in(*wish.after);
  if (const auto id = Uuid::parse(call.path("id")))
    page.contacts = co_await find_person(call.database(), call.scope(), *id);
  if (page.contacts.empty()) throw missing();
  auto found = co_await events::list_history(call.database(), call.scope(), std::move(page));
  std::vector<TimelineEvent> events;
  events.reserve(found.size());
  for (auto& event : found) events.push_back(shown(std::move(event)));
  co_return http::page_answer<TimelineEvent>(
      call, wish, timeline_event_json(), events,
      [](const TimelineEvent& event) { return text_of(event.position); });
}

}  // namespace

http::Route timeline_route() {
  http::Operation described{
      .id = "listContactTimeline",
      .tag = "Manage contacts",
      .summary = "List what happened to a contact",
      .description =
          "In the order in which it was received, newest first. What happened to contacts that "
          "were merged into this one is part of it, and the id of any of them will do."};
  described.parameters = http::page_parameters(
      {{"kinds",
        "Kinds of events, one of which it is, separated by commas.",
        {.type = "string", .length_min = 1, .length_max = 2000}},
       {"from", "Received at this time or later.", {.type = "string", .format = "date-time"}},
       {"to", "Received before this time.", {.type = "string", .format = "date-time"}}});
  described.answer_name = "TimelineEventPage";
  described.answer = http::page_schema(timeline_event_json().name());
  // Shown nowhere else.
  described.answer.members[0].schema.items = {timeline_event_json().schema()};
  described.problems = {Code::not_found, Code::invalid_cursor};
  return {http::Method::get, "/manage/contacts/{id}/timeline",
          http::Access::scope("manage-contacts:read"), timeline, std::move(described)};
}

}  // namespace shopbell::contacts
