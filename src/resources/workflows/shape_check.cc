#include <algorithm>
#include <charconv>
#include <format>

#include "base/limits.h"
#include "base/text.h"
#include "base/time.h"
#include "resources/workflows/checker.h"

namespace shopbell::workflows {

namespace {

bool is_clock(std::string_view text) {
  const auto digit = [&](std::size_t at) { return text[at] >= '0' && text[at] <= '9'; };
  if (text.size() != 5 || text[2] != ':' || !digit(0) || !digit(1) || !digit(3) || !digit(4))
    return false;
  return text.substr(0, 2) < "24" && text.substr(3) < "60";
}

bool is_identifier(std::string_view text) {
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  return !text.empty() && text.size() <= 64 && letter(text[0]) &&
         std::ranges::all_of(text, [&](char c) {
           return letter(c) || (c >= '0' && c <= '9') || c == '_' || c == '-';
         });
}

bool is_day(std::string_view text) {
  if (parse_date(text)) return true;
  constexpr std::array<std::string_view, 7> kWeekdays{"mon", "tue", "wed", "thu",
                                                      "fri", "sat", "sun"};
  if (std::ranges::contains(kWeekdays, text)) return true;
  int day = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), day);
  return error == std::errc{} && end == text.data() + text.size() && day >= 1 && day <= 31;
}

std::string_view name_of_json(const json::Value& value) { return json::name_of(value.type()); }

}  // namespace

std::optional<std::string_view> Checker::text_of(const json::Value& value) {
  if (value.type() == json::Type::text) return value.text();
  reading_.refuse("wrong-type", std::format("Expected a text, found {}.", name_of_json(value)));
  return std::nullopt;
}

std::optional<Duration> Checker::duration_of(const json::Value& value, bool may_be_negative) {
  const auto text = text_of(value);
  if (!text) return std::nullopt;
  const auto duration = parse_duration(*text);
  if (!duration || (duration->negative && !may_be_negative)) {
    reading_.refuse("invalid-format", "Is not a duration such as PT1H or P30D (ISO 8601).");
    return std::nullopt;
  }
  return duration;
}

void Checker::check(const json::Value& value, const Shape& shape, const Scope& scope) {
  switch (shape.form) {
    case Form::object:
      return check_object(value, shape, scope);
    case Form::list:
      return check_list(value, shape, scope);
    case Form::condition:
      return check_condition(value, scope);
    case Form::boolean:
      json::read_boolean(reading_, value);
      return;
    case Form::integer:
      json::read_integer(reading_, value, {.minimum = shape.minimum, .maximum = shape.maximum});
      return;
    case Form::duration:
      duration_of(value, false);
      return;
    case Form::offset:
      duration_of(value, true);
      return;
    case Form::days:
      return check_days(value, scope);
    case Form::payload:
      return check_payload(value, ValueType{}, scope);
    case Form::patch:
      return check_patch(value, scope);
    default:
      return check_text_form(value, shape, scope);
  }
}

void Checker::check_object(const json::Value& value, const Shape& shape, const Scope& scope) {
  if (value.type() != json::Type::object) {
    reading_.refuse("wrong-type", "Expected an object.");
    return;
  }
  check_members(value, shape, scope, {});
}

void Checker::check_members(const json::Value& value, const Shape& shape, const Scope& scope,
                            const std::set<std::string_view>& also) {
  // Conditions in an object that names an event are about that event.
  Scope inside = scope;
  if (std::ranges::contains(shape.members, "where", &Member::name))
    inside.event = event_beside(value);
  value.for_each([&](std::string_view name, const json::Value& member) {
    if (also.contains(name)) return;
    const json::Reading::Place place{reading_, name};
    const auto known = std::ranges::find(shape.members, name, &Member::name);
    if (known == shape.members.end()) {
      reading_.refuse("unknown-member", "There is no such member here.");
      return;
    }
    const bool about_event = name == "where" || name == "key" || name == "each";
    check(member, known->shape, about_event ? inside : scope);
  });
  for (const auto& member : shape.members) {
    if (member.required && !value.member(member.name))
      refuse_member(reading_, member.name, "required", "Is missing.");
  }
  if (shape.one_of.empty()) return;
  const auto present = std::ranges::count_if(
      shape.one_of, [&](const std::string& name) { return value.member(name).has_value(); });
  if (present == 0)
    reading_.refuse("required", std::format("Must have one of: {}.", listed(shape.one_of)));
  if (present > 1)
    reading_.refuse("conflicts-with",
                    std::format("Must have only one of: {}.", listed(shape.one_of)));
}

void Checker::check_list(const json::Value& value, const Shape& shape, const Scope& scope) {
  if (value.type() != json::Type::list) {
    reading_.refuse("wrong-type", std::format("Expected a list, found {}.", name_of_json(value)));
    return;
  }
  const auto size = static_cast<std::int64_t>(value.size());
  if (size < shape.minimum)
    reading_.refuse("required", std::format("Needs at least {} elements.", shape.minimum));
  if (size > shape.maximum)
    reading_.refuse("too-long",
                    std::format("Has {} elements, takes at most {}.", size, shape.maximum));
  std::size_t index = 0;
  value.for_each([&](std::string_view, const json::Value& element) {
    const json::Reading::Place place{reading_, std::to_string(index++)};
    check(element, shape.item.front(), scope);
  });
}

