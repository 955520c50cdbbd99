// Writer: builds one JSON text member by member. Text handed in must be UTF-8.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

struct yyjson_mut_doc;
struct yyjson_mut_val;

namespace shopbell::json {

class Writer {
 public:
  Writer();

  Writer& begin_object();
  Writer& begin_list();
  Writer& end();
  // The name of the next value; inside objects only.
  Writer& key(std::string_view name);

  Writer& text(std::string_view value);
  Writer& integer(std::int64_t value);
  Writer& boolean(bool value);
  Writer& null();
  // Finished JSON, for examples and defaults kept as text.
  Writer& json(std::string_view value);

  enum class Layout { compact, indented };
  std::string finish(Layout layout = Layout::compact) const;

 private:
  struct Free {
    void operator()(yyjson_mut_doc* document) const;
  };
  Writer& add(yyjson_mut_val* value);

  std::unique_ptr<yyjson_mut_doc, Free> document_;
  std::vector<yyjson_mut_val*> open_;
  yyjson_mut_val* key_ = nullptr;
};

}  // namespace shopbell::json
