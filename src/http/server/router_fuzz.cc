// Fuzzes paths: a match must have every parameter of its route, none of them empty, a dot segment
// or invalid UTF-8. With the slash added or removed, the path must match the same route.
#include "base/text.h"
#include "http/server/router.h"

namespace {

using shopbell::http::Method;
using shopbell::http::Route;
using shopbell::http::Router;
using shopbell::operations::Access;

const Router& router() {
  static const Router made{[] {
    std::vector<Route> routes;
    for (const char* path :
         {"/", "/store/", "/contacts/{email}", "/contacts/email/{email}", "/a/{x}/b/{y}/",
          "/a/{x}/{y}", "/a/literal/b", "/contact-fields/", "/contact-fields/{id}"}) {
      for (const Method method : {Method::get, Method::patch})
        routes.push_back({{method, path, Access::anybody(), {}, {}}, {}});
    }
    return routes;
  }()};
  return made;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string path{reinterpret_cast<const char*>(data), size};
  const auto match = router().find(Method::get, path);
  if (!match) return 0;
  if (match->route == nullptr || match->allowed.empty()) __builtin_trap();
  const auto braces = std::ranges::count(match->route->path(), '{');
  if (std::ssize(match->parameters) != braces) __builtin_trap();
  for (const auto& [name, value] : match->parameters) {
    const bool sane = !value.empty() && value != "." && value != ".." && shopbell::is_utf8(value) &&
                      !value.contains('\0');
    if (!sane) __builtin_trap();
  }
  const bool slash = path.ends_with('/');
  if (path.size() < 2) return 0;
  const auto other =
      router().find(Method::get, slash ? path.substr(0, path.size() - 1) : path + "/");
  if (!other || other->route != match->route || other->other_slash == match->other_slash)
    __builtin_trap();
  return 0;
}
