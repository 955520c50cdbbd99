// Data: a JSON value that is parsed once and shared, such as an event or a contact.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "json/document.h"

namespace shopbell::engine {

class Data {
 public:
  Data() = default;  // no value
  // Throws std::invalid_argument if the text is not JSON.
  explicit Data(std::string json);

  explicit operator bool() const { return content_ != nullptr; }
  // The parsed value; nullopt if there is none. It is valid as long as this Data or a copy exists.
  std::optional<json::Value> root() const;
  // The text; "null" if there is no value.
  std::string_view json() const;

 private:
  struct Content {
    std::string text;
    json::Document document;
  };
  std::shared_ptr<const Content> content_;
};

// Returns the value at a path such as "data.lines"; nullopt if there is none or it is null.
std::optional<json::Value> value_at(std::optional<json::Value> value, std::string_view path);

// Returns the text at a path; empty if there is none.
std::string_view text_at(const Data& data, std::string_view path);

}  // namespace shopbell::engine
