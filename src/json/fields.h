// Field tables: one definition of a resource's JSON members. A table parses a new resource and a
// merge patch (RFC 7396), writes the resource and produces its OpenAPI schema.
//
//   const json::Table<Store> table{"Store", "The shop itself.", {
//       json::text("name", &Store::name).required().example("\"Bell & Daughters\""),
//       json::instant("createdAt", &Store::created_at).read_only(),
//   }};
//   const json::Changes<Store> changes = table.read_patch(body, reading);
//   reading.finish();  // all faults at once
//   changes.apply_to(store);
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "json/field_kinds.h"
#include "json/reading.h"
#include "json/schema.h"
#include "json/writer.h"

namespace shopbell::json {

template <class Resource>
class Field {
 public:
  using Write = std::function<void(Writer&, const Resource&)>;
  using Set = std::function<void(Resource&)>;
  // Returns the change that the value makes; empty when it is invalid, with a fault in the reading.
  using Read = std::function<Set(Reading&, const Value&, const Field&)>;

  Field(std::string name, Schema schema, Write write, Read read)
      : name_{std::move(name)},
        schema_{std::move(schema)},
        write_{std::move(write)},
        read_{std::move(read)} {}

  Field& doc(std::string text) { return set(&Schema::description, std::move(text)); }
  Field& example(std::string json) { return set(&Schema::example, std::move(json)); }
  Field& default_value(std::string json) { return set(&Schema::default_value, std::move(json)); }
  Field& format(std::string name) { return set(&Schema::format, std::move(name)); }
  Field& pattern(std::string regex) { return set(&Schema::pattern, std::move(regex)); }
  Field& options(std::vector<std::string> names) { return set(&Schema::options, std::move(names)); }
  Field& length_min(std::int64_t characters) { return set(&Schema::length_min, characters); }
  Field& length_max(std::int64_t characters) { return set(&Schema::length_max, characters); }
  Field& minimum(std::int64_t value) { return set(&Schema::minimum, value); }
  Field& maximum(std::int64_t value) { return set(&Schema::maximum, value); }
  Field& items_max(std::int64_t count) { return set(&Schema::items_max, count); }
  Field& several_lines() { return set(&Schema::several_lines, true); }
  Field& repeatable() { return set(&Schema::unique_items, false); }  // allows duplicates
  // The member is returned but ignored in requests, so that a client can send back what it read.
  Field& read_only() { return set(&Schema::read_only, true); }
  // The member is accepted in requests and never returned.
  Field& write_only() { return mark(&Field::write_only_); }
  // A new resource must have the member, and null cannot clear the member.
  Field& required() { return mark(&Field::required_); }
  // Rejected when invalid, even in lenient mode: skipping a restriction would allow more than the
  // caller intended.
  Field& restricts() { return mark(&Field::restricts_); }
  // A rule for the text, or for each text in a list, beyond length and options.
  Field& rule(std::function<bool(std::string_view)> holds, std::string detail) {
    rule_ = {std::move(holds), std::move(detail)};
    return *this;
  }
  Field& element(const std::function<void(Schema&)>& change) {
    change(schema_.items.front());
    return *this;
  }

  // Replaces the function that writes the value.
  Field& shown_by(Write write) {
    write_ = std::move(write);
    return *this;
  }

  // The schema in requests, where a part does not need all its members.
  Field& sent_as(Schema schema) {
    sent_as_ = std::move(schema);
    return *this;
  }

  const std::string& name() const { return name_; }
  const Schema& schema() const { return schema_; }
  const TextRule& rule() const { return rule_; }
  bool is_required() const { return required_; }
  bool is_shown() const { return !write_only_; }
  Schema request_schema() const {
    if (schema_.read_only) {
      return {.description =
                  schema_.description.empty() ? "Ignored." : "Ignored. " + schema_.description};
    }
    if (schema_.format == "decimal") return as_sent(schema_);
    return sent_as_.value_or(schema_);
  }

  void write(Writer& writer, const Resource& resource) const {
    writer.key(name_);
    write_(writer, resource);
  }
  void write_value(Writer& writer, const Resource& resource) const { write_(writer, resource); }

  Set read(Reading& reading, const Value& value) const {
    const Reading::Place place{reading, name_};
    const std::size_t faults = reading.fault_count();
    if (value.type() == Type::null && !schema_.nullable && !schema_.type.empty()) {
      reading.refuse("required", "Cannot be null.");
      return {};
    }
    Set change = read_(reading, value, *this);
    if (!required_ && !restricts_) reading.tolerate_since(faults);
    return change;
  }

 private:
  template <class Member, class Setting>
  Field& set(Member Schema::* member, Setting value) {
    schema_.*member = std::move(value);
    return *this;
  }

  Field& mark(bool Field::* property) {
    this->*property = true;
    return *this;
  }

