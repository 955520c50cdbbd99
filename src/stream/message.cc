#include "stream/message.h"

#include "json/writer.h"

namespace shopbell::stream {

std::string message_of(const event_log::Entry& entry) {
  json::Writer message;
  message.begin_object();
  message.key("account").text(std::to_string(entry.account));
  message.key("epoch").integer(entry.epoch);
  message.key("id").text(entry.uid.to_string());
  message.key("kind").text(entry.kind);
  message.key("occurredAt").text(to_rfc3339(entry.occurred_at));
  message.key("receivedAt").text(to_rfc3339(entry.received_at));
  message.key("contactId");
  entry.contact_id ? message.text(entry.contact_id->to_string()) : message.null();
  message.key("data");
  entry.payload ? message.written(*entry.payload) : message.null();
  message.end();
  return message.finish();
}

}  // namespace shopbell::stream
