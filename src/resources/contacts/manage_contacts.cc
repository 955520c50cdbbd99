#include "resources/contacts/manage_contacts.h"

#include <algorithm>
#include <format>
#include <ranges>

#include "base/identity.h"
#include "base/text.h"
#include "operations/conditions.h"
#include "operations/page.h"
#include "operations/resource_operations.h"
#include "operations/trigger.h"
#include "operations/write.h"
#include "resources/contact_fields/field_value.h"
#include "resources/contacts/contact_json.h"
#include "resources/contacts/contact_values.h"
#include "resources/contacts/timeline.h"

namespace shopbell::contacts {

namespace {

using Answer = boost::asio::awaitable<operations::Output>;
using contact_fields::FieldSet;

constexpr std::size_t kFiltersMost = 10;

Problem invalid_filter(std::string name, std::string_view code, const std::string& detail) {
  return Problem{Code::invalid_parameter,
                 "The query has parameters that cannot be used.",
                 {{Fault::Where::parameter, std::move(name), std::string{code}, detail}}};
}

// Parses the filter `field.<id>=value`: reads the value by the field's type, in its stored form.
Facet facet_of(const FieldSet& fields, std::string_view id, std::string_view text) {
  const std::string name = "field." + std::string{id};
  const auto* field = fields.find(id);
  if (field == nullptr)
    throw invalid_filter(name, "unknown-parameter", "There is no such contact field.");
  if (!field->indexed)
    throw invalid_filter(name, "conflicts-with",
                         "The field is not indexed, so you cannot filter by it.");
  const bool is_text = field->type != "integer" && field->type != "boolean";
  json::Writer quoted;
  if (is_text && field->type == "choices") {
    quoted.begin_list().text(text).end();
  } else if (is_text) {
    quoted.text(text);
  }
  const auto document = json::Document::parse(is_text ? quoted.finish() : std::string{text});
  json::Reading reading;
  const auto value =
      document ? read_value(reading, *field, document->root()) : std::optional<json::Raw>{};
  if (!value) throw invalid_filter(name, "invalid-format", "Is not a valid value of the field.");
  const auto kept = json::Document::parse(value->json);
  json::Value plain = kept->root();
  std::string shown{plain.type() == json::Type::text ? plain.text()
                                                     : std::string_view{value->json}};
  if (plain.type() == json::Type::list)
    plain.for_each([&](std::string_view, const json::Value& choice) { shown = choice.text(); });
  return {.kind = field->number,
          .value = facet_value(shown),
          .or_absent = field->required && field->default_value == value};
}

Listing listing_of(const operations::Input& input, const operations::PageRequest& request,
                   const FieldSet& fields) {
  Listing listing{.ascending = request.ascending, .limit = request.limit + 1};
  if (request.after) listing.after = Uuid::parse(*request.after);
  if (const auto q = input.parameter("q")) {
    listing.prefix = search_key(*q);
    if (listing.prefix->empty())
      throw invalid_filter("q", "too-short", "Contains no character to search for.");
  }
  if (const auto tags = input.parameter("tags")) {
    for (const auto part : std::views::split(*tags, ','))
      listing.facets.push_back(
          {.kind = kTagFacet,
           .value = facet_value(to_nfc(trimmed(std::string_view{part})).value_or(""))});
  }
  if (const auto status = input.parameter("emailSubscription"))
    listing.facets.push_back({.kind = kSubscriptionFacet, .value = std::string{*status}});
  for (const auto& [id, text] : input.family())
    listing.facets.push_back(facet_of(fields, id, text));
  if (listing.facets.size() > kFiltersMost)
    throw invalid_filter("tags", "too-long", std::format("At most {} filters.", kFiltersMost));
  if (const auto after = input.parameter("updatedAfter"))
    listing.updated_after = parse_rfc3339(*after);
  return listing;
}

Answer list(operations::Input input, Memory memory) {
  // Loads the fields before the contacts: filters by field need them.
  pg::Group reads;
  read_knowledge(reads, input.account());
  const pg::Results knowledge = co_await input.database().run(std::move(reads), input.scope());
  const auto fields = co_await memory->get(input.database(), input.scope(),
                                           found_knowledge(knowledge[0]).fields_version);
  const operations::PageRequest request = operations::read_page_request(input);
  auto found =
      co_await list_contacts(input.database(), input.scope(), listing_of(input, request, *fields));
  std::vector<Contact> contacts;
  contacts.reserve(found.size());
  for (auto& [contact, version] : found) {
    show_fields(*fields, contact);
    contacts.push_back(std::move(contact));
  }
  co_return operations::page_output<Contact>(
      input, request, contact_json(), contacts,
      [](const Contact& contact) { return contact.id.to_string(); });
}

Answer get(operations::Input input, Memory memory) {
  const auto id = Uuid::parse(input.path("id"));
  if (!id) throw missing();
  return show(input, std::move(memory), {Key::Kind::id, id->to_string()});
}

struct Merge {
  std::string from;
  std::string into;
};

const json::Table<Merge>& merge_json() {
  static const json::Table<Merge> table{
      "ContactMerge",
      "Two contacts of the same person.",
      {json::text("from", &Merge::from)
           .doc("The id of the contact that is merged into the other one.")
           .required()
           .format("uuid")
           .length_max(36)
           .example(R"("0192f5c0-0000-7000-8000-000000000001")"),
       json::text("into", &Merge::into)
           .doc("The id of the contact that remains. Its values take precedence.")
           .required()
           .format("uuid")
           .length_max(36)
           .example(R"("0192f5c0-0000-7000-8000-000000000002")")}};
  return table;
}

// Returns the contact. The id of a merged contact finds the contact that it was merged into.
Contact found_contact(const pg::Result& result) {
  auto found = found_contacts(result);
  if (found.empty()) throw missing();
  return std::move(found.front());
}

Answer merge(operations::Input input, Memory memory) {
  json::Reading reading = input.reading();
  Merge request;
  merge_json().read_new(input.body(), reading).apply_to(request);
  reading.finish();
  const auto from = Uuid::parse(request.from);
  const auto into = Uuid::parse(request.into);
  pg::Group reads;
  read_contact(reads, input.account(), into.value_or(Uuid{}));
  read_contact(reads, input.account(), from.value_or(Uuid{}));
  read_knowledge(reads, input.account());
  pg::Group locks;
  lock_contacts(locks, input.account(), {.ids = {from.value_or(Uuid{}), into.value_or(Uuid{})}});
  co_return co_await write_contact(
      input, memory, std::move(reads), std::move(locks),
      [&](const operations::Premises& premises, const FieldSet& fields, pg::Group& effect) {
        const Knowledge known =
            knowledge_of(input, premises.now, fields, premises.results[2], Marks{});
        Contact survivor = found_contact(premises.results[0]);
        const Contact other = found_contact(premises.results[1]);
        if (survivor.id == other.id) {  // the two ids are already merged
          show_fields(fields, survivor);
          return answer_of(survivor, fields.version(), reading);
        }
        const Change change = decide_merge(survivor, other, known);
        write_change(effect, change, known);
        operations::Output output = answer_of(change.after, fields.version(), reading);
        output.object = change.after.id;
        return output;
      });
}

std::vector<operations::QueryParameter> list_filters() {
  return {{"q",
           "The start of an e-mail address, first name or last name.",
           {.type = "string", .length_min = 1, .length_max = 255}},
          {"tags",
           "Tags, separated by commas. The contact must have all of them.",
           {.type = "string", .length_max = 2000}},
          {"emailSubscription",
           "Only contacts with this e-mail subscription.",
           {.type = "string", .options = {"subscribed", "unsubscribed", "pending", "none"}}},
          {"updatedAfter",
           "Only contacts changed after this time.",
           {.type = "string", .format = "date-time"}}};
}

}  // namespace

std::vector<operations::Operation> manage_routes(const Memory& memory) {
  using operations::Method;
  const auto read = operations::Access::scope("manage-contacts:read");
  const auto write = operations::Access::scope("manage-contacts:write");
  const auto contact =
      operations::ResourceOperations{
          .tag = "Manage contacts",
          .tag_description =
              "List, search and merge contacts, and get them by the service's own ids."}
          .with_answer(contact_json());
  operations::Description listed =
      contact.list("listContacts", "List contacts",
                   "Newest first. A contact must match every filter. `field.<id>=value` filters by "
                   "an indexed contact field.",
                   list_filters());
  listed.family = "field.";
  operations::Description shown =
      contact.get("getContactById", "Get contact detail by id",
                  "Also accepts the id of a contact that was merged into it.");
  shown.versioned = true;
  return {
      {Method::get, "/manage/contacts/", read,
       [memory](operations::Input input) { return list(input, memory); }, std::move(listed)},
      {Method::get, "/manage/contacts/{id}", read,
       [memory](operations::Input input) { return get(input, memory); }, std::move(shown)},
      timeline_route(),
      {Method::post, "/manage/contacts/merge", write,
       [memory](operations::Input input) { return merge(input, memory); },
       contact.change("mergeContacts", "Merge two contacts",
                      "The values of `into` take precedence; `from` fills its empty ones. Tags and "
                      "consent histories are combined and points are added. The stricter "
                      "subscription and status of each channel applies. The id of `from` remains "
                      "valid for the merged contact.",
                      {.body = operations::body_of(merge_json()),
                       .parameters = {operations::trigger_parameter()}})}};
}

}  // namespace shopbell::contacts
