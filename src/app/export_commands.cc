#include "app/export_commands.h"

#include <format>
#include <print>

#include "app/account_desk.h"
#include "app/progress_bar.h"
#include "json/writer.h"
#include "resources/exports/export_care.h"
#include "storage/directory.h"

namespace shopbell::app {

namespace {

struct Options {
  std::int64_t account = 0;
  std::string type;
  std::string file;
  std::string format = "csv";
  std::string compression = "none";
  std::string delimiter = ",";
  std::vector<std::string> columns;
  bool raw_text = false;
  std::string filters = "{}";
};

// As a request would be, so that the same rules hold.
std::string body_of(const Options& options) {
  json::Writer body;
  body.begin_object();
  body.key("type").text(options.type);
  body.key("format").text(options.format);
  body.key("compression").text(options.compression);
  body.key("delimiter").text(options.delimiter == "\\t" ? "\t" : options.delimiter);
  body.key("columns").begin_list();
  for (const auto& column : options.columns) body.text(column);
  body.end();
  body.key("rawText").boolean(options.raw_text);
  body.end();
  std::string text = body.finish();
  text.insert(text.size() - 1, std::format(",\"filters\":{}", options.filters));
  return text;
}

exports::Outcome write_file(const Config& config, const Options& options,
                            const exports::Export& wish) {
  boost::asio::io_context loop;
  storage::Directory files{"."};
  ProgressBar bar;
  exports::Progress last;
  const auto upload =
      runtime::run_to_end(loop, files.create_at(std::filesystem::absolute(options.file)));
  const auto outcome = runtime::run_to_end(
      loop, exports::export_to(loop, config.database_reader, options.account, wish, *upload,
                               [&](const exports::Progress& progress) {
                                 last = progress;
                                 bar.draw(last.done, last.total, false);
                               }));
  bar.draw(last.done, last.total, true);
  return outcome;
}

void export_rows(const Config& config, const Options& options) {
  const auto wish =
      serve_account(config, options.account, [&](pg::Pool& database, pg::Scope scope) {
        return exports::settled_wish(database, scope, keyring::Keyring::load(config.keyring),
                                     body_of(options));
      });
  const auto outcome = write_file(config, options, wish);
  std::println("file={}\nrows={}\nbytes={}\nsha256={}", options.file, outcome.rows, outcome.bytes,
               outcome.sha256);
}

}  // namespace

void add_export_commands(CLI::App& commands, const std::function<Config()>& config) {
  const auto options = std::make_shared<Options>();
  auto* command = commands.add_subcommand("export", "Write rows of an account into a file");
  command->add_option("TYPE", options->type, "contacts, products, purchases, coupons, activities")
      ->required();
  command->add_option("-o,--output", options->file, "The file")->required();
  command->add_option("--account", options->account, "Number of the account")->required();
  command->add_option("--format", options->format, "csv or ndjson")->capture_default_str();
  command->add_option("--compression", options->compression, "none, gzip or zip")
      ->capture_default_str();
  command->add_option("--delimiter", options->delimiter, "Between cells: , ; | or \\t")
      ->capture_default_str();
  command->add_option("--columns", options->columns, "With commas; all by default")->delimiter(',');
  command->add_flag("--raw-text", options->raw_text,
                    "Leave texts as they are that a spreadsheet would run");
  command->add_option("--filters", options->filters, "As in POST /exports/: JSON")
      ->capture_default_str();
  command->callback([=] { export_rows(config(), *options); });
}

}  // namespace shopbell::app
