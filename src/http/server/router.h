// Router: finds the route of a path, segment by segment. A literal segment beats a parameter.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "http/wire/route.h"

namespace shopbell::http {

class Router {
 public:
  // Throws std::logic_error if two routes have the same method and path.
  explicit Router(std::vector<Route> routes);
  ~Router();

  struct Match {
    const Route* route = nullptr;  // null: the path exists, but the method is not among `allowed`
    std::string allowed;           // "GET, HEAD, OPTIONS"
    std::vector<std::pair<std::string, std::string>> parameters;
    bool other_slash = false;  // the request lacks the route's trailing slash, or adds one
  };
  // Returns nullopt if no route has that path. HEAD finds the route of GET.
  std::optional<Match> find(Method method, std::string_view raw_path) const;

  const std::vector<Route>& routes() const { return routes_; }

 private:
  struct Node;
  static const Node* descend(const Node& node, const std::vector<std::string>& segments,
                             std::size_t depth, std::vector<std::string>& values);

  std::vector<Route> routes_;
  std::unique_ptr<Node> root_;
};

}  // namespace shopbell::http
