#include "resources/imports/header.h"

#include <algorithm>
#include <format>
#include <ranges>
#include <set>

#include "base/problem.h"
#include "csv/csv_writer.h"
#include "json/document.h"

namespace shopbell::imports {

namespace {

// Prefix of the columns that a report adds. They are ignored, so that a corrected report can be
// imported.
constexpr std::string_view kReported = "error.";

const json::Schema* member_of(const json::Schema& schema, const std::string& name) {
  for (const auto* members : {&schema.members, &schema.optional_members}) {
    const auto found = std::ranges::find(*members, name, &json::SchemaMember::name);
    if (found != members->end()) return &found->schema;
  }
  return nullptr;
}

CellKind kind_of(const json::Schema& schema) {
  if (schema.type == "string") return CellKind::text;
  if (schema.type == "integer" || schema.type == "number") return CellKind::number;
  if (schema.type == "boolean") return CellKind::boolean;
  const bool texts =
      schema.type == "array" && !schema.items.empty() && schema.items.front().type == "string";
  if (texts) return CellKind::texts;
  // Decimals accept text, which keeps all their digits.
  if (std::ranges::contains(schema.any_of, "string", &json::Schema::type)) return CellKind::text;
  return CellKind::any;
}

Path path_of(std::string_view name) {
  Path path;
  for (const auto part : std::views::split(name, '.')) path.emplace_back(std::string_view{part});
  return path;
}

bool is_json(std::string_view text) {
  const auto document = json::Document::parse(text);
  if (!document) return false;
  const json::Type type = document->root().type();
  return type == json::Type::object || type == json::Type::list || type == json::Type::number;
}

bool is_number(std::string_view text) {
  const auto document = json::Document::parse(text);
  return document && document->root().type() == json::Type::number;
}

void write_texts(json::Writer& writer, std::string_view text) {
  writer.begin_list();
  for (const auto part : std::views::split(text, '|')) writer.text(std::string_view{part});
  writer.end();
}

// True if the text is already a JSON value of this kind.
bool is_value(CellKind kind, std::string_view text) {
  if (kind == CellKind::boolean) return text == "true" || text == "false";
  return (kind == CellKind::number && is_number(text)) || (kind == CellKind::any && is_json(text));
}

// A cell that does not fit its kind becomes a text; reading the record then reports the fault.
void write_cell(json::Writer& writer, CellKind kind, const csv::Cell& cell) {
  const std::string_view text = cell.text;
  if (!cell.quoted && text == csv::kClear) {
    writer.null();
  } else if (kind == CellKind::texts) {
    write_texts(writer, text);
  } else if (is_value(kind, text)) {
    writer.json(text);
  } else {
    writer.text(text);
  }
}

}  // namespace

std::optional<CellKind> kind_in(const json::Schema& shown, const json::Schema& sent,
                                std::span<const std::string> path) {
  const json::Schema* in_answer = member_of(shown, path.front());
  const json::Schema* in_request = member_of(sent, path.front());
  if (in_answer == nullptr && in_request == nullptr) return std::nullopt;
  if (in_answer != nullptr && in_answer->read_only) return CellKind::ignored;
  if (in_request == nullptr) return std::nullopt;
  if (path.size() == 1) return kind_of(*in_request);
  // For a list, look up the rest of the path in the schema of the elements.
  const bool list = in_request->type == "array" && !in_request->items.empty();
  const json::Schema& inner = list ? in_request->items.front() : *in_request;
  const json::Schema& shown_inner = in_answer == nullptr ? inner
                                    : list               ? in_answer->items.front()
                                                         : *in_answer;
  return kind_in(shown_inner, inner, path.subspan(1));
}

Header::Header(std::span<const csv::Cell> cells, const FindKind& find, std::string list) {
  std::set<std::string_view> seen;
  std::string unknown;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const std::string_view name = cells[i].text;
    names_.emplace_back(name);
    if (name.empty())
      throw Problem{Code::file_unreadable, std::format("Column {} has no name.", i + 1)};
    if (!seen.insert(name).second)
      throw Problem{Code::file_unreadable, std::format("The column {} appears twice.", name)};
    if (name.starts_with(kReported)) continue;
    const Path path = path_of(name);
    const auto kind = find(path);
    if (!kind) {
      unknown += std::format("{}{}", unknown.empty() ? "" : ", ", name.substr(0, 100));
    } else if (*kind != CellKind::ignored) {
      const bool of_list = !list.empty() && path.size() > 1 && path.front() == list;
      add(of_list ? list_members_ : members_, std::span{path}.subspan(of_list ? 1 : 0), i, *kind);
    }
  }
  if (!unknown.empty())
    throw Problem{Code::unknown_column,
                  "The file has unknown columns: " + unknown.substr(0, 1000) + "."};
}

std::optional<std::size_t> Header::place_of(std::string_view name) const {
  const auto found = std::ranges::find(names_, name);
  if (found == names_.end()) return std::nullopt;
  return static_cast<std::size_t>(found - names_.begin());
}

void Header::add(std::vector<Node>& nodes, std::span<const std::string> path, std::size_t column,
                 CellKind kind) {
  auto found = std::ranges::find(nodes, path.front(), &Node::name);
  if (found == nodes.end()) found = nodes.insert(nodes.end(), Node{.name = path.front()});
  const bool leaf = path.size() == 1;
  if (leaf ? !found->members.empty() : found->members.empty() && found->column != 0)
    throw Problem{Code::file_unreadable,
                  std::format("The columns {0} and {0}.* conflict: remove one.", path.front())};
  if (!leaf) return add(found->members, path.subspan(1), column, kind);
  found->column = column + 1;
  found->kind = kind;
}

bool Header::has_value(const Node& node, std::span<const csv::Cell> cells) {
  if (node.members.empty()) return !cells[node.column - 1].text.empty();
  return std::ranges::any_of(node.members,
                             [&](const Node& member) { return has_value(member, cells); });
}

void Header::write(json::Writer& writer, const Node& node, std::span<const csv::Cell> cells) {
  if (!has_value(node, cells)) return;
  writer.key(node.name);
  if (node.members.empty()) return write_cell(writer, node.kind, cells[node.column - 1]);
  writer.begin_object();
  for (const auto& member : node.members) write(writer, member, cells);
  writer.end();
}

void Header::write_members(json::Writer& writer, std::span<const csv::Cell> cells) const {
  for (const auto& node : members_) write(writer, node, cells);
}

std::optional<std::string> Header::element(std::span<const csv::Cell> cells) const {
  const bool any =
      std::ranges::any_of(list_members_, [&](const Node& node) { return has_value(node, cells); });
  if (!any) return std::nullopt;
  json::Writer writer;
  writer.begin_object();
  for (const auto& node : list_members_) write(writer, node, cells);
  writer.end();
  return writer.finish();
}

}  // namespace shopbell::imports
