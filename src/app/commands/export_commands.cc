#include "app/commands/export_commands.h"

#include <format>
#include <print>

#include "app/commands/progress_bar.h"
#include "app/session/account_session.h"
#include "json/writer.h"
#include "resources/exports/export_file.h"
#include "resources/exports/exports_operations.h"
#include "storage/directory.h"

namespace shopbell::app {

namespace {

constexpr std::string_view kReport = "report";

struct ExportOptions {
  std::int64_t account = 0;
  std::string type;
  std::string file;
  std::string format = "csv";
  std::string compression = "none";
  std::string delimiter = ",";
  std::vector<std::string> columns;
  bool raw_text = false;
  std::string filters = "{}";
  // The options of a report; empty for other types of exports.
  std::string report;
  std::string from;
  std::string to;
  std::string granularity = "day";
  std::string time_zone;
  std::vector<std::string> group_by;
};

void write_list(json::Writer& body, std::string_view name, const std::vector<std::string>& texts) {
  body.key(name).begin_list();
  for (const auto& text : texts) body.text(text);
  body.end();
}

// Builds the JSON body of the API request that would create this export.
std::string body_of(const ExportOptions& options) {
  json::Writer body;
  body.begin_object();
  if (options.type != kReport) body.key("type").text(options.type);
  if (options.type != exports::kPerson) {  // the export of a person has a fixed format
    body.key("format").text(options.format);
    body.key("compression").text(options.compression);
  }
  body.key("delimiter").text(options.delimiter == "\\t" ? "\t" : options.delimiter);
  write_list(body, "columns", options.columns);
  body.key("rawText").boolean(options.raw_text);
  if (options.type == kReport) {
    body.key("report").text(options.report);
    body.key("from").text(options.from);
    body.key("to").text(options.to);
    body.key("granularity").text(options.granularity);
    if (!options.time_zone.empty()) body.key("timeZone").text(options.time_zone);
    write_list(body, "groupBy", options.group_by);
  }
  body.end();
  std::string text = body.finish();
  text.insert(text.size() - 1, std::format(",\"filters\":{}", options.filters));
  return text;
}

exports::Outcome write_file(const Config& config, const ExportOptions& options,
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

void export_rows(const Config& config, const ExportOptions& options) {
  const auto asked = options.type != kReport ? exports::Asked::rows : exports::Asked::report;
  const auto table = exports::operation_table();
  const auto wish = AccountSession{config, options.account}.run(
      operations::find_operation(table, "createExport"), {.body = body_of(options)},
      [&](operations::Input input) { return exports::checked_export(input, asked); });
  const auto outcome = write_file(config, options, wish);
  std::println("file={}\nrows={}\nbytes={}\nsha256={}", options.file, outcome.rows, outcome.bytes,
               outcome.sha256);
}

void add_report_options(CLI::App& command, ExportOptions& options) {
  command.add_option("--report", options.report,
                     "Name of the report for TYPE report, such as "
                     "products-sold");
  command.add_option("--from", options.from, "First day of the report");
  command.add_option("--to", options.to, "First day after the report");
  command.add_option("--granularity", options.granularity, "day, week or month")
      ->capture_default_str();
  command.add_option("--time-zone", options.time_zone,
                     "Time zone of the days; default: the "
                     "store's");
  command.add_option("--group-by", options.group_by, "Columns to group by, comma-separated")
      ->delimiter(',');
}

}  // namespace

void add_export_commands(CLI::App& commands, const std::function<Config()>& config) {
  const auto options = std::make_shared<ExportOptions>();
  auto* command = commands.add_subcommand("export", "Export rows of an account to a file");
  command
      ->add_option("TYPE", options->type,
                   "contacts, products, purchases, coupons, activities, person, report")
      ->required();
  command->add_option("-o,--output", options->file, "Output file")->required();
  command->add_option("--account", options->account, "Number of the account")->required();
  command->add_option("--format", options->format, "csv or ndjson")->capture_default_str();
  command->add_option("--compression", options->compression, "none, gzip or zip")
      ->capture_default_str();
  command->add_option("--delimiter", options->delimiter, "Delimiter of cells: , ; | or \\t")
      ->capture_default_str();
  command->add_option("--columns", options->columns, "Columns, comma-separated; default: all")
      ->delimiter(',');
  command->add_flag("--raw-text", options->raw_text,
                    "Do not escape texts that a spreadsheet would run as formulas");
  command->add_option("--filters", options->filters, "Filters as JSON, as in POST /exports/")
      ->capture_default_str();
  add_report_options(*command, *options);
  command->callback([=] { export_rows(config(), *options); });
}

}  // namespace shopbell::app
