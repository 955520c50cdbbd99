// How the operations on contacts answer.
#pragma once

#include <functional>
#include <memory>

#include "http/call.h"
#include "http/wire/message.h"
#include "http/write.h"
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

// The answer that shows the contact of that key.
boost::asio::awaitable<http::Response> show(http::Call call, Memory memory, Key key);

// What `decide` has to know, out of the results of read_knowledge and read_marks. The fields must
// be those the account has now; else everything starts over with them.
Knowledge knowledge_of(const http::Call& call, Instant now, const contact_fields::FieldSet& fields,
                       const pg::Result& knowledge, Marks marks);

using DecideContact = std::function<http::Response(
    const http::Premises& premises, const contact_fields::FieldSet& fields, pg::Group& effect)>;

// http::write, with the fields of the account.
boost::asio::awaitable<http::Response> write_contact(http::Call call, Memory memory,
                                                     pg::Group reads, pg::Group locks,
                                                     DecideContact decide,
                                                     http::Keep keep = http::Keep::answer);

}  // namespace shopbell::contacts
