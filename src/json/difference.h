// Difference: what changed of a resource, member by member, as its event tells it:
// {"changed":[…],"before":{…},"after":{…}}.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace shopbell::json {

class Difference {
 public:
  using Members = std::vector<std::pair<std::string, std::string>>;  // name, JSON
  struct Rules {
    std::vector<std::string_view> silent;  // members nobody is told of
    std::vector<std::string_view> nested;  // objects that are compared entry by entry
  };

  // Of the members of the same table, in its order.
  Difference(const Members& before, const Members& after, const Rules& rules);

  bool empty() const { return changed_.empty(); }
  bool names(std::string_view member) const;
  // `more` members come first.
  std::string payload(const Members& more = {}) const;

 private:
  void add_nested(const std::string& name, const std::string& before, const std::string& after);

  std::vector<std::string> changed_;  // "firstName", "fields.level"
  Members before_;
  Members after_;
};

}  // namespace shopbell::json
