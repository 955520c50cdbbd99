#include "json/document.h"

#include <algorithm>
#include <cstdlib>
#include <format>
#include <new>
#include <vector>

#include <yyjson.h>

#include "base/limits.h"
#include "base/problem.h"
#include "json/writer.h"

namespace shopbell::json {

namespace {

std::string_view text_of(yyjson_val* value) {
  return {yyjson_get_str(value), yyjson_get_len(value)};
}

bool holds_nul(yyjson_val* value) { return text_of(value).contains('\0'); }

// Sorts the names, so that an attacker's huge object does not take quadratic time.
bool has_repeated_member(yyjson_val* object) {
  std::vector<std::string_view> names;
  names.reserve(yyjson_obj_size(object));
  yyjson_obj_iter iterator = yyjson_obj_iter_with(object);
  while (yyjson_val* key = yyjson_obj_iter_next(&iterator)) names.push_back(text_of(key));
  std::ranges::sort(names);
  return std::ranges::adjacent_find(names) != names.end();
}

// Checks the rules that yyjson does not enforce. The depth check bounds the recursion.
const char* forbidden_in(yyjson_val* value, int depth) {
  if (yyjson_is_str(value)) return holds_nul(value) ? "U+0000 is not allowed in a text" : nullptr;
  if (!yyjson_is_ctn(value)) return nullptr;
  if (depth > limits::kJsonDepth) return "more than 32 levels of nesting";
  if (yyjson_is_obj(value)) {
    if (has_repeated_member(value)) return "an object has the same member twice";
    yyjson_obj_iter iterator = yyjson_obj_iter_with(value);
    while (yyjson_val* key = yyjson_obj_iter_next(&iterator)) {
      if (holds_nul(key)) return "U+0000 is not allowed in a member's name";
      if (const char* why = forbidden_in(yyjson_obj_iter_get_val(key), depth + 1)) return why;
    }
    return nullptr;
  }
  yyjson_arr_iter iterator = yyjson_arr_iter_with(value);
  while (yyjson_val* element = yyjson_arr_iter_next(&iterator)) {
    if (const char* why = forbidden_in(element, depth + 1)) return why;
  }
  return nullptr;
}

}  // namespace

Type Value::type() const {
  switch (yyjson_get_type(value_)) {
    case YYJSON_TYPE_BOOL:
      return Type::boolean;
    case YYJSON_TYPE_RAW:
    case YYJSON_TYPE_NUM:
      return Type::number;
    case YYJSON_TYPE_STR:
      return Type::text;
    case YYJSON_TYPE_ARR:
      return Type::list;
    case YYJSON_TYPE_OBJ:
      return Type::object;
    default:
      return Type::null;
  }
}

bool Value::boolean() const { return yyjson_get_bool(value_); }
std::string_view Value::text() const { return text_of(value_); }
std::string_view Value::number_text() const {
  return {yyjson_get_raw(value_), yyjson_get_len(value_)};
}
std::size_t Value::size() const {
  return yyjson_is_obj(value_) ? yyjson_obj_size(value_) : yyjson_arr_size(value_);
}

std::string Value::to_json() const {
  if (type() == Type::number) return std::string{number_text()};
  if (type() == Type::text) {
    std::string json;
    append_quoted(json, text());
    return json;
  }
  std::size_t length = 0;
  const std::unique_ptr<char, decltype(&std::free)> text{
      yyjson_val_write(value_, YYJSON_WRITE_NOFLAG, &length), &std::free};
  if (!text) throw std::bad_alloc{};
  return {text.get(), length};
}

std::optional<Value> Value::member(std::string_view name) const {
  yyjson_val* found = yyjson_obj_getn(value_, name.data(), name.size());
  if (found == nullptr) return std::nullopt;
  return Value{found};
}

void Value::walk(Visit visit, void* context) const {
  if (yyjson_is_obj(value_)) {
    yyjson_obj_iter iterator = yyjson_obj_iter_with(value_);
    while (yyjson_val* key = yyjson_obj_iter_next(&iterator)) {
      visit(context, text_of(key), Value{yyjson_obj_iter_get_val(key)});
    }
    return;
  }
  yyjson_arr_iter iterator = yyjson_arr_iter_with(value_);
  while (yyjson_val* element = yyjson_arr_iter_next(&iterator)) visit(context, "", Value{element});
}

void Document::Free::operator()(yyjson_doc* document) const { yyjson_doc_free(document); }

std::expected<Document, Malformed> Document::parse(std::string_view text) {
  yyjson_read_err error{};
  // Without the in-situ flag yyjson does not write to the text, although the parameter is not
  // const.
  yyjson_doc* read = yyjson_read_opts(const_cast<char*>(text.data()), text.size(),
                                      YYJSON_READ_NUMBER_AS_RAW, nullptr, &error);
  if (read == nullptr) {
    return std::unexpected{
        Malformed{error.pos, error.msg == nullptr ? "unknown error" : error.msg}};
  }
  Document document{read};
  if (const char* why = forbidden_in(yyjson_doc_get_root(read), 1))
    return std::unexpected{Malformed{0, why}};
  return document;
}

Document Document::parse_body(std::string_view text) {
  auto document = parse(text);
  if (document) return std::move(*document);
  throw Problem{Code::malformed_json,
                std::format("At byte {}: {}.", document.error().position, document.error().why)};
}

Value Document::root() const { return Value{yyjson_doc_get_root(document_.get())}; }

}  // namespace shopbell::json
