#include "resources/integrations/event_payload.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <format>

#include "base/limits.h"
#include "json/writer.h"
#include "resources/contact_fields/field_value.h"

namespace shopbell::integrations {

namespace {

using json::Reading;
using json::Type;
using json::Value;

std::string json_text(std::string_view text) {
  json::Writer writer;
  writer.text(text);
  return writer.finish();
}

// Builds JSON from parts that already are JSON.
class Parts {
 public:
  explicit Parts(char open) : text_{open} {}
  std::string& next() {
    if (text_.size() > 1) text_ += ',';
    return text_;
  }
  std::string finish(char close) && {
    text_ += close;
    return std::move(text_);
  }

 private:
  std::string text_;
};

bool expect(Reading& reading, const Value& value, Type type) {
  if (value.type() == type) return true;
  reading.refuse("wrong-type", std::format("Expected {}, found {}.", json::name_of(type),
                                           json::name_of(value.type())));
  return false;
}

bool has_at_most(Reading& reading, const Value& value, std::size_t most) {
  if (value.size() <= most) return true;
  reading.refuse("too-long", std::format("Has {} elements, takes at most {}.", value.size(), most));
  return false;
}

// True if PostgreSQL can store the number. Numbers without a field have no other bounds.
bool is_storable(std::string_view number) {
  if (number.size() > limits::kUntypedNumberBytes) return false;
  const auto at = number.find_first_of("eE");
  if (at == std::string_view::npos) return true;
  std::string_view digits = number.substr(at + 1);
  if (digits.starts_with('+')) digits.remove_prefix(1);
  int exponent = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), exponent);
  return error == std::errc{} && std::abs(exponent) <= limits::kUntypedNumberExponent;
}

void check_numbers(Reading& reading, const Value& value) {
  if (value.type() == Type::number && !is_storable(value.number_text()))
    reading.refuse("out-of-range", "The number has too many digits or too large an exponent.");
  if (value.type() != Type::list && value.type() != Type::object) return;
  std::size_t index = 0;
  value.for_each([&](std::string_view name, const Value& inner) {
    const Reading::Place place{
        reading, value.type() == Type::list ? std::to_string(index++) : std::string{name}};
    check_numbers(reading, inner);
  });
}

std::optional<std::string> read_untyped(Reading& reading, const Value& value) {
  const std::size_t faults = reading.fault_count();
  check_numbers(reading, value);
  if (reading.fault_count() != faults) return std::nullopt;
  return value.to_json();
}

// Reads the attributes of a purchase line: an object of scalar values.
std::optional<std::string> read_attributes(Reading& reading, const Value& value) {
  if (!expect(reading, value, Type::object) || !has_at_most(reading, value, limits::kAttributes))
    return std::nullopt;
  const std::size_t faults = reading.fault_count();
  value.for_each([&](std::string_view name, const Value& attribute) {
    const Reading::Place place{reading, name};
    if (attribute.type() == Type::list || attribute.type() == Type::object)
      reading.refuse("wrong-type", "Expected a text, a number, true, false or null.");
  });
  if (reading.fault_count() != faults) return std::nullopt;
  return read_untyped(reading, value);
}

}  // namespace

PayloadShape::PayloadShape(const std::vector<EventField>& fields,
                           std::string_view additional_members)
    : members_{members_of(fields)} {
  if (additional_members == "drop") additional_ = Additional::drop;
  if (additional_members == "reject") additional_ = Additional::reject;
}

std::size_t PayloadShape::bytes_of(const std::vector<Member>& members) {
  std::size_t bytes = 0;
  for (const auto& member : members)
    bytes += sizeof(Member) + contact_fields::bytes_of(member.rule) + bytes_of(member.members);
  return bytes;
}

PayloadShape::Member PayloadShape::member_of(const EventField& field) {
  Member member{.required = field.required, .rule = value_rule(field)};
  if (field.type == "object") {
    member.kind = Kind::object;
    member.members = members_of(field.fields);
  } else if (field.type == "list") {
    member.kind = Kind::list;
    member.members = members_of(field.items);
    member.most = limits::kEventListItems;
  } else if (field.type == "lines") {
    member.kind = Kind::list;
    member.members = {Member{.kind = Kind::object, .members = line_members()}};
    member.most = limits::kEventListItems;
  }
  return member;
}

std::vector<PayloadShape::Member> PayloadShape::members_of(const std::vector<EventField>& fields) {
  std::vector<Member> members;
  members.reserve(fields.size());
  for (const auto& field : fields) members.push_back(member_of(field));
  return members;
}

