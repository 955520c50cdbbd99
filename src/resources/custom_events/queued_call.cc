#include "resources/custom_events/queued_call.h"

namespace shopbell::custom_events {

QueuedCall::QueuedCall(const QueuedEvent& queued, http::Exchange around)
    : sent{&queued}, exchange{std::move(around)} {
  request.method = http::Method::post;
  if (queued.lenient) request.headers.emplace_back("prefer", "handling=lenient");
  exchange.request = &request;
  exchange.path_parameters = {{"id", queued.type_id.to_string()}};
  exchange.query_parameters = queued.parameters;
}

boost::asio::awaitable<CustomEvent> QueuedCall::judge(const integrations::EventTypeSet& types) {
  wish = contacts::naming_wish_of(call());
  reading = call().reading();
  const auto document = json::Document::parse_body(sent->body);
  SentEvent event;
  sent_event_json().read_new(document.root(), reading).apply_to(event);
  reading.finish();
  contacts::Contact named;
  if (event.contact) event.contact->apply_to(named);
  const std::string country = co_await contacts::country_for(call(), named);
  identifiers = contacts::names_of(call(), named, country).hashes;
  const http::Call as_sent = call();
  const Judge judge{.call = &as_sent,
                    .now = sent->received_at,
                    .type = &type_of(as_sent, type_by_id, types),
                    .country = country};
  CustomEvent judged = judge.judge(reading, document.root(), event);
  judged.uid = sent->id;
  if (!judged.occurred_at) judged.occurred_at = sent->received_at;
  co_return judged;
}

}  // namespace shopbell::custom_events
