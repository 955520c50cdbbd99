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

// How the file looks, whatever it holds.
Fields file_options() {
  return {json::text("format", &Export::format)
              .options({"csv", "ndjson"})
              .default_value(R"("csv")")
              .doc("A person's is always ndjson.")
              .example(R"("csv")"),
          json::text("compression", &Export::compression)
              .options({"none", "gzip", "zip"})
              .default_value(R"("none")")
              .doc("A person's is always zip.")
              .restricts(),
          json::text("delimiter", &Export::delimiter)
              .options({",", ";", "\t", "|"})
              .default_value(R"(",")")
              .doc("Between the cells of a CSV file.")
              .restricts(),
          json::texts("columns", &Export::columns)
              .items_max(limits::kExportColumns)
              .element([](json::Schema& element) { element.length_min = 1; })
              .doc("By the names of the members; a contact's own fields as `fields.<id>`. None: "
                   "all there are.")
              .restricts(),
          json::boolean("rawText", &Export::raw_text)
              .default_value("false")
              .doc("Leaves texts as they are that a spreadsheet would run; otherwise they are "
                   "guarded by a leading apostrophe.")};
}

std::vector<std::string> names_of_reports() {
  std::vector<std::string> names;
  for (const auto& kind : report_kinds()) names.push_back(kind.name);
  return names;
}

// What any of them can be parted by; each has some of these.
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
        .rule(is_day_or_instant, "Is no day such as 2026-10-01, and no instant.");
  };
  std::vector<std::string> granularities;
  for (const auto& granularity : kGranularities) granularities.emplace_back(granularity.name);
  return {json::text("report", &Export::report)
              .required()
              .options(names_of_reports())
              .example(R"("purchases-over-time")"),
          time("from", &Export::from)
              .required()
              .doc("The first day, in the time zone; or an instant.")
              .example(R"("2026-10-01")"),
          time("to", &Export::to)
              .required()
              .doc("The first day, or instant, that is no longer in it: at most 366 days after "
                   "`from` by day, 1,830 by week, 3,660 by month.")
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
              .doc("In which days, weeks and months begin; the store's unless it is named.")
              .restricts(),
          json::texts("groupBy", &Export::group_by)
              .items_max(3)
              .element([](json::Schema& element) { element.options = names_of_groups(); })
              .doc("Parts the rows further; each report has some of these.")
              .restricts()
              .example(R"(["channel"])")};
}

Field<Export> shown_type() {
  return json::text("type", &Export::type).options(all_types()).read_only();
}

// The same as they are shown: null on what is no report.
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
      "How far it is.",
      {json::integer("done", &Progress::done).doc("Rows written."),
       json::integer("total", &Progress::total)
           .doc("About so many there are, exact when it has finished; null: not known.")}};
  return table;
}

Fields outcome_members() {
  return {
      json::text("status", &Export::status)
          .options({"queued", "inProgress", "finished", "error", "cancelled", "expired"})
          .read_only(),
      json::object("progress", &Export::progress, progress_json()).read_only(),
      json::integer("attempt", &Export::attempt)
          .doc("How often it was begun; one that is interrupted starts again.")
          .read_only(),
      json::integer("rows", &Export::rows).read_only(),
      json::integer("bytes", &Export::bytes).doc("Of the file.").read_only(),
      json::text("sha256", &Export::sha256).doc("Of the file, hexadecimal.").read_only(),
      json::text("watermark", &Export::watermark)
          .length_max(limits::kWatermarkBytes)
          .doc("The state of the store that the file shows: `since` of a later export takes it.")
          .read_only(),
      json::text("fileName", &Export::file_name).read_only(),
      json::text("fileUrl", &Export::file_url)
          .format("uri-reference")
          .length_max(2048)
          .doc("While it is finished: where to download it, for 15 minutes. Signed anew at "
               "each GET; it ends with the key that asked.")
          .read_only(),
      json::any("error", &Export::error).doc("The problem it ended with.").read_only(),
      json::instant("createdAt", &Export::created_at).read_only(),
      json::instant("updatedAt", &Export::updated_at).read_only(),
      json::instant("startedAt", &Export::started_at).read_only(),
      json::instant("finishedAt", &Export::finished_at).read_only(),
      json::instant("expiresAt", &Export::expires_at)
          .doc("When the file goes: 7 days after it was made.")
          .read_only()};
}

