#include "resources/custom_events/event_writing.h"

#include <format>

#include "base/limits.h"
#include "http/idempotency.h"
#include "http/write.h"
#include "resources/custom_events/custom_event_store.h"
#include "resources/integrations/event_type_store.h"

namespace shopbell::custom_events {

namespace {

using Answer = boost::asio::awaitable<http::Response>;
using contact_fields::FieldSet;
using integrations::EventTypeSet;

// The results of the reads, in their order.
enum Read { people, marks, knowledge, claim, types };

Receipt decide(const CustomEvent& event, const contacts::NamingWish& wish, json::Reading& reading,
               const http::Premises& premises, const contacts::Knowledge& known,
               std::int64_t types_version, pg::Group& effect) {
  const std::int64_t version = integrations::found_definitions_version(premises.results[types]);
  if (version != types_version) throw TypesChanged{version};
  if (event.key_hash) {
    if (const auto found = found_claim(premises.results[claim]))
      return repeated(event, found->receipt, found->content_hash);
  }
  known.marks.refuse_older("the event", event.occurred_at);
  const contacts::Change change = contacts::decide_named(
      reading, event.contact, contacts::found_contacts(premises.results[people]), wish, known);
  if (change.is_write) contacts::write_change(effect, change, known);
  write_event(effect, known.account, event, change.after, premises.now);
  return {.id = event.uid, .contact_id = change.after.id, .received_at = premises.now};
}

}  // namespace

const integrations::KnownEventType& type_of(const http::Call& call, FindType find,
                                            const EventTypeSet& types) {
  const auto* type = find(call, types);
  if (type == nullptr) throw Problem{Code::not_found, "There is no such event type."};
  if (!type->receives)
    throw Problem{Code::event_type_not_receivable, "The event type sends and takes no events."};
  if (!type->events_enabled)
    throw Problem{Code::integration_disabled, "The integration of the event type is turned off."};
  return *type;
}

Receipt repeated(const CustomEvent& event, const Receipt& first, const std::string& content_hash) {
  if (content_hash != event.content_hash)
    throw Problem{Code::event_exists, "An event with other content has this eventId."};
  return first;
}

http::Response answer_of(const Receipt& receipt, const json::Reading& reading) {
  http::Response response =
      http::Response::json(receipt_json().to_json(receipt, reading.warnings()));
  response.status = receipt.status == "accepted" ? 201 : 200;
  if (reading.lenient()) response.headers.emplace_back("Preference-Applied", "handling=lenient");
  return response;
}

Answer write_alone(http::Call call, Memory memory, CustomEvent event, contacts::NamingWish wish,
                   std::int64_t types_version, json::Reading reading, Receipt& receipt,
                   http::Keep keep) {
  const std::int64_t account = call.account();
  pg::Group reads;
  contacts::read_contacts(reads, account, event.names.keys);
  contacts::read_marks(reads, account, event.names.hashes);
  contacts::read_knowledge(reads, account);
  read_claim(reads, account, event);
  integrations::read_definitions_version(reads, account);
  pg::Group locks;
  contacts::lock_contacts(locks, account, event.names.keys);
  co_return co_await contacts::write_contact(
      call, memory.fields, std::move(reads), std::move(locks),
      [&](const http::Premises& premises, const FieldSet& fields, pg::Group& effect) {
        const contacts::Knowledge known =
            contacts::knowledge_of(call, premises.now, fields, premises.results[knowledge],
                                   contacts::Marks{event.names.hashes, premises.results[marks]});
        json::Reading own = reading;  // it may be decided again
        receipt = decide(event, wish, own, premises, known, types_version, effect);
        return answer_of(receipt, own);
      },
      keep);
}

namespace {

// One attempt, with the event types as they are remembered.
Answer attempt(http::Call call, Memory memory, const Judge& judge, const SentEvent& sent,
               contacts::NamingWish wish, std::int64_t types_version, json::Reading reading) {
  CustomEvent event = judge.judge(reading, call.body(), sent);
  Receipt receipt;
  if (http::idempotency_key(call.request()) || wish.updates || call.whole() != nullptr)
    co_return co_await write_alone(call, memory, std::move(event), wish, types_version, reading,
                                   receipt);
  const std::vector<Taken> taken =
      co_await memory.intake->take(call.database(), call.scope(), types_version, {event});
  switch (taken[0].outcome) {
    case Outcome::taken:
      co_return answer_of(
          {.id = event.uid, .contact_id = taken[0].contact_id, .received_at = taken[0].received_at},
          reading);
    case Outcome::types:
      throw TypesChanged{-1};
    default:
      co_return co_await write_alone(call, memory, std::move(event), wish, types_version, reading,
                                     receipt);
  }
}

}  // namespace

Answer take_one(http::Call call, FindType find, Memory memory) {
  const contacts::NamingWish wish = contacts::naming_wish_of(call);
  json::Reading reading = call.reading();
  SentEvent sent;
  sent_event_json().read_new(call.body(), reading).apply_to(sent);
  reading.finish();
  contacts::Contact named;
  if (sent.contact) sent.contact->apply_to(named);
  Judge judge{.call = &call,
              .now = call.clock().now(),
              .country = co_await contacts::country_for(call, named)};
  auto types = memory.types->remembered(call.account());
  for (int tries = 0; tries < limits::kWriteAttempts; ++tries) {
    try {
      judge.type = &type_of(call, find, *types);
      co_return co_await attempt(call, memory, judge, sent, wish, types->version(), reading);
    } catch (const TypesChanged&) {
    } catch (const Problem& problem) {
      // What is remembered may be out of date: then it is read again before anybody is refused.
      if (tries > 0 || problem.status() == 503) throw;
    }
    pg::Group reads;
    integrations::read_definitions_version(reads, call.account());
    const pg::Results found = co_await call.database().run(std::move(reads), call.scope());
    const std::int64_t version = integrations::found_definitions_version(found[0]);
    types = co_await memory.types->get(call.database(), call.scope(), version);
  }
  throw Problem{Code::unavailable, "The event types change too fast."};
}

}  // namespace shopbell::custom_events
