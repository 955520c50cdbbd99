#include "http/server/router.h"

#include <algorithm>
#include <stdexcept>

#include "http/wire/path.h"

namespace shopbell::http {

struct Router::Node {
  std::map<std::string, std::unique_ptr<Node>, std::less<>> literals;
  std::unique_ptr<Node> parameter;
  std::vector<const Route*> routes;  // routes whose path ends at this node
};

namespace {

bool is_parameter(std::string_view segment) { return segment.starts_with('{'); }

std::vector<std::string> parameter_names(const Route& route) {
  std::vector<std::string> names;
  const auto path = split_path(route.path());
  for (const auto& segment : path->segments) {
    if (is_parameter(segment)) names.push_back(segment.substr(1, segment.size() - 2));
  }
  return names;
}

std::string allowed_methods(const std::vector<const Route*>& routes) {
  std::string allowed;
  for (const auto* route : routes) {
    allowed += name_of(route->method());
    allowed += ", ";
    if (route->method() == Method::get) allowed += "HEAD, ";
  }
  return allowed + "OPTIONS";
}

}  // namespace

Router::Router(std::vector<Route> routes)
    : routes_{std::move(routes)}, root_{std::make_unique<Node>()} {
  for (const auto& route : routes_) {
    const auto path = split_path(route.path());
    if (!path) throw std::logic_error{"not a path: " + route.path()};
    Node* node = root_.get();
    for (const auto& segment : path->segments) {
      auto& next = is_parameter(segment) ? node->parameter : node->literals[segment];
      if (!next) next = std::make_unique<Node>();
      node = next.get();
    }
    if (std::ranges::contains(node->routes, route.method(), &Route::method)) {
      throw std::logic_error{"two routes for " + std::string{name_of(route.method())} + " " +
                             route.path()};
    }
    node->routes.push_back(&route);
  }
}

Router::~Router() = default;

const Router::Node* Router::descend(const Node& node, const std::vector<std::string>& segments,
                                    std::size_t depth, std::vector<std::string>& values) {
  if (depth == segments.size()) return node.routes.empty() ? nullptr : &node;
  if (const auto literal = node.literals.find(segments[depth]); literal != node.literals.end()) {
    if (const Node* found = descend(*literal->second, segments, depth + 1, values)) return found;
  }
  if (!node.parameter) return nullptr;
  values.push_back(segments[depth]);
  if (const Node* found = descend(*node.parameter, segments, depth + 1, values)) return found;
  values.pop_back();
  return nullptr;
}

std::optional<Router::Match> Router::find(Method method, std::string_view raw_path) const {
  const auto path = split_path(raw_path);
  if (!path) return std::nullopt;
  std::vector<std::string> values;
  const Node* node = descend(*root_, path->segments, 0, values);
  if (node == nullptr) return std::nullopt;

  Match match;
  match.allowed = allowed_methods(node->routes);
  match.other_slash = node->routes.front()->path().ends_with('/') !=
                      (path->trailing_slash || path->segments.empty());
  const Method wanted = method == Method::head ? Method::get : method;
  const auto route = std::ranges::find(node->routes, wanted, &Route::method);
  if (route == node->routes.end()) return match;
  match.route = *route;
  const auto names = parameter_names(**route);
  for (std::size_t i = 0; i < names.size(); ++i) match.parameters.emplace_back(names[i], values[i]);
  return match;
}

}  // namespace shopbell::http
