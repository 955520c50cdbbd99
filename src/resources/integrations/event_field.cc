#include "resources/integrations/event_field.h"

#include <algorithm>
#include <format>

#include "base/limits.h"
#include "resources/contact_fields/field_value.h"

namespace shopbell::integrations {

namespace {

using contact_fields::ContactField;
using json::Reading;

std::size_t count(const std::vector<EventField>& fields);

std::size_t count_inside(const EventField& field) {
  std::size_t inside = count(field.fields);
  for (const auto& item : field.items) inside += count_inside(item);
  return inside;
}

std::size_t count(const std::vector<EventField>& fields) {
  std::size_t all = fields.size();
  for (const auto& field : fields) all += count_inside(field);
  return all;
}

void check_depth(Reading& reading, const std::vector<EventField>& fields, int depth);

// Checks the nesting. Fields are one level deeper than their object; so is a list in a list.
void check_depth_of(Reading& reading, const EventField& field, int depth) {
  if (depth > limits::kEventFieldDepth)
    return reading.refuse(
        "too-long", std::format("Is nested deeper than {} levels.", limits::kEventFieldDepth));
  {
    const Reading::Place place{reading, "fields"};
    check_depth(reading, field.fields, depth + 1);
  }
  for (const auto& item : field.items) {
    const Reading::Place place{reading, "items"};
    check_depth_of(reading, item, item.type == "list" ? depth + 1 : depth);
  }
}

void check_depth(Reading& reading, const std::vector<EventField>& fields, int depth) {
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const Reading::Place place{reading, std::to_string(i)};
    check_depth_of(reading, fields[i], depth);
  }
}

void check_one_change(Reading& reading, const EventField& before, const EventField& after) {
  ContactField rule_before = value_rule(before);
  ContactField rule_after = value_rule(after);
  rule_before.required = before.required;
  rule_after.required = after.required;
  contact_fields::check_change(reading, rule_before, rule_after);
  if (before.type != after.type) return;
  {
    const Reading::Place place{reading, "fields"};
    check_change(reading, before.fields, after.fields);
  }
  if (before.items.empty()) return;
  const Reading::Place place{reading, "items"};
  check_one_change(reading, before.items.front(), after.items.front());
}

}  // namespace

const std::vector<std::string>& event_field_types() {
  static const std::vector<std::string> types = [] {
    std::vector<std::string> all = contact_fields::field_types();
    all.insert(all.end(), {"object", "list", "lines"});
    return all;
  }();
  return types;
}

ContactField value_rule(const EventField& field) {
  ContactField rule;
  rule.id = field.id;
  rule.type = field.type;
  rule.options = field.options;
  rule.max_length = field.max_length;
  rule.min = field.min;
  rule.max = field.max;
  return rule;
}

void settle(Reading& reading, EventField& field) {
  ContactField rule = value_rule(field);
  contact_fields::settle(reading, rule);
  field.max_length = rule.max_length;
  field.min = std::move(rule.min);
  field.max = std::move(rule.max);
  if (field.type != "object" && !field.fields.empty())
    reading.refuse_at("fields", "conflicts-with", "Is only allowed for type object.");
  if (field.type != "list" && !field.items.empty())
    reading.refuse_at("items", "conflicts-with", "Is only allowed for type list.");
  if (field.type == "list" && field.items.empty())
    reading.refuse_at("items", "required", "A field of type list needs the type of its elements.");
}

void check_ids(Reading& reading, const std::vector<EventField>& fields) {
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const auto before = std::span{fields}.first(i);
    if (!std::ranges::contains(before, fields[i].id, &EventField::id)) continue;
    const Reading::Place element{reading, std::to_string(i)};
    reading.refuse_at("id", "duplicate", "Another field has this id.");
  }
}

void check_size(Reading& reading, const std::vector<EventField>& fields) {
  const std::size_t all = count(fields);
  if (all > limits::kEventFields)
    reading.refuse("too-long", std::format("Has {} fields at all levels, at most {} are allowed.",
                                           all, limits::kEventFields));
  check_depth(reading, fields, 1);
}

void check_change(Reading& reading, const std::vector<EventField>& before,
                  const std::vector<EventField>& after) {
  for (std::size_t i = 0; i < after.size(); ++i) {
    const Reading::Place place{reading, std::to_string(i)};
    const auto known = std::ranges::find(before, after[i].id, &EventField::id);
    if (known != before.end()) {
      check_one_change(reading, *known, after[i]);
    } else if (after[i].required) {
      reading.refuse_at("required", "conflicts-with",
                        "A new field must be optional: senders do not know it yet.");
    }
  }
  for (const auto& field : before) {
    if (std::ranges::contains(after, field.id, &EventField::id)) continue;
    reading.refuse("conflicts-with", std::format("The field {} cannot be removed.", field.id));
  }
}

}  // namespace shopbell::integrations
