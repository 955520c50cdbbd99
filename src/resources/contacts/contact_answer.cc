#include "resources/contacts/contact_answer.h"

#include <format>

#include "http/answer.h"
#include "http/conditions.h"
#include "resources/contacts/contact_json.h"

namespace shopbell::contacts {

std::string tag_of(const Contact& contact, std::int64_t fields_version) {
  static const std::string shape = http::shape_of(contact_json().schema());
  return http::version_tag(contact.created_at, contact.version,
                           std::format("{}.{}", shape, fields_version));
}

http::Response answer_of(const Contact& contact, std::int64_t fields_version,
                         const json::Reading& reading) {
  return http::resource_answer(contact_json(), contact, tag_of(contact, fields_version), reading);
}

Problem missing() { return Problem{Code::not_found, "There is no such contact."}; }

Problem conflict(const Contact& one, const Contact& other) {
  json::Writer ids;
  ids.begin_list().text(one.id.to_string()).text(other.id.to_string()).end();
  return Problem{Code::contact_identity_conflict,
                 "The identifiers of the request belong to different contacts."}
      .with_member("contactIds", ids.finish());
}

Knowledge knowledge_of(const http::Call& call, Instant now, const contact_fields::FieldSet& fields,
                       const pg::Result& knowledge, Marks marks) {
  const StoreKnowledge store = found_knowledge(knowledge);
  if (store.fields_version != fields.version()) throw FieldsChanged{store.fields_version};
  Knowledge known{.account = call.account(),
                  .now = now,
                  .fields = &fields,
                  .store_country = store.country,
                  .marks = std::move(marks),
                  .hasher = AddressHasher{call.keyring(), call.account()}};
  const auto wish = call.parameter("triggerWorkflows").value_or("all");
  if (wish == "exitsOnly" || wish == "false") known.trigger = events::Trigger::exits;
  if (wish == "none") known.trigger = events::Trigger::none;
  return known;
}

}  // namespace shopbell::contacts
