// Difference: the changed members of a resource, as its event reports them:
// {"changed":[…],"before":{…},"after":{…}}.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace shopbell::json {

class Difference {
 public:
  using Members = std::vector<std::pair<std::string, std::string>>;  // pairs of name and JSON
  struct Rules {
    std::vector<std::string_view> silent;  // members that are never reported
    std::vector<std::string_view> nested;  // objects that are compared per entry
  };

  // Both lists must have the members of the same table, in the same order.
  Difference(const Members& before, const Members& after, const Rules& rules);

  bool empty() const { return changed_.empty(); }
  bool names(std::string_view member) const;
  // The members in `more` are written first.
  std::string payload(const Members& more = {}) const;

 private:
  void add_nested(const std::string& name, const std::string& before, const std::string& after);

  std::vector<std::string> changed_;  // such as "firstName", "fields.level"
  Members before_;
  Members after_;
};

}  // namespace shopbell::json
