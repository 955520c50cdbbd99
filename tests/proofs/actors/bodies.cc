#include "tests/proofs/actors/bodies.h"

#include <algorithm>
#include <ranges>
#include <span>

#include "json/document.h"
#include "json/writer.h"

namespace shopbell::proofs {

namespace {

using json::Type;
using json::Value;
using json::Writer;
using Way = std::span<const std::string>;

constexpr int kDeepest = 8;  // maximum depth, because a schema may refer to itself

std::vector<std::string> split_pointer(std::string_view pointer) {
  std::vector<std::string> way;
  if (pointer.empty()) return way;
  for (const auto part : std::views::split(pointer.substr(1), '/'))
    way.emplace_back(std::string_view{part});
  return way;
}

bool is_index(const std::string& step) {
  return !step.empty() && std::ranges::all_of(step, [](char c) { return c >= '0' && c <= '9'; });
}

void rebuild(Writer& writer, const std::optional<Value>& value, Way way,
             const std::optional<std::string>& put);

void rebuild_list(Writer& writer, const std::optional<Value>& value, Way way,
                  const std::optional<std::string>& put) {
  const std::size_t index = std::stoul(way.front());
  const bool removes = way.size() == 1 && !put;
  std::size_t at = 0;
  writer.begin_list();
  if (value && value->type() == Type::list) {
    value->for_each([&](std::string_view, const Value& element) {
      if (at++ != index) {
        writer.json(element.to_json());
      } else if (!removes) {
        rebuild(writer, element, way.subspan(1), put);
      }
    });
  }
  if (at <= index && !removes) rebuild(writer, std::nullopt, way.subspan(1), put);
  writer.end();
}

void rebuild_object(Writer& writer, const std::optional<Value>& value, Way way,
                    const std::optional<std::string>& put) {
  const bool removes = way.size() == 1 && !put;
  bool met = false;
  writer.begin_object();
  if (value && value->type() == Type::object) {
    value->for_each([&](std::string_view name, const Value& member) {
      const bool here = name == way.front();
      met = met || here;
      if (here && removes) return;
      writer.key(name);
      here ? rebuild(writer, member, way.subspan(1), put) : void(writer.json(member.to_json()));
    });
  }
  if (!met && !removes) {
    writer.key(way.front());
    rebuild(writer, std::nullopt, way.subspan(1), put);
  }
  writer.end();
}

void rebuild(Writer& writer, const std::optional<Value>& value, Way way,
             const std::optional<std::string>& put) {
  if (way.empty()) {
    writer.json(put.value_or("null"));
  } else if (is_index(way.front())) {
    rebuild_list(writer, value, way, put);
  } else {
    rebuild_object(writer, value, way, put);
  }
}

void copy_without(Writer& writer, const Value& value, const std::vector<std::string>& names) {
  if (value.type() == Type::object) {
    writer.begin_object();
    value.for_each([&](std::string_view name, const Value& member) {
      if (std::ranges::contains(names, name)) return;
      writer.key(name);
      copy_without(writer, member, names);
    });
    writer.end();
  } else if (value.type() == Type::list) {
    writer.begin_list();
    value.for_each([&](std::string_view, const Value& v) { copy_without(writer, v, names); });
    writer.end();
  } else {
    writer.json(value.to_json());
  }
}

void collect(std::vector<Slot>& slots, const json::Schema& schema, const std::string& pointer,
             int depth) {
  if (depth == kDeepest) return;
  const auto visit = [&](const std::vector<json::SchemaMember>& members, bool required) {
    for (const auto& [name, member] : members) {
      slots.push_back({pointer + "/" + name, &member, required});
      collect(slots, member, pointer + "/" + name, depth + 1);
    }
  };
  visit(schema.members, true);
  visit(schema.optional_members, false);
  if (schema.items.empty()) return;
  slots.push_back({pointer + "/0", &schema.items.front(), false});
  collect(slots, schema.items.front(), pointer + "/0", depth + 1);
}

}  // namespace

std::string with_value(std::string_view text, std::string_view pointer,
                       const std::optional<std::string>& value) {
  const auto document = json::Document::parse(text);
  Writer writer;
  rebuild(writer, document ? std::optional{document->root()} : std::nullopt, split_pointer(pointer),
          value);
  return writer.finish();
}

std::vector<std::pair<std::string, std::string>> text_members(std::string_view text) {
  std::vector<std::pair<std::string, std::string>> members;
  const auto document = json::Document::parse(text);
  if (!document || document->root().type() != Type::object) return members;
  document->root().for_each([&](std::string_view name, const Value& value) {
    if (value.type() == Type::text) members.emplace_back(name, value.text());
  });
  return members;
}

std::optional<std::string> text_member(std::string_view text, std::string_view name) {
  for (const auto& [known, value] : text_members(text)) {
    if (known == name) return value;
  }
  return std::nullopt;
}

std::string without_members(std::string_view text, const std::vector<std::string>& names) {
  const auto document = json::Document::parse(text);
  if (!document) return std::string{text};
  Writer writer;
  copy_without(writer, document->root(), names);
  return writer.finish();
}

std::string json_text(std::string_view text) {
  Writer writer;
  writer.text(text);
  return writer.finish();
}

std::vector<Slot> slots_of(const json::Schema& schema) {
  std::vector<Slot> slots;
  collect(slots, schema, "", 0);
  return slots;
}

std::vector<std::string> object_pointers(const json::Schema& schema) {
  const auto holds_members = [](const json::Schema& of) {
    return of.type == "object" && !(of.members.empty() && of.optional_members.empty());
  };
  std::vector<std::string> pointers;
  if (holds_members(schema)) pointers.emplace_back("");
  for (const auto& slot : slots_of(schema)) {
    if (holds_members(*slot.schema)) pointers.push_back(slot.pointer);
  }
  return pointers;
}

std::vector<std::string> wrong_values(const json::Schema& schema) {
  // Values that are not always wrong are left out: decimals accept strings and numbers, and null
  // may clear a member.
  if (schema.type == "string") return {"true", "[]", "{}"};
  if (schema.type == "integer") return {R"("zz")", "true", "[]", "1.5"};
  if (schema.type == "number") return {R"("zz")", "true", "[]"};
  if (schema.type == "boolean") return {R"("true")", "1", "[]"};
  if (schema.type == "array") return {"true", "{}", R"("a,b")"};
  if (schema.type == "object") return {"true", "[]", R"("{}")"};
  return {};
}

std::vector<NamedFault> faults_of(std::string_view problem) {
  std::vector<NamedFault> faults;
  const auto document = json::Document::parse(problem);
  if (!document) return faults;
  const auto errors = document->root().member("errors");
  if (!errors) return faults;
  errors->for_each([&](std::string_view, const Value& error) {
    const auto text = [&](std::string_view name) {
      const auto member = error.member(name);
      return member ? std::optional{std::string{member->text()}} : std::nullopt;
    };
    for (const std::string where : {"pointer", "parameter", "header"}) {
      if (const auto at = text(where)) faults.push_back({where, *at, text("code").value_or("")});
    }
  });
  return faults;
}

bool has_fault(std::string_view problem, std::string_view where, std::string_view at,
               std::string_view code) {
  return std::ranges::any_of(faults_of(problem), [&](const NamedFault& fault) {
    return fault.where == where && fault.at == at && (code.empty() || fault.code == code);
  });
}

std::string without(std::string text, std::string_view part) {
  if (const auto at = text.find(part); at != text.npos) text.erase(at, part.size());
  return text;
}

std::string without_cursors(const std::string& text) {
  std::string result;
  std::string_view rest = text;
  constexpr std::string_view kName = R"("nextCursor":")";
  for (auto at = rest.find(kName); at != rest.npos; at = rest.find(kName)) {
    result += rest.substr(0, at);
    rest.remove_prefix(rest.find('"', at + kName.size()) + 1);
  }
  return result + std::string{rest};
}

std::string form_of(const operations::UploadBody& upload, const std::string& file_name) {
  std::string body;
  for (const auto& [name, value] : upload.example) {
    const bool file = value.starts_with('@');
    body += std::format("--proof\r\nContent-Disposition: form-data; name=\"{}\"{}\r\n\r\n{}\r\n",
                        name, file ? std::format("; filename=\"{}\"", file_name) : "",
                        file ? upload.alone.front().example : value);
  }
  return body + "--proof--\r\n";
}

}  // namespace shopbell::proofs
