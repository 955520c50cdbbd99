// Field tables: the wire names of a resource, written down once. One table encodes a resource and
// describes it in OpenAPI.
//
//   const json::Table<Store> table{"Store", "The shop itself.", {
//       json::text("name", &Store::name).length_max(255).example("\"Bell & Daughters\""),
//       json::instant("createdAt", &Store::created_at).read_only(),
//   }};
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "base/uuid.h"
#include "json/schema.h"
#include "json/writer.h"

namespace shopbell::json {

template <class Resource>
class Field {
 public:
  using Write = std::function<void(Writer&, const Resource&)>;

  Field(std::string name, std::string type, Write write)
      : name_{std::move(name)}, write_{std::move(write)} {
    schema_.type = std::move(type);
  }

  Field& doc(std::string text) { return set(&Schema::description, std::move(text)); }
  Field& example(std::string json) { return set(&Schema::example, std::move(json)); }
  Field& format(std::string name) { return set(&Schema::format, std::move(name)); }
  Field& options(std::vector<std::string> names) { return set(&Schema::options, std::move(names)); }
  Field& length_max(std::int64_t characters) { return set(&Schema::length_max, characters); }
  Field& nullable() { return set(&Schema::nullable, true); }
  Field& read_only() { return set(&Schema::read_only, true); }
  Field& items(Schema of_element) {
    return set(&Schema::items, std::vector{std::move(of_element)});
  }
  Field& members(std::vector<SchemaMember> all) { return set(&Schema::members, std::move(all)); }

  const std::string& name() const { return name_; }
  const Schema& schema() const { return schema_; }
  void write(Writer& writer, const Resource& resource) const {
    writer.key(name_);
    write_(writer, resource);
  }

 private:
  template <class Member, class Value>
  Field& set(Member Schema::* member, Value value) {
    schema_.*member = std::move(value);
    return *this;
  }

  std::string name_;
  Schema schema_;
  Write write_;
};

template <class Resource>
class Table {
 public:
  Table(std::string name, std::string description, std::vector<Field<Resource>> fields)
      : name_{std::move(name)}, description_{std::move(description)}, fields_{std::move(fields)} {}

  const std::string& name() const { return name_; }

  void write(Writer& writer, const Resource& resource) const {
    writer.begin_object();
    for (const auto& field : fields_) field.write(writer, resource);
    writer.end();
  }

  std::string to_json(const Resource& resource) const {
    Writer writer;
    write(writer, resource);
    return writer.finish();
  }

  Schema schema() const {
    Schema object{.type = "object", .description = description_};
    for (const auto& field : fields_) object.members.emplace_back(field.name(), field.schema());
    return object;
  }

 private:
  std::string name_;
  std::string description_;
  std::vector<Field<Resource>> fields_;
};

// Plain kinds of field. The member may be optional: it is then null on the wire when it has no
// value.
namespace detail {

inline void put(Writer& writer, const std::string& value) { writer.text(value); }
inline void put(Writer& writer, std::int64_t value) { writer.integer(value); }
inline void put(Writer& writer, bool value) { writer.boolean(value); }
inline void put(Writer& writer, Instant value) { writer.text(to_rfc3339(value)); }
inline void put(Writer& writer, const Uuid& value) { writer.text(value.to_string()); }
inline void put(Writer& writer, const std::vector<std::string>& values) {
  writer.begin_list();
  for (const auto& value : values) writer.text(value);
  writer.end();
}

template <class Value>
constexpr bool is_optional = false;
template <class Value>
constexpr bool is_optional<std::optional<Value>> = true;

template <class Resource, class Value>
Field<Resource> field(std::string name, std::string type, Value Resource::* member) {
  Field<Resource> made{std::move(name), std::move(type),
                       [member](Writer& writer, const Resource& resource) {
                         if constexpr (is_optional<Value>) {
                           const auto& value = resource.*member;
                           value ? put(writer, *value) : void(writer.null());
                         } else {
                           put(writer, resource.*member);
                         }
                       }};
  if constexpr (is_optional<Value>) made.nullable();
  return made;
}

}  // namespace detail

template <class Resource, class Value>
Field<Resource> text(std::string name, Value Resource::* member) {
  return detail::field(std::move(name), "string", member);
}
template <class Resource, class Value>
Field<Resource> integer(std::string name, Value Resource::* member) {
  return detail::field(std::move(name), "integer", member);
}
template <class Resource, class Value>
Field<Resource> boolean(std::string name, Value Resource::* member) {
  return detail::field(std::move(name), "boolean", member);
}
template <class Resource, class Value>
Field<Resource> instant(std::string name, Value Resource::* member) {
  return detail::field(std::move(name), "string", member).format("date-time");
}
template <class Resource, class Value>
Field<Resource> uuid(std::string name, Value Resource::* member) {
  return detail::field(std::move(name), "string", member).format("uuid");
}
template <class Resource>
Field<Resource> texts(std::string name, std::vector<std::string> Resource::* member) {
  return detail::field(std::move(name), "array", member).items({.type = "string"});
}

// A part of the resource with a table of its own. The table must outlive the field.
template <class Resource, class Part>
Field<Resource> object(std::string name, Part Resource::* member, const Table<Part>& table) {
  const Schema schema = table.schema();
  return Field<Resource>{std::move(name), "object",
                         [member, &table](Writer& writer, const Resource& resource) {
                           table.write(writer, resource.*member);
                         }}
      .doc(schema.description)
      .members(schema.members);
}

}  // namespace shopbell::json
