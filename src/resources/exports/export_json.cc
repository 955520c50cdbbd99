#include "resources/exports/export_json.h"

#include <algorithm>
#include <format>
#include <stdexcept>

#include "base/limits.h"
#include "base/text.h"
#include "resources/exports/export_filters.h"
#include "resources/exports/report.h"

namespace shopbell::exports {

namespace {

using json::Field;
using json::Reading;
using json::Value;

using Fields = std::vector<Field<Export>>;

// The file options that all types of exports share.
Fields file_options() {
  return {json::text("format", &Export::format)
              .options({"csv", "ndjson"})
              .default_value(R"("csv")")
              .doc("Always `ndjson` for a person.")
              .example(R"("csv")"),
          json::text("compression", &Export::compression)
              .options({"none", "gzip", "zip"})
              .default_value(R"("none")")
              .doc("Always `zip` for a person.")
              .restricts(),
          json::text("delimiter", &Export::delimiter)
              .options({",", ";", "\t", "|"})
              .default_value(R"(",")")
              .doc("Separates the cells of a CSV file.")
              .restricts(),
          json::texts("columns", &Export::columns)
              .items_max(limits::kExportColumns)
              .element([](json::Schema& element) { element.length_min = 1; })
              .doc("Names of members; contact fields as `fields.<id>`. Empty: all columns.")
              .restricts(),
          json::boolean("rawText", &Export::raw_text)
              .default_value("false")
              .doc("If false, a text that a spreadsheet would run as a formula gets a leading "
                   "apostrophe.")};
}

std::vector<std::string> names_of_reports() {
  std::vector<std::string> names;
  for (const auto& kind : report_kinds()) names.push_back(kind.name);
  return names;
}

// All values of `groupBy`; each report supports some of them.
std::vector<std::string> names_of_groups() {
  std::vector<std::string> names;
  for (const auto& kind : report_kinds()) std::ranges::copy(kind.groups, std::back_inserter(names));
  std::ranges::sort(names);
  const auto repeated = std::ranges::unique(names);
  names.erase(repeated.begin(), repeated.end());
  return names;
}

Fields report_members() {
  const auto time = [](std::string name, std::string Export::* member) {
    return json::text(std::move(name), member)
        .length_max(64)
        .rule(is_day_or_instant, "Is neither a day such as 2026-10-01 nor an RFC 3339 time.");
  };
  std::vector<std::string> granularities;
  for (const auto& granularity : kGranularities) granularities.emplace_back(granularity.name);
  return {json::text("report", &Export::report)
              .required()
              .options(names_of_reports())
              .example(R"("purchases-over-time")"),
          time("from", &Export::from)
              .required()
              .doc("The first day, in the time zone, or an RFC 3339 time.")
              .example(R"("2026-10-01")"),
          time("to", &Export::to)
              .required()
              .doc("The end, exclusive: at most 366 days after `from` by day, 1,830 by week, 3,660 "
                   "by month.")
              .example(R"("2026-11-01")"),
          json::text("granularity", &Export::granularity)
              .options(std::move(granularities))
              .default_value(R"("day")")
              .doc("Weeks begin on Monday.")
              .restricts()
              .example(R"("week")"),
          json::text("timeZone", &Export::time_zone)
              .length_max(64)
              .rule(is_time_zone, "Is not an IANA time zone such as Europe/Vienna.")
              .doc("Time zone of the days, weeks and months; default: the store's.")
              .restricts(),
          json::texts("groupBy", &Export::group_by)
              .items_max(3)
              .element([](json::Schema& element) { element.options = names_of_groups(); })
              .doc("Splits the rows further; each report supports some of these.")
              .restricts()
              .example(R"(["channel"])")};
}

Field<Export> shown_type() {
  return json::text("type", &Export::type).options(all_types()).read_only();
}

// The members of a report in a response; null for other types.
Fields shown_report_members() {
  Fields shown;
  for (const auto& field : report_members()) {
    json::Schema schema = field.schema();
    schema.example.clear();
    schema.default_value.clear();
    schema.read_only = true;
    schema.nullable = schema.type == "string";
    const auto write = [field](json::Writer& writer, const Export& made) {
      !made.is_report() && field.name() != "groupBy" ? void(writer.null())
                                                     : field.write_value(writer, made);
    };
    shown.push_back(
        {field.name(), std::move(schema), write,
         [](Reading&, const Value&, const Field<Export>&) -> Field<Export>::Set { return {}; }});
  }
  return shown;
}

const json::Table<Progress>& progress_json() {
  static const json::Table<Progress> table{
      "ExportProgress",
      "Progress of an export.",
      {json::integer("done", &Progress::done).doc("Rows written."),
       json::integer("total", &Progress::total)
           .doc("An estimate until the export has finished; null: unknown.")}};
  return table;
}

Fields outcome_members() {
  return {
      json::text("status", &Export::status)
          .options({"queued", "inProgress", "finished", "error", "cancelled", "expired"})
          .read_only(),
      json::object("progress", &Export::progress, progress_json()).read_only(),
      json::integer("attempt", &Export::attempt)
          .doc("Number of attempts. An interrupted export starts again.")
          .read_only(),
      json::integer("rows", &Export::rows).read_only(),
      json::integer("bytes", &Export::bytes).doc("Size of the file.").read_only(),
      json::text("sha256", &Export::sha256).doc("Hash of the file, hexadecimal.").read_only(),
      json::text("watermark", &Export::watermark)
          .length_max(limits::kWatermarkBytes)
          .doc("The state of the store that the file shows. Send it as `since` of a later export.")
          .read_only(),
      json::text("fileName", &Export::file_name).read_only(),
      json::text("fileUrl", &Export::file_url)
          .format("uri-reference")
          .length_max(2048)
          .doc("Set while the export is finished: the URL of the file. Each GET signs a new URL, "
               "valid for 15 minutes. It becomes invalid together with the API key that "
               "requested it. Null for a caller that may not read the data.")
          .read_only(),
      json::any("error", &Export::error).doc("The problem that ended the export.").read_only(),
      json::instant("createdAt", &Export::created_at).read_only(),
      json::instant("updatedAt", &Export::updated_at).read_only(),
      json::instant("startedAt", &Export::started_at).read_only(),
      json::instant("finishedAt", &Export::finished_at).read_only(),
      json::instant("expiresAt", &Export::expires_at)
          .doc("When the file is removed: 7 days after the export finished.")
          .read_only()};
}

Fields concat(std::initializer_list<Fields> parts) {
  Fields all;
  for (const auto& part : parts) std::ranges::copy(part, std::back_inserter(all));
  return all;
}

const json::Table<Export>& request_json() {
  static const json::Table<Export> table{
      "ExportRequest", "The request as stored with the job.",
      concat({{json::text("type", &Export::type)},
              file_options(),
              {filters_field(), json::text("report", &Export::report),
               json::text("from", &Export::from), json::text("to", &Export::to),
               json::text("granularity", &Export::granularity),
               json::text("timeZone", &Export::time_zone),
               json::texts("groupBy", &Export::group_by)}})};
  return table;
}

// An export of a person has several files of a fixed format: the file options cannot be chosen.
void fix_person_options(Reading& reading, const json::Changes<Export>& sent, Export& request) {
  if (sent.names("format") && request.format != "ndjson")
    reading.refuse_at("format", "conflicts-with", "An export of a person is always ndjson.");
  if (sent.names("compression") && request.compression != "zip")
    reading.refuse_at("compression", "conflicts-with", "An export of a person is always a zip.");
  if (!request.columns.empty())
    reading.refuse_at("columns", "conflicts-with", "An export of a person always has all columns.");
  request.format = "ndjson";
  request.compression = "zip";
}

Value root_of(const std::expected<json::Document, json::Malformed>& document) {
  if (!document) throw std::logic_error{"the stored export is not JSON"};
  return document->root();
}

}  // namespace

const json::Table<Export>& export_json() {
  static const json::Table<Export> table{"Export", "Rows of the store as a file.",
                                         concat({{json::uuid("id", &Export::id), shown_type()},
                                                 file_options(),
                                                 {filters_field()},
                                                 shown_report_members(),
                                                 outcome_members()})};
  return table;
}

// Reads the body of a new export; ignores read-only members, so that a response can be sent back.
const json::Table<Export>& new_export_json() {
  static const json::Table<Export> table{
      "NewExport", "Requests rows of the store as a file.",
      concat({{json::uuid("id", &Export::id),
               json::text("type", &Export::type)
                   .required()
                   .options(creatable_types())
                   .doc("`person`: everything stored about one contact, as a ZIP.")
                   .example(R"("contacts")")},
              file_options(),
              {filters_field().example(R"({"tags":["vip"]})")},
              shown_report_members(),
              outcome_members()})};
  return table;
}

const json::Table<Export>& new_report_json() {
  static const json::Table<Export> table{
      "NewReport", "Requests a report as a file.",
      concat({{json::uuid("id", &Export::id), shown_type()},
              report_members(),
              {filters_field().example(R"({"status":["paid","fulfilled"]})")},
              file_options(),
              outcome_members()})};
  return table;
}

Export read_request(const Value& body, Reading& reading) {
  Export request;
  const auto sent = new_export_json().read_new(body, reading);
  sent.apply_to(request);
  if (request.is_person()) fix_person_options(reading, sent, request);
  check_filters(reading, request);
  return request;
}

Export read_report(const Value& body, Reading& reading, Instant now) {
  Export request;
  request.type = kReports;
  request.granularity = "day";
  new_report_json().read_new(body, reading).apply_to(request);
  check_report(reading, request, now);
  check_filters(reading, request);
  return request;
}

std::string options_of(const Export& request) { return request_json().to_json(request); }

std::string result_of(const Outcome& outcome, const std::string& file) {
  json::Writer writer;
  writer.begin_object();
  writer.key("rows").integer(outcome.rows);
  writer.key("bytes").integer(outcome.bytes);
  writer.key("sha256").text(outcome.sha256);
  writer.key("file").text(file);
  writer.key("moment").text(to_text(outcome.moment));
  writer.end();
  return writer.finish();
}

Export export_of(const jobs::Job& job) {
  Export made;
  json::Reading reading{json::Strictness::lenient};
  const auto options = json::Document::parse(job.options);
  request_json().read_patch(root_of(options), reading).apply_to(made);
  made.id = job.id;
  made.status = job.state;
  made.progress = {job.done, job.total};
  made.attempt = job.attempt;
  if (job.result) {
    const auto result = json::Document::parse(*job.result);
    const Value root = root_of(result);
    made.rows = std::stoll(std::string{root.member("rows")->number_text()});
    made.bytes = std::stoll(std::string{root.member("bytes")->number_text()});
    made.sha256 = root.member("sha256")->text();
    made.file = root.member("file")->text();
    made.moment = moment_from(root.member("moment")->text());
  }
  if (job.error) made.error = json::Raw{*job.error};
  made.created_at = job.queued_at;
  made.updated_at = job.updated_at;
  made.started_at = job.started_at;
  made.finished_at = job.finished_at;
  made.expires_at = job.expires_at;
  made.file_name = file_name_of(made);
  return made;
}

std::string file_name_of(const Export& made) {
  const std::string_view packed = made.compression == "gzip"  ? ".gz"
                                  : made.compression == "zip" ? ".zip"
                                                              : "";
  const std::string when =
      std::format("{:%Y%m%d-%H%M%S}", std::chrono::floor<std::chrono::seconds>(made.created_at));
  if (made.is_person()) return std::format("{}-{}.zip", made.type, when);
  return std::format("{}-{}.{}{}", made.is_report() ? made.report : made.type, when, made.format,
                     packed);
}

}  // namespace shopbell::exports
