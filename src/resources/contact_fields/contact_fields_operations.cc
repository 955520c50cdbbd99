#include "resources/contact_fields/contact_fields_operations.h"

#include <charconv>
#include <format>

#include "base/limits.h"
#include "operations/conditions.h"
#include "operations/output.h"
#include "operations/page.h"
#include "operations/resource_operations.h"
#include "operations/write.h"
#include "resources/contact_fields/contact_field_json.h"
#include "resources/contact_fields/contact_field_store.h"
#include "resources/contact_fields/field_value.h"

namespace shopbell::contact_fields {

namespace {

using Answer = boost::asio::awaitable<operations::Output>;

// The ETag includes the creation time, because a deleted field may have had the same id.
std::string tag_of(const ContactField& field) {
  static const std::string shape = operations::shape_of(contact_field_json().schema());
  return operations::version_tag(field.created_at, field.version, shape);
}

operations::Output answer_of(const ContactField& field,
                             const json::Reading& reading = json::Reading{}) {
  return operations::resource_output(contact_field_json(), field, tag_of(field), reading);
}

Problem missing() { return Problem{Code::not_found, "There is no contact field with this id."}; }

void refuse_built_in(const ContactField& field) {
  if (field.built_in)
    throw Problem{
        Code::field_built_in,
        std::format("{} is a built-in field and cannot be changed or deleted.", field.id)};
}

void refuse_used(const ContactField& field, const std::string& used_by) {
  if (used_by == "[]") return;
  throw Problem{Code::field_in_use,
                std::format("Workflows use the field {}; see usedBy.", field.id)}
      .with_member("usedBy", used_by);
}

Answer list(operations::Input input) {
  const operations::PageRequest request = operations::read_page_request(input);
  const auto instant = [&](std::string_view name) {
    const auto text = input.parameter(name);
    return text ? parse_rfc3339(*text) : std::nullopt;
  };
  Listing listing{.ascending = request.ascending,
                  .limit = request.limit + 1,  // one extra row shows whether another page follows
                  .created_after = instant("createdAfter"),
                  .created_before = instant("createdBefore")};
  if (const auto type = input.parameter("type")) listing.type = *type;
  if (request.after) listing.after = std::stoll(*request.after);
  const auto fields = co_await list_fields(input.database(), input.scope(), std::move(listing));
  co_return operations::page_output<ContactField>(
      input, request, contact_field_json(), fields,
      [](const ContactField& field) { return std::to_string(field.number); });
}

Answer create(operations::Input input) {
  json::Reading reading = input.reading();
  ContactField field;
  contact_field_json().read_new(input.body(), reading).apply_to(field);
  if (!field.type.empty()) settle(reading, field);
  reading.finish();
  pg::Group reads;
  read_field(reads, input.account(), field.id);
  read_counts(reads, input.account());
  co_return co_await operations::write(
      input, std::move(reads),
      [input, field, reading](const operations::Premises& premises, pg::Group& effect) mutable {
        const auto existing = found_field(premises.results[0], field.id);
        operations::check_conditions(input, existing.transform(tag_of));
        if (existing)
          throw Problem{Code::field_exists, std::format("The field {} already exists.", field.id)};
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
        insert_field(effect, input.account(), field);
        operations::Output output = answer_of(field, reading);
        return operations::created(input, std::move(output),
                                   std::format("/contact-fields/{}", field.id));
      });
}

Answer get(operations::Input input) {
  const std::string& id = input.path("id");
  pg::Group reads;
  read_field(reads, input.account(), id);
  const pg::Results found = co_await input.database().run(std::move(reads), input.scope());
  const auto field = found_field(found[0], id);
  if (!field) throw missing();
  co_return answer_of(*field);
}

Answer remove(operations::Input input) {
  const std::string& id = input.path("id");
  pg::Group reads;
  read_field(reads, input.account(), id);
  read_field_users(reads, input.account(), id);
  co_return co_await operations::write(
      input, std::move(reads),
      [input, id](const operations::Premises& premises, pg::Group& effect) {
        const auto field = found_field(premises.results[0], id);
        if (!field) throw missing();
        operations::check_conditions(input, tag_of(*field));
        refuse_built_in(*field);
        refuse_used(*field, found_field_users(premises.results[1]));
        delete_field(effect, input.account(), *field);
        return operations::Output::no_content();
      });
}

Answer change(operations::Input input) {
  json::Reading reading = input.reading();
  const auto changes = contact_field_json().read_patch(input.body(), reading);
  reading.finish();
  const std::string& id = input.path("id");
  pg::Group reads;
  read_field(reads, input.account(), id);
  co_return co_await operations::write(
      input, std::move(reads),
      [input, id, changes, reading](const operations::Premises& premises, pg::Group& effect) {
        const auto before = found_field(premises.results[0], id);
        if (!before) throw missing();
        operations::check_conditions(input, tag_of(*before));
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
        update_field(effect, input.account(), after);
        ++after.version;
        return answer_of(after, judged);
      });
}

std::vector<operations::QueryParameter> list_filters() {
  return {{"type", "Only fields of this type.", {.type = "string", .options = field_types()}},
          {"createdAfter",
           "Only fields created after this time.",
           {.type = "string", .format = "date-time"}},
          {"createdBefore",
           "Only fields created before this time.",
           {.type = "string", .format = "date-time"}}};
}

}  // namespace

std::vector<operations::Operation> operation_table() {
  using operations::Access;
  using operations::Method;
  const auto field =
      operations::ResourceOperations{
          .tag = "Contact fields",
          .tag_description =
              "The fields of contacts: the built-in ones, and those that a store adds.",
          .versioned = true}
          .with_answer(contact_field_json());
  return {
      {Method::get, "/contact-fields/", Access::scope("contact-fields:read"), list,
       field.list("listContactFields", "Get contact fields list",
                  "The store's own fields and the built-in ones, newest first.", list_filters())},
      {Method::post, "/contact-fields/", Access::scope("contact-fields:write"), create,
       field.create("createContactField", "Create a contact field",
                    "Every contact has the field from now on: empty, or with the default value if "
                    "it is required.",
                    {.body = operations::new_body(contact_field_json()),
                     .problems = {Code::field_exists, Code::limit_reached}})},
      {Method::get, "/contact-fields/{id}", Access::scope("contact-fields:read"), get,
       field.get("getContactField", "Get contact field detail",
                 "Returns one field, built-in or not.")},
      {Method::delete_, "/contact-fields/{id}", Access::scope("contact-fields:delete"), remove,
       field.remove("deleteContactField", "Delete contact field by Id",
                    "The field is deleted at once, its values soon after. A new field with the "
                    "same id starts empty.",
                    {.problems = {Code::field_built_in, Code::field_in_use}})},
      {Method::patch, "/manage/contact-fields/{id}", Access::scope("manage-contact-fields:write"),
       change,
       field.change("changeContactField", "Change a contact field",
                    "You can change the name and labels, add options and widen limits. Members "
                    "that cannot change may be sent with their current values.",
                    {.body = operations::patch_body(contact_field_json(), R"({"name":"Loyalty"})"),
                     .problems = {Code::field_built_in}})}};
}

}  // namespace shopbell::contact_fields
