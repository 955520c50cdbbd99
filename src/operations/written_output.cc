#include "operations/written_output.h"

#include <algorithm>
#include <set>

#include "base/limits.h"

namespace shopbell::operations {

namespace {

using json::Schema;
using json::Type;
using json::Value;

const Schema* find_member(const std::vector<json::SchemaMember>& members, std::string_view name) {
  const auto found = std::ranges::find(members, name, &json::SchemaMember::name);
  return found == members.end() ? nullptr : &found->schema;
}

// Null if the schema does not describe the member.
const Schema* member_of(const Schema* object, std::string_view name) {
  if (object == nullptr) return nullptr;
  if (const Schema* member = find_member(object->members, name)) return member;
  if (const Schema* member = find_member(object->optional_members, name)) return member;
  return object->values.empty() ? nullptr : &object->values.front();
}

bool is_scalar(const Value& value) {
  return value.type() != Type::object && value.type() != Type::list;
}

// Selects the values in an answer that the request wrote. A request may name members that it does
// not write, such as read-only or skipped ones. The caller may not know the values of these.
class Written {
 public:
  // `warnings` is the answer's list.
  explicit Written(const std::optional<Value>& warnings) {
    if (!warnings) return;
    warnings->for_each([&](std::string_view, const Value& warning) {
      if (const auto pointer = warning.member("pointer")) skipped_.emplace_back(pointer->text());
    });
  }

  // The JSON of the value; nullopt if the request did not write it.
  std::optional<std::string> value(const Value& shown, const Value& sent, const Schema* schema,
                                   const std::string& pointer) const {
    if (was_skipped(pointer) || (schema != nullptr && schema->read_only)) return std::nullopt;
    if (shown.type() == Type::object && sent.type() == Type::object)
      return object(shown, sent, schema, pointer);
    if (shown.type() == Type::list && sent.type() == Type::list)
      return list(shown, sent, schema, pointer);
    if (!is_scalar(shown) || !is_scalar(sent)) return std::nullopt;
    // A text or a decimal may be shown in another form than sent; any other value is equal.
    const bool has_forms = shown.type() == Type::text && sent.type() != Type::null &&
                           (schema == nullptr || schema->options.empty());
    if (!has_forms && shown.to_json() != sent.to_json()) return std::nullopt;
    return shown.to_json();
  }

 private:
  // True if a fault in the value may have kept the request from writing it.
  bool was_skipped(const std::string& pointer) const {
    if (skipped_.size() >= limits::kFaults) return true;  // further faults were not reported
    return std::ranges::any_of(skipped_, [&](std::string_view at) {
      return at == pointer || at.starts_with(pointer + "/");
    });
  }

  std::string object(const Value& shown, const Value& sent, const Schema* schema,
                     const std::string& pointer) const {
    json::Writer writer;
    writer.begin_object();
    shown.for_each([&](std::string_view name, const Value& member) {
      const auto named = sent.member(name);
      if (!named) return;
      const auto json =
          value(member, *named, member_of(schema, name), json::pointer_to(pointer, name));
      if (json) writer.key(name).written(*json);
    });
    writer.end();
    return writer.finish();
  }

  // A list is written as a whole. A list that the request only adds to is longer than sent.
  std::optional<std::string> list(const Value& shown, const Value& sent, const Schema* schema,
                                  const std::string& pointer) const {
    if (shown.size() != sent.size()) return std::nullopt;
    const Schema* items = schema == nullptr || schema->items.empty() ? nullptr : &schema->items[0];
    std::vector<Value> elements;
    sent.for_each([&](std::string_view, const Value& element) { elements.push_back(element); });
    json::Writer writer;
    writer.begin_list();
    std::size_t index = 0;
    bool complete = true;
    shown.for_each([&](std::string_view, const Value& element) {
      const auto json =
          value(element, elements[index], items, json::pointer_to(pointer, std::to_string(index)));
      ++index;
      json ? void(writer.written(*json)) : void(complete = false);
    });
    if (!complete) return std::nullopt;
    writer.end();
    return writer.finish();
  }

  std::vector<std::string_view> skipped_;  // JSON pointers to members that were not written
};

bool may_read(const Input& input) {
  const std::vector<std::string>& scopes = input.operation().description.read_scopes;
  return scopes.empty() || std::ranges::any_of(scopes, [&](const std::string& scope) {
           return input.caller().may(scope);
         });
}

}  // namespace

void find_readers(std::vector<Operation>& operations) {
  for (auto& write : operations) {
    Description& written = write.description;
    if (write.method == Method::get || written.answer_name.empty() || written.resource.empty())
      continue;
    std::set<std::string> scopes;
    for (const auto& read : operations) {
      const Description& shown = read.description;
      if (read.method != Method::get || shown.resource != written.resource) continue;
      scopes.insert(read.access.scope_name());
      if (shown.answer_name != shown.resource) continue;  // the answer is a page
      written.shown_once.clear();
      for (const auto& member : written.answer.members)
        if (find_member(shown.answer.members, member.name) == nullptr)
          written.shown_once.push_back(member.name);
    }
    written.read_scopes.assign(scopes.begin(), scopes.end());
  }
}

Output visible_output(const Input& input, Output output) {
  if (output.body.empty() || may_read(input)) return output;
  const Description& operation = input.operation().description;
  const json::Document whole = json::Document::parse_body(output.body);
  const Written written{whole.root().member("warnings")};
  // A stale write did not write what the request names.
  const bool names = operation.body && output.applied.empty();
  json::Writer writer;
  writer.begin_object();
  whole.root().for_each([&](std::string_view name, const Value& member) {
    if (name == "id" || name == "warnings" || std::ranges::contains(operation.shown_once, name)) {
      writer.key(name).written(member.to_json());
      return;
    }
    const auto sent = names && input.has_body() ? input.body().member(name) : std::nullopt;
    if (!sent) return;
    const auto json = written.value(member, *sent, find_member(operation.answer.members, name),
                                    json::pointer_to("", name));
    if (json) writer.key(name).written(*json);
  });
  writer.end();
  output.body = writer.finish();
  return output;
}

}  // namespace shopbell::operations