// Returns the members of a purchase line.
const std::vector<PayloadShape::Member>& PayloadShape::line_members() {
  static const std::vector<Member> members = [] {
    std::vector<Member> all;
    const auto add = [&](std::string_view id, Kind kind, std::string_view type) -> Member& {
      Member& member = all.emplace_back();
      member.kind = kind;
      member.rule.id = id;
      member.rule.type = type;
      return member;
    };
    for (const auto id : {"lineId", "productId", "variantId"})
      add(id, Kind::line_text, "text").rule.max_length = limits::kStoreIdCharacters;
    for (const auto id : {"sku", "name", "brand"})
      add(id, Kind::line_text, "text").rule.max_length = limits::kTextCharacters;
    for (const auto id : {"quantity", "unitPrice", "originalUnitPrice", "discount", "tax", "total"})
      add(id, Kind::value, "decimal");
    for (const auto id : {"url", "imageUrl"}) add(id, Kind::value, "url");
    Member text{.kind = Kind::line_text};
    text.rule.max_length = limits::kTextCharacters;
    for (const auto& [id, most] :
         {std::pair{"categories", limits::kCategories}, std::pair{"tags", limits::kProductTags}}) {
      Member& list = add(id, Kind::list, "list");
      list.members = {text};
      list.most = most;
    }
    add("attributes", Kind::attributes, "object");
    return all;
  }();
  return members;
}

std::string_view PayloadShape::type_at(std::span<const std::string> path) const {
  const std::vector<Member>* members = &members_;
  while (true) {
    const auto found = std::ranges::find(*members, path.front(),
                                         [](const Member& member) { return member.rule.id; });
    if (found == members->end()) return additional_ == Additional::reject ? "" : "any";
    path = path.subspan(1);
    if (found->kind == Kind::object && !path.empty()) {
      members = &found->members;
      continue;
    }
    if (!path.empty()) return found->kind == Kind::attributes ? "any" : "";
    switch (found->kind) {
      case Kind::value:
        return found->rule.type;
      case Kind::line_text:
        return "text";
      case Kind::list:
        return "list";
      case Kind::object:
      case Kind::attributes:
        return "object";
    }
  }
}

std::optional<std::string> PayloadShape::read(Reading& reading, const Value& payload) const {
  return read_object(reading, members_, payload);
}

std::optional<std::string> PayloadShape::read_object(Reading& reading,
                                                     const std::vector<Member>& members,
                                                     const Value& value) const {
  if (!expect(reading, value, Type::object)) return std::nullopt;
  const std::size_t faults = reading.fault_count();
  Parts parts{'{'};
  const auto id_of = [](const Member& member) -> std::string_view { return member.rule.id; };
  value.for_each([&](std::string_view name, const Value& inner) {
    const Reading::Place place{reading, name};
    const auto known = std::ranges::find(members, name, id_of);
    const auto kept = known == members.end() ? read_additional(reading, inner)
                                             : read_member(reading, *known, inner);
    if (kept) parts.next().append(json_text(name)).append(":").append(*kept);
  });
  for (const auto& member : members) {
    if (!member.required || value.member(member.rule.id)) continue;
    const Reading::Place place{reading, member.rule.id};
    reading.refuse("required", "Is missing.");
  }
  if (reading.fault_count() != faults) return std::nullopt;
  return std::move(parts).finish('}');
}

std::optional<std::string> PayloadShape::read_list(Reading& reading, const Member& list,
                                                   const Value& value) const {
  if (!expect(reading, value, Type::list) || !has_at_most(reading, value, list.most))
    return std::nullopt;
  const std::size_t faults = reading.fault_count();
  Parts parts{'['};
  std::size_t index = 0;
  value.for_each([&](std::string_view, const Value& element) {
    const Reading::Place place{reading, std::to_string(index++)};
    if (const auto kept = read_kind(reading, list.members.front(), element))
      parts.next().append(*kept);
  });
  if (reading.fault_count() != faults) return std::nullopt;
  return std::move(parts).finish(']');
}

std::optional<std::string> PayloadShape::read_kind(Reading& reading, const Member& member,
                                                   const Value& value) const {
  switch (member.kind) {
    case Kind::object:
      return read_object(reading, member.members, value);
    case Kind::list:
      return read_list(reading, member, value);
    case Kind::attributes:
      return read_attributes(reading, value);
    case Kind::line_text:
      return json::read_text(reading, value,
                             {.type = "string", .length_max = member.rule.max_length})
          .transform([](const std::string& text) { return json_text(text); });
    case Kind::value:
      break;
  }
  return contact_fields::read_value(reading, member.rule, value).transform([](json::Raw read) {
    return std::move(read.json);
  });
}

std::optional<std::string> PayloadShape::read_member(Reading& reading, const Member& member,
                                                     const Value& value) const {
  if (value.type() == Type::null) {
    if (member.required) reading.refuse("required", "Cannot be null.");
    return std::nullopt;
  }
  const std::size_t faults = reading.fault_count();
  auto kept = read_kind(reading, member, value);
  if (!member.required) reading.tolerate_since(faults);
  return kept;
}

std::optional<std::string> PayloadShape::read_additional(Reading& reading,
                                                         const Value& value) const {
  if (additional_ == Additional::drop) return std::nullopt;
  const std::size_t faults = reading.fault_count();
  std::optional<std::string> kept;
  if (additional_ == Additional::keep) {
    kept = read_untyped(reading, value);
  } else {
    reading.refuse("unknown-member", "The event type has no field of that id.");
  }
  reading.tolerate_since(faults);
  return kept;
}

}  // namespace shopbell::integrations
