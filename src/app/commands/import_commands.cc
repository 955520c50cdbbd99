#include "app/commands/import_commands.h"

#include <cstdio>
#include <filesystem>
#include <print>
#include <utility>
#include <vector>

#include "app/commands/progress_bar.h"
#include "app/config/file_storage.h"
#include "app/session/account_session.h"
#include "json/document.h"
#include "json/writer.h"
#include "resources/imports/import_care.h"

namespace shopbell::app {

namespace {

constexpr auto kLook = std::chrono::milliseconds{200};  // between two looks at the job

struct ImportOptions {
  std::int64_t account = 0;
  std::string type;
  std::string file;
  std::vector<std::pair<std::string, std::string>> texts;  // by their names in the interface
  bool only_empty = false;
  bool dry_run = false;
};

// As a request would be, so that the same rules hold.
imports::Wish wish_of(const ImportOptions& options) {
  json::Writer body;
  body.begin_object();
  for (const auto& [name, value] : options.texts) body.key(name).text(value);
  if (options.only_empty) body.key("onlyEmpty").boolean(true);
  if (options.dry_run) body.key("dryRun").boolean(true);
  body.end();
  return {.type = options.type,
          .options = body.finish(),
          .file_name = std::filesystem::path{options.file}.filename().string(),
          .content_type = std::nullopt};
}

bool is_over(const imports::Import& import) {
  return import.status != "queued" && import.status != "inProgress";
}

boost::asio::awaitable<imports::Import> import_to_end(pg::Pool& database, storage::Storage& storage,
                                                      const ImportOptions& options) {
  imports::Import import = co_await imports::queue_file(database, storage, options.account,
                                                        wish_of(options), options.file);
  std::println("import={}", import.id.to_string());
  std::fflush(stdout);
  ProgressBar bar;
  while (!is_over(import)) {
    bar.draw(import.state.processed(), import.total, false);
    co_await runtime::sleep_for(kLook);
    auto now = co_await imports::find_import(database, options.account, import.id);
    if (!now) throw std::runtime_error{"the import was deleted"};
    import = std::move(*now);
  }
  bar.draw(import.state.processed(), import.total, true);
  co_return import;
}

std::string detail_of(const imports::Import& import) {
  const auto problem = json::Document::parse(import.error ? import.error->json : "null");
  const auto detail = problem ? problem->root().member("detail") : std::nullopt;
  return detail ? std::string{detail->text()} : "no reason is known";
}

void import_rows(const Config& config, const ImportOptions& options) {
  const auto storage = open_storage(config);
  const auto import = serve_account(config, options.account, [&](pg::Pool& database, pg::Scope) {
    return import_to_end(database, *storage, options);
  });
  const imports::State& state = import.state;
  std::println("status={}\nprocessed={}\ncreated={}\nupdated={}\nunchanged={}\nfailed={}",
               import.status, state.processed(), state.created, state.updated, state.unchanged,
               state.failed);
  for (const auto& error : state.errors)
    std::println(stderr, "row {} {} {}: {}", error.row, error.pointer, error.code, error.detail);
  if (import.status == "error")
    throw std::runtime_error{"the import could not go on: " + detail_of(import)};
  if (import.status == "cancelled") throw std::runtime_error{"the import was cancelled"};
}

}  // namespace

void add_import_commands(CLI::App& commands, const std::function<Config()>& config) {
  const auto options = std::make_shared<ImportOptions>();
  auto* command = commands.add_subcommand(
      "import", "Queue the rows of a file for an account, and wait for the end");
  command->add_option("TYPE", options->type, "contacts, products, purchases, coupons, events")
      ->required();
  command->add_option("FILE", options->file, "CSV or NDJSON, plain or packed by gzip or zstd")
      ->required();
  command->add_option("--account", options->account, "Number of the account")->required();
  const auto text = [&](const std::string& flag, const std::string& name, const std::string& what) {
    command->add_option_function<std::string>(
        flag,
        [options, name](const std::string& value) {
          options->texts.emplace_back(name, value == "\\t" ? "\t" : value);
        },
        what);
  };
  text("--format", "format", "csv or ndjson; else by the file's name");
  text("--delimiter", "delimiter", "Between cells: , ; | or \\t");
  text("--mode", "mode", "upsert, createOnly or updateOnly");
  text("--match-by", "matchBy", "auto, externalId or email");
  text("--on-invalid", "onInvalid", "row or cell: what is left out");
  text("--coupon-set", "couponSetId", "Id or alias of the set, for coupons");
  text("--event-type", "eventType", "Id or alias of the type, for events");
  text("--trigger-workflows", "triggerWorkflows", "all, exitsOnly or none");
  command->add_flag("--only-empty", options->only_empty, "Members that have a value keep it");
  command->add_flag("--dry-run", options->dry_run, "Judge all rows and change nothing");
  command->callback([=] { import_rows(config(), *options); });
}

}  // namespace shopbell::app