void Checker::check_text_form(const json::Value& value, const Shape& shape, const Scope& scope) {
  const auto text = text_of(value);
  if (!text) return;
  const auto expect = [&](bool holds, std::string_view detail) {
    if (!holds) reading_.refuse("invalid-format", std::string{detail});
  };
  switch (shape.form) {
    case Form::choice:
      if (!std::ranges::contains(shape.options, *text))
        reading_.refuse("not-an-option", std::format("Must be one of: {}.", listed(shape.options)));
      return;
    case Form::clock:
      return expect(is_clock(*text), "Is not a time of day such as 09:30.");
    case Form::zone:
      return expect(*text == "contact" || *text == "store" || is_time_zone(*text),
                    "Is neither contact, store nor a time zone such as Europe/Vienna.");
    case Form::day:
      return expect(is_day(*text),
                    "Is neither a date, a weekday such as mon, nor a day of the month.");
    case Form::node_id:
    case Form::variable:
      return expect(is_identifier(*text),
                    "Must start with a letter, followed by letters, digits, _ and -.");
    default:
      return check_named(*text, shape, scope);
  }
}

// Checks a text that names another object, such as a node or a template.
void Checker::check_named(std::string_view text, const Shape& shape, const Scope& scope) {
  const auto missing = [&](std::string_view what) {
    reading_.refuse("unknown-reference", std::format("There is no {} {}.", what, text));
  };
  const auto named = [&](const auto& things, std::string_view what, auto note) {
    const auto found = things.find(text);
    found == things.end() ? missing(what) : note(found->second);
  };
  switch (shape.form) {
    case Form::node:
      if (!node_ids_.contains(text)) missing("node");
      return;
    case Form::message:
      return named(world_.templates, "template",
                   [&](const Uuid& id) { references_.templates.insert(id); });
    case Form::coupon_set:
      return named(world_.coupon_sets, "coupon set",
                   [&](const Uuid& id) { references_.coupon_sets.insert(id); });
    case Form::sender:
      return named(world_.senders, "sending event type",
                   [&](const KnownEventType& type) { references_.event_types.insert(type.id); });
    case Form::custom_event:
      if (!text.starts_with("custom.")) return missing("custom event");
      if (!type_of_event(text)) missing("kind of event");
      return;
    case Form::event:
      if (!type_of_event(text)) missing("kind of event");
      return;
    case Form::list_reference: {
      const auto type = resolve(text, scope);
      if (!type) return missing("value");
      if (!comparable(*type, list_of({})))
        reading_.refuse("conflicts-with",
                        std::format("Must be a list, but is {}.", name_of(type->kind)));
      return;
    }
    default:
      if (!resolve(text, scope)) missing("value");
  }
}

void Checker::check_days(const json::Value& value, const Scope& scope) {
  if (value.type() != json::Type::object) {
    duration_of(value, false);
    return;
  }
  refuse_unknown(value, {"days"});
  const auto days = value.member("days");
  if (!days) return refuse_member(reading_, "days", "required", "Is missing.");
  const json::Reading::Place place{reading_, "days"};
  const auto type = resolve_here(*days, scope);
  if (type && !comparable(*type, {.kind = ValueType::Kind::number}))
    reading_.refuse("conflicts-with",
                    std::format("Must be a number, but is {}.", name_of(type->kind)));
}

// Checks the values of a payload: any literal is valid; references must resolve.
void Checker::check_payload(const json::Value& value, const ValueType&, const Scope& scope) {
  const bool refers = value.type() == json::Type::object &&
                      (value.member("ref") || value.member("now") || value.member("date"));
  if (refers) return check_operand_object(value, ValueType{}, scope);
  std::size_t index = 0;
  if (value.type() != json::Type::object && value.type() != json::Type::list) return;
  value.for_each([&](std::string_view name, const json::Value& member) {
    const std::string at = name.empty() ? std::to_string(index++) : std::string{name};
    const json::Reading::Place place{reading_, at};
    check_payload(member, ValueType{}, scope);
  });
}

void Checker::check_patch(const json::Value& value, const Scope& scope) {
  if (value.type() != json::Type::object) {
    reading_.refuse("wrong-type", "Expected an object.");
    return;
  }
  value.for_each([&](std::string_view name, const json::Value& member) {
    const json::Reading::Place place{reading_, name};
    const auto type = resolve("contact." + std::string{name}, {.in_run = false});
    const bool written = type && name.find('.') == std::string_view::npos && name != "id" &&
                         name != "createdAt" && name != "updatedAt" && name != "purchases" &&
                         name != "delivery";
    if (!written)
      return reading_.refuse("unknown-member", "Is not a writable member of a contact.");
    if (name != "fields") return check_assigned(member, *type, scope);
    if (member.type() != json::Type::object)
      return reading_.refuse("wrong-type", "Expected an object.");
    member.for_each([&](std::string_view field, const json::Value& sent) {
      const json::Reading::Place inside{reading_, field};
      const auto of_field = resolve("contact.fields." + std::string{field}, {.in_run = false});
      of_field ? check_assigned(sent, *of_field, scope)
               : reading_.refuse("unknown-reference", "There is no contact field of that id.");
    });
  });
}

// Checks a value that is assigned to a member of the contact; null clears it.
void Checker::check_assigned(const json::Value& value, const ValueType& type, const Scope& scope) {
  if (value.type() == json::Type::null) return;
  if (value.type() == json::Type::object && value.member("add")) {
    refuse_unknown(value, {"add"});
    if (type.kind != ValueType::Kind::number)
      return reading_.refuse("conflicts-with", "`add` is allowed only for numbers.");
    const json::Reading::Place place{reading_, "add"};
    return check_operand(*value.member("add"), type, scope);
  }
  if (value.type() == json::Type::list && type.kind == ValueType::Kind::list) {
    std::size_t index = 0;
    value.for_each([&](std::string_view, const json::Value& element) {
      const json::Reading::Place place{reading_, std::to_string(index++)};
      check_operand(element, type.item.front(), scope);
    });
    return;
  }
  check_operand(value, type, scope);
}

}  // namespace shopbell::workflows
