#include "http/reference/docs_members.h"

#include <algorithm>
#include <array>
#include <format>
#include <ranges>
#include <set>

#include "http/reference/html.h"
#include "http/wire/path.h"

namespace shopbell::http {

namespace {

using json::Schema;

// Groups the digits: 5000 becomes "5,000".
std::string grouped(std::int64_t number) {
  std::string digits = std::to_string(number);
  const std::ptrdiff_t first = number < 0 ? 1 : 0;
  for (std::ptrdiff_t at = std::ssize(digits) - 3; at > first; at -= 3)
    digits.insert(static_cast<std::size_t>(at), ",");
  return digits;
}

std::string code_html(std::string_view text) {
  return std::format("<code>{}</code>", escape_html(text));
}

// "1–255 characters", "at most 5 elements", "at least 1"; empty without bounds.
std::string range(std::optional<std::int64_t> least, std::optional<std::int64_t> most,
                  std::string_view one, std::string_view many) {
  const auto unit = [&](std::int64_t count) { return count == 1 ? one : many; };
  if (least == 0 && !one.empty()) least.reset();  // a minimum length of 0 is no limit
  if (least && most && *least == *most) return std::format("{}{}", grouped(*most), unit(*most));
  if (least && most) return std::format("{}–{}{}", grouped(*least), grouped(*most), unit(*most));
  if (most) return std::format("at most {}{}", grouped(*most), unit(*most));
  if (least) return std::format("at least {}{}", grouped(*least), unit(*least));
  return {};
}

std::string type_text(const Schema& schema, const NamedSchemas& named) {
  if (!schema.reference.empty()) {
    const auto found = named.find(schema.reference);
    return found == named.end() ? schema.reference : type_text(found->second, named);
  }
  if (!schema.any_of.empty()) {
    std::string either;
    for (const auto& one : schema.any_of)
      either += (either.empty() ? "" : " or ") + type_text(one, named);
    return either;
  }
  if (schema.type.empty()) return "any";
  if (schema.type == "array" && !schema.items.empty())
    return "array of " + type_text(schema.items.front(), named);
  return schema.format.empty() ? schema.type : std::format("{} ({})", schema.type, schema.format);
}

std::string tag(std::string_view name, std::string_view kind = "tag") {
  return std::format(" <span class=\"{}\">{}</span>", kind, name);
}

std::string meaning_html(const Schema& schema) {
  std::vector<std::string> parts;
  if (!schema.description.empty()) parts.push_back(prose_html(schema.description));
  if (!schema.default_value.empty()) parts.push_back("Default: " + code_html(schema.default_value));
  if (!schema.example.empty()) parts.push_back("Example: " + code_html(schema.example));
  return parts | std::views::join_with(std::string_view{"<br>"}) | std::ranges::to<std::string>();
}

// Walks a schema and writes a row for each member below it.
class MemberRows {
 public:
  MemberRows(const NamedSchemas& named, Side side) : named_{named}, side_{side} {}

  void add_below(const Schema& schema, const std::string& prefix, std::size_t depth) {
    if (!schema.reference.empty()) return add_named(schema.reference, prefix, depth);
    if (schema.type == "array" && !schema.items.empty())
      return add_below(schema.items.front(), prefix + "[]", depth);
    const std::string dot = prefix.empty() ? "" : prefix + ".";
    for (const auto& [name, member] : schema.members) add(dot + name, member, depth, true);
    for (const auto& [name, member] : schema.optional_members)
      add(dot + name, member, depth, false);
  }

  const std::string& html() const { return html_; }

 private:
  // Expands a recursive schema only once per branch.
  void add_named(const std::string& name, const std::string& prefix, std::size_t depth) {
    const auto found = named_.find(name);
    if (found == named_.end() || !open_.insert(name).second) return;
    add_below(found->second, prefix, depth);
    open_.erase(name);
  }

  void add(const std::string& name, const Schema& member, std::size_t depth, bool always) {
    std::string tags;
    if (side_ == Side::request && always) tags += tag("required", "tag needed");
    if (side_ == Side::answer && !always) tags += tag("optional");
    if (member.nullable) tags += tag("nullable");
    if (member.read_only) tags += tag("read-only");
    constexpr std::array<std::string_view, 4> kDepths{"", " class=\"d1\"", " class=\"d2\"",
                                                      " class=\"d3\""};
    html_ += std::format(
        "<tr><th scope=\"row\"{}>{}{}</th><td>{}</td><td>{}</td><td>{}</td></tr>\n",
        kDepths[std::min(depth, kDepths.size() - 1)], code_html(name), tags,
        escape_html(type_text(member, named_)), limits_html(member), meaning_html(member));
    add_below(member, name, depth + 1);
  }