Fields together(std::initializer_list<Fields> parts) {
  Fields all;
  for (const auto& part : parts) std::ranges::copy(part, std::back_inserter(all));
  return all;
}

const json::Table<Export>& wish_json() {
  static const json::Table<Export> table{
      "ExportWish", "As it was asked for.",
      together({{json::text("type", &Export::type)},
                file_options(),
                {filters_field(), json::text("report", &Export::report),
                 json::text("from", &Export::from), json::text("to", &Export::to),
                 json::text("granularity", &Export::granularity),
                 json::text("timeZone", &Export::time_zone),
                 json::texts("groupBy", &Export::group_by)}})};
  return table;
}

// Its files are what the interface shows, and several: nothing else can be chosen.
void settle_person(Reading& reading, const json::Changes<Export>& said, Export& wish) {
  if (said.names("format") && wish.format != "ndjson")
    reading.refuse_at("format", "conflicts-with", "The files of a person are ndjson.");
  if (said.names("compression") && wish.compression != "zip")
    reading.refuse_at("compression", "conflicts-with", "The files of a person come as a zip.");
  if (!wish.columns.empty())
    reading.refuse_at("columns", "conflicts-with", "A person's files hold all there is.");
  wish.format = "ndjson";
  wish.compression = "zip";
}

Value root_of(const std::expected<json::Document, json::Malformed>& document) {
  if (!document) throw std::logic_error{"what is kept of an export is not JSON"};
  return document->root();
}

}  // namespace

const json::Table<Export>& export_json() {
  static const json::Table<Export> table{"Export", "Rows of the store as a file.",
                                         together({{json::uuid("id", &Export::id), shown_type()},
                                                   file_options(),
                                                   {filters_field()},
                                                   shown_report_members(),
                                                   outcome_members()})};
  return table;
}

// Whatever else an export shows may be sent, and is not looked at.
const json::Table<Export>& new_export_json() {
  static const json::Table<Export> table{
      "NewExport", "Rows of the store that are asked for as a file.",
      together({{json::uuid("id", &Export::id),
                 json::text("type", &Export::type)
                     .required()
                     .options(asked_types())
                     .doc("`person` is everything held about one contact, as a ZIP.")
                     .example(R"("contacts")")},
                file_options(),
                {filters_field().example(R"({"tags":["vip"]})")},
                shown_report_members(),
                outcome_members()})};
  return table;
}

const json::Table<Export>& new_report_json() {
  static const json::Table<Export> table{
      "NewReport", "A report that is asked for as a file.",
      together({{json::uuid("id", &Export::id), shown_type()},
                report_members(),
                {filters_field().example(R"({"status":["paid","fulfilled"]})")},
                file_options(),
                outcome_members()})};
  return table;
}

Export read_wish(const Value& body, Reading& reading) {
  Export wish;
  const auto said = new_export_json().read_new(body, reading);
  said.apply_to(wish);
  if (wish.is_person()) settle_person(reading, said, wish);
  check_filters(reading, wish);
  return wish;
}

Export read_report(const Value& body, Reading& reading, Instant now) {
  Export wish;
  wish.type = kReports;
  wish.granularity = "day";
  new_report_json().read_new(body, reading).apply_to(wish);
  check_report(reading, wish, now);
  check_filters(reading, wish);
  return wish;
}

std::string options_of(const Export& wish) { return wish_json().to_json(wish); }

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
  wish_json().read_patch(root_of(options), reading).apply_to(made);
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
