#include "json/writer.h"

#include <cassert>
#include <stdexcept>

#include <yyjson.h>

namespace shopbell::json {

void Writer::Free::operator()(yyjson_mut_doc* document) const { yyjson_mut_doc_free(document); }

Writer::Writer() : document_{yyjson_mut_doc_new(nullptr)} {}

Writer& Writer::add(yyjson_mut_val* value) {
  if (value == nullptr) throw std::runtime_error{"JSON could not be built"};
  if (open_.empty()) {
    assert(yyjson_mut_doc_get_root(document_.get()) == nullptr);
    yyjson_mut_doc_set_root(document_.get(), value);
  } else if (yyjson_mut_is_obj(open_.back())) {
    assert(key_ != nullptr);
    yyjson_mut_obj_add(open_.back(), std::exchange(key_, nullptr), value);
  } else {
    yyjson_mut_arr_append(open_.back(), value);
  }
  return *this;
}

Writer& Writer::begin_object() {
  yyjson_mut_val* object = yyjson_mut_obj(document_.get());
  add(object);
  open_.push_back(object);
  return *this;
}

Writer& Writer::begin_list() {
  yyjson_mut_val* list = yyjson_mut_arr(document_.get());
  add(list);
  open_.push_back(list);
  return *this;
}

Writer& Writer::end() {
  assert(!open_.empty() && key_ == nullptr);
  open_.pop_back();
  return *this;
}

Writer& Writer::key(std::string_view name) {
  assert(!open_.empty() && yyjson_mut_is_obj(open_.back()) && key_ == nullptr);
  key_ = yyjson_mut_strncpy(document_.get(), name.data(), name.size());
  return *this;
}

Writer& Writer::text(std::string_view value) {
  return add(yyjson_mut_strncpy(document_.get(), value.data(), value.size()));
}
Writer& Writer::integer(std::int64_t value) { return add(yyjson_mut_sint(document_.get(), value)); }
Writer& Writer::boolean(bool value) { return add(yyjson_mut_bool(document_.get(), value)); }
Writer& Writer::null() { return add(yyjson_mut_null(document_.get())); }

Writer& Writer::json(std::string_view value) {
  yyjson_doc* parsed = yyjson_read(value.data(), value.size(), YYJSON_READ_NUMBER_AS_RAW);
  if (parsed == nullptr) throw std::logic_error{"not JSON: " + std::string{value}};
  yyjson_mut_val* copy = yyjson_val_mut_copy(document_.get(), yyjson_doc_get_root(parsed));
  yyjson_doc_free(parsed);
  return add(copy);
}

std::string Writer::finish(Layout layout) const {
  assert(open_.empty());
  std::size_t length = 0;
  const auto flags =
      layout == Layout::indented ? YYJSON_WRITE_PRETTY_TWO_SPACES : YYJSON_WRITE_NOFLAG;
  const std::unique_ptr<char, decltype(&std::free)> text{
      yyjson_mut_write(document_.get(), flags, &length), &std::free};
  if (!text) throw std::runtime_error{"JSON could not be written: not UTF-8"};
  return {text.get(), length};
}

}  // namespace shopbell::json
