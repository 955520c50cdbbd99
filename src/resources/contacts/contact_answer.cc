#include "resources/contacts/contact_answer.h"

#include <format>

#include "operations/conditions.h"
#include "operations/output.h"
#include "operations/retry.h"
#include "operations/trigger.h"
#include "resources/contacts/contact_json.h"
#include "resources/contacts/contact_values.h"

namespace shopbell::contacts {

namespace {

// Thrown by a decision when the cached fields of the account are stale.
struct FieldsChanged {
  std::int64_t version;
};

struct Write {
  pg::Group reads;
  pg::Group locks;
  DecideContact decide;
  operations::Keep keep;
};

// The first attempt uses the cached fields.
boost::asio::awaitable<operations::Output> attempt_write(
    const operations::Input& input, const Memory& memory, const Write& write,
    const std::optional<FieldsChanged>& stale) {
  const auto fields = stale ? co_await memory->get(input.database(), input.scope(), stale->version)
                            : memory->remembered(input.account());
  co_return co_await operations::write(
      input, write.reads,
      [&](const operations::Premises& premises, pg::Group& effect) {
        return write.decide(premises, *fields, effect);
      },
      write.locks, write.keep);
}

}  // namespace

std::string tag_of(const Contact& contact, std::int64_t fields_version) {
  static const std::string shape = operations::shape_of(contact_json().schema());
  return operations::version_tag(contact.created_at, contact.version,
                                 std::format("{}.{}", shape, fields_version));
}

operations::Output answer_of(const Contact& contact, std::int64_t fields_version,
                             const json::Reading& reading) {
  return operations::resource_output(contact_json(), contact, tag_of(contact, fields_version),
                                     reading);
}

Problem missing() { return Problem{Code::not_found, "There is no such contact."}; }

Problem conflict(const Contact& one, const Contact& other) {
  json::Writer ids;
  ids.begin_list().text(one.id.to_string()).text(other.id.to_string()).end();
  return Problem{Code::contact_identity_conflict,
                 "The identifiers of the request belong to different contacts."}
      .with_member("contactIds", ids.finish());
}

boost::asio::awaitable<operations::Output> show(operations::Input input, Memory memory, Key key) {
  auto found = co_await find_contact(input.database(), input.scope(), std::move(key));
  if (!found) throw missing();
  const auto fields = co_await memory->get(input.database(), input.scope(), found->fields_version);
  show_fields(*fields, found->contact);
  co_return answer_of(found->contact, fields->version());
}

Knowledge knowledge_of(const operations::Input& input, Instant now,
                       const contact_fields::FieldSet& fields, const pg::Result& knowledge,
                       Marks marks) {
  const StoreKnowledge store = found_knowledge(knowledge);
  if (store.fields_version != fields.version()) throw FieldsChanged{store.fields_version};
  return {.account = input.account(),
          .now = now,
          .fields = &fields,
          .store_country = store.country,
          .store_currency = store.currency,
          .marks = std::move(marks),
          .hasher = AddressHasher{input.keyring(), input.account()},
          .trigger = operations::trigger_of(input)};
}

boost::asio::awaitable<operations::Output> write_contact(operations::Input input, Memory memory,
                                                         pg::Group reads, pg::Group locks,
                                                         DecideContact decide,
                                                         operations::Keep keep) {
  const Write write{std::move(reads), std::move(locks), std::move(decide), keep};
  co_return co_await operations::while_stale<FieldsChanged>(
      [&](const std::optional<FieldsChanged>& stale) {
        return attempt_write(input, memory, write, stale);
      },
      "The contact fields keep changing. Retry the request.");
}

}  // namespace shopbell::contacts
