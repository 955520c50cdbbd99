#include "resources/contact_fields/contact_fields_api.h"

#include <charconv>
#include <format>

#include "base/limits.h"
#include "http/answer.h"
#include "http/conditions.h"
#include "http/page.h"
#include "http/write.h"
#include "resources/contact_fields/contact_field_json.h"
#include "resources/contact_fields/contact_field_store.h"
#include "resources/contact_fields/field_value.h"

namespace shopbell::contact_fields {

namespace {

using Answer = boost::asio::awaitable<http::Response>;

// The time of creation keeps a field apart from an earlier one of the same id.
std::string tag_of(const ContactField& field) {
  static const std::string shape = http::shape_of(contact_field_json().schema());
  return http::version_tag(field.created_at, field.version, shape);
}

http::Response answer_of(const ContactField& field,
                         const json::Reading& reading = json::Reading{}) {
  return http::resource_answer(contact_field_json(), field, tag_of(field), reading);
}

Problem missing() { return Problem{Code::not_found, "There is no contact field of that id."}; }

void refuse_built_in(const ContactField& field) {
  if (field.built_in)
    throw Problem{Code::field_built_in, std::format("{} is a built-in field.", field.id)};
}

void refuse_used(const ContactField& field, const std::string& used_by) {
  if (used_by == "[]") return;
  throw Problem{Code::field_in_use, std::format("Workflows use the field {}.", field.id)}
      .with_member("usedBy", used_by);
}

Answer list(http::Call call) {
  const http::PageWish wish = http::read_page_wish(call);
  const auto instant = [&](std::string_view name) {
    const auto text = call.parameter(name);
    return text ? parse_rfc3339(*text) : std::nullopt;
  };
  Listing listing{.ascending = wish.ascending,
                  .limit = wish.limit + 1,  // one more, to see whether there is more
                  .created_after = instant("createdAfter"),
                  .created_before = instant("createdBefore")};
  if (const auto type = call.parameter("type")) listing.type = *type;
  if (wish.after) listing.after = std::stoll(*wish.after);
  const auto fields = co_await list_fields(call.database(), call.scope(), std::move(listing));
  co_return http::page_answer<ContactField>(
      call, wish, contact_field_json(), fields,
      [](const ContactField& field) { return std::to_string(field.number); });
}

Answer create(http::Call call) {
  json::Reading reading = call.reading();
  ContactField field;
  contact_field_json().read_new(call.body(), reading).apply_to(field);
  if (!field.type.empty()) settle(reading, field);
  reading.finish();
  pg::Group reads;
  read_field(reads, call.account(), field.id);
  read_counts(reads, call.account());
  co_return co_await http::write(
      call, std::move(reads),
      [call, field, reading](const http::Premises& premises, pg::Group& effect) mutable {
        const auto existing = found_field(premises.results[0], field.id);
        http::check_conditions(call, existing.transform(tag_of));
        if (existing)
          throw Problem{Code::field_exists, std::format("There is a field {}.", field.id)};
        const Counts counts = found_counts(premises.results[1]);
        if (counts.fields >= limits::kContactFields)
          throw Problem{
              Code::limit_reached,
              std::format("An account has at most {} contact fields.", limits::kContactFields)};
        if (field.indexed && counts.indexed >= limits::kIndexedContactFields)
          throw Problem{Code::limit_reached,
                        std::format("An account has at most {} indexed contact fields.",
                                    limits::kIndexedContactFields)};
        field.created_at = field.updated_at = premises.now;
        insert_field(effect, call.account(), field);
        http::Response response = answer_of(field, reading);
        response.status = 201;
        response.headers.emplace_back(
            "Location", std::format("{}/contact-fields/{}", call.base_path(), field.id));
        return response;
      });
}

Answer get(http::Call call) {
  const std::string& id = call.path("id");
  pg::Group reads;
  read_field(reads, call.account(), id);
  const pg::Results found = co_await call.database().run(std::move(reads), call.scope());
  const auto field = found_field(found[0], id);
  if (!field) throw missing();
  co_return answer_of(*field);
}

Answer remove(http::Call call) {
  const std::string& id = call.path("id");
  pg::Group reads;
  read_field(reads, call.account(), id);
  read_field_users(reads, call.account(), id);
  co_return co_await http::write(call, std::move(reads),
                                 [call, id](const http::Premises& premises, pg::Group& effect) {
                                   const auto field = found_field(premises.results[0], id);
                                   if (!field) throw missing();
                                   http::check_conditions(call, tag_of(*field));
                                   refuse_built_in(*field);
                                   refuse_used(*field, found_field_users(premises.results[1]));
                                   delete_field(effect, call.account(), *field);
                                   return http::Response{.status = 204};
                                 });
}

Answer change(http::Call call) {
  json::Reading reading = call.reading();
  const auto changes = contact_field_json().read_patch(call.body(), reading);
  reading.finish();
  const std::string& id = call.path("id");
  pg::Group reads;
  read_field(reads, call.account(), id);
  co_return co_await http::write(
      call, std::move(reads),
      [call, id, changes, reading](const http::Premises& premises, pg::Group& effect) {
        const auto before = found_field(premises.results[0], id);
        if (!before) throw missing();
        http::check_conditions(call, tag_of(*before));
        refuse_built_in(*before);
        json::Reading judged = reading;
        ContactField after = *before;
        changes.apply_to(after);
        if (after.type == before->type) settle(judged, after);
        check_change(judged, *before, after);
        judged.finish();
        if (contact_field_json().to_json(after) == contact_field_json().to_json(*before))
          return answer_of(*before, judged);
        after.updated_at = premises.now;
        update_field(effect, call.account(), after);
        ++after.version;
        return answer_of(after, judged);
      });
}

http::Operation operation(std::string id, std::string summary, std::string description) {
  return {
      .id = std::move(id),
      .tag = "Contact fields",
      .tag_description = "What a store wants to know of its contacts beyond the built-in fields.",
      .summary = std::move(summary),
      .description = std::move(description),
      .answer_name = contact_field_json().name(),
      .answer = contact_field_json().answer_schema(),
      .versioned = true};
}

http::Route list_route() {
  http::Operation described =
      operation("listContactFields", "Get contact fields list",
                "The store's own fields and the built-in ones, newest first.");
  described.answer_name = "ContactFieldPage";
  described.answer = http::page_schema(contact_field_json().name());
  described.versioned = false;
  described.parameters = http::page_parameters(
      {{"type", "Only fields of this type.", {.type = "string", .options = field_types()}},
       {"createdAfter", "Only fields made later.", {.type = "string", .format = "date-time"}},
       {"createdBefore", "Only fields made earlier.", {.type = "string", .format = "date-time"}}});
  described.problems = {Code::invalid_cursor};
  return {http::Method::get, "/contact-fields/", http::Access::scope("contact-fields:read"), list,
          std::move(described)};
}

http::Route create_route() {
  http::Operation described = operation(
      "createContactField", "Create a contact field",
      "Every contact has the field from now on: empty, or with the default value if it is "
      "required.");
  described.success = 201;
  described.body = http::Body{.name = "NewContactField",
                              .schema = contact_field_json().new_schema(),
                              .example = contact_field_json().example()};
  described.problems = {Code::field_exists, Code::limit_reached};
  return {http::Method::post, "/contact-fields/", http::Access::scope("contact-fields:write"),
          create, std::move(described)};
}

http::Route change_route() {
  http::Operation described = operation(
      "changeContactField", "Change a contact field",
      "Name, labels, new options and wider limits. What cannot change may be sent as it is.");
  described.body = http::Body{.name = "ContactFieldPatch",
                              .schema = contact_field_json().patch_schema(),
                              .example = R"({"name":"Loyalty"})"};
  described.problems = {Code::not_found, Code::field_built_in};
  return {http::Method::patch, "/manage/contact-fields/{id}",
          http::Access::scope("manage-contact-fields:write"), change, std::move(described)};
}

http::Route delete_route() {
  http::Operation described =
      operation("deleteContactField", "Delete contact field by Id",
                "The field is gone at once, its values soon after. The same id created again "
                "starts empty.");
  described.success = 204;
  described.answer_name.clear();
  described.problems = {Code::not_found, Code::field_built_in, Code::field_in_use};
  return {http::Method::delete_, "/contact-fields/{id}",
          http::Access::scope("contact-fields:delete"), remove, std::move(described)};
}

}  // namespace

std::vector<http::Route> routes() {
  http::Operation described =
      operation("getContactField", "Get contact field detail", "One field, built-in or not.");
  described.problems = {Code::not_found};
  return {list_route(),
          create_route(),
          {http::Method::get, "/contact-fields/{id}", http::Access::scope("contact-fields:read"),
           get, std::move(described)},
          delete_route(),
          change_route()};
}

}  // namespace shopbell::contact_fields
