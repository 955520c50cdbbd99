#include "resources/contacts/contacts_api.h"

#include <algorithm>
#include <array>
#include <format>

#include "base/identity.h"
#include "base/limits.h"
#include "base/text.h"
#include "http/conditions.h"
#include "http/wire/path.h"
#include "http/write.h"
#include "resources/contacts/contact_answer.h"
#include "resources/contacts/contact_json.h"
#include "resources/contacts/contact_values.h"
#include "resources/contacts/manage_contacts.h"
#include "resources/contacts/named_contact.h"
#include "resources/triggers/trigger.h"

namespace shopbell::contacts {

namespace {

using Answer = boost::asio::awaitable<http::Response>;
using contact_fields::FieldSet;

// A way to name a contact in a path.
struct Naming {
  Key::Kind kind;
  std::string parameter;
  std::optional<std::string> Contact::* written;
  std::optional<std::string> Contact::* unique;
};
const Naming kByEmail{Key::Kind::email, "email", &Contact::email, &Contact::email_key};
const Naming kByExternalId{Key::Kind::external_id, "externalId", &Contact::external_id,
                           &Contact::external_id};

std::string text_of_path(const http::Call& call, const Naming& naming) {
  return to_nfc(call.path(naming.parameter)).value_or("");
}

// Of the path; a text that is no identifier names nobody.
Key key_of(const http::Call& call, const Naming& naming) {
  const std::string text = text_of_path(call, naming);
  if (naming.kind == Key::Kind::external_id) {
    if (!is_name(text, limits::kExternalIdCharacters)) throw missing();
    return {naming.kind, text};
  }
  auto folded = email_key(text);
  if (!folded) throw missing();
  return {naming.kind, std::move(*folded)};
}

Answer get(http::Call call, const Naming& naming, Memory memory) {
  return show(call, std::move(memory), key_of(call, naming));
}

// Which contact a patch is for, and who else is concerned.
struct Target {
  Contact contact;
  std::vector<Contact> merged;
  Patch patch;
};

class Targeting {
 public:
  Targeting(const http::Call& call, const Naming& naming, Key path)
      : call_{call},
        naming_{naming},
        path_{std::move(path)},
        creates_{call.parameter("createContact") == "true"},
        merges_{call.parameter("mergeContacts") == "true"} {}

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
  bool is_named(const Contact& contact) const { return contact.*naming_.unique == path_.value; }

  // The path names nobody. What the body names may be the person, still without this identifier.
  Target missing_target(std::vector<Contact> found, const Patch& patch, Instant now) const {
    if (!creates_) throw missing();
    Target target{.patch = patch};
    refuse_other_identifier(patch);
    target.patch.add(naming_.parameter,
                     [member = naming_.written, text = text_of_path(call_, naming_)](
                         Contact& contact) { contact.*member = text; });
    if (found.empty()) {
      target.contact.id = Uuid::v7(now);
      target.contact.lane = events::lane_of(call_.account(), target.contact.id);
      return target;
    }
    target.contact = found.front();
    found.erase(found.begin());
    const bool fills = !(target.contact.*naming_.unique) && found.empty();
    if (!fills && !merges_)
      throw conflict(target.contact, found.empty() ? target.contact : found.front());
    target.merged = std::move(found);
    return target;
  }

  void refuse_other_identifier(const Patch& patch) const {
    if (!patch.names(naming_.parameter)) return;
    Contact sent;
    patch.apply_to(sent);
    const auto& text = sent.*naming_.written;
    const auto same = naming_.kind == Key::Kind::email && text ? email_key(*text) : text;
    if (same == path_.value) return;
    json::Reading reading;
    const json::Reading::Place place{reading, naming_.parameter};
    reading.refuse("conflicts-with", "A new contact has the identifier of the path.");
    reading.finish();
  }

