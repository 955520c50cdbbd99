// AccountConnection: calls the operations of one account from a command, over the database or, from
// any machine, over HTTP. Both have the same outputs and refusals.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "app/session/account_session.h"

namespace shopbell::app {

// An operation that refused its input. what() is the whole text for the user.
class Refusal : public std::runtime_error {
 public:
  Refusal(std::string code, const std::string& detail, std::vector<Fault> faults);

  const std::string& code() const { return code_; }
  const std::string& detail() const { return detail_; }
  const std::vector<Fault>& faults() const { return faults_; }

 private:
  std::string code_;  // such as "workflow-invalid"
  std::string detail_;
  std::vector<Fault> faults_;
};

class AccountConnection {
 public:
  // With an account, connects to the database of the configuration. Otherwise it uses the API at
  // SHOPBELL_URL with the key SHOPBELL_KEY; these belong to the account of the key. Throws
  // std::runtime_error if there is neither.
  static std::unique_ptr<AccountConnection> open(const std::function<Config()>& config,
                                                 std::optional<std::int64_t> account,
                                                 const Environment& environment);
  virtual ~AccountConnection() = default;

  // Calls the operation with that id, such as "getWorkflow". Throws Refusal if it refuses.
  OutputMembers call(std::string_view operation, Arguments arguments = {});
  // Like call(), but returns nullopt if the object does not exist.
  std::optional<OutputMembers> find(std::string_view operation, Arguments arguments);
  // Calls each(item) for the items of all pages of a list, oldest first.
  void for_each(std::string_view operation, const operations::Parameters& path,
                const std::function<void(const json::Value&)>& each);

 protected:
  AccountConnection();
  virtual operations::Output invoke(const operations::Operation& operation,
                                    Arguments arguments) = 0;

 private:
  const std::vector<operations::Operation> operations_;
};

}  // namespace shopbell::app
