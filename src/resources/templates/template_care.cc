#include "resources/templates/template_care.h"

#include "base/problem.h"
#include "resources/templates/template_store.h"

namespace shopbell::templates {

boost::asio::awaitable<Template> make_template(pg::Pool& database, pg::Scope scope,
                                               Template message) {
  pg::Group reads;
  read_new_template(reads, *scope.account, message);
  const pg::Results found = co_await database.run(std::move(reads), scope);
  pg::Group effect;
  create_template(effect, *scope.account, message, found, system_clock().now());
  co_await database.commit(std::move(effect), scope);
  co_return message;
}

boost::asio::awaitable<Template> drop_template(pg::Pool& database, pg::Scope scope,
                                               std::string name) {
  pg::Group reads;
  read_template(reads, *scope.account, name);
  const pg::Results results = co_await database.run(std::move(reads), scope);
  const auto found = found_template(results[0]);
  if (!found) throw Problem{Code::not_found, "There is no template of that id or alias."};
  pg::Group effect;
  delete_template(effect, *scope.account, *found);
  co_await database.commit(std::move(effect), scope);
  co_return found->message;
}

}  // namespace shopbell::templates
