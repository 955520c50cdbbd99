// Objects whose member names the caller chooses: variants by id, prices by currency. A patch
// (RFC 7396) changes only the members that it contains; null removes a member.
#pragma once

#include <format>
#include <map>
#include <string>

#include "base/text.h"
#include "json/fields.h"

namespace shopbell::json {

// The maximum number of members, and the rule for their names.
struct Naming {
  std::size_t most = 100;
  std::function<bool(std::string_view)> holds;
  std::string detail = "Is not a valid member name.";
};

namespace detail {

inline bool is_member_name(Reading& reading, std::string_view name, const Naming& naming) {
  if (!naming.holds || naming.holds(name)) return true;
  reading.refuse("invalid-format", naming.detail);
  return false;
}

// `read_one` gives the change of one member. Only the sent members are counted here: the total
// depends on the stored ones, so the code that applies the changes must check it.
template <class Resource, class Part, class ReadOne, class WriteOne>
Field<Resource> map_field(std::string name, std::map<std::string, Part> Resource::* member,
                          Schema one, Schema one_sent, const Naming& naming, ReadOne read_one,
                          WriteOne write_one) {
  Schema shown{.type = "object", .items_max = static_cast<std::int64_t>(naming.most)};
  Schema sent = shown;
  shown.values = {std::move(one)};
  one_sent.nullable = !one_sent.type.empty();
  if (!one_sent.nullable && !one_sent.any_of.empty()) one_sent.any_of.push_back({.type = "null"});
  sent.values = {std::move(one_sent)};
  using OneChange = std::function<void(Part&)>;
  return Field<Resource>{
      std::move(name), std::move(shown),
      [member, write_one](Writer& writer, const Resource& resource) {
        writer.begin_object();
        for (const auto& [key, part] : resource.*member) {
          writer.key(key);
          write_one(writer, part);
        }
        writer.end();
      },
      [member, naming, read_one](Reading& reading, const Value& value, const Field<Resource>&) ->
      typename Field<Resource>::Set {
        if (value.type() != Type::object) {
          reading.refuse("wrong-type", "Expected an object.");
          return {};
        }
        if (value.size() > naming.most) {
          reading.refuse("too-long", std::format("Has {} members, takes at most {}.", value.size(),
                                                 naming.most));
          return {};
        }
        std::vector<std::pair<std::string, OneChange>> changes;
        changes.reserve(value.size());
        value.for_each([&](std::string_view key, const Value& part) {
          const Reading::Place place{reading, key};
          const std::size_t faults = reading.fault_count();
          OneChange change;
          if (is_member_name(reading, key, naming) && part.type() != Type::null)
            change = read_one(reading, part);
          const bool usable = reading.fault_count() == faults;
          reading.tolerate_since(faults);
          if (usable) changes.emplace_back(key, std::move(change));
        });
        return [member, changes = std::move(changes)](Resource& resource) {
          for (const auto& [key, change] : changes) {
            if (change) {
              change((resource.*member)[key]);
            } else {
              (resource.*member).erase(key);
            }
          }
        };
      }}
      .sent_as(std::move(sent));
}

}  // namespace detail

// An object of parts with their own table, which must outlive the field.
template <class Resource, class Part>
Field<Resource> parts_by_name(std::string name, std::map<std::string, Part> Resource::* member,
                              const Table<Part>& table, Naming naming) {
  return detail::map_field(
      std::move(name), member, table.schema(), table.patch_schema(), naming,
      [&table](Reading& reading, const Value& value) -> std::function<void(Part&)> {
        return [changes = table.read_patch(value, reading)](Part& part) { changes.apply_to(part); };
      },
      [&table](Writer& writer, const Part& part) { table.write(writer, part); });
}

// An object of exact decimal numbers.
template <class Resource>
Field<Resource> decimals_by_name(std::string name,
                                 std::map<std::string, Decimal> Resource::* member, Schema one,
                                 Naming naming) {
  Schema sent = as_sent(one);
  return detail::map_field(
      std::move(name), member, one, std::move(sent), naming,
      [one](Reading& reading, const Value& value) -> std::function<void(Decimal&)> {
        const auto number = read_decimal(reading, value, one);
        if (!number) return {};
        return [number = *number](Decimal& kept) { kept = number; };
      },
      [](Writer& writer, const Decimal& number) { writer.text(number.to_string()); });
}

// An object of whole numbers, only in answers.
template <class Resource>
Field<Resource> integers_by_name(std::string name,
                                 std::map<std::string, std::int64_t> Resource::* member) {
  return detail::map_field(
             std::move(name), member, Schema{.type = "integer"}, Schema{.type = "integer"},
             Naming{},
             [](Reading&, const Value&) -> std::function<void(std::int64_t&)> { return {}; },
             [](Writer& writer, std::int64_t number) { writer.integer(number); })
      .read_only();
}

// An object of texts.
template <class Resource>
Field<Resource> texts_by_name(std::string name,
                              std::map<std::string, std::string> Resource::* member,
                              Naming naming) {
  Schema one{.type = "string", .length_max = limits::kTextCharacters};
  return detail::map_field(
      std::move(name), member, one, one, std::move(naming),
      [one](Reading& reading, const Value& value) -> std::function<void(std::string&)> {
        auto read = read_text(reading, value, one);
        if (!read) return {};
        return [read = std::move(*read)](std::string& kept) { kept = read; };
      },
      [](Writer& writer, const std::string& text) { writer.text(text); });
}

// Custom attributes of the caller: texts, numbers and booleans.
template <class Resource>
Field<Resource> scalars(std::string name, std::map<std::string, Raw> Resource::* member) {
  Schema one;
  one.any_of = {
      {.type = "string", .length_max = limits::kAttributeCharacters, .several_lines = true},
      {.type = "number"},
      {.type = "boolean"}};
  return detail::map_field(
      std::move(name), member, one, one,
      {limits::kAttributes,
       [](std::string_view key) { return is_name(key, limits::kTextCharacters); },
       "Is not one line of 1 to 255 characters."},
      [text = one.any_of.front()](Reading& reading,
                                  const Value& value) -> std::function<void(Raw&)> {
        Raw raw{value.to_json()};
        if (value.type() == Type::list || value.type() == Type::object) {
          reading.refuse("wrong-type", "Expected a text, a number, true or false.");
          return {};
        }
        if (value.type() == Type::text) {
          const auto read = read_text(reading, value, text);
          if (!read) return {};
          Writer writer;
          writer.text(*read);
          raw.json = writer.finish();
        }
        return [raw = std::move(raw)](Raw& kept) { kept = raw; };
      },
      [](Writer& writer, const Raw& raw) { writer.json(raw.json); });
}

}  // namespace shopbell::json
