#include "json/reading.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <format>

#include "base/decimal.h"
#include "base/limits.h"
#include "base/text.h"
#include "json/field_kinds.h"

namespace shopbell::json {

namespace {

bool expect(Reading& reading, const Value& value, Type type) {
  if (value.type() == type) return true;
  reading.refuse("wrong-type",
                 std::format("Expected {}, found {}.", name_of(type), name_of(value.type())));
  return false;
}

// JSON has one number type: 5, 5.0 and 50e-1 are equal.
std::optional<std::int64_t> whole_number(std::string_view digits) {
  const auto read = [](std::string_view plain) -> std::optional<std::int64_t> {
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(plain.data(), plain.data() + plain.size(), number);
    if (error != std::errc{} || end != plain.data() + plain.size()) return std::nullopt;
    return number;
  };
  if (const auto number = read(digits)) return number;
  const auto exact = Decimal::parse(digits);
  return exact ? read(exact->to_string()) : std::nullopt;
}

std::string listed(const std::vector<std::string>& options) {
  std::string list;
  for (const auto& option : options) list += (list.empty() ? "" : ", ") + option;
  return list;
}

}  // namespace

std::string_view name_of(Type type) {
  constexpr std::array<std::string_view, 6> kNames{"null",   "true or false", "a number",
                                                   "a text", "a list",        "an object"};
  return kNames[static_cast<std::size_t>(type)];
}

std::string pointer_to(std::string parent, std::string_view name) {
  parent.push_back('/');
  for (const char c : name) {  // RFC 6901: ~ and / are written ~0 and ~1
    if (c == '~') {
      parent += "~0";
    } else if (c == '/') {
      parent += "~1";
    } else {
      parent.push_back(c);
    }
  }
  return parent;
}

Reading::Place::Place(Reading& reading, std::string_view name)
    : reading_{reading}, length_before_{reading.pointer_.size()} {
  reading_.pointer_ = pointer_to(std::move(reading_.pointer_), name);
}

Reading::Place::~Place() { reading_.pointer_.resize(length_before_); }

void Reading::refuse(std::string_view code, std::string detail) {
  if (faults_.size() == limits::kFaults) return;
  faults_.push_back({Fault::Where::pointer, pointer_, std::string{code}, std::move(detail)});
}

void Reading::refuse_at(std::string_view member, std::string_view code, std::string detail) {
  const Place place{*this, member};
  refuse(code, std::move(detail));
}

void Reading::refuse_line(std::string_view code, std::string detail, std::size_t line,
                          std::size_t column) {
  if (faults_.size() == limits::kFaults) return;
  refuse(code, std::move(detail));
  faults_.back().line = line;
  faults_.back().column = column;
}

void Reading::warn(std::string_view code, std::string detail) {
  if (warnings_.size() == limits::kFaults) return;
  warnings_.push_back({Fault::Where::pointer, pointer_, std::string{code}, std::move(detail)});
}

void Reading::tolerate_since(std::size_t count) {
  if (!lenient()) return;
  for (std::size_t i = count; i < faults_.size() && warnings_.size() < limits::kFaults; ++i)
    warnings_.push_back(std::move(faults_[i]));
  faults_.resize(std::min(count, faults_.size()), Fault{});
}

bool Reading::refused_at(std::string_view pointer) const {
  return std::ranges::any_of(faults_,
                             [&](const Fault& fault) { return fault.at.starts_with(pointer); });
}

void Reading::finish() const {
  if (faults_.empty()) return;
  throw Problem{Code::invalid_body,
                faults_.size() == 1
                    ? std::format("{}: {}", faults_[0].at.empty() ? "The body" : faults_[0].at,
                                  faults_[0].detail)
                    : std::format("The body has {} faults.", faults_.size()),
                faults_};
}

std::optional<std::string> read_text(Reading& reading, const Value& value, const Schema& schema,
                                     const TextRule& rule) {
  if (!expect(reading, value, Type::text)) return std::nullopt;
  const std::size_t faults = reading.fault_count();
  // A cheap check before normalizing: NFC composes at most 12 bytes into one character.
  const auto length_max =
      static_cast<std::size_t>(schema.length_max.value_or(limits::kTextCharacters));
  if (value.text().size() > length_max * 12) {
    reading.refuse("too-long", std::format("Takes at most {} characters.", length_max));
    return std::nullopt;
  }
  std::string text = *to_nfc(value.text());
  const std::size_t length = count_characters(text);
  if (length > length_max)
    reading.refuse("too-long",
                   std::format("Has {} characters, takes at most {}.", length, length_max));
  if (schema.length_min && length < static_cast<std::size_t>(*schema.length_min))
    reading.refuse("too-short", length == 0 ? "Must not be empty."
                                            : std::format("Has {} characters, needs at least {}.",
                                                          length, *schema.length_min));
  // An option may itself be a control character.
  if (schema.options.empty() &&
      has_control_character(text, schema.several_lines ? Lines::several : Lines::one))
    reading.refuse("invalid-format",
                   schema.several_lines
                       ? "Contains a control character other than a line break or tab."
                       : "Contains a control character; only a single line is allowed.");
  if (!schema.options.empty() && !std::ranges::contains(schema.options, text))
    reading.refuse("not-an-option", std::format("Must be one of: {}.", listed(schema.options)));
  if (rule.holds && reading.fault_count() == faults && !rule.holds(text))
    reading.refuse("invalid-format", rule.detail);
  if (reading.fault_count() != faults) return std::nullopt;
  return text;
}

std::optional<std::int64_t> read_integer(Reading& reading, const Value& value,
                                         const Schema& schema) {
  if (!expect(reading, value, Type::number)) return std::nullopt;
  const auto read = whole_number(value.number_text());
  if (!read) {
    const bool whole = !Decimal::parse(value.number_text()).has_value() &&
                       value.number_text().find_first_of(".eE") == std::string_view::npos;
    whole ? reading.refuse("out-of-range", "Does not fit into a signed 64-bit integer.")
          : reading.refuse("wrong-type", "Must be an integer.");
    return std::nullopt;
  }
  const std::int64_t number = *read;
  if ((schema.minimum && number < *schema.minimum) ||
      (schema.maximum && number > *schema.maximum)) {
    const auto bound = [](std::optional<std::int64_t> value_or_none) {
      return value_or_none ? std::to_string(*value_or_none) : "any";
    };
    reading.refuse("out-of-range", std::format("Must lie between {} and {}.", bound(schema.minimum),
                                               bound(schema.maximum)));
    return std::nullopt;
  }
  return number;
}

std::optional<Decimal> read_decimal(Reading& reading, const Value& value, const Schema& schema) {
  if (value.type() != Type::text && value.type() != Type::number) {
    reading.refuse("wrong-type", "Expected a number, or a text that contains a number.");
    return std::nullopt;
  }
  const auto number =
      Decimal::parse(value.type() == Type::text ? value.text() : value.number_text());
  if (!number) {
    reading.refuse("invalid-format",
                   "Is not a number of at most 18 integer and 6 fraction digits.");
    return std::nullopt;
  }
  if ((schema.minimum && *number < Decimal::from_integer(*schema.minimum)) ||
      (schema.maximum && *number > Decimal::from_integer(*schema.maximum))) {
    reading.refuse("out-of-range", schema.maximum
                                       ? std::format("Must lie between {} and {}.",
                                                     schema.minimum.value_or(0), *schema.maximum)
                                       : std::format("Must be at least {}.", *schema.minimum));
    return std::nullopt;
  }
  return number;
}

std::optional<bool> read_boolean(Reading& reading, const Value& value) {
  if (!expect(reading, value, Type::boolean)) return std::nullopt;
  return value.boolean();
}

std::optional<Instant> read_instant(Reading& reading, const Value& value) {
  if (!expect(reading, value, Type::text)) return std::nullopt;
  const auto instant = parse_rfc3339(value.text());
  if (!instant)
    reading.refuse("invalid-format",
                   "Is not an RFC 3339 time with offset, such as 2027-01-31T09:30:00Z.");
  return instant;
}

std::optional<std::vector<std::string>> read_texts(Reading& reading, const Value& value,
                                                   const Schema& schema, const TextRule& rule) {
  if (!expect(reading, value, Type::list)) return std::nullopt;
  const std::size_t faults = reading.fault_count();
  if (schema.items_max && value.size() > static_cast<std::size_t>(*schema.items_max)) {
    reading.refuse("too-long", std::format("Has {} elements, takes at most {}.", value.size(),
                                           *schema.items_max));
    return std::nullopt;
  }
  std::vector<std::string> texts;
  std::size_t index = 0;
  value.for_each([&](std::string_view, const Value& element) {
    const Reading::Place place{reading, std::to_string(index++)};
    auto text = read_text(reading, element, schema.items.front(), rule);
    if (!text) return;
    if (schema.unique_items && std::ranges::contains(texts, *text))
      reading.refuse("duplicate", "Occurs more than once.");
    texts.push_back(std::move(*text));
  });
  if (reading.fault_count() != faults) return std::nullopt;
  return texts;
}

bool detail::is_short_list(Reading& reading, const Value& value, std::size_t most) {
  if (!expect(reading, value, Type::list)) return false;
  if (value.size() <= most) return true;
  reading.refuse("too-long", std::format("Has {} elements, takes at most {}.", value.size(), most));
  return false;
}

Schema fault_schema() {
  const auto text = [](std::string description) {
    return Schema{.type = "string", .description = std::move(description)};
  };
  const auto place = [](std::string description) {
    return Schema{.type = "integer", .description = std::move(description)};
  };
  Schema fault{.type = "object",
               .description = "One fault; has exactly one of pointer, parameter and header."};
  fault.members = {{"code", text("The kind of fault, for programs.")},
                   {"detail", text("A description of the fault, for people.")}};
  fault.optional_members = {{"pointer", text("JSON pointer into the body (RFC 6901).")},
                            {"parameter", text("Name of the query parameter.")},
                            {"header", text("Name of the header.")},
                            {"line", place("Line of a template's error, from 1.")},
                            {"column", place("Column of a template's error, from 1.")}};
  return fault;
}

void write(Writer& writer, const std::vector<Fault>& faults) {
  constexpr std::array<std::string_view, 3> kWhere{"pointer", "parameter", "header"};
  writer.begin_list();
  for (const auto& fault : faults) {
    writer.begin_object();
    writer.key(kWhere[static_cast<std::size_t>(fault.where)]).text(fault.at);
    writer.key("code").text(fault.code);
    writer.key("detail").text(fault.detail);
    if (fault.line > 0) {
      writer.key("line").integer(static_cast<std::int64_t>(fault.line));
      writer.key("column").integer(static_cast<std::int64_t>(fault.column));
    }
    writer.end();
  }
  writer.end();
}

}  // namespace shopbell::json
