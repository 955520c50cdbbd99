#include "resources/contacts/named_contact.h"

#include <algorithm>
#include <set>

#include "base/identity.h"
#include "resources/contacts/contact_answer.h"
#include "resources/contacts/contact_values.h"

namespace shopbell::contacts {

namespace {

// Returns a patch that only adds the identifiers that the contact does not have yet.
Patch filling(const Contact& contact, const Contact& sent) {
  Patch patch;
  if (sent.email && !contact.email)
    patch.add("email", [email = sent.email](Contact& filled) { filled.email = email; });
  if (sent.external_id && !contact.external_id)
    patch.add("externalId", [id = sent.external_id](Contact& filled) { filled.external_id = id; });
  return patch;
}

}  // namespace

Names names_of(const operations::Input& input, const Contact& sent, const std::string& country,
               const std::optional<Key>& path) {
  Names names;
  const AddressHasher hasher{input.keyring(), input.account()};
  std::set<std::string> emails;
  std::set<std::string> external_ids;
  if (path) (path->kind == Key::Kind::email ? emails : external_ids).insert(path->value);
  if (sent.email) emails.insert(*email_key(*sent.email));
  if (sent.external_id) external_ids.insert(*sent.external_id);
  for (const auto& email : emails) names.hashes.push_back(hasher.address(kEmail, email));
  for (const auto& id : external_ids) names.hashes.push_back(hasher.external_id(id));
  if (const auto phone = sent.phone ? to_e164(*sent.phone, country) : std::nullopt)
    names.hashes.push_back(hasher.address(kSms, *phone));
  names.keys.emails.assign(emails.begin(), emails.end());
  names.keys.external_ids.assign(external_ids.begin(), external_ids.end());
  return names;
}

boost::asio::awaitable<std::string> country_for(operations::Input input, const Contact& sent) {
  if (!sent.phone || sent.phone->starts_with('+')) co_return "";
  pg::Group reads;
  read_knowledge(reads, input.account());
  const pg::Results found = co_await input.database().run(std::move(reads), input.scope());
  co_return found_knowledge(found[0]).country;
}

std::vector<operations::QueryParameter> naming_parameters() {
  return {{"createContact",
           "Creates the contact if it does not exist. Needs the scope `contacts:write`.",
           {.type = "boolean"}},
          {"updateContact",
           "Updates the contact with the members of `contact`. Needs the scope `contacts:write`.",
           {.type = "boolean"}},
          {"mergeContacts",
           "Merges the contacts if the request's identifiers belong to different ones. Needs the "
           "scope `contacts:write`.",
           {.type = "boolean"}}};
}

NamingWish naming_wish_of(const operations::Input& input) {
  const auto is_set = [&](std::string_view name) {
    const bool set = input.parameter(name) == "true";
    if (set) input.require_scope("contacts:write");
    return set;
  };
  return {is_set("createContact"), is_set("updateContact"), is_set("mergeContacts")};
}

Change decide_named(json::Reading& reading, const Patch& patch, std::vector<Contact> found,
                    const NamingWish& wish, const Knowledge& known) {
  const json::Reading::Place place{reading, "contact"};
  Contact sent;
  patch.apply_to(sent);
  const bool named = sent.email || sent.external_id;
  if (!named) {
    reading.refuse("required", "Needs `email`, `externalId` or both.");
    reading.finish();
  }
  if (found.empty()) {
    if (!wish.creates)
      throw Problem{Code::contact_not_found, "There is no contact with these identifiers."};
    Contact contact;
    contact.id = Uuid::v7(known.now);
    contact.lane = events::lane_of(known.account, contact.id);
    return decide_change(reading, contact, {}, patch, known);
  }
  // A contact found by external id takes precedence over one found by e-mail address.
  const auto survivor = std::ranges::find_if(found, [&](const Contact& contact) {
    return sent.external_id && contact.external_id == sent.external_id;
  });
  if (survivor != found.end()) std::iter_swap(found.begin(), survivor);
  const Contact contact = std::move(found.front());
  found.erase(found.begin());
  if (!found.empty() && !wish.merges) throw conflict(contact, found.front());
  return decide_change(reading, contact, found, wish.updates ? patch : filling(contact, sent),
                       known);
}

}  // namespace shopbell::contacts
