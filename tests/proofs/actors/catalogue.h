// Catalogue: the route table as the contract reads it, worked out here once more instead of asking
// the router: which paths there are, what each takes, and a path of every template.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "http/route.h"

namespace shopbell::proofs {

using http::Route;

class Catalogue {
 public:
  Catalogue();

  const std::vector<Route>& routes() const { return routes_; }
  // What Allow must list for the route's path: its methods, HEAD beside GET, and OPTIONS.
  std::set<std::string> allowed_at(const Route& route) const;
  // Whether some route has this path, with or without its last slash.
  bool has_path(std::string_view raw) const;
  // The route of the same path and another method; null when there is none.
  const Route* sibling(const Route& route, http::Method method) const;

 private:
  std::vector<Route> routes_;
};

std::string method_of(const Route& route);
bool is_write(const Route& route);

// "/a/{b}/c/" → "a", "{b}", "c".
std::vector<std::string> segments_of(std::string_view path);
bool is_parameter(std::string_view segment);
bool has_parameters(const Route& route);
std::size_t count_parameters(const Route& route);

// The template with its parameters replaced from the left.
std::string path_with(std::string_view path, const std::vector<std::string>& values);
// A path of the template at which nothing stands.
std::string missing_path(const Route& route);
// The same path with its last slash missing or added.
std::string other_slash(std::string path);
// What a segment must be written as.
std::string percent_encoded(std::string_view text);

// Values of a query parameter that its schema takes, and such as it does not.
std::string good_value(const http::QueryParameter& parameter);
std::vector<std::string> bad_values(const http::QueryParameter& parameter);

// `?createContact=true` and its like, for routes that make what they need only when asked to.
std::string creating_query(const Route& route);
// Whether a PATCH of it makes what is not there, an object of the caller's own under any id.
bool upserts(const Route& route);

// Whether it answers in pages.
bool is_list(const Route& route);

}  // namespace shopbell::proofs
