#include "app/commands/account_deletion_commands.h"

#include <print>

#include "app/session/operator_session.h"
#include "base/limits.h"
#include "resources/store/account_deletion.h"

namespace shopbell::app {

namespace {

// Returns the account; throws if it does not exist.
store::AccountDetails account_of(OperatorSession& as_operator, std::int64_t account) {
  const auto found =
      as_operator.run(store::find_account(as_operator.database(), as_operator.scope(), account));
  if (!found) throw std::runtime_error{std::format("the account {} does not exist", account)};
  return *found;
}

std::runtime_error marked_already(const store::AccountDetails& account) {
  return std::runtime_error{
      account.deletion->began_at
          ? std::format("the account {} is being deleted", account.id)
          : std::format("the account {} is marked for deletion at {}; `shopbell account restore` "
                        "removes the mark",
                        account.id, to_rfc3339(account.deletion->delete_at))};
}

void show_account(const Config& config, std::int64_t id) {
  OperatorSession as_operator{config};
  const store::AccountDetails account = account_of(as_operator, id);
  const auto number = [](const std::optional<std::int64_t>& value) {
    return value ? std::to_string(*value) : "-";
  };
  std::println("account={}\ntest_account={}\ntest_of={}\nname={}\nstate={}\ncreated={}", account.id,
               number(account.test_id), number(account.live_id), account.name, account.state,
               to_rfc3339(account.created_at));
  if (!account.deletion) return;
  std::println("delete_at={}\ndeletion_began={}\ndeleted_rows={}\nfiles_left={}",
               to_rfc3339(account.deletion->delete_at),
               account.deletion->began_at ? to_rfc3339(*account.deletion->began_at) : "-",
               account.deletion->deleted_rows, account.deletion->files);
}

void delete_account(const Config& config, std::int64_t id, std::int64_t grace_days,
                    std::optional<std::int64_t> confirmed) {
  if (grace_days == 0 && confirmed != id)
    throw std::runtime_error{std::format(
        "with --grace 0 the deletion begins at once and cannot be undone; add --confirm {}", id)};
  OperatorSession as_operator{config};
  const store::AccountDetails account = account_of(as_operator, id);
  if (account.live_id)
    throw std::runtime_error{std::format(
        "the account {} is the test account of {} and is deleted with it", id, *account.live_id)};
  const auto delete_at = as_operator.change(
      "deleteAccount", std::format("accounts/{}", id), [&](pg::Transaction& transaction) {
        return store::mark_for_deletion(transaction, id, std::chrono::days{grace_days});
      });
  if (!delete_at) throw marked_already(account_of(as_operator, id));
  std::println("account={}\ntest_account={}\ndelete_at={}", id, account.test_id.value_or(0),
               to_rfc3339(*delete_at));
}

void restore_account(const Config& config, std::int64_t id) {
  OperatorSession as_operator{config};
  const bool restored = as_operator.change(
      "restoreAccount", std::format("accounts/{}", id),
      [&](pg::Transaction& transaction) { return store::restore(transaction, id); });
  if (!restored) {
    const store::AccountDetails account = account_of(as_operator, id);
    if (account.live_id)
      throw std::runtime_error{
          std::format("the account {} is the test account of {} and is restored with it", id,
                      *account.live_id)};
    if (!account.deletion)
      throw std::runtime_error{std::format("the account {} is not marked for deletion", id)};
    throw std::runtime_error{std::format(
        "the grace period of the account {} is over; it can no longer be restored", id)};
  }
  std::println("account {} is {}; all processes apply this within a second", id,
               account_of(as_operator, id).state);
}

struct DeletionOptions {
  std::int64_t account = 0;
  std::int64_t grace_days = limits::kAccountGrace.count();
  std::optional<std::int64_t> confirmed;
};

}  // namespace

void add_account_deletion(CLI::App& account, const std::function<Config()>& config) {
  const auto options = std::make_shared<DeletionOptions>();
  const auto on_account = [&](const std::string& name, const std::string& what) {
    auto* command = account.add_subcommand(name, what);
    command->add_option("ACCOUNT", options->account, "Number of the account")->required();
    return command;
  };
  on_account("show", "Show an account, and how far its deletion has come")->callback([=] {
    show_account(config(), options->account);
  });
  auto* remove = on_account("delete", "Suspend an account and its test account; delete them later");
  remove->add_option("--grace", options->grace_days, "Days until the deletion begins")
      ->capture_default_str()
      ->check(CLI::Range(std::int64_t{0}, std::int64_t{limits::kAccountGraceMost.count()}));
  remove->add_option("--confirm", options->confirmed,
                     "Number of the account once more; required with `--grace 0`");
  remove->callback(
      [=] { delete_account(config(), options->account, options->grace_days, options->confirmed); });
  on_account("restore", "Undo `delete` within the grace period")->callback([=] {
    restore_account(config(), options->account);
  });
}

}  // namespace shopbell::app
