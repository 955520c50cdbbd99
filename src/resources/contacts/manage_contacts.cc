#include "resources/contacts/manage_contacts.h"

#include <algorithm>
#include <format>
#include <ranges>

#include "base/identity.h"
#include "base/text.h"
#include "http/conditions.h"
#include "http/page.h"
#include "http/write.h"
#include "resources/contact_fields/field_value.h"
#include "resources/contacts/contact_json.h"
#include "resources/contacts/contact_values.h"
#include "resources/contacts/timeline.h"
#include "resources/triggers/trigger.h"

namespace shopbell::contacts {

namespace {

using Answer = boost::asio::awaitable<http::Response>;
using contact_fields::FieldSet;

constexpr std::size_t kFiltersMost = 10;

Problem invalid_filter(std::string name, std::string_view code, const std::string& detail) {
  return Problem{Code::invalid_parameter,
                 "The query has parameters that cannot be used.",
                 {{Fault::Where::parameter, std::move(name), std::string{code}, detail}}};
}

// `field.<id>=value`: the value as the field's type reads it, in the form in which it is kept.
Facet facet_of(const FieldSet& fields, std::string_view id, std::string_view text) {
  const std::string name = "field." + std::string{id};
  const auto* field = fields.find(id);
  if (field == nullptr) throw invalid_filter(name, "unknown-parameter", "There is no such field.");
  if (!field->indexed)
    throw invalid_filter(name, "conflicts-with",
                         "The field is not indexed, so no list filters by it.");
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
  if (!value) throw invalid_filter(name, "invalid-format", "Is not a value of the field.");
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

Listing listing_of(const http::Call& call, const http::PageWish& wish, const FieldSet& fields) {
  Listing listing{.ascending = wish.ascending, .limit = wish.limit + 1};
  if (wish.after) listing.after = Uuid::parse(*wish.after);
  if (const auto q = call.parameter("q")) {
    listing.prefix = search_key(*q);
    if (listing.prefix->empty())
      throw invalid_filter("q", "too-short", "Holds nothing to look for.");
  }
  if (const auto tags = call.parameter("tags")) {
    for (const auto part : std::views::split(*tags, ','))
      listing.facets.push_back(
          {.kind = kTagFacet,
           .value = facet_value(to_nfc(trimmed(std::string_view{part})).value_or(""))});
  }
  if (const auto status = call.parameter("emailSubscription"))
    listing.facets.push_back({.kind = kSubscriptionFacet, .value = std::string{*status}});
  for (const auto& [id, text] : call.family()) listing.facets.push_back(facet_of(fields, id, text));
  if (listing.facets.size() > kFiltersMost)
    throw invalid_filter("tags", "too-long", std::format("At most {} filters.", kFiltersMost));
  if (const auto after = call.parameter("updatedAfter"))
    listing.updated_after = parse_rfc3339(*after);
  return listing;
}

Answer list(http::Call call, Memory memory) {
  // Filters by fields need the fields before the first contact is read.
  pg::Group reads;
  read_knowledge(reads, call.account());
  const pg::Results knowledge = co_await call.database().run(std::move(reads), call.scope());
  const auto fields = co_await memory->get(call.database(), call.scope(),
                                           found_knowledge(knowledge[0]).fields_version);
  const http::PageWish wish = http::read_page_wish(call);
  auto found =
      co_await list_contacts(call.database(), call.scope(), listing_of(call, wish, *fields));
  std::vector<Contact> contacts;
  contacts.reserve(found.size());
  for (auto& [contact, version] : found) {
    show_fields(*fields, contact);
    contacts.push_back(std::move(contact));
  }
  co_return http::page_answer<Contact>(
      call, wish, contact_json(), contacts,
      [](const Contact& contact) { return contact.id.to_string(); });
}

Answer get(http::Call call, Memory memory) {
  const auto id = Uuid::parse(call.path("id"));
  if (!id) throw missing();
  return show(call, std::move(memory), {Key::Kind::id, id->to_string()});
}

struct Merge {
  std::string from;
  std::string into;
};

const json::Table<Merge>& merge_json() {
  static const json::Table<Merge> table{
      "ContactMerge",
      "Two contacts that are one person.",
      {json::text("from", &Merge::from)
           .doc("The id of the contact that becomes part of the other.")
           .required()
           .format("uuid")
           .length_max(36)
           .example(R"("0192f5c0-0000-7000-8000-000000000001")"),
       json::text("into", &Merge::into)
           .doc("The id of the contact that stays. Its values win.")
           .required()
           .format("uuid")
           .length_max(36)
           .example(R"("0192f5c0-0000-7000-8000-000000000002")")}};
  return table;
}

// An id names the contact it was merged into as well.
Contact found_contact(const pg::Result& result) {
  auto found = found_contacts(result);
  if (found.empty()) throw missing();
  return std::move(found.front());
}

Answer merge(http::Call call, Memory memory) {
  json::Reading reading = call.reading();
  Merge wish;
  merge_json().read_new(call.body(), reading).apply_to(wish);
  reading.finish();
  const auto from = Uuid::parse(wish.from);
  const auto into = Uuid::parse(wish.into);
  pg::Group reads;
  read_contact(reads, call.account(), into.value_or(Uuid{}));
  read_contact(reads, call.account(), from.value_or(Uuid{}));
  read_knowledge(reads, call.account());
  pg::Group locks;
  lock_contacts(locks, call.account(), {.ids = {from.value_or(Uuid{}), into.value_or(Uuid{})}});
  co_return co_await write_contact(
      call, memory, std::move(reads), std::move(locks),
      [&](const http::Premises& premises, const FieldSet& fields, pg::Group& effect) {
        const Knowledge known =
            knowledge_of(call, premises.now, fields, premises.results[2], Marks{});
        Contact survivor = found_contact(premises.results[0]);
        const Contact other = found_contact(premises.results[1]);
        if (survivor.id == other.id) {  // they are one already
          show_fields(fields, survivor);
          return answer_of(survivor, fields.version(), reading);
        }
        const Change change = decide_merge(survivor, other, known);
        write_change(effect, change, known);
        return answer_of(change.after, fields.version(), reading);
      });
}

http::Operation manage_operation(std::string id, std::string summary, std::string description) {
  return {.id = std::move(id),
          .tag = "Manage contacts",
          .tag_description = "Contacts as people look for them, and by the service's own ids.",
          .summary = std::move(summary),
          .description = std::move(description),
          .answer_name = "Contact",
          .answer = contact_json().answer_schema(),
          .problems = {Code::not_found}};
}

http::Route list_route(const Memory& memory) {
  http::Operation described = manage_operation(
      "listContacts", "List contacts",
      "Newest first. Every filter that is given must hold. `field.<id>=value` filters by "
      "an indexed contact field.");
  described.family = "field.";
  described.answer_name = "ContactPage";
  described.answer = http::page_schema("Contact");
  described.problems = {Code::invalid_cursor};
  described.parameters = http::page_parameters(
      {{"q",
        "The beginning of an e-mail address or of a name.",
        {.type = "string", .length_min = 1, .length_max = 255}},
       {"tags",
        "Tags the contact has, all of them, separated by commas.",
        {.type = "string", .length_max = 2000}},
       {"emailSubscription",
        "What the person decided.",
        {.type = "string", .options = {"subscribed", "unsubscribed", "pending", "none"}}},
       {"updatedAfter", "Changed after this time.", {.type = "string", .format = "date-time"}}});
  return {http::Method::get, "/manage/contacts/", http::Access::scope("manage-contacts:read"),
          [memory](http::Call call) { return list(call, memory); }, std::move(described)};
}

http::Route merge_route(const Memory& memory) {
  http::Operation described = manage_operation(
      "mergeContacts", "Merge two contacts",
      "The values of the contact that stays win, its empty ones are filled; tags are "
      "united, points added, consents joined, and of each subscription and status the "
      "stricter holds. The other's id goes on naming the person.");
  described.parameters = {triggers::trigger_parameter()};
  described.body = http::Body{.name = "ContactMerge",
                              .schema = merge_json().new_schema(),
                              .example = merge_json().example()};
  return {http::Method::post, "/manage/contacts/merge",
          http::Access::scope("manage-contacts:write"),
          [memory](http::Call call) { return merge(call, memory); }, std::move(described)};
}

}  // namespace

std::vector<http::Route> manage_routes(const Memory& memory) {
  http::Operation described =
      manage_operation("getContactById", "Get contact detail by id",
                       "Also by the id of a contact that was merged into it.");
  described.versioned = true;
  return {list_route(memory),
          {http::Method::get, "/manage/contacts/{id}", http::Access::scope("manage-contacts:read"),
           [memory](http::Call call) { return get(call, memory); }, std::move(described)},
          timeline_route(),
          merge_route(memory)};
}

}  // namespace shopbell::contacts
