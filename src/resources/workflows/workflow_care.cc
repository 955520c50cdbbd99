#include "resources/workflows/workflow_care.h"

#include "resources/workflows/workflow_rules.h"
#include "resources/workflows/workflow_store.h"

namespace shopbell::workflows {

boost::asio::awaitable<Workflow> show_workflow(pg::Pool& database, pg::Scope scope,
                                               std::string name) {
  pg::Group reads;
  read_workflow(reads, *scope.account, name);
  const pg::Results found = co_await database.run(std::move(reads), scope);
  co_return existing(found_workflow(found[0]));
}

boost::asio::awaitable<Workflow> try_definition(pg::Pool& database, pg::Scope scope,
                                                std::string text) {
  const auto document = json::Document::parse_body(text);
  json::Reading reading;
  Workflow sent = read_sent(document.root(), reading, true);
  reading.finish();
  pg::Group reads;
  read_world(reads, *scope.account);
  const pg::Results found = co_await database.run(std::move(reads), scope);
  check_sent(sent, found_world(found));
  co_return sent;
}

boost::asio::awaitable<Workflow> publish_workflow(pg::Pool& database, pg::Scope scope,
                                                  std::string name) {
  pg::Group reads;
  read_for_publishing(reads, *scope.account, name);
  const pg::Results found = co_await database.run(std::move(reads), scope);
  pg::Group effect;
  Workflow workflow = publish(effect, *scope.account, found, system_clock().now());
  if (!effect.empty()) co_await database.commit(std::move(effect), scope);
  co_return workflow;
}

}  // namespace shopbell::workflows
