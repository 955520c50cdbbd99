#include "app/commands/import_commands.h"

#include <cstdio>
#include <optional>
#include <print>
#include <thread>
#include <utility>
#include <vector>

#include "app/commands/import_form.h"
#include "app/commands/progress_bar.h"
#include "app/config/file_storage.h"
#include "app/session/account_session.h"
#include "json/writer.h"
#include "resources/imports/imports_operations.h"

namespace shopbell::app {

namespace {

constexpr auto kPollInterval = std::chrono::milliseconds{200};  // delay between progress polls

struct ImportOptions {
  std::int64_t account = 0;
  std::string type;
  std::string file;
  std::vector<std::pair<std::string, std::string>> texts;  // text options: (API name, value)
  bool only_empty = false;
  bool dry_run = false;
};

std::string options_of(const ImportOptions& options) {
  json::Writer body;
  body.begin_object();
  for (const auto& [name, value] : options.texts) body.key(name).text(value);
  if (options.only_empty) body.key("onlyEmpty").boolean(true);
  if (options.dry_run) body.key("dryRun").boolean(true);
  body.end();
  return body.finish();
}

bool has_ended(const OutputMembers& import) {
  const std::string status = import.text("status");
  return status != "queued" && status != "inProgress";
}

// Polls an import until it ends, and draws its progress.
OutputMembers wait_for(AccountSession& session, const std::vector<operations::Operation>& table,
                       OutputMembers import) {
  ProgressBar bar;
  const auto draw = [&](bool last) {
    const bool counted = import.text("total") != "-";
    bar.draw(import.integer("processed"),
             counted ? std::optional{import.integer("total")} : std::nullopt, last);
  };
  while (!has_ended(import)) {
    draw(false);
    std::this_thread::sleep_for(kPollInterval);
    auto now = session.find(table, "getImport", {.path = {{"id", import.text("id")}}});
    if (!now) throw std::runtime_error{"the import was deleted"};
    import = OutputMembers{*now};
  }
  draw(true);
  return import;
}

std::string detail_of(const OutputMembers& import) {
  const auto error = import.root().member("error");
  const auto detail = error ? error->member("detail") : std::nullopt;
  return detail ? std::string{detail->text()} : "unknown reason";
}

void import_rows(const Config& config, const ImportOptions& options) {
  const auto storage = open_storage(config);
  AccountSession session{config, options.account};
  const auto table = imports::operation_table();
  ImportForm form{options.type, options_of(options), options.file};
  OutputMembers import{
      session.call(table, "createImport", {.upload = &form, .storage = storage.get()})};
  std::println("import={}", import.text("id"));
  std::fflush(stdout);
  import = wait_for(session, table, std::move(import));
  for (const char* name : {"status", "processed", "created", "updated", "unchanged", "failed"})
    std::println("{}={}", name, import.text(name));
  import.root().member("errors")->for_each([](std::string_view, const json::Value& error) {
    std::println(stderr, "row {} {} {}: {}", error.member("row")->number_text(),
                 error.member("pointer")->text(), error.member("code")->text(),
                 error.member("detail")->text());
  });
  const std::string status = import.text("status");
  if (status == "error") throw std::runtime_error{"the import failed: " + detail_of(import)};
  if (status == "cancelled") throw std::runtime_error{"the import was cancelled"};
}

}  // namespace

void add_import_commands(CLI::App& commands, const std::function<Config()>& config) {
  const auto options = std::make_shared<ImportOptions>();
  auto* command = commands.add_subcommand(
      "import", "Import the rows of a file into an account, and wait for the end");
  command->add_option("TYPE", options->type, "contacts, products, purchases, coupons, events")
      ->required();
  command
      ->add_option("FILE", options->file,
                   "CSV or NDJSON file, optionally compressed with gzip "
                   "or zstd")
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
  text("--format", "format", "csv or ndjson; default: by the file's name");
  text("--delimiter", "delimiter", "Delimiter of cells: , ; | or \\t");
  text("--mode", "mode", "upsert, createOnly or updateOnly");
  text("--match-by", "matchBy", "auto, externalId or email");
  text("--on-invalid", "onInvalid", "What to skip if a cell is invalid: row or cell");
  text("--coupon-set", "couponSetId", "Id or alias of the coupon set, for coupons");
  text("--event-type", "eventType", "Id or alias of the event type, for events");
  text("--trigger-workflows", "triggerWorkflows", "all, exitsOnly or none");
  command->add_flag("--only-empty", options->only_empty,
                    "Only fill empty members; keep existing "
                    "values");
  command->add_flag("--dry-run", options->dry_run, "Validate all rows and change nothing");
  command->callback([=] { import_rows(config(), *options); });
}

}  // namespace shopbell::app
