// Outputs, problems and the write loop that the contact operations share.
#pragma once

#include <functional>
#include <memory>

#include "json/reading.h"
#include "operations/input.h"
#include "operations/output.h"
#include "operations/write.h"
#include "resources/contact_fields/field_set.h"
#include "resources/contacts/contact.h"
#include "resources/contacts/contact_change.h"
#include "resources/contacts/contact_store.h"

namespace shopbell::contacts {

// This process's cache of the contact fields of every account.
using Memory = std::shared_ptr<contact_fields::FieldSets>;

// Returns the ETag, which includes the fields' version because the response shows their values.
std::string tag_of(const Contact& contact, std::int64_t fields_version);
operations::Output answer_of(const Contact& contact, std::int64_t fields_version,
                             const json::Reading& reading = json::Reading{});
Problem missing();
Problem conflict(const Contact& one, const Contact& other);

// Returns the contact with that key; throws not-found if there is none.
boost::asio::awaitable<operations::Output> show(operations::Input input, Memory memory, Key key);

// Builds the Knowledge for `decide` from the result of read_knowledge and from the marks. When
// `fields` is a stale version, it throws, and write_contact() retries with the current version.
Knowledge knowledge_of(const operations::Input& input, Instant now,
                       const contact_fields::FieldSet& fields, const pg::Result& knowledge,
                       Marks marks);

using DecideContact =
    std::function<operations::Output(const operations::Premises& premises,
                                     const contact_fields::FieldSet& fields, pg::Group& effect)>;

// Calls operations::write() with the account's fields; retries when the cached fields are stale.
boost::asio::awaitable<operations::Output> write_contact(
    operations::Input input, Memory memory, pg::Group reads, pg::Group locks, DecideContact decide,
    operations::Keep keep = operations::Keep::output);

}  // namespace shopbell::contacts