  const http::Call& call_;
  const Naming& naming_;
  Key path_;
  bool creates_;
  bool merges_;
};

std::string location_of(const http::Call& call, const Contact& contact) {
  const auto [form, text] = contact.email ? std::pair{"email", *contact.email}
                                          : std::pair{"external-id", *contact.external_id};
  return std::format("{}/contacts/{}/{}", call.base_path(), form, http::percent_encode(text));
}

http::Response answer_of_change(const http::Call& call, const Change& change,
                                std::int64_t fields_version, const json::Reading& reading) {
  http::Response response = answer_of(change.after, fields_version, reading);
  if (!change.before.exists()) {
    response.status = 201;
    response.headers.emplace_back("Location", location_of(call, change.after));
  }
  if (change.applied == Applied::consent)
    response.headers.emplace_back("Shopbell-Applied", "consent");
  if (change.applied == Applied::nothing)
    response.headers.emplace_back("Shopbell-Applied", "stale");
  return response;
}

http::Response decide_patch(const http::Call& call, const Targeting& targeting, const Patch& patch,
                            json::Reading reading, std::vector<Contact> found,
                            const Knowledge& known, pg::Group& effect) {
  const std::int64_t fields_version = known.fields->version();
  Target target;
  try {
    target = targeting.target(std::move(found), patch, known.now);
    http::check_conditions(call, target.contact.exists()
                                     ? std::optional{tag_of(target.contact, fields_version)}
                                     : std::nullopt);
  } catch (const Problem&) {
    // A body that no contact could take is told before what is wrong with this one.
    Contact any;
    any.email = "a@example.com";
    decide_change(reading, any, {}, patch, known);
    throw;
  }
  const Change change = decide_change(reading, target.contact, target.merged, target.patch, known);
  if (change.is_write) write_change(effect, change, known);
  return answer_of_change(call, change, fields_version, reading);
}

// Marks have a say where a contact is made, gets another address, or is told of a choice, and where
// the write may be older than an erasure. Most writes are none of that.
bool needs_marks(const http::Call& call, const Patch& patch) {
  constexpr std::array<std::string_view, 7> kMembers{
      "email",           "externalId", "phone",          "emailSubscription",
      "smsSubscription", "consent",    "sourceUpdatedAt"};
  return call.parameter("createContact") == "true" || call.parameter("mergeContacts") == "true" ||
         std::ranges::any_of(kMembers, [&](auto member) { return patch.names(member); });
}

Answer change(http::Call call, const Naming& naming, Memory memory) {
  json::Reading reading = call.reading();
  const Patch patch = contact_json().read_patch(call.body(), reading);
  reading.finish();
  Contact sent;
  patch.apply_to(sent);
  const std::string country = co_await country_for(call, sent);
  const Key path = key_of(call, naming);
  const Names names = names_of(call, sent, country, path);
  pg::Group reads;
  read_contacts(reads, call.account(), names.keys);
  read_knowledge(reads, call.account());
  const bool marked = needs_marks(call, patch);
  if (marked) read_marks(reads, call.account(), names.hashes);
  pg::Group locks;
  lock_contacts(locks, call.account(), names.keys);
  co_return co_await write_contact(
      call, memory, std::move(reads), std::move(locks),
      [&](const http::Premises& premises, const FieldSet& fields, pg::Group& effect) {
        const Knowledge known =
            knowledge_of(call, premises.now, fields, premises.results[1],
                         marked ? Marks{names.hashes, premises.results[2]} : Marks{});
        return decide_patch(call, Targeting{call, naming, path}, patch, reading,
                            found_contacts(premises.results[0]), known, effect);
      });
}

Answer remove(http::Call call, const Naming& naming, Memory memory) {
  const Key key = key_of(call, naming);
  Keys keys;
  (key.kind == Key::Kind::email ? keys.emails : keys.external_ids).push_back(key.value);
  pg::Group reads;
  read_contacts(reads, call.account(), keys);
  read_knowledge(reads, call.account());
  pg::Group locks;
  lock_contacts(locks, call.account(), keys);
  co_return co_await write_contact(
      call, memory, std::move(reads), std::move(locks),
      [&](const http::Premises& premises, const FieldSet& fields, pg::Group& effect) {
        const Knowledge known =
            knowledge_of(call, premises.now, fields, premises.results[1], Marks{});
        const auto found = found_contacts(premises.results[0]);
        if (found.empty()) throw missing();
        http::check_conditions(call, tag_of(found.front(), fields.version()));
        erase(effect, found.front(), known);
        return http::Response{.status = 204};
      });
}

http::Operation operation(std::string id, std::string summary, std::string description) {
  return {
      .id = std::move(id),
      .tag = "Contacts",
      .tag_description = "The people a store knows, by e-mail address or by the store's own id.",
      .summary = std::move(summary),
      .description = std::move(description),
      .answer_name = "Contact",
      .answer = contact_json().answer_schema(),
      .versioned = true,
      .problems = {Code::not_found}};
}

std::vector<http::QueryParameter> write_parameters() {
  return {{"createContact", "Makes the contact when there is none.", {.type = "boolean"}},
          {"mergeContacts",
           "Makes contacts one whose identifiers the request brings together.",
           {.type = "boolean"}},
          triggers::trigger_parameter()};
}

// The three operations under one form of path.
void add_routes(std::vector<http::Route>& routes, const std::string& path, const Naming& naming,
                const Memory& memory, const std::string& suffix, const std::string& by,
                const std::string& successor = "") {
  http::Operation read =
      operation("getContact" + suffix, "Get contact detail " + by, "One person.");
  http::Operation erased =
      operation("deleteContact" + suffix, "Delete contact " + by,
                "Erases the person: the contact, its values and identifiers are gone at once, and "
                "what its events say. Who had unsubscribed stays so, should they come back.");
  erased.success = 204;
  erased.answer_name.clear();
  erased.parameters = {triggers::trigger_parameter()};
  http::Operation patched =
      operation("patchContact" + suffix, "Patch contact " + by,
                "Changes what the patch names. A missing contact is made only with "
                "`createContact=true`.");
  patched.parameters = write_parameters();
  patched.may_create = true;
  patched.body =
      http::Body{.name = "ContactPatch",
                 .schema = contact_json().patch_schema(),
                 .example = R"({"firstName":"Eva","lastName":"Bell","tags":["vip"],"points":10})"};
  patched.problems.insert(patched.problems.end(),
                          {Code::contact_identity_conflict, Code::contact_erased});
  for (auto* one : {&read, &erased, &patched}) one->successor = successor;
  const auto with = [&](auto handler) {
    return [handler, &naming, memory](http::Call call) { return handler(call, naming, memory); };
  };
  routes.push_back(
      {http::Method::get, path, http::Access::scope("contacts:read"), with(get), read});
  routes.push_back(
      {http::Method::delete_, path, http::Access::scope("contacts:delete"), with(remove), erased});
  routes.push_back(
      {http::Method::patch, path, http::Access::scope("contacts:write"), with(change), patched});
}

}  // namespace

std::vector<http::Route> routes() {
  const auto memory = std::make_shared<contact_fields::FieldSets>();
  std::vector<http::Route> routes;
  add_routes(routes, "/contacts/email/{email}", kByEmail, memory, "ByEmail", "by email");
  add_routes(routes, "/contacts/external-id/{externalId}", kByExternalId, memory, "ByExternalId",
             "by externalId");
  add_routes(routes, "/contacts/{email}", kByEmail, memory, "", "(deprecated)",
             "/contacts/email/{email}");
  std::ranges::move(manage_routes(memory), std::back_inserter(routes));
  return routes;
}

}  // namespace shopbell::contacts
