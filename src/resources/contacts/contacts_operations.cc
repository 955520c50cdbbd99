#include "resources/contacts/contacts_operations.h"

#include <algorithm>
#include <array>
#include <format>

#include "base/identity.h"
#include "base/limits.h"
#include "base/percent.h"
#include "base/text.h"
#include "operations/conditions.h"
#include "operations/resource_operations.h"
#include "operations/trigger.h"
#include "operations/write.h"
#include "resources/contacts/contact_answer.h"
#include "resources/contacts/contact_json.h"
#include "resources/contacts/contact_values.h"
#include "resources/contacts/manage_contacts.h"
#include "resources/contacts/named_contact.h"

namespace shopbell::contacts {

namespace {

using Answer = boost::asio::awaitable<operations::Output>;
using contact_fields::FieldSet;

// The form of the identifier in a path: `{email}` or `{externalId}`.
struct PathIdentifier {
  Key::Kind kind;
  std::string parameter;
  std::optional<std::string> Contact::* written;
  std::optional<std::string> Contact::* unique;
};
const PathIdentifier kByEmail{Key::Kind::email, "email", &Contact::email, &Contact::email_key};
const PathIdentifier kByExternalId{Key::Kind::external_id, "externalId", &Contact::external_id,
                                   &Contact::external_id};

std::string text_of_path(const operations::Input& input, const PathIdentifier& identifier) {
  return to_nfc(input.path(identifier.parameter)).value_or("");
}

// Returns the contact's key in the path. Throws not-found when the text is no valid identifier.
Key key_of(const operations::Input& input, const PathIdentifier& identifier) {
  const std::string text = text_of_path(input, identifier);
  if (identifier.kind == Key::Kind::external_id) {
    if (!is_name(text, limits::kExternalIdCharacters)) throw missing();
    return {identifier.kind, text};
  }
  auto folded = email_key(text);
  if (!folded) throw missing();
  return {identifier.kind, std::move(*folded)};
}

Answer get(operations::Input input, const PathIdentifier& identifier, Memory memory) {
  return show(input, std::move(memory), key_of(input, identifier));
}

// The contact a patch applies to, and the contacts to merge into it.
struct Target {
  Contact contact;
  std::vector<Contact> merged;
  Patch patch;
};

class TargetFinder {
 public:
  TargetFinder(const operations::Input& input, const PathIdentifier& identifier, Key path)
      : input_{input},
        identifier_{identifier},
        path_{std::move(path)},
        creates_{input.parameter("createContact") == "true"},
        merges_{input.parameter("mergeContacts") == "true"} {}

  Target target(std::vector<Contact> found, const Patch& patch, Instant now) const {
    const auto named =
        std::ranges::find_if(found, [&](const Contact& contact) { return is_named(contact); });
    if (named == found.end()) return missing_target(std::move(found), patch, now);
    Target target{.contact = *named, .patch = patch};
    found.erase(named);
    if (!found.empty() && !merges_) throw conflict(target.contact, found.front());
    target.merged = std::move(found);
    return target;
  }

 private:
  bool is_named(const Contact& contact) const { return contact.*identifier_.unique == path_.value; }

  // Selects the target when no contact has the path's identifier. A contact with an identifier of
  // the body may be the same person, who does not have the path's identifier yet.
  Target missing_target(std::vector<Contact> found, const Patch& patch, Instant now) const {
    if (!creates_) throw missing();
    Target target{.patch = patch};
    refuse_other_identifier(patch);
    target.patch.add(identifier_.parameter,
                     [member = identifier_.written, text = text_of_path(input_, identifier_)](
                         Contact& contact) { contact.*member = text; });
    if (found.empty()) {
      target.contact.id = Uuid::v7(now);
      target.contact.lane = events::lane_of(input_.account(), target.contact.id);
      return target;
    }
    target.contact = found.front();
    found.erase(found.begin());
    const bool fills = !(target.contact.*identifier_.unique) && found.empty();
    if (!fills && !merges_)
      throw conflict(target.contact, found.empty() ? target.contact : found.front());
    target.merged = std::move(found);
    return target;
  }

