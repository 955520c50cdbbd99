#include "resources/custom_events/queued_call.h"

namespace shopbell::custom_events {

QueuedCall::QueuedCall(const QueuedEvent& queued, operations::Invocation around)
    : sent{&queued}, invocation{std::move(around)} {
  invocation.preferences.lenient = queued.lenient;
  invocation.path_parameters = {{"id", queued.type_id.to_string()}};
  invocation.query_parameters = queued.parameters;
}

boost::asio::awaitable<CustomEvent> QueuedCall::validate(const integrations::EventTypeSet& types) {
  wish = contacts::naming_wish_of(input());
  reading = input().reading();
  const auto document = json::Document::parse_body(sent->body);
  SentEvent event;
  sent_event_json().read_new(document.root(), reading).apply_to(event);
  reading.finish();
  contacts::Contact named;
  if (event.contact) event.contact->apply_to(named);
  const std::string country = co_await contacts::country_for(input(), named);
  identifiers = contacts::names_of(input(), named, country).hashes;
  const operations::Input as_sent = input();
  const EventValidator validator{.input = &as_sent,
                                 .now = sent->received_at,
                                 .type = &type_of(as_sent, type_by_id, types),
                                 .country = country};
  CustomEvent validated = validator.validate(reading, document.root(), event);
  validated.uid = sent->id;
  if (!validated.occurred_at) validated.occurred_at = sent->received_at;
  co_return validated;
}

}  // namespace shopbell::custom_events