  std::string name_;
  Schema schema_;
  Write write_;
  Read read_;
  std::optional<Schema> sent_as_;
  TextRule rule_;
  bool required_ = false;
  bool restricts_ = false;
  bool write_only_ = false;
};

// The parsed changes of a body, ready to be applied to a resource.
template <class Resource>
class Changes {
 public:
  void add(std::string name, typename Field<Resource>::Set change) {
    changes_.emplace_back(std::move(name), std::move(change));
  }
  void apply_to(Resource& resource) const {
    for (const auto& [name, change] : changes_) change(resource);
  }
  bool names(std::string_view member) const {
    return std::ranges::contains(changes_, member, [](const auto& pair) { return pair.first; });
  }

 private:
  std::vector<std::pair<std::string, typename Field<Resource>::Set>> changes_;
};

template <class Resource>
class Table {
 public:
  Table(std::string name, std::string description, std::vector<Field<Resource>> fields)
      : name_{std::move(name)}, description_{std::move(description)}, fields_{std::move(fields)} {}

  const std::string& name() const { return name_; }

  void write(Writer& writer, const Resource& resource) const {
    writer.begin_object();
    write_members(writer, resource);
    writer.end();
  }

  std::string to_json(const Resource& resource, const std::vector<Fault>& warnings = {}) const {
    Writer writer;
    writer.begin_object();
    write_members(writer, resource);
    if (!warnings.empty()) {
      writer.key("warnings");
      json::write(writer, warnings);
    }
    writer.end();
    return writer.finish();
  }

  Changes<Resource> read_new(const Value& body, Reading& reading) const {
    Changes<Resource> changes = read_patch(body, reading);
    if (body.type() != Type::object) return changes;
    for (const auto& field : fields_) {
      if (!field.is_required() || body.member(field.name())) continue;
      const Reading::Place place{reading, field.name()};
      reading.refuse("required", "Is missing.");
    }
    return changes;
  }

  Changes<Resource> read_patch(const Value& body, Reading& reading) const {
    Changes<Resource> changes;
    if (body.type() != Type::object) {
      reading.refuse("wrong-type", "Expected an object.");
      return changes;
    }
    body.for_each([&](std::string_view name, const Value& value) {
      const auto field = std::ranges::find(fields_, name, &Field<Resource>::name);
      if (field == fields_.end()) {
        const Reading::Place place{reading, name};
        reading.lenient() ? reading.warn("unknown-member", "There is no such member; skipped.")
                          : reading.refuse("unknown-member", "There is no such member.");
        return;
      }
      if (field->schema().read_only) return;
      if (auto change = field->read(reading, value)) changes.add(field->name(), std::move(change));
    });
    return changes;
  }

  // The JSON of each member, in the table's order; an empty text for members in `left_out`.
  std::vector<std::pair<std::string, std::string>> members(
      const Resource& resource, const std::vector<std::string_view>& left_out = {}) const {
    std::vector<std::pair<std::string, std::string>> all;
    all.reserve(fields_.size());
    for (const auto& field : fields_) {
      if (!field.is_shown()) continue;
      auto& json = all.emplace_back(field.name(), "").second;
      if (std::ranges::contains(left_out, field.name())) continue;
      Writer writer;
      field.write_value(writer, resource);
      json = writer.finish();
    }
    return all;
  }

  // The schema of the resource in answers.
  Schema schema() const {
    Schema object{.type = "object", .description = description_};
    for (const auto& field : fields_) {
      if (field.is_shown()) object.members.emplace_back(field.name(), field.schema());
    }
    return object;
  }
  // The schema of the answer to a write, which may have warnings.
  Schema answer_schema() const {
    Schema object = schema();
    Schema warnings{.type = "array", .description = "Faults that a lenient request skipped."};
    warnings.items = {fault_schema()};
    object.optional_members.emplace_back("warnings", std::move(warnings));
    return object;
  }
  // The schema in requests. Read-only members are allowed and ignored.
  Schema new_schema() const { return request_schema(true); }
  Schema patch_schema() const { return request_schema(false); }

  // An example body, made from the fields' examples.
  std::string example() const {
    Writer writer;
    writer.begin_object();
    for (const auto& field : fields_) {
      if (field.schema().read_only || field.schema().example.empty()) continue;
      writer.key(field.name()).json(field.schema().example);
    }
    writer.end();
    return writer.finish();
  }

 private:
  void write_members(Writer& writer, const Resource& resource) const {
    for (const auto& field : fields_) {
      if (field.is_shown()) field.write(writer, resource);
    }
  }

  Schema request_schema(bool is_new) const {
    Schema object{.type = "object", .description = description_};
    for (const auto& field : fields_) {
      auto& members = is_new && field.is_required() ? object.members : object.optional_members;
      members.emplace_back(field.name(), field.request_schema());
    }
    return object;
  }