  void refuse_other_identifier(const Patch& patch) const {
    if (!patch.names(identifier_.parameter)) return;
    Contact sent;
    patch.apply_to(sent);
    const auto& text = sent.*identifier_.written;
    const auto same = identifier_.kind == Key::Kind::email && text ? email_key(*text) : text;
    if (same == path_.value) return;
    json::Reading reading;
    const json::Reading::Place place{reading, identifier_.parameter};
    reading.refuse("conflicts-with", "Must equal the identifier in the path of a new contact.");
    reading.finish();
  }

  const operations::Input& input_;
  const PathIdentifier& identifier_;
  Key path_;
  bool creates_;
  bool merges_;
};

std::string path_of(const Contact& contact) {
  const auto [form, text] = contact.email ? std::pair{"email", *contact.email}
                                          : std::pair{"external-id", *contact.external_id};
  return std::format("/contacts/{}/{}", form, percent_encode(text));
}

operations::Output answer_of_change(const operations::Input& input, const Change& change,
                                    std::int64_t fields_version, const json::Reading& reading) {
  operations::Output output = answer_of(change.after, fields_version, reading);
  if (!change.before.exists())
    output = operations::created(input, std::move(output), path_of(change.after));
  if (change.applied == Applied::consent) output.applied.emplace_back("consent");
  if (change.applied == Applied::nothing) output.applied.emplace_back("stale");
  return output;
}

operations::Output decide_patch(const operations::Input& input, const TargetFinder& finder,
                                const Patch& patch, json::Reading reading,
                                std::vector<Contact> found, const Knowledge& known,
                                pg::Group& effect) {
  const std::int64_t fields_version = known.fields->version();
  Target target;
  try {
    target = finder.target(std::move(found), patch, known.now);
    operations::check_conditions(input, target.contact.exists()
                                            ? std::optional{tag_of(target.contact, fields_version)}
                                            : std::nullopt);
  } catch (const Problem&) {
    // Faults of the body itself are reported before problems with this contact.
    Contact any;
    any.email = "a@example.com";
    decide_change(reading, any, {}, patch, known);
    throw;
  }
  const Change change = decide_change(reading, target.contact, target.merged, target.patch, known);
  if (change.is_write) write_change(effect, change, known);
  return answer_of_change(input, change, fields_version, reading);
}

// True if the write has to read suppressions and erasures: it creates or merges contacts, changes
// an address or a subscription, or may be older than an erasure. Most writes skip this read.
bool needs_marks(const operations::Input& input, const Patch& patch) {
  constexpr std::array<std::string_view, 7> kMembers{
      "email",           "externalId", "phone",          "emailSubscription",
      "smsSubscription", "consent",    "sourceUpdatedAt"};
  return input.parameter("createContact") == "true" || input.parameter("mergeContacts") == "true" ||
         std::ranges::any_of(kMembers, [&](auto member) { return patch.names(member); });
}

Answer change(operations::Input input, const PathIdentifier& identifier, Memory memory) {
  json::Reading reading = input.reading();
  const Patch patch = contact_json().read_patch(input.body(), reading);
  reading.finish();
  Contact sent;
  patch.apply_to(sent);
  const std::string country = co_await country_for(input, sent);
  const Key path = key_of(input, identifier);
  const Names names = names_of(input, sent, country, path);
  pg::Group reads;
  read_contacts(reads, input.account(), names.keys);
  read_knowledge(reads, input.account());
  const bool marked = needs_marks(input, patch);
  if (marked) read_marks(reads, input.account(), names.hashes);
  pg::Group locks;
  lock_contacts(locks, input.account(), names.keys);
  co_return co_await write_contact(
      input, memory, std::move(reads), std::move(locks),
      [&](const operations::Premises& premises, const FieldSet& fields, pg::Group& effect) {
        const Knowledge known =
            knowledge_of(input, premises.now, fields, premises.results[1],
                         marked ? Marks{names.hashes, premises.results[2]} : Marks{});
        return decide_patch(input, TargetFinder{input, identifier, path}, patch, reading,
                            found_contacts(premises.results[0]), known, effect);
      });
}

Answer remove(operations::Input input, const PathIdentifier& identifier, Memory memory) {
  const Key key = key_of(input, identifier);
  Keys keys;
  (key.kind == Key::Kind::email ? keys.emails : keys.external_ids).push_back(key.value);
  pg::Group reads;
  read_contacts(reads, input.account(), keys);
  read_knowledge(reads, input.account());
  pg::Group locks;
  lock_contacts(locks, input.account(), keys);
  co_return co_await write_contact(
      input, memory, std::move(reads), std::move(locks),
      [&](const operations::Premises& premises, const FieldSet& fields, pg::Group& effect) {
        const Knowledge known =
            knowledge_of(input, premises.now, fields, premises.results[1], Marks{});
        const auto found = found_contacts(premises.results[0]);
        if (found.empty()) throw missing();
        operations::check_conditions(input, tag_of(found.front(), fields.version()));
        erase(effect, found.front(), known);
        return operations::Output::no_content(found.front().id);
      });
}

std::vector<operations::QueryParameter> write_parameters() {
  return {{"createContact", "Creates the contact if it does not exist.", {.type = "boolean"}},
          {"mergeContacts",
           "Merges the contacts if the request's identifiers belong to different ones.",
           {.type = "boolean"}},
          operations::trigger_parameter()};
}

// Returns the operations get, delete and patch under one form of path.
std::vector<operations::Operation> routes_by(const PathIdentifier& identifier,
                                             const std::string& path, const Memory& memory,
                                             const std::string& suffix, const std::string& by) {
  using operations::Access;
  using operations::Method;
  const auto with = [&](auto handler) {
    return [handler, &identifier, memory](operations::Input input) {
      return handler(input, identifier, memory);
    };
  };
  const auto contact =
      operations::ResourceOperations{
          .tag = "Contacts",
          .tag_description = "The contacts of a store, by e-mail address or by the store's own id.",
          .versioned = true}
          .with_answer(contact_json());
  return {
      {Method::get, path, Access::scope("contacts:read"), with(get),
       contact.get("getContact" + suffix, "Get contact detail " + by, "Returns one contact.")},
      {Method::delete_, path, Access::scope("contacts:delete"), with(remove),
       contact.remove("deleteContact" + suffix, "Delete contact " + by,
                      "Erases the person at once: the contact, its values, its identifiers and the "
                      "data of its events. An unsubscribed address stays unsubscribed if it comes "
                      "back.",
                      {.parameters = {operations::trigger_parameter()}})},
      {Method::patch, path, Access::scope("contacts:write"), with(change),
       contact.upsert(
           "patchContact" + suffix, "Patch contact " + by,
           "Changes the members in the patch and no others. A missing contact is created only with "
           "`createContact=true`.",
           {.body = operations::patch_body(
                contact_json(),
                R"({"firstName":"Eva","lastName":"Bell","tags":["vip"],"points":10})"),
            .parameters = write_parameters(),
            .problems = {Code::not_found, Code::contact_identity_conflict,
                         Code::contact_erased}})}};
}

}  // namespace

std::vector<operations::Operation> operation_table() {
  const auto memory = std::make_shared<contact_fields::FieldSets>();
  const std::string by_email = "/contacts/email/{email}";
  std::vector<operations::Operation> routes;
  const auto add = [&](std::vector<operations::Operation> part) {
    std::ranges::move(part, std::back_inserter(routes));
  };
  add(routes_by(kByEmail, by_email, memory, "ByEmail", "by email"));
  add(routes_by(kByExternalId, "/contacts/external-id/{externalId}", memory, "ByExternalId",
                "by externalId"));
  auto deprecated = routes_by(kByEmail, "/contacts/{email}", memory, "", "(deprecated)");
  for (auto& route : deprecated) route.description.successor = by_email;
  add(std::move(deprecated));
  add(manage_routes(memory));
  return routes;
}

}  // namespace shopbell::contacts
