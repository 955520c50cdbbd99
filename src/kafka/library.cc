#include "kafka/library.h"

#include <format>

#include <dlfcn.h>

#include "kafka/error.h"

namespace shopbell::kafka {

namespace {

constexpr const char* kFile = "librdkafka.so.1";

template <class Function>
void find(void* file, const char* name, Function& function) {
  function = reinterpret_cast<Function>(::dlsym(file, name));
  if (function == nullptr) throw Error{std::format("{} is too old: it has no {}", kFile, name)};
}

// Never unloaded: librdkafka's threads may outlive the objects that started them.
Library load() {
  void* file = ::dlopen(kFile, RTLD_NOW | RTLD_LOCAL);
  if (file == nullptr)
    throw Error{std::format("{} cannot be loaded: install the package librdkafka1", kFile)};
  Library library;
#define SHOPBELL_KAFKA_FIND(name) find(file, #name, library.name);
  SHOPBELL_KAFKA_FUNCTIONS(SHOPBELL_KAFKA_FIND)
#undef SHOPBELL_KAFKA_FIND
  return library;
}

}  // namespace

const Library& library() {
  static const Library loaded = load();
  return loaded;
}

}  // namespace shopbell::kafka
