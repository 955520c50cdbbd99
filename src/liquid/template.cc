#include "liquid/template.h"

#include <algorithm>
#include <format>

#include "base/text.h"
#include "liquid/nodes.h"
#include "liquid/parser.h"

namespace shopbell::liquid {

Fault fault_at(std::string_view source, Place place, std::string message) {
  const std::string_view before = source.substr(0, place);
  const std::size_t line_start = before.rfind('\n') + 1;  // 0 without a line break
  return {.line = static_cast<std::size_t>(std::ranges::count(before, '\n')) + 1,
          .column = count_characters(before.substr(line_start)) + 1,
          .message = std::move(message)};
}

bool Template::reads(std::string_view root) const {
  const auto name = std::ranges::find(compiled_->names, root);
  if (name == compiled_->names.end()) return false;
  return compiled_->is_read[static_cast<std::size_t>(name - compiled_->names.begin())];
}

std::expected<Template, std::vector<Fault>> compile(std::string source, const Options& options) {
  const auto refused = [](std::string why) {
    return std::unexpected{std::vector{Fault{.message = std::move(why)}}};
  };
  if (source.size() > kSourceBytesMax)
    return refused(std::format("A template has at most {} KiB.", kSourceBytesMax / 1024));
  if (!is_utf8(source)) return refused("The template is not UTF-8.");
  if (source.contains('\0')) return refused("The template has a character U+0000.");
  auto compiled = std::make_shared<Compiled>();
  compiled->part = options.part;
  compiled->source = std::move(source);
  auto faults = parse(*compiled, options);
  if (!faults.empty()) return std::unexpected{std::move(faults)};
  return Template{std::move(compiled)};
}

}  // namespace shopbell::liquid
