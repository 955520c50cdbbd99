#include "app/session/account_session.h"

#include <charconv>
#include <format>
#include <stdexcept>

#include "observe/log.h"
#include "resources/store/accounts.h"

namespace shopbell::app {

namespace {

constexpr auto kCommandTimeout = std::chrono::seconds{60};

}  // namespace

AccountSession::AccountSession(const Config& config, std::int64_t account)
    : account_{account},
      keyring_{keyring::Keyring::load(config.keyring)},
      database_{loop_, {.url = config.database_api, .writing = 1}, metrics_, health_} {
  observe::start_logs(observe::Level::warn);  // standard output is for the command's results
  runtime::run_to_end(loop_, database_.wait_connected(scope().deadline));
  read([](pg::Pool& database, pg::Scope scope) { return store::get_store(database, scope); });
}

pg::Scope AccountSession::scope() const {
  return {.account = account_, .deadline = pg::Steady::now() + kCommandTimeout};
}

operations::Invocation AccountSession::invocation_of(const operations::Operation& operation,
                                                     Arguments arguments) {
  operations::Invocation invocation{
      .operation = &operation,
      .caller = {.kind = operations::Caller::Kind::command, .account = account_},
      .request_id = Uuid::v7(system_clock().now()).to_string(),
      .path_parameters = std::move(arguments.path),
      .query_parameters = std::move(arguments.query),
      .upload = arguments.upload,
      .deadline = scope().deadline,
      .database = &database_,
      .clock = &system_clock(),
      .keyring = &keyring_,
      .storage = arguments.storage};
  if (!arguments.body.empty()) invocation.body = json::Document::parse_body(arguments.body);
  return invocation;
}

operations::Output AccountSession::call(const std::vector<operations::Operation>& table,
                                        std::string_view id, Arguments arguments) {
  const operations::Operation& operation = operations::find_operation(table, id);
  return run(operation, std::move(arguments), operation.handler);
}

operations::Output AccountSession::perform(const operations::Operation& operation,
                                           Arguments arguments) {
  return invoke(operation, std::move(arguments), operation.handler);
}

std::optional<operations::Output> AccountSession::find(
    const std::vector<operations::Operation>& table, std::string_view id, Arguments arguments) {
  const operations::Operation& operation = operations::find_operation(table, id);
  return explained([&]() -> std::optional<operations::Output> {
    try {
      return invoke(operation, std::move(arguments), operation.handler);
    } catch (const Problem& problem) {
      if (problem.code() != Code::not_found) throw;
      return std::nullopt;
    }
  });
}

void AccountSession::explain(const Problem& problem) {
  std::string text = problem.detail();
  for (const auto& fault : problem.faults())
    text += std::format("\n  {} {}: {}", fault.at, fault.code, fault.detail);
  throw std::runtime_error{text};
}

OutputMembers::OutputMembers(const operations::Output& output)
    : document_{json::Document::parse_body(output.body)} {}

std::string OutputMembers::text(std::string_view name, std::string_view missing) const {
  const auto member = document_.root().member(name);
  if (!member) return std::string{missing};
  if (member->type() == json::Type::text) return std::string{member->text()};
  if (member->type() == json::Type::number) return std::string{member->number_text()};
  return std::string{missing};
}

std::int64_t OutputMembers::integer(std::string_view name) const {
  const std::string digits = text(name);
  std::int64_t number = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), number);
  return number;
}

}  // namespace shopbell::app
