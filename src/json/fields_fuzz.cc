// Fuzzes field tables: parsing any body never crashes, every fault has a JSON pointer, and an
// accepted resource round-trips unchanged.
#include "json/fields.h"

namespace {

namespace json = shopbell::json;
using shopbell::Instant;
using shopbell::Problem;

struct Part {
  std::string text;
  std::optional<std::int64_t> count;
};

struct Thing {
  std::string name = "n";
  std::optional<std::string> note;
  std::int64_t count = 0;
  bool flag = false;
  std::optional<Instant> at;
  std::vector<std::string> tags;
  Part part{.text = "t"};
  std::vector<Part> parts;
  std::optional<json::Raw> any;
};

const json::Table<Thing>& things() {
  static const json::Table<Part> part{
      "Part",
      "",
      {json::text("text", &Part::text).required().length_min(1),
       json::integer("count", &Part::count).minimum(-5).maximum(5)}};
  static const json::Table<Thing> table{
      "Thing",
      "",
      {json::text("name", &Thing::name).required().length_max(10),
       json::text("note", &Thing::note).several_lines(), json::integer("count", &Thing::count),
       json::boolean("flag", &Thing::flag), json::instant("at", &Thing::at),
       json::texts("tags", &Thing::tags).items_max(4), json::object("part", &Thing::part, part),
       json::objects("parts", &Thing::parts, part, 3), json::any("any", &Thing::any)}};
  return table;
}

bool is_pointer(const std::string& text) { return text.empty() || text.starts_with('/'); }

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const auto document = json::Document::parse({reinterpret_cast<const char*>(data) + 1, size - 1});
  if (!document) return 0;
  json::Reading reading{data[0] % 2 == 0 ? json::Strictness::strict : json::Strictness::lenient};
  Thing thing;
  const auto changes = data[0] % 4 < 2 ? things().read_new(document->root(), reading)
                                       : things().read_patch(document->root(), reading);
  changes.apply_to(thing);
  for (const auto& warning : reading.warnings()) {
    if (!is_pointer(warning.at)) __builtin_trap();
  }
  try {
    reading.finish();
  } catch (const Problem& problem) {
    if (problem.faults().empty() || problem.faults().size() > shopbell::limits::kFaults)
      __builtin_trap();
    return 0;
  }
  const std::string written = things().to_json(thing);
  const auto again = json::Document::parse(written);
  if (!again) {
    // Only a stored raw value can make the result exceed the depth limit.
    if (!thing.any) __builtin_trap();
    return 0;
  }
  json::Reading second;
  Thing copy;
  things().read_patch(again->root(), second).apply_to(copy);
  second.finish();
  if (things().to_json(copy) != written) __builtin_trap();
  return 0;
}
