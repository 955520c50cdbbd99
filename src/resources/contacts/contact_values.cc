#include "resources/contacts/contact_values.h"

#include <charconv>
#include <stdexcept>

#include "resources/contact_fields/field_value.h"

namespace shopbell::contacts {

namespace {

using contact_fields::ContactField;
using contact_fields::FieldSet;
using json::Reading;
using json::Value;

void refuse_unknown(Reading& reading) {
  reading.lenient()
      ? reading.warn("unknown-member", "There is no such contact field; it was skipped.")
      : reading.refuse("unknown-member", "There is no such contact field.");
}

void settle_one(Reading& reading, const ContactField& field, const Value& value,
                std::map<std::int64_t, json::Raw>& values) {
  const std::size_t faults = reading.fault_count();
  if (value.type() != json::Type::null) {
    if (auto read = read_value(reading, field, value))
      values.insert_or_assign(field.number, std::move(*read));
  } else if (field.required) {
    reading.refuse("required", "The field is required and cannot be cleared.");
  } else {
    values.erase(field.number);
  }
  reading.tolerate_since(faults);
}

}  // namespace

void settle_fields(Reading& reading, const FieldSet& fields, Contact& contact) {
  std::erase_if(contact.values,
                [&](const auto& entry) { return fields.find(entry.first) == nullptr; });
  if (!contact.sent_fields) return;
  const auto document = json::Document::parse(contact.sent_fields->json);
  const Reading::Place members{reading, "fields"};
  document->root().for_each([&](std::string_view id, const Value& value) {
    const Reading::Place member{reading, id};
    const ContactField* field = fields.find(id);
    field == nullptr ? refuse_unknown(reading) : settle_one(reading, *field, value, contact.values);
  });
  contact.sent_fields.reset();
}

void fill_defaults(const FieldSet& fields, Contact& contact) {
  for (const auto& field : fields.fields()) {
    if (field.default_value) contact.values.try_emplace(field.number, *field.default_value);
  }
}

void show_fields(const FieldSet& fields, Contact& contact) {
  json::Writer writer;
  writer.begin_object();
  for (const auto& field : fields.fields()) {
    const auto found = contact.values.find(field.number);
    if (found != contact.values.end()) {
      writer.key(field.id).json(found->second.json);
    } else if (field.required) {
      // A contact that is older than the field has no value, so the default applies.
      writer.key(field.id).json(field.default_value->json);
    }
  }
  writer.end();
  contact.shown_fields = {writer.finish()};
}

std::string values_to_json(const Contact& contact) {
  json::Writer writer;
  writer.begin_object();
  for (const auto& [number, value] : contact.values)
    writer.key(std::to_string(number)).json(value.json);
  writer.end();
  return writer.finish();
}

std::map<std::int64_t, json::Raw> values_from_json(std::string_view text) {
  std::map<std::int64_t, json::Raw> values;
  if (text == "{}") return values;
  const auto document = json::Document::parse(text);
  if (!document) throw std::logic_error{"stored contact values are not JSON"};
  document->root().for_each([&](std::string_view name, const Value& value) {
    std::int64_t number = 0;
    std::from_chars(name.data(), name.data() + name.size(), number);
    values.emplace(number, json::Raw{value.to_json()});
  });
  return values;
}

}  // namespace shopbell::contacts
