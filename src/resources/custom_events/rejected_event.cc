#include "resources/custom_events/rejected_event.h"

#include "json/writer.h"
#include "resources/custom_events/event_writing.h"

namespace shopbell::custom_events {

Rejection rejection_of(const Problem& problem) {
  json::Writer writer;
  write_problem(writer, problem);
  return {.code = std::string{kind_of(problem.code()).name},
          .problem = writer.finish(),
          .is_erased = problem.code() == Code::contact_erased};
}

Rejection duplicate_of(const Uuid& id) {
  json::Writer writer;
  writer.begin_object();
  writer.key("code").text("duplicate");
  writer.key("detail").text("An event with the same eventId and content already exists.");
  writer.key("id").text(id.to_string());
  writer.end();
  return {.code = "duplicate", .problem = writer.finish()};
}

const json::Table<RejectedEvent>& rejected_event_json() {
  static const json::Table<RejectedEvent> table{
      "RejectedEvent",
      "An event that was queued and could not be written.",
      {json::uuid("id", &RejectedEvent::id)
           .doc("The id in the response when the event was "
                "queued."),
       json::uuid("eventTypeId", &RejectedEvent::event_type_id),
       json::instant("receivedAt", &RejectedEvent::received_at).doc("When the event was queued."),
       json::instant("rejectedAt", &RejectedEvent::rejected_at),
       json::text("code", &RejectedEvent::code)
           .doc("The problem's code, or `duplicate`.")
           .example(R"("contact-not-found")"),
       json::any("problem", &RejectedEvent::problem)
           .doc("The response that the event would have got without `Prefer: respond-async`."),
       json::any("event", &RejectedEvent::event).doc("The event as it was sent.")}};
  return table;
}

}  // namespace shopbell::custom_events
