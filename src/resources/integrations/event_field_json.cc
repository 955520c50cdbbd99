#include "resources/integrations/event_field_json.h"

#include <stdexcept>

#include "base/limits.h"
#include "resources/contact_fields/contact_field_json.h"

namespace shopbell::integrations {

namespace {

using json::Reading;
using json::Value;
using FieldMember = json::Field<EventField>;

const json::Table<EventField>& event_field_json();
const json::Table<EventField>& item_json();

// The schema of nested fields is abbreviated, because a recursive schema would have no end. The
// fields are nevertheless read in full.
json::Schema inner_schema(const std::vector<std::string>& names) {
  json::Schema inner{
      .type = "object",
      .description = "Has the members of a field. Fields can be nested up to five levels.",
      .open = true};
  for (const auto& name : names) inner.members.push_back({name, {.type = "string"}});
  return inner;
}

json::Schema list_of(json::Schema field) {
  json::Schema list{.type = "array", .items_max = static_cast<std::int64_t>(limits::kEventFields)};
  list.items = {std::move(field)};
  return list;
}

FieldMember inner_fields() {
  json::Schema list = list_of(inner_schema({"id", "name", "type"}));
  list.description = "The members of an object; only for type object.";
  return FieldMember{
      "fields", std::move(list),
      [](json::Writer& writer, const EventField& field) { write_fields(writer, field.fields); },
      [](Reading& reading, const Value& value, const FieldMember&) -> FieldMember::Set {
        auto fields = read_fields(reading, value);
        if (!fields) return {};
        return [fields = std::move(*fields)](EventField& field) { field.fields = fields; };
      }}
      .restricts();
}

FieldMember inner_items() {
  json::Schema item = inner_schema({"type"});
  item.description =
      "The type of the elements of a list: the members of a field without id, name and "
      "required; only for type list.";
  item.nullable = true;
  return FieldMember{
      "items", std::move(item),
      [](json::Writer& writer, const EventField& field) {
        field.items.empty() ? void(writer.null()) : item_json().write(writer, field.items.front());
      },
      [](Reading& reading, const Value& value, const FieldMember&) -> FieldMember::Set {
        if (value.type() == json::Type::null) return [](EventField& field) { field.items.clear(); };
        const std::size_t faults = reading.fault_count();
        EventField item_read;
        item_json().read_new(value, reading).apply_to(item_read);
        if (reading.fault_count() == faults) settle(reading, item_read);
        if (reading.fault_count() != faults) return {};
        return [item_read](EventField& field) { field.items = {item_read}; };
      }}
      .restricts();
}

// The members of a field that describe its values, also as the type of list elements.
std::vector<FieldMember> kind_members() {
  return {json::text("type", &EventField::type)
              .required()
              .options(event_field_types())
              .example(R"("choice")"),
          json::objects("options", &EventField::options, contact_fields::option_json(),
                        limits::kFieldOptions)
              .doc("The allowed values; only for types choice and choices."),
          json::integer("maxLength", &EventField::max_length)
              .doc("Characters; only for type text. Null: 5,000.")
              .minimum(1)
              .maximum(limits::kFieldTextCharacters),
          json::any("min", &EventField::min)
              .doc("The least value; only for types integer, decimal, date and dateTime."),
          json::any("max", &EventField::max)
              .doc("The greatest value; only for types integer, decimal, date and dateTime."),
          inner_fields(),
          inner_items()};
}

const json::Table<EventField>& item_json() {
  static const json::Table<EventField> table{"CustomEventItem",
                                             "The type of the elements of a list.", kind_members()};
  return table;
}

const json::Table<EventField>& event_field_json() {
  static const json::Table<EventField> table{
      "CustomEventField", "A member of the payload.", [] {
        std::vector<FieldMember> members{
            json::text("id", &EventField::id)
                .doc("The member's name in the payload.")
                .required()
                .length_max(64)
                .pattern("^[a-z][a-zA-Z0-9_]{0,63}$")
                .rule(contact_fields::is_field_id,
                      "Must start with a lowercase letter, followed by letters, digits and "
                      "underscores."),
            json::text("name", &EventField::name).doc("Display name.").required().length_min(1),
            json::boolean("required", &EventField::required)
                .doc("Whether every event must have the member.")
                .default_value("false")};
        std::ranges::move(kind_members(), std::back_inserter(members));
        return members;
      }()};
  return table;
}

}  // namespace

json::Schema shown_fields_schema() { return list_of(event_field_json().schema()); }

json::Schema sent_fields_schema() { return list_of(event_field_json().new_schema()); }

void write_fields(json::Writer& writer, const std::vector<EventField>& fields) {
  writer.begin_list();
  for (const auto& field : fields) event_field_json().write(writer, field);
  writer.end();
}

std::optional<std::vector<EventField>> read_fields(Reading& reading, const Value& value) {
  if (!json::detail::is_short_list(reading, value, limits::kEventFields)) return std::nullopt;
  const std::size_t faults = reading.fault_count();
  std::vector<EventField> fields;
  value.for_each([&](std::string_view, const Value& element) {
    const Reading::Place place{reading, std::to_string(fields.size())};
    const std::size_t before = reading.fault_count();
    EventField& field = fields.emplace_back();
    event_field_json().read_new(element, reading).apply_to(field);
    if (reading.fault_count() == before) settle(reading, field);
  });
  if (reading.fault_count() == faults) check_ids(reading, fields);
  if (reading.fault_count() != faults) return std::nullopt;
  return fields;
}

std::string fields_to_json(const std::vector<EventField>& fields) {
  json::Writer writer;
  write_fields(writer, fields);
  return writer.finish();
}

std::vector<EventField> fields_from_json(std::string_view text) {
  const auto document = json::Document::parse(text);
  if (!document) throw std::logic_error{"the stored fields of an event type are not JSON"};
  json::Reading reading;
  auto fields = read_fields(reading, document->root());
  if (!fields) throw std::logic_error{"the stored fields of an event type are invalid"};
  return std::move(*fields);
}

}  // namespace shopbell::integrations
