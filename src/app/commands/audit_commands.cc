#include "app/commands/audit_commands.h"

#include <print>
#include <ranges>

#include "app/session/operator_session.h"
#include "json/writer.h"
#include "operations/audit.h"
#include "resources/audit/audit_json.h"
#include "resources/audit/audit_store.h"

namespace shopbell::app {

namespace {

constexpr std::int64_t kEntriesMost = 10'000;

struct AuditOptions {
  audit::Listing listing{.account = operations::kInstallation, .limit = 50};
  std::string after;
  std::string before;
  bool as_json = false;
};

Instant time_of(const std::string& option, const std::string& text) {
  const auto time = parse_rfc3339(text);
  if (!time)
    throw std::runtime_error{std::format("{} must be a time such as 2027-01-31T00:00:00Z", option)};
  return *time;
}

void print_entries(const std::vector<audit::AuditEntry>& entries) {
  std::println("{:<24} {:<8} {:<36} {:<22} {:<15} {}", "TIME", "ACTOR", "KEY", "OPERATION",
               "ADDRESS", "OBJECT");
  for (const auto& entry : entries) {
    std::println("{:<24} {:<8} {:<36} {:<22} {:<15} {}", to_rfc3339(entry.at), entry.actor,
                 entry.actor_id.value_or("-"), entry.operation, entry.address.value_or("-"),
                 entry.object);
    if (entry.members.empty()) continue;
    std::println("    {}",
                 entry.members | std::views::join_with(' ') | std::ranges::to<std::string>());
  }
}

void print_entries_json(const std::vector<audit::AuditEntry>& entries) {
  json::Writer writer;
  writer.begin_list();
  for (const auto& entry : entries) audit::audit_entry_json().write(writer, entry);
  writer.end();
  std::println("{}", writer.finish(json::Writer::Layout::indented));
}

void show_audit(const Config& config, AuditOptions options) {
  audit::Listing& listing = options.listing;
  if (!options.after.empty()) listing.created_after = time_of("--after", options.after);
  if (!options.before.empty()) listing.created_before = time_of("--before", options.before);
  OperatorSession as_operator{config};
  const auto entries = as_operator.run(
      audit::list_entries(as_operator.database(), as_operator.scope(), std::move(listing)));
  if (options.as_json) {
    print_entries_json(entries);
  } else {
    print_entries(entries);
  }
}

}  // namespace

void add_audit_commands(CLI::App& commands, const std::function<Config()>& config) {
  const auto options = std::make_shared<AuditOptions>();
  audit::Listing& listing = options->listing;
  auto* command = commands.add_subcommand(
      "audit", "List who changed what, newest first: in an account, or in the installation");
  command->add_option("--account", listing.account,
                      "Number of the account; default: the installation itself");
  command->add_option("--actor", listing.actor, "Only changes by this kind of actor, or this key");
  command->add_option("--operation", listing.operation, "Only changes by this operation");
  command->add_option("--object", listing.object, "Only changes of this object, or of this kind");
  command->add_option("--after", options->after, "Only changes after this RFC 3339 time");
  command->add_option("--before", options->before, "Only changes before this RFC 3339 time");
  command->add_option("--limit", listing.limit, "Number of entries to list")
      ->capture_default_str()
      ->check(CLI::Range(std::int64_t{1}, kEntriesMost));
  command->add_flag("--json", options->as_json, "Print a JSON list");
  command->callback([=] { show_audit(config(), *options); });
}

}  // namespace shopbell::app
