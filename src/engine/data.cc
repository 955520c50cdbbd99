#include "engine/data.h"

#include <algorithm>
#include <stdexcept>

namespace shopbell::engine {

Data::Data(std::string json) {
  auto document = json::Document::parse(json);
  if (!document) throw std::invalid_argument{"not JSON: " + document.error().why};
  content_ = std::make_shared<const Content>(Content{std::move(json), std::move(*document)});
}

std::optional<json::Value> Data::root() const {
  if (content_ == nullptr) return std::nullopt;
  return content_->document.root();
}

std::string_view Data::json() const {
  return content_ == nullptr ? std::string_view{"null"} : std::string_view{content_->text};
}

std::optional<json::Value> value_at(std::optional<json::Value> value, std::string_view path) {
  while (value && !path.empty()) {
    const auto dot = std::min(path.find('.'), path.size());
    value = value->member(path.substr(0, dot));
    path.remove_prefix(std::min(dot + 1, path.size()));
  }
  if (value && value->type() == json::Type::null) return std::nullopt;
  return value;
}

std::string_view text_at(const Data& data, std::string_view path) {
  const auto found = value_at(data.root(), path);
  return found && found->type() == json::Type::text ? found->text() : std::string_view{};
}

}  // namespace shopbell::engine
