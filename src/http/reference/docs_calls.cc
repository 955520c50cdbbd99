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

// In single quotes, which the shell leaves alone.
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

// typeId → TYPE_ID: to be replaced by whoever pastes the command.
std::string placeholder(std::string_view name) {
  std::string result;
  for (const char c : name) {
    if (std::isupper(static_cast<unsigned char>(c)) != 0 && !result.empty()) result += '_';
    result += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  }
  return result;
}

// A text that the member of that name may hold.
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

// The path with samples of what its operation answers in place of its parameters.
std::string sample_path(const Route& route, const NamedSchemas& named) {
  const json::Schema& answer = resolved(route.operation.answer, named);
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

// JSON on several lines, as far in as the options of the command.
std::string laid_out(const std::string& example) {
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

using Choice = std::function<bool(const Route&)>;

// The command for the first route that fits; nothing when none does.
std::string command_for(const std::vector<Route>& routes, const NamedSchemas& named,
                        const Choice& fits, std::string_view more = "",
                        const std::vector<std::string>& options = {}) {
  const auto found = std::ranges::find_if(
      routes, [&](const Route& route) { return route.operation.listed && fits(route); });
  return found == routes.end() ? "" : curl_command(*found, named, more, options);
}

std::vector<Topic> topics(const std::vector<Route>& routes, const NamedSchemas& named,
                          const std::string& base_path) {
  const Choice reads = [](const Route& route) { return route.method == Method::get; };
  const Choice lists = [](const Route& route) {
    return std::ranges::contains(route.operation.parameters, "cursor", &QueryParameter::name);
  };
  const Choice creates = [](const Route& route) {
    return route.method == Method::post && route.operation.body;
  };
  const Choice changes = [](const Route& route) {
    return route.method == Method::patch && route.operation.versioned;
  };
  return {
      {"Address and key",
       "Paths follow the address of this page without `/docs`. A key opens one account and goes "
       "into `Authorization: Bearer`; `sb_test_…` opens the store's test account, whose data is "
       "apart.",
       std::format("export SHOPBELL_URL=http://127.0.0.1:8080{}\nexport SHOPBELL_KEY=sb_test_…\n{}",
                   base_path, command_for(routes, named, reads))},
      {"JSON",
       "Bodies are JSON in UTF-8, plain or compressed by gzip or zstd. A member the operation does "
       "not know is refused, so that a typo never silently does nothing; with `Prefer: "
       "handling=lenient` it is left out and told in `warnings`.",
       command_for(routes, named, creates, "", {"-H 'Prefer: handling=lenient'"})},
      {"Problems",
       "Every error is a problem (RFC 9457): programs read `code`, people read `detail`, and "
       "`errors` lists all faults at once. `type` leads to a page that says how to mend it.",
       command_for(routes, named, reads, "?typo=1")},
      {"Sending again safely",
       std::format(
           "A write with an `Idempotency-Key` happens once, however often it is sent within "
           "{} days: a repetition gets the first one's answer, with `Idempotent-Replayed: "
           "true`. Use a new key for each new request.",
           limits::kIdempotencyKept.count()),
       command_for(routes, named, changes, "", {"-H 'Idempotency-Key: order-1017'"})},
      {"Versions of objects",
       "An object has an `ETag`. `If-None-Match` spares an answer that is already known (304); "
       "`If-Match` lets a write happen only if nobody else has changed the object (else 412).",
       command_for(routes, named, changes, "", {R"(-H 'If-Match: "the ETag you got"')"})},
      {"Lists",
       std::format("A list comes in pages of {}, or of up to {} with `limit`. Send `nextCursor` as "
                   "`cursor` for the next one; null means that this was the last.",
                   limits::kPageDefault, limits::kPageMost),
       command_for(routes, named, lists, "?limit=100&cursor=NEXT_CURSOR")},
      {"rates::Rate limits",
       "`RateLimit` on every answer says how many requests are left. Past the limit the answer is "
       "429 with `Retry-After`: wait that many seconds.",
       command_for(routes, named, reads, "", {"-i"})},
  };
}

}  // namespace

std::string curl_command(const Route& route, const NamedSchemas& named, std::string_view more,
                         const std::vector<std::string>& options) {
  std::vector<std::string> parts;
  parts.push_back(
      std::format("curl {}\"$SHOPBELL_URL{}{}\"",
                  route.method == Method::get ? "" : std::format("-X {} ", name_of(route.method)),
                  sample_path(route, named), more));
  if (route.access.needs_key()) parts.emplace_back(R"(-H "Authorization: Bearer $SHOPBELL_KEY")");
  parts.insert(parts.end(), options.begin(), options.end());
  if (route.operation.body) {
    parts.emplace_back("-H 'Content-Type: application/json'");
    parts.push_back("-d " + shell_quoted(laid_out(route.operation.body->example)));
  }
  if (route.operation.upload) {
    for (const auto& [name, value] : route.operation.upload->example)
      parts.push_back("-F " + shell_quoted(std::format("{}={}", name, value)));
  }
  return parts | std::views::join_with(std::string_view{" \\\n  "}) |
         std::ranges::to<std::string>();
}

std::string command_html(std::string_view command) {
  return std::format("<pre tabindex=\"0\"><code>{}</code></pre>\n", escape_html(command));
}

std::string how_to_call(const std::vector<Route>& routes, const NamedSchemas& named,
                        const std::string& base_path) {
  std::string html = "<h2 id=\"how-to-call\">How to call it</h2>\n";
  for (const auto& [title, text, command] : topics(routes, named, base_path)) {
    html += std::format("<h3>{}</h3>\n<p>{}</p>\n", title, prose_html(text));
    if (!command.empty()) html += command_html(command);
  }
  return html;
}

}  // namespace shopbell::http
