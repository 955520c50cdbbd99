// Document: a strict parser for received JSON (RFC 8259, UTF-8). Rejects comments, trailing commas,
// repeated members, NaN, lone surrogates, U+0000 and more than 32 levels. Numbers stay text, so
// that no digit is lost.
#pragma once

#include <expected>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

struct yyjson_doc;
struct yyjson_val;

namespace shopbell::json {

enum class Type { null, boolean, number, text, list, object };

// One value inside a Document, valid as long as the Document exists.
class Value {
 public:
  explicit Value(yyjson_val* value) : value_{value} {}

  Type type() const;
  bool boolean() const;
  std::string_view text() const;         // content of a text
  std::string_view number_text() const;  // digits of a number, exactly as sent
  std::size_t size() const;              // number of elements or members
  std::string to_json() const;           // compact JSON, numbers exactly as sent

  // The member with that name; nullopt when there is none or the value is not an object.
  std::optional<Value> member(std::string_view name) const;

  // Calls each(name, value) for the members of an object, each("", value) for the elements of a
  // list.
  template <class Each>
  void for_each(Each each) const {
    walk([](void* context, std::string_view name,
            Value value) { (*static_cast<Each*>(context))(name, value); },
         &each);
  }

 private:
  using Visit = void (*)(void* context, std::string_view name, Value value);
  void walk(Visit visit, void* context) const;

  yyjson_val* value_;
};

struct Malformed {
  std::size_t position;  // byte offset, from 0
  std::string why;
};

class Document {
 public:
  static std::expected<Document, Malformed> parse(std::string_view text);
  // Like parse(), but throws Problem `malformed-json`.
  static Document parse_body(std::string_view text);

  Value root() const;

 private:
  struct Free {
    void operator()(yyjson_doc* document) const;
  };
  explicit Document(yyjson_doc* document) : document_{document} {}

  std::unique_ptr<yyjson_doc, Free> document_;
};

}  // namespace shopbell::json