  std::string name_;
  std::string description_;
  std::vector<Field<Resource>> fields_;
};

namespace detail {

template <class Resource, class Value_>
Field<Resource> field(std::string name, Schema schema, Value_ Resource::* member) {
  using Plain = typename Kind<Value_>::Plain;
  schema.nullable = Kind<Value_>::nullable;
  return Field<Resource>{
      std::move(name), std::move(schema),
      [member](Writer& writer, const Resource& resource) {
        if constexpr (Kind<Value_>::nullable) {
          const auto& value = resource.*member;
          value ? put(writer, *value) : void(writer.null());
        } else {
          put(writer, resource.*member);
        }
      },
      [member](Reading& reading, const Value& value, const Field<Resource>& of) ->
      typename Field<Resource>::Set {
        if constexpr (Kind<Value_>::nullable) {
          if (value.type() == Type::null)
            return [member](Resource& resource) { (resource.*member).reset(); };
        }
        auto read = take<Plain>(reading, value, of.schema(), of.rule());
        if (!read) return {};
        return [member, plain = std::move(*read)](Resource& resource) { resource.*member = plain; };
      }};
}

}  // namespace detail

// Scalar kinds of field. The C++ member may be std::optional: without a value it is written as
// null, and null clears it.
template <class Resource, class Member>
Field<Resource> text(std::string name, Member Resource::* member) {
  return detail::field(std::move(name), {.type = "string", .length_max = limits::kTextCharacters},
                       member);
}
template <class Resource, class Member>
Field<Resource> integer(std::string name, Member Resource::* member) {
  return detail::field(std::move(name), {.type = "integer"}, member);
}
// An exact number: parsed from a text or a number without loss of digits, written as a text.
template <class Resource, class Member>
Field<Resource> decimal(std::string name, Member Resource::* member) {
  return detail::field(std::move(name), decimal_schema(), member);
}
template <class Resource, class Member>
Field<Resource> boolean(std::string name, Member Resource::* member) {
  return detail::field(std::move(name), {.type = "boolean"}, member);
}
template <class Resource, class Member>
Field<Resource> instant(std::string name, Member Resource::* member) {
  return detail::field(std::move(name), {.type = "string", .format = "date-time"}, member);
}
template <class Resource>
Field<Resource> uuid(std::string name, Uuid Resource::* member) {
  return detail::field(std::move(name), {.type = "string", .format = "uuid"}, member).read_only();
}
template <class Resource>
Field<Resource> texts(std::string name, std::vector<std::string> Resource::* member) {
  Schema list{.type = "array", .items_max = 500, .unique_items = true};
  list.items = {{.type = "string", .length_max = limits::kTextCharacters}};
  return detail::field(std::move(name), std::move(list), member);
}
// Any JSON, stored as text. The resource's own code validates it, depending on other members.
template <class Resource>
Field<Resource> any(std::string name, std::optional<Raw> Resource::* member) {
  return detail::field(std::move(name), {}, member);
}

// A part of the resource with its own table, which must outlive the field. A patch of the part
// changes only the members that it contains.
template <class Resource, class Part>
Field<Resource> object(std::string name, Part Resource::* member, const Table<Part>& table) {
  return Field<Resource>{std::move(name), table.schema(),
                         [member, &table](Writer& writer, const Resource& resource) {
                           table.write(writer, resource.*member);
                         },
                         [member, &table](Reading& reading, const Value& value,
                                          const Field<Resource>&) -> typename Field<Resource>::Set {
                           return [member, changes = table.read_patch(value, reading)](
                                      Resource& resource) { changes.apply_to(resource.*member); };
                         }}
      .sent_as(table.patch_schema());
}

// A list of parts, each with all its members; a patch replaces the whole list.
template <class Resource, class Part>
Field<Resource> objects(std::string name, std::vector<Part> Resource::* member,
                        const Table<Part>& table, std::size_t most) {
  Schema list{.type = "array", .items_max = static_cast<std::int64_t>(most)};
  Schema sent = list;
  list.items = {table.schema()};
  sent.items = {table.new_schema()};
  return Field<Resource>{
      std::move(name), std::move(list),
      [member, &table](Writer& writer, const Resource& resource) {
        writer.begin_list();
        for (const auto& part : resource.*member) table.write(writer, part);
        writer.end();
      },
      [member, &table, most](Reading& reading, const Value& value, const Field<Resource>&) ->
      typename Field<Resource>::Set {
        if (!detail::is_short_list(reading, value, most)) return {};
        const std::size_t faults = reading.fault_count();
        std::vector<Part> parts;
        value.for_each([&](std::string_view, const Value& element) {
          const Reading::Place place{reading, std::to_string(parts.size())};
          table.read_new(element, reading).apply_to(parts.emplace_back());
        });
        if (reading.fault_count() != faults) return {};
        return [member, parts = std::move(parts)](Resource& resource) { resource.*member = parts; };
      }}
      .sent_as(std::move(sent));
}

}  // namespace shopbell::json
