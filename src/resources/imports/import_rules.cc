#include "resources/imports/import_rules.h"

#include <algorithm>
#include <array>
#include <format>
#include <map>

#include "base/limits.h"
#include "base/text.h"
#include "events/event_kinds.h"
#include "resources/coupons/coupon_store.h"
#include "resources/integrations/event_type_store.h"

namespace shopbell::imports {

namespace {

using json::Reading;

struct Type {
  std::vector<std::string> write_scopes;
  std::vector<std::string> read_scopes;
  std::vector<std::string> options;  // options besides the common ones
  std::string needed;                // the required option, or empty
};

// Purchases and events may create contacts, and their rows name contacts.
const std::map<std::string, Type>& known_types() {
  static const std::map<std::string, Type> types{
      {"contacts",
       {{"contacts:write"},
        {"contacts:read"},
        {"mode", "onlyEmpty", "matchBy", "onInvalid", "triggerWorkflows"},
        ""}},
      {"products",
       {{"products:write"}, {"products:read"}, {"mode", "onInvalid", "triggerWorkflows"}, ""}},
      {"purchases",
       {{"purchases:write", "contacts:write"},
        {"purchases:read", "contacts:read"},
        {"mode", "onInvalid", "triggerWorkflows"},
        ""}},
      {"coupons",
       {{"manage-coupon-sets:write"}, {"coupon-sets:read"}, {"couponSetId"}, "couponSetId"}},
      {"events",
       {{"custom-events:write", "contacts:write"},
        {"contacts:read"},
        {"eventType", "onInvalid", "triggerWorkflows"},
        "eventType"}}};
  return types;
}

constexpr std::array<std::string_view, 3> kOfEveryType{"format", "delimiter", "dryRun"};

std::string format_of_type(std::string_view content_type) {
  const std::string type = lower_ascii(trimmed(content_type.substr(0, content_type.find(';'))));
  if (type == "application/x-ndjson" || type == "application/ndjson" ||
      type == "application/jsonl" || type == "application/x-jsonlines")
    return "ndjson";
  return type == "text/csv" ? "csv" : "";
}

std::string format_of_name(std::string_view file_name) {
  std::string name = lower_ascii(file_name);
  for (const std::string_view packed : {".gz", ".zst"})
    if (name.ends_with(packed)) name.resize(name.size() - packed.size());
  return name.ends_with(".ndjson") || name.ends_with(".jsonl") ? "ndjson" : "";
}

// Detects the format from the content type of the file, then from its name.
void detect_format(Import& request, const ImportRequest& sent) {
  std::string format = format_of_type(sent.content_type.value_or(""));
  if (format.empty()) format = format_of_name(sent.file_name);
  if (!format.empty()) request.options.format = format;
}

void read_options(Reading& reading, Import& request, const ImportRequest& sent) {
  detect_format(request, sent);
  if (!sent.options) return;
  const Reading::Place place{reading, "options"};
  const auto document = json::Document::parse(*sent.options);
  if (document)
    return options_json().read_patch(document->root(), reading).apply_to(request.options);
  reading.refuse("invalid-format", std::format("Is not JSON: {} at byte {}.", document.error().why,
                                               document.error().position));
}

void read_type(Reading& reading, Import& request, const ImportRequest& sent) {
  if (!sent.type) return reading.refuse_at("type", "required", "Is missing.");
  if (!known_types().contains(*sent.type))
    return reading.refuse_at("type", "not-an-option",
                             "Must be one of contacts, products, purchases, coupons, events.");
  request.type = *sent.type;
}

// Refuses missing required options, and options of other types unless they have the default value.
void check_options(Reading& reading, const Import& request) {
  const auto known = known_types().find(request.type);
  if (known == known_types().end()) return;
  const Type& type = known->second;
  const Reading::Place place{reading, "options"};
  const auto usual = options_json().members(Options{});
  const auto given = options_json().members(request.options);
  for (std::size_t i = 0; i < given.size(); ++i) {
    const auto& [name, value] = given[i];
    const bool has =
        std::ranges::contains(kOfEveryType, name) || std::ranges::contains(type.options, name);
    if (!has && value != usual[i].second)
      reading.refuse_at(name, "unknown-member",
                        std::format("An import of {} has no such option.", request.type));
    if (name == type.needed && value == "null" && !reading.refused_at("/options/" + name))
      reading.refuse_at(name, "required", "Is missing.");
  }
  if (request.options.format != "csv" && request.options.delimiter)
    reading.refuse_at("delimiter", "conflicts-with", "Is only allowed for CSV.");
}

bool is_hidden(std::uint32_t c) {
  return c < 0x20 || (c >= 0x7f && c < 0xa0) || c == 0x200e || c == 0x200f || c == 0x061c ||
         (c >= 0x2028 && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069) || c == 0xfeff;
}

// Calls `each` with the bytes and the code point of every character of valid UTF-8.
template <class Each>
void for_each_character(std::string_view text, Each each) {
  while (!text.empty()) {
    const auto first = static_cast<unsigned char>(text.front());
    const std::size_t size = first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
    std::uint32_t number = size == 1 ? first : first & (0xffU >> (size + 1));
    for (std::size_t i = 1; i < size; ++i)
      number = number << 6 | (static_cast<unsigned char>(text[i]) & 0x3f);
    each(text.substr(0, size), number);
    text.remove_prefix(size);
  }
}

}  // namespace

std::vector<std::string> types() {
  std::vector<std::string> names;
  for (const auto& [name, type] : known_types()) names.push_back(name);
  return names;
}

const std::vector<std::string>& write_scopes(const std::string& type) {
  return known_types().at(type).write_scopes;
}

std::vector<std::string> read_scopes(const std::string& type) {
  const auto known = known_types().find(type);
  // A newer process may know further types: they need every scope.
  return known == known_types().end() ? events::read_scopes({}) : known->second.read_scopes;
}

const json::Table<Options>& options_json() {
  static const json::Table<Options> table{
      "ImportOptions",
      "How the rows are read and applied.",
      {json::text("format", &Options::format)
           .options({"csv", "ndjson"})
           .doc("By default detected from the content type of the file, then from its name; else "
                "CSV."),
       json::text("delimiter", &Options::delimiter)
           .options({",", ";", "\t", "|"})
           .doc("Separates the cells of CSV; null: detected in the header."),
       json::text("mode", &Options::mode)
           .options({"upsert", "createOnly", "updateOnly"})
           .default_value(R"("upsert")"),
       json::boolean("onlyEmpty", &Options::only_empty)
           .default_value("false")
           .doc("Only sets members that have no value yet."),
       json::text("matchBy", &Options::match_by)
           .options({"auto", "externalId", "email"})
           .default_value(R"("auto")")
           .doc("The identifier that finds an existing contact; `auto`: both, which must agree."),
       json::text("onInvalid", &Options::on_invalid)
           .options({"row", "cell"})
           .default_value(R"("row")")
           .doc("If a value is invalid, skip its row, or only its cell."),
       json::text("couponSetId", &Options::coupon_set_id)
           .length_min(1)
           .doc("Coupons only, required: id or alias of the coupon set."),
       json::text("eventType", &Options::event_type)
           .length_min(1)
           .doc("Events only, required: id or alias of a type with direction `receive`."),
       json::boolean("dryRun", &Options::dry_run)
           .default_value("false")
           .doc("Checks all rows without writing anything."),
       json::text("triggerWorkflows", &Options::trigger_workflows)
           .options({"all", "exitsOnly", "none"})
           .default_value(R"("none")")
           .doc("Which workflows the events of the rows may trigger.")}};
  return table;
}

Import read_request(Reading& reading, const ImportRequest& sent) {
  Import request;
  request.file_name = clean_file_name(sent.file_name);
  read_type(reading, request, sent);
  read_options(reading, request, sent);
  check_options(reading, request);
  return request;
}

void read_names(pg::Group& reads, std::int64_t account, const Import& request) {
  coupons::read_set(reads, account, request.options.coupon_set_id.value_or(""));
  integrations::read_event_type(reads, account, request.options.event_type.value_or(""));
}

void resolve_names(Reading& reading, Import& request, std::span<const pg::Result> found) {
  const Reading::Place place{reading, "options"};
  if (request.options.coupon_set_id) {
    const auto set = coupons::found_set(found[0]);
    if (!set)
      reading.refuse_at("couponSetId", "not-an-option",
                        "There is no coupon set of that id or alias.");
    else
      request.options.coupon_set_id = set->id.to_string();
  }
  if (!request.options.event_type) return;
  const auto type = integrations::found_event_type(found[1]);
  if (!type || type->sends())
    reading.refuse_at("eventType", "not-an-option",
                      "There is no event type of that id or alias with direction `receive`.");
  else
    request.options.event_type = type->id.to_string();
}

std::string clean_file_name(std::string_view sent) {
  const auto last = sent.find_last_of("/\\");
  const auto text = to_nfc(last == std::string_view::npos ? sent : sent.substr(last + 1));
  std::string name;
  std::size_t characters = 0;
  for_each_character(text.value_or(""), [&](std::string_view character, std::uint32_t number) {
    if (is_hidden(number) || ++characters > limits::kFileNameCharacters) return;
    name += character;
  });
  name = trimmed(name);
  return std::ranges::all_of(name, [](char c) { return c == '.'; }) ? "" : name;
}

}  // namespace shopbell::imports
