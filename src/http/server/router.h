// Router: finds the route of a path, segment by segment. A literal segment beats a parameter.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "http/route.h"

namespace shopbell::http {

class Router {
 public:
  // Throws std::logic_error when two routes claim the same method and path.
  explicit Router(std::vector<Route> routes);
  ~Router();

  struct Match {
    const Route* route = nullptr;  // none: the path is known, the method is not among `allowed`
    std::string allowed;           // "GET, HEAD, OPTIONS"
    std::vector<std::pair<std::string, std::string>> parameters;
    bool other_slash = false;  // the path came with the slash missing or added
  };
  // Nothing when no route has that path. HEAD finds the route of GET.
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
