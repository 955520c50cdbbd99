#include "app/session/account_connection.h"

#include <format>

#include "app/session/remote_connection.h"
#include "base/limits.h"
#include "resources/all.h"

namespace shopbell::app {

namespace {

std::string text_of(const std::string& detail, const std::vector<Fault>& faults) {
  std::string text = detail;
  for (const auto& fault : faults)
    text += std::format("\n  {} {}: {}", fault.at, fault.code, fault.detail);
  return text;
}

class DatabaseConnection final : public AccountConnection {
 public:
  DatabaseConnection(const Config& config, std::int64_t account) : session_{config, account} {}

 private:
  operations::Output invoke(const operations::Operation& operation, Arguments arguments) override {
    try {
      return session_.perform(operation, std::move(arguments));
    } catch (const Problem& problem) {
      throw Refusal{kind_of(problem.code()).name, problem.detail(), problem.faults()};
    }
  }

  AccountSession session_;
};

}  // namespace

Refusal::Refusal(std::string code, const std::string& detail, std::vector<Fault> faults)
    : std::runtime_error{text_of(detail, faults)},
      code_{std::move(code)},
      detail_{detail},
      faults_{std::move(faults)} {}

std::unique_ptr<AccountConnection> AccountConnection::open(const std::function<Config()>& config,
                                                           std::optional<std::int64_t> account,
                                                           const Environment& environment) {
  if (account) return std::make_unique<DatabaseConnection>(config(), *account);
  const auto url = environment("SHOPBELL_URL");
  const auto key = environment("SHOPBELL_KEY");
  if (!url || !key)
    throw std::runtime_error{
        "name the account with --account, or set SHOPBELL_URL and SHOPBELL_KEY to use the API"};
  return std::make_unique<RemoteConnection>(*url, *key);
}

AccountConnection::AccountConnection() : operations_{resources::all_operations()} {}

OutputMembers AccountConnection::call(std::string_view operation, Arguments arguments) {
  return OutputMembers{
      invoke(operations::find_operation(operations_, operation), std::move(arguments))};
}

std::optional<OutputMembers> AccountConnection::find(std::string_view operation,
                                                     Arguments arguments) {
  try {
    return call(operation, std::move(arguments));
  } catch (const Refusal& refusal) {
    if (refusal.code() != "not-found") throw;
    return std::nullopt;
  }
}

void AccountConnection::for_each(std::string_view operation, const operations::Parameters& path,
                                 const std::function<void(const json::Value&)>& each) {
  operations::Parameters query{{"limit", std::to_string(limits::kPageMost)}, {"order", "asc"}};
  while (true) {
    const OutputMembers page = call(operation, {.path = path, .query = query});
    page.root().member("data")->for_each(
        [&](std::string_view, const json::Value& item) { each(item); });
    const auto next = page.root().member("nextCursor");
    if (!next || next->type() != json::Type::text) return;
    query.resize(2);
    query.emplace_back("cursor", next->text());
  }
}

}  // namespace shopbell::app
