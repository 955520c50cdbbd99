#include "resources/imports/import_rules.h"

#include <algorithm>
#include <array>
#include <format>
#include <map>

#include "base/limits.h"
#include "base/text.h"
#include "resources/coupons/coupon_store.h"
#include "resources/integrations/event_type_store.h"

namespace shopbell::imports {

namespace {

using json::Reading;

struct Type {
  std::string scope;
  std::vector<std::string> options;  // beyond those that every type has
  std::string needed;                // one of them, or nothing
};

const std::map<std::string, Type>& known_types() {
  static const std::map<std::string, Type> types{
      {"contacts",
       {"contacts:write", {"mode", "onlyEmpty", "matchBy", "onInvalid", "triggerWorkflows"}, ""}},
      {"products", {"products:write", {"mode", "onInvalid", "triggerWorkflows"}, ""}},
      {"purchases", {"purchases:write", {"mode", "onInvalid", "triggerWorkflows"}, ""}},
      {"coupons", {"manage-coupon-sets:write", {"couponSetId"}, "couponSetId"}},
      {"events",
       {"custom-events:write", {"eventType", "onInvalid", "triggerWorkflows"}, "eventType"}}};
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

// What nobody says is found out: from the type of the file, then from its name.
void settle_format(Import& wish, const Wish& sent) {
  std::string format = format_of_type(sent.content_type.value_or(""));
  if (format.empty()) format = format_of_name(sent.file_name);
  if (!format.empty()) wish.options.format = format;
}

void read_options(Reading& reading, Import& wish, const Wish& sent) {
  settle_format(wish, sent);
  if (!sent.options) return;
  const Reading::Place place{reading, "options"};
  const auto document = json::Document::parse(*sent.options);
  if (document) return options_json().read_patch(document->root(), reading).apply_to(wish.options);
  reading.refuse("invalid-format", std::format("Is not JSON: {} at byte {}.", document.error().why,
                                               document.error().position));
}

void read_type(Reading& reading, Import& wish, const Wish& sent) {
  if (!sent.type) return reading.refuse_at("type", "required", "Is missing.");
  if (!known_types().contains(*sent.type))
    return reading.refuse_at("type", "not-an-option",
                             "Is none of contacts, products, purchases, coupons, events.");
  wish.type = *sent.type;
}

// An option that another type has, and that does not say what would hold anyway.
void check_options(Reading& reading, const Import& wish) {
  const auto known = known_types().find(wish.type);
  if (known == known_types().end()) return;
  const Type& type = known->second;
  const Reading::Place place{reading, "options"};
  const auto usual = options_json().members(Options{});
  const auto given = options_json().members(wish.options);
  for (std::size_t i = 0; i < given.size(); ++i) {
    const auto& [name, value] = given[i];
    const bool has =
        std::ranges::contains(kOfEveryType, name) || std::ranges::contains(type.options, name);
    if (!has && value != usual[i].second)
      reading.refuse_at(name, "unknown-member",
                        std::format("An import of {} has no such option.", wish.type));
    if (name == type.needed && value == "null" && !reading.refused_at("/options/" + name))
      reading.refuse_at(name, "required", "Is missing.");
  }
  if (wish.options.format != "csv" && wish.options.delimiter)
    reading.refuse_at("delimiter", "conflicts-with", "Only CSV has one.");
}

bool is_hidden(std::uint32_t c) {
  return c < 0x20 || (c >= 0x7f && c < 0xa0) || c == 0x200e || c == 0x200f || c == 0x061c ||
         (c >= 0x2028 && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069) || c == 0xfeff;
}

// The characters of valid UTF-8, one by one, with their numbers.
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

std::string scope_of(const std::string& type) { return known_types().at(type).scope; }

bool makes_contacts(const std::string& type) { return type == "purchases" || type == "events"; }

const json::Table<Options>& options_json() {
  static const json::Table<Options> table{
      "ImportOptions",
      "How the rows are read and applied.",
      {json::text("format", &Options::format)
           .options({"csv", "ndjson"})
           .doc("Without it the type of the file decides, then its name, then it is CSV."),
       json::text("delimiter", &Options::delimiter)
           .options({",", ";", "\t", "|"})
           .doc("Between the cells of CSV; null: found out from the header."),
       json::text("mode", &Options::mode)
           .options({"upsert", "createOnly", "updateOnly"})
           .default_value(R"("upsert")"),
       json::boolean("onlyEmpty", &Options::only_empty)
           .default_value("false")
           .doc("Members that have a value keep it."),
       json::text("matchBy", &Options::match_by)
           .options({"auto", "externalId", "email"})
           .default_value(R"("auto")")
           .doc("By which name contacts are found; `auto`: by both, which must agree."),
       json::text("onInvalid", &Options::on_invalid)
           .options({"row", "cell"})
           .default_value(R"("row")")
           .doc("What of a row with a fault is left out."),
       json::text("couponSetId", &Options::coupon_set_id)
           .length_min(1)
           .doc("Of coupons, who need it: id or alias of their set."),
       json::text("eventType", &Options::event_type)
           .length_min(1)
           .doc("Of events, who need it: id or alias of a type that receives."),
       json::boolean("dryRun", &Options::dry_run)
           .default_value("false")
           .doc("Judges all rows, and changes nothing."),
       json::text("triggerWorkflows", &Options::trigger_workflows)
           .options({"all", "exitsOnly", "none"})
           .default_value(R"("none")")
           .doc("What the events of the rows do to workflows.")}};
  return table;
}

Import read_wish(Reading& reading, const Wish& sent) {
  Import wish;
  wish.file_name = clean_file_name(sent.file_name);
  read_type(reading, wish, sent);
  read_options(reading, wish, sent);
  check_options(reading, wish);
  return wish;
}

void read_names(pg::Group& reads, std::int64_t account, const Import& wish) {
  coupons::read_set(reads, account, wish.options.coupon_set_id.value_or(""));
  integrations::read_event_type(reads, account, wish.options.event_type.value_or(""));
}

void settle_names(Reading& reading, Import& wish, std::span<const pg::Result> found) {
  const Reading::Place place{reading, "options"};
  if (wish.options.coupon_set_id) {
    const auto set = coupons::found_set(found[0]);
    if (!set)
      reading.refuse_at("couponSetId", "not-an-option",
                        "There is no coupon set of that id or alias.");
    else
      wish.options.coupon_set_id = set->id.to_string();
  }
  if (!wish.options.event_type) return;
  const auto type = integrations::found_event_type(found[1]);
  if (!type || type->sends())
    reading.refuse_at("eventType", "not-an-option",
                      "There is no event type of that id or alias that receives.");
  else
    wish.options.event_type = type->id.to_string();
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
