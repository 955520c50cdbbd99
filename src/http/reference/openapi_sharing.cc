#include "http/reference/openapi_sharing.h"

#include <format>

namespace shopbell::http {

namespace {

constexpr std::size_t kReferenceBytes = 50;  // size of a typical reference

// The bytes of `times` values are more than those of one value and `times` references.
bool is_worth_sharing(std::size_t bytes, std::size_t times) {
  return times > 1 && (times - 1) * bytes > times * kReferenceBytes;
}

std::string text_of(const json::Schema& schema) {
  json::Writer writer;
  json::write(writer, schema);
  return writer.finish();
}

// Calls work(child, name) for the schemas directly inside `schema`.
template <class Work>
void for_each_child(json::Schema& schema, Work work) {
  for (auto* members : {&schema.members, &schema.optional_members})
    for (auto& [name, member] : *members) work(member, name);
  for (auto& item : schema.items) work(item, "item");
  for (auto& value : schema.values) work(value, "value");
  for (auto& choice : schema.any_of) work(choice, "choice");
}

class SchemaSharing {
 public:
  explicit SchemaSharing(NamedSchemas named) : named_{std::move(named)} {}

  NamedSchemas run() {
    for (auto& [name, schema] : named_) count(schema);
    NamedSchemas own = std::exchange(named_, {});
    for (const auto& [name, schema] : own) named_[name];  // reserves the names
    for (auto& [name, schema] : own) {
      replace(schema, name);
      named_[name] = std::move(schema);
    }
    return std::move(named_);
  }

 private:
  // Counts what is inside a repeated schema once, because it will be written once.
  void count(json::Schema& schema) {
    for_each_child(schema, [&](json::Schema& child, const std::string&) {
      if (child.reference.empty() && ++times_[text_of(child)] == 1) count(child);
    });
  }

  void replace(json::Schema& schema, const std::string& parent) {
    for_each_child(schema, [&](json::Schema& child, const std::string& member) {
      if (!child.reference.empty()) return;
      const std::string text = text_of(child);
      std::string name = member;
      name.front() = static_cast<char>(std::toupper(name.front()));
      if (!is_worth_sharing(text.size(), times_[text])) return replace(child, parent + name);
      auto [found, is_new] = names_.try_emplace(text);
      if (is_new) {
        if (named_.contains(name)) name = parent + name;
        found->second = free_name(name);
        named_[found->second];
        json::Schema moved = std::move(child);
        replace(moved, found->second);
        named_[found->second] = std::move(moved);
      }
      child = {.reference = found->second};
    });
  }

  std::string free_name(const std::string& name) const {
    std::string free = name;
    for (int i = 2; named_.contains(free); ++i) free = std::format("{}{}", name, i);
    return free;
  }

  NamedSchemas named_;
  std::map<std::string, std::size_t> times_;  // number of uses, by JSON
  std::map<std::string, std::string> names_;  // names of the new schemas, by JSON
};

}  // namespace

void write_reference(json::Writer& writer, std::string_view kind, std::string_view name) {
  writer.begin_object();
  writer.key("$ref").text(std::format("#/components/{}/{}", kind, name));
  writer.end();
}

NamedSchemas share_schemas(NamedSchemas named) { return SchemaSharing{std::move(named)}.run(); }

void SharedComponents::count(const std::string& name, const std::string& json) {
  Use& use = uses_[json];
  if (use.times++ > 0) return;
  const int number = ++values_of_name_[name];
  use.name = number == 1 ? name : std::format("{}-{}", name, number);
}

void SharedComponents::write(json::Writer& writer, const std::string& json) const {
  const Use& use = uses_.at(json);
  if (is_worth_sharing(json.size(), static_cast<std::size_t>(use.times))) {
    write_reference(writer, kind_, use.name);
  } else {
    writer.json(json);
  }
}

void SharedComponents::write_all(json::Writer& writer) const {
  std::map<std::string, const std::string*> by_name;
  for (const auto& [json, use] : uses_)
    if (is_worth_sharing(json.size(), static_cast<std::size_t>(use.times)))
      by_name[use.name] = &json;
  for (const auto& [name, json] : by_name) writer.key(name).json(*json);
}

}  // namespace shopbell::http
