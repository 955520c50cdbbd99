#include "resources/contact_fields/field_value.h"

#include <algorithm>
#include <charconv>
#include <format>

#include "base/decimal.h"
#include "base/limits.h"
#include "base/text.h"

namespace shopbell::contact_fields {

namespace {

using json::Raw;
using json::Reading;
using json::Type;
using json::Value;

Raw raw_text(std::string_view text) {
  json::Writer writer;
  writer.text(text);
  return {writer.finish()};
}

std::optional<Raw> read_text_value(Reading& reading, const ContactField& field,
                                   const Value& value) {
  json::Schema schema{.type = "string",
                      .length_max = field.max_length.value_or(limits::kFieldTextCharacters),
                      .several_lines = field.type == "text"};
  json::TextRule rule;
  if (field.type == "email") rule = {is_email, "Is not an e-mail address."};
  if (field.type == "phone") rule = {is_phone, "Is not a phone number such as +436641234567."};
  if (field.type == "url") rule = {is_web_url, "Is not an http or https URL."};
  if (field.type == "date")
    rule = {[](std::string_view text) { return parse_date(text).has_value(); },
            "Is not a date such as 2027-01-31."};
  return json::read_text(reading, value, schema, rule).transform(raw_text);
}

bool check_option(Reading& reading, const ContactField& field, const std::string& id) {
  // Any text is valid for the built-in field `tags`, which has no options.
  if (field.built_in && field.options.empty()) return true;
  if (std::ranges::contains(field.options, id, &Option::id)) return true;
  reading.refuse("not-an-option", "Is not the id of one of the field's options.");
  return false;
}

std::optional<Raw> read_choices(Reading& reading, const ContactField& field, const Value& value) {
  json::Schema schema{.type = "array",
                      .items_max = static_cast<std::int64_t>(limits::kFieldOptions),
                      .unique_items = true};
  schema.items = {{.type = "string"}};
  const auto ids = json::read_texts(reading, value, schema);
  if (!ids) return std::nullopt;
  json::Writer writer;
  writer.begin_list();
  bool known = true;
  for (std::size_t i = 0; i < ids->size(); ++i) {
    const Reading::Place place{reading, std::to_string(i)};
    known = check_option(reading, field, (*ids)[i]) && known;
    writer.text((*ids)[i]);
  }
  writer.end();
  if (!known) return std::nullopt;
  return Raw{writer.finish()};
}

std::optional<Raw> read_plain(Reading& reading, const ContactField& field, const Value& value) {
  if (field.type == "boolean")
    return json::read_boolean(reading, value).transform([](bool truth) {
      return Raw{truth ? "true" : "false"};
    });
  if (field.type == "integer")
    return json::read_integer(reading, value, {}).transform([](std::int64_t number) {
      return Raw{std::to_string(number)};
    });
  if (field.type == "decimal")
    return json::read_decimal(reading, value, {}).transform([](const Decimal& number) {
      return raw_text(number.to_string());
    });
  if (field.type == "dateTime")
    return json::read_instant(reading, value).transform([](Instant instant) {
      return raw_text(to_rfc3339(instant));
    });
  if (field.type == "choices") return read_choices(reading, field, value);
  if (field.type == "choice") {
    const auto id = json::read_text(reading, value, {});
    if (!id || !check_option(reading, field, *id)) return std::nullopt;
    return raw_text(*id);
  }
  return read_text_value(reading, field, value);
}

std::string_view unquoted(const Raw& raw) {
  std::string_view text = raw.json;
  if (text.starts_with('"')) text = text.substr(1, text.size() - 2);
  return text;
}

// Refuses and clears a member that fields of this type cannot have.
template <class Member>
void only_for(Reading& reading, std::string_view name, Member& member, bool fits,
              std::string_view types) {
  if (fits || member == Member{}) return;
  const std::size_t faults = reading.fault_count();
  {
    const Reading::Place place{reading, name};
    reading.refuse("conflicts-with", std::format("Is valid only for fields of type {}.", types));
  }
  reading.tolerate_since(faults);
  member = Member{};
}

using ReadValue = std::optional<Raw> (*)(Reading&, const ContactField&, const Value&);

// Validates and normalizes a member that holds a value of the field's own type.
void settle_value(Reading& reading, std::string_view name, std::optional<Raw>& member,
                  const ContactField& field, ReadValue read) {
  if (!member) return;
  const std::size_t faults = reading.fault_count();
  const auto document = json::Document::parse(member->json);
  {
    const Reading::Place place{reading, name};
    member = read(reading, field, document->root());
  }
  reading.tolerate_since(faults);
}

void settle_options(Reading& reading, ContactField& field) {
  const Reading::Place place{reading, "options"};
  if (is_choice(field.type) && field.options.empty() && !reading.refused_at("/options"))
    reading.refuse("required", "A choice field needs at least one option.");
  for (std::size_t i = 0; i < field.options.size(); ++i) {
    const auto before = std::span{field.options}.first(i);
    if (!std::ranges::contains(before, field.options[i].id, &Option::id)) continue;
    const Reading::Place element{reading, std::to_string(i)};
    const Reading::Place member{reading, "id"};
    reading.refuse("duplicate", "Another option has this id.");
  }
}

}  // namespace

std::optional<Raw> read_value(Reading& reading, const ContactField& field, const Value& value) {
  auto read = read_plain(reading, field, value);
  if (!read || !is_ordered(field.type)) return read;
  if ((field.min && !in_order(field, *field.min, *read)) ||
      (field.max && !in_order(field, *read, *field.max))) {
    reading.refuse("out-of-range", std::format("Must be between {} and {}.",
                                               field.min ? unquoted(*field.min) : "any",
                                               field.max ? unquoted(*field.max) : "any"));
    return std::nullopt;
  }
  return read;
}

bool in_order(const ContactField& field, const Raw& a, const Raw& b) {
  if (field.type == "decimal")
    return Decimal::parse(unquoted(a)).value_or(Decimal{}) <=
           Decimal::parse(unquoted(b)).value_or(Decimal{});
  if (field.type == "integer") {
    const auto number = [](std::string_view text) {
      std::int64_t value = 0;
      std::from_chars(text.data(), text.data() + text.size(), value);
      return value;
    };
    return number(a.json) <= number(b.json);
  }
  return unquoted(a) <= unquoted(b);  // dates and UTC times sort as strings
}

void settle(Reading& reading, ContactField& field) {
  only_for(reading, "maxLength", field.max_length, field.type == "text", "text");
  only_for(reading, "min", field.min, is_ordered(field.type),
           "integer, decimal, date and dateTime");
  only_for(reading, "max", field.max, is_ordered(field.type),
           "integer, decimal, date and dateTime");
  if (!is_choice(field.type) && !field.options.empty()) {
    const Reading::Place place{reading, "options"};
    reading.refuse("conflicts-with", "Is valid only for fields of type choice and choices.");
  }
  settle_options(reading, field);
  settle_value(reading, "min", field.min, field, read_plain);
  settle_value(reading, "max", field.max, field, read_plain);
  if (field.min && field.max && !in_order(field, *field.min, *field.max)) {
    const Reading::Place place{reading, "min"};
    reading.refuse("conflicts-with", "Must not be greater than max.");
  }
  settle_value(reading, "defaultValue", field.default_value, field, read_value);
  if (field.required && !field.default_value && !reading.refused_at("/defaultValue")) {
    const Reading::Place place{reading, "defaultValue"};
    reading.refuse("required", "A required field needs a default value.");
  }
}

void check_change(Reading& reading, const ContactField& before, const ContactField& after) {
  const auto refuse = [&](std::string_view name, std::string_view code, std::string detail) {
    const Reading::Place place{reading, name};
    reading.refuse(code, std::move(detail));
  };
  const auto fixed = [&](std::string_view name, bool same) {
    if (!same) refuse(name, "read-only", "Cannot be changed after the field is created.");
  };
  fixed("id", before.id == after.id);
  fixed("type", before.type == after.type);
  fixed("indexed", before.indexed == after.indexed);
  fixed("required", before.required == after.required);
  fixed("defaultValue", before.default_value == after.default_value);
  if (before.type != after.type) return;
  const auto longest = [](const ContactField& field) {
    return field.max_length.value_or(limits::kFieldTextCharacters);
  };
  if (longest(after) < longest(before))
    refuse("maxLength", "conflicts-with", "Can only be raised: contacts may have longer values.");
  if (after.min && (!before.min || !in_order(after, *after.min, *before.min)))
    refuse("min", "conflicts-with", "Can only be lowered: contacts may have lower values.");
  if (after.max && (!before.max || !in_order(after, *before.max, *after.max)))
    refuse("max", "conflicts-with", "Can only be raised: contacts may have higher values.");
  for (const auto& option : before.options) {
    if (std::ranges::contains(after.options, option.id, &Option::id)) continue;
    refuse("options", "conflicts-with",
           std::format("The option {} may be in use and cannot be removed.", option.id));
  }
}

}  // namespace shopbell::contact_fields
