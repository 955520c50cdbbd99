// How the operations on contacts answer.
#pragma once

#include <memory>

#include "http/call.h"
#include "http/message.h"
#include "json/reading.h"
#include "resources/contact_fields/field_set.h"
#include "resources/contacts/contact.h"
#include "resources/contacts/contact_change.h"
#include "resources/contacts/contact_store.h"

namespace shopbell::contacts {

// The fields of every account, as this process remembers them.
using Memory = std::shared_ptr<contact_fields::FieldSets>;

// The fields are part of what is shown, so they are part of the tag.
std::string tag_of(const Contact& contact, std::int64_t fields_version);
http::Response answer_of(const Contact& contact, std::int64_t fields_version,
                         const json::Reading& reading = json::Reading{});
Problem missing();
Problem conflict(const Contact& one, const Contact& other);

// Thrown while deciding: the account's fields are of another version than those remembered.
struct FieldsChanged {
  std::int64_t version;
};

// What `decide` has to know, out of the results of read_knowledge and read_marks.
Knowledge knowledge_of(const http::Call& call, Instant now, const contact_fields::FieldSet& fields,
                       const pg::Result& knowledge, Marks marks);

// Calls write(fields), a coroutine, with the fields of the account; again when they have changed.
template <class Write>
boost::asio::awaitable<http::Response> with_fields(http::Call call, Memory memory, Write write) {
  auto fields = memory->remembered(call.account());
  for (int attempt = 0; attempt < limits::kWriteAttempts; ++attempt) {
    std::int64_t version = 0;
    try {
      co_return co_await write(fields);
    } catch (const FieldsChanged& changed) {
      version = changed.version;
    }
    fields = co_await memory->get(call.database(), call.scope(), version);
  }
  throw Problem{Code::unavailable, "The contact fields change too fast."};
}

}  // namespace shopbell::contacts
