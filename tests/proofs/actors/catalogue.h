// Catalogue: an independent reading of the route table, which does not use the router. It knows all
// paths, their methods and parameters, and can build a path for each template.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "operations/operation.h"

namespace shopbell::proofs {

using Route = operations::Operation;

class Catalogue {
 public:
  Catalogue();

  const std::vector<Route>& routes() const { return routes_; }
  // The methods that Allow must list for the route's path: its own, HEAD if it has GET, and
  // OPTIONS.
  std::set<std::string> allowed_at(const Route& route) const;
  // True if a route has this path, with or without the trailing slash.
  bool has_path(std::string_view raw) const;
  // Returns the route with the same path and the given method, or null.
  const Route* sibling(const Route& route, operations::Method method) const;

 private:
  std::vector<Route> routes_;
};

// An id that no object has.
inline constexpr std::string_view kNobody = "019a8412-7c00-7abc-8def-0123456789ab";

std::string method_of(const Route& route);
bool is_write(const Route& route);

// Splits a path into its segments: "/a/{b}/c/" → "a", "{b}", "c".
std::vector<std::string> segments_of(std::string_view path);
bool is_parameter(std::string_view segment);
bool has_parameters(const Route& route);
std::size_t count_parameters(const Route& route);

// Replaces the template's parameters, from left to right.
std::string path_with(std::string_view path, const std::vector<std::string>& values);
// Returns a path of the template that names no existing object.
std::string missing_path(const Route& route);
// Returns the same path with its trailing slash removed or added.
std::string other_slash(std::string path);
// Percent-encodes a path segment.
std::string percent_encoded(std::string_view text);

// Returns a value that the query parameter's schema accepts, or one that it rejects.
std::string good_value(const operations::QueryParameter& parameter);
std::vector<std::string> bad_values(const operations::QueryParameter& parameter);

// Returns `?createContact=true` or similar, for routes that create missing objects only on request.
std::string creating_query(const Route& route);
// Returns the query that names a contact, for routes that require one.
std::string naming_query(const Route& route, std::string_view contact);
// Adds a query, without its `?`, to a path that may have one.
std::string with_query(std::string path, std::string_view query);
// True if PATCH creates a missing object, so that the caller can choose any id.
bool upserts(const Route& route);

// True if the route's response is paginated.
bool is_list(const Route& route);

}  // namespace shopbell::proofs