  const NamedSchemas& named_;
  Side side_;
  std::set<std::string> open_;
  std::string html_;
};

struct Parameter {
  std::string_view name;
  std::string_view in;
  const Schema* schema;
  std::string_view description;
};

std::string parameter_row(const Parameter& parameter, bool with_default) {
  const Schema& schema = *parameter.schema;
  std::string preset;
  if (with_default) {
    preset = std::format("<td>{}</td>",
                         schema.default_value.empty() ? "" : code_html(schema.default_value));
  }
  return std::format("<tr><th scope=\"row\">{}{}{}</th><td>{}</td><td>{}</td>{}<td>{}</td></tr>\n",
                     code_html(parameter.name), tag(parameter.in),
                     parameter.in == "path" ? tag("required", "tag needed") : "",
                     escape_html(type_text(schema, {})), limits_html(schema), preset,
                     prose_html(parameter.description));
}

}  // namespace

std::string limits_html(const Schema& schema) {
  std::vector<std::string> parts{
      schema.options.empty()  // options imply their length
          ? range(schema.length_min, schema.length_max, " character", " characters")
          : "",
      range(schema.minimum, schema.maximum, "", ""),
      range({}, schema.items_max, " element", " elements"),
      schema.unique_items ? "each once" : "",
      schema.several_lines ? "may have several lines" : "",
      schema.pattern.empty() ? "" : "matches " + code_html(schema.pattern)};
  if (!schema.options.empty()) {
    const auto codes = schema.options | std::views::transform(code_html);
    parts.push_back("one of " + (codes | std::views::join_with(std::string_view{", "}) |
                                 std::ranges::to<std::string>()));
  }
  // The limits of objects are shown in the rows of their members.
  if (!schema.items.empty() && schema.items.front().type != "object") {
    const std::string each = limits_html(schema.items.front());
    if (!each.empty()) parts.push_back("each: " + each);
  }
  std::erase(parts, "");
  return parts | std::views::join_with(std::string_view{"; "}) | std::ranges::to<std::string>();
}

std::string scrolling_table(std::string_view label, std::string_view heads, std::string_view rows) {
  std::string head;
  for (const auto name : std::views::split(heads, '|'))
    head += std::format("<th scope=\"col\">{}</th>", escape_html(std::string_view{name}));
  return std::format(
      "<div class=\"scroll\" role=\"group\" aria-label=\"{}\" tabindex=\"0\">\n<table>\n"
      "<thead><tr>{}</tr></thead>\n<tbody>\n{}</tbody>\n</table>\n</div>\n",
      escape_html(label), head, rows);
}

std::string member_table(const Schema& schema, const NamedSchemas& named, Side side,
                         std::string_view label) {
  MemberRows rows{named, side};
  rows.add_below(schema, "", 0);
  if (rows.html().empty()) return std::format("<p>{}</p>\n", escape_html(type_text(schema, named)));
  return scrolling_table(label, "Member|Type|Limits|Meaning", rows.html());
}

std::string parameter_table(const Operation& route) {
  static const Schema segment_schema{.type = "string"};
  const auto path = split_path(route.path);
  const auto headers = request_headers_of(route);
  std::vector<Parameter> parameters;
  for (const auto& segment : path->segments) {
    if (!segment.starts_with('{')) continue;
    parameters.push_back({std::string_view{segment}.substr(1, segment.size() - 2), "path",
                          &segment_schema, "Percent-encoded where needed."});
  }
  for (const auto& [name, description, schema] : route.description.parameters)
    parameters.push_back({name, "query", &schema, description});
  for (const auto& header : headers)
    parameters.push_back({header.name, "header", &header.schema, header.description});
  if (parameters.empty()) return {};
  const bool with_default = std::ranges::any_of(
      parameters, [](const Parameter& each) { return !each.schema->default_value.empty(); });
  std::string rows;
  for (const auto& parameter : parameters) rows += parameter_row(parameter, with_default);
  return scrolling_table(
      "Parameters and headers of " + route.description.id,
      with_default ? "Name|Type|Limits|Default|Meaning" : "Name|Type|Limits|Meaning", rows);
}

}  // namespace shopbell::http
