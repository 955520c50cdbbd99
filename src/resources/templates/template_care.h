// Templates as an operator handles them, outside of any request; by the same decisions. The scope
// names the account. They throw the Problem that refuses.
#pragma once

#include <string>

#include <boost/asio/awaitable.hpp>

#include "pg/pool.h"
#include "resources/templates/template.h"

namespace shopbell::templates {

boost::asio::awaitable<Template> make_template(pg::Pool& database, pg::Scope scope,
                                               Template message);
boost::asio::awaitable<Template> drop_template(pg::Pool& database, pg::Scope scope,
                                               std::string name);

}  // namespace shopbell::templates
