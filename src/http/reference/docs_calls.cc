#include "http/reference/docs_calls.h"

#include <algorithm>
#include <cctype>
#include <format>
#include <functional>
#include <ranges>

#include "base/limits.h"
#include "http/reference/html.h"
#include "http/wire/path.h"
#include "json/document.h"

namespace shopbell::http {

namespace {

// Puts the text in single quotes, so that the shell expands nothing.
std::string shell_quoted(std::string_view text) {
  std::string result = "'";
  for (const char c : text) c == '\'' ? result += "'\\''" : result += c;
  return result + "'";
}

std::string percent_encoded(std::string_view text) {
  std::string result;
  for (const char c : text) {
    const bool plain =
        std::isalnum(static_cast<unsigned char>(c)) != 0 || std::string_view{"-._~@:"}.contains(c);
    plain ? result += c : result += std::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return result;
}

// typeId → TYPE_ID, a placeholder for the reader to replace.
std::string placeholder(std::string_view name) {
  std::string result;
  for (const char c : name) {
    if (std::isupper(static_cast<unsigned char>(c)) != 0 && !result.empty()) result += '_';
    result += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  }
  return result;
}

// An example value of the member with that name.
std::optional<std::string> sample_of(const json::Schema& schema, std::string_view name) {
  for (const auto* members : {&schema.members, &schema.optional_members}) {
    const auto member = std::ranges::find(*members, name, &json::SchemaMember::name);
    if (member == members->end()) continue;
    if (member->schema.format == "uuid") return "01a1dd44-9977-72b1-9885-6b35e693cf0f";
    const auto example = json::Document::parse(member->schema.example);
    if (example && example->root().type() == json::Type::text)
      return std::string{example->root().text()};
  }
  return std::nullopt;
}

const json::Schema& resolved(const json::Schema& schema, const NamedSchemas& named) {
  const auto found = named.find(schema.reference);
  return found == named.end() ? schema : found->second;
}

// The path with example values, taken from the operation's response, in place of its parameters.
std::string sample_path(const Operation& route, const NamedSchemas& named) {
  const json::Schema& answer = resolved(route.description.answer, named);
  const auto path = split_path(route.path);
  std::string result;
  for (const auto& segment : path->segments) {
    result += '/';
    if (!segment.starts_with('{')) {
      result += segment;
      continue;
    }
    const std::string_view name = std::string_view{segment}.substr(1, segment.size() - 2);
    const auto sample = sample_of(answer, name);
    result += sample ? percent_encoded(*sample) : placeholder(name);
  }
  return path->trailing_slash ? result + '/' : result;
}

// JSON on several lines, indented like the options of the command.
std::string indented_json(const std::string& example) {
  json::Writer body;
  body.json(example.empty() ? "{}" : example);
  std::string text;
  for (const char c : body.finish(json::Writer::Layout::indented)) {
    text += c;
    if (c == '\n') text += "  ";
  }
  return text;
}

struct Topic {
  std::string_view title;
  std::string text;
  std::string command;
};

using Choice = std::function<bool(const Operation&)>;

// The command for the first matching route; empty if none matches.
std::string command_for(const std::vector<Operation>& routes, const NamedSchemas& named,
                        const Choice& fits, std::string_view more = "",
                        const std::vector<std::string>& options = {}) {
  const auto found = std::ranges::find_if(
      routes, [&](const Operation& route) { return route.description.listed && fits(route); });
  return found == routes.end() ? "" : curl_command(*found, named, more, options);
}

std::vector<Topic> topics(const std::vector<Operation>& routes, const NamedSchemas& named,
                          const std::string& base_path) {
  const Choice reads = [](const Operation& route) { return route.method == Method::get; };
  const Choice lists = [](const Operation& route) {
    return std::ranges::contains(route.description.parameters, "cursor",
                                 &operations::QueryParameter::name);
  };
  const Choice creates = [](const Operation& route) {
    return route.method == Method::post && route.description.body;
  };
  const Choice changes = [](const Operation& route) {
    return route.method == Method::patch && route.description.versioned;
  };
  return {
      {"Base URL and authentication",
       "The base URL is this page's URL without `/docs`. Send your key as `Authorization: Bearer`. "
       "A key belongs to one account; `sb_test_…` keys belong to the store's test account, which "
       "has separate data.",
       std::format("export SHOPBELL_URL=http://127.0.0.1:8080{}\nexport SHOPBELL_KEY=sb_test_…\n{}",
                   base_path, command_for(routes, named, reads))},
      {"JSON",
       "Bodies are JSON in UTF-8, optionally compressed with gzip or zstd. Unknown members are "
       "refused, so that a typo is never ignored silently. With `Prefer: handling=lenient` they "
       "are ignored and listed in `warnings`.",
       command_for(routes, named, creates, "", {"-H 'Prefer: handling=lenient'"})},
      {"Errors",
       "Every error is a problem (RFC 9457): `code` is for programs, `detail` is for people, and "
       "`errors` lists all faults. `type` is the path of a page that explains how to fix it.",
       command_for(routes, named, reads, "?typo=1")},
      {"Retries",
       std::format(
           "A write with an `Idempotency-Key` takes effect once, even if it is sent several times "
           "within {} days. Repetitions get the first response, with `Idempotent-Replayed: true`. "
           "Use a new key for each new request.",
           limits::kIdempotencyKept.count()),
       command_for(routes, named, changes, "", {"-H 'Idempotency-Key: order-1017'"})},
      {"Conditional requests",
       "Objects have an `ETag`, which changes with each version. A read with `If-None-Match` gets "
       "304 without a body if the object has not changed. A write with `If-Match` gets 412 if the "
       "object has changed.",
       command_for(routes, named, changes, "", {R"(-H 'If-Match: "the ETag you got"')"})},
      {"Pagination",
       std::format("Lists return pages of {} items, or up to {} with `limit`. Send `nextCursor` as "
                   "`cursor` to get the next page; null means that this is the last page.",
                   limits::kPageDefault, limits::kPageMost),
       command_for(routes, named, lists, "?limit=100&cursor=NEXT_CURSOR")},
      {"Rate limits",
       "The `RateLimit` header of every response has the number of remaining requests. Beyond the "
       "limit the response is 429 with `Retry-After`: wait that many seconds.",
       command_for(routes, named, reads, "", {"-i"})},
  };
}

}  // namespace

std::string curl_command(const Operation& route, const NamedSchemas& named, std::string_view more,
                         const std::vector<std::string>& options) {
  std::vector<std::string> parts;
  parts.push_back(
      std::format("curl {}\"$SHOPBELL_URL{}{}\"",
                  route.method == Method::get ? "" : std::format("-X {} ", name_of(route.method)),
                  sample_path(route, named), more));
  if (route.access.needs_key()) parts.emplace_back(R"(-H "Authorization: Bearer $SHOPBELL_KEY")");
  parts.insert(parts.end(), options.begin(), options.end());
  if (route.description.body) {
    parts.emplace_back("-H 'Content-Type: application/json'");
    parts.push_back("-d " + shell_quoted(indented_json(route.description.body->example)));
  }
  if (route.description.upload) {
    for (const auto& [name, value] : route.description.upload->example)
      parts.push_back("-F " + shell_quoted(std::format("{}={}", name, value)));
  }
  return parts | std::views::join_with(std::string_view{" \\\n  "}) |
         std::ranges::to<std::string>();
}

std::string command_html(std::string_view command) {
  return std::format("<pre tabindex=\"0\"><code>{}</code></pre>\n", escape_html(command));
}

std::string how_to_call(const std::vector<Operation>& routes, const NamedSchemas& named,
                        const std::string& base_path) {
  std::string html = "<h2 id=\"how-to-call\">Using the API</h2>\n";
  for (const auto& [title, text, command] : topics(routes, named, base_path)) {
    html += std::format("<h3>{}</h3>\n<p>{}</p>\n", title, prose_html(text));
    if (!command.empty()) html += command_html(command);
  }
  return html;
}

}  // namespace shopbell::http
