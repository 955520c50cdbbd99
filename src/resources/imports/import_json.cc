#include "resources/imports/import_json.h"

#include <algorithm>
#include <stdexcept>

#include "base/limits.h"
#include "resources/imports/import_rules.h"

namespace shopbell::imports {

namespace {

using json::Field;

const json::Table<RowError>& row_error_json() {
  static const json::Table<RowError> table{
      "ImportRowError",
      "An error in a row.",
      {json::integer("row", &RowError::row).doc("Number of the row, from 1, without the header."),
       json::text("pointer", &RowError::pointer)
           .doc("The invalid member, such as `/email`; empty if the whole row is invalid."),
       json::text("code", &RowError::code),
       json::text("detail", &RowError::detail).length_max(1000)}};
  return table;
}

// Reads stored row errors without validating them again.
Field<State> stored_errors() {
  return {"errors",
          {.type = "array"},
          [](json::Writer& writer, const State& state) {
            writer.begin_list();
            for (const auto& error : state.errors) row_error_json().write(writer, error);
            writer.end();
          },
          [](json::Reading&, const json::Value& value, const Field<State>&) -> Field<State>::Set {
            std::vector<RowError> errors;
            value.for_each([&](std::string_view, const json::Value& error) {
              const auto text = [&](std::string_view name) {
                return std::string{error.member(name)->text()};
              };
              errors.push_back({.row = std::stoll(std::string{error.member("row")->number_text()}),
                                .pointer = text("pointer"),
                                .code = text("code"),
                                .detail = text("detail")});
            });
            return [errors](State& state) { state.errors = errors; };
          }};
}

// The progress of an import, as stored with the job.
const json::Table<State>& state_json() {
  static const json::Table<State> table{
      "ImportState",
      "Progress of an import.",
      {json::integer("position", &State::position), json::integer("row", &State::row),
       json::integer("created", &State::created), json::integer("updated", &State::updated),
       json::integer("unchanged", &State::unchanged), json::integer("failed", &State::failed),
       stored_errors(), json::text("reportFile", &State::report_file)}};
  return table;
}

// The request of an import, as stored with the job.
const json::Table<Import>& request_json() {
  static const json::Table<Import> table{
      "ImportRequest",
      "The request as stored with the job.",
      {json::text("type", &Import::type), json::object("options", &Import::options, options_json()),
       json::text("file", &Import::file), json::text("coding", &Import::coding),
       json::text("fileName", &Import::file_name).length_max(limits::kFileNameCharacters),
       json::integer("bytes", &Import::bytes)}};
  return table;
}

Field<Import> shown_only(std::string name, json::Schema schema, Field<Import>::Write write) {
  return Field<Import>{
      std::move(name), std::move(schema), std::move(write),
      [](json::Reading&, const json::Value&, const Field<Import>&) { return Field<Import>::Set{}; }}
      .read_only();
}

Field<Import> count(std::string name, std::int64_t State::* member) {
  return shown_only(
      std::move(name), {.type = "integer"},
      [member](json::Writer& writer, const Import& shown) { writer.integer(shown.state.*member); });
}

Field<Import> processed() {
  return shown_only("processed", {.type = "integer"},
                    [](json::Writer& writer, const Import& shown) {
                      writer.integer(shown.state.processed());
                    })
      .doc("Processed rows, including failed ones.");
}

Field<Import> errors() {
  json::Schema list{.type = "array",
                    .items_max = static_cast<std::int64_t>(limits::kImportErrorsShown)};
  list.items = {row_error_json().schema()};
  return shown_only("errors", std::move(list),
                    [](json::Writer& writer, const Import& shown) {
                      writer.begin_list();
                      for (const auto& error : shown.state.errors)
                        row_error_json().write(writer, error);
                      writer.end();
                    })
      .doc("The first 20 errors; the report has all of them.");
}

std::vector<Field<Import>> members() {
  return {
      json::uuid("id", &Import::id),
      json::text("type", &Import::type).options(types()).read_only(),
      json::object("options", &Import::options, options_json()).doc("As requested.").read_only(),
      json::text("status", &Import::status)
          .options({"queued", "inProgress", "finished", "error", "cancelled", "expired"})
          .doc("An import with failed rows is still `finished`. `error`: the import could not "
               "continue. `expired`: its report has been removed.")
          .read_only(),
      json::integer("total", &Import::total)
          .doc("Rows of the file: an estimate until the end; null if unknown.")
          .read_only(),
      processed(),
      count("created", &State::created),
      count("updated", &State::updated),
      count("unchanged", &State::unchanged),
      count("failed", &State::failed),
      errors(),
      json::text("errorReportUrl", &Import::error_report_url)
          .format("uri-reference")
          .length_max(2048)
          .doc("Set once the import has ended with failed rows: the URL of a CSV report of all of "
               "them. Each GET signs a new URL, valid for 15 minutes. It becomes invalid together "
               "with the API key that requested it. Null for a caller that may not read the data.")
          .read_only(),
      json::text("fileName", &Import::file_name)
          .length_max(limits::kFileNameCharacters)
          .doc("As sent, without a path.")
          .read_only(),
      json::integer("bytes", &Import::bytes).doc("Size of the file as sent.").read_only(),
      json::integer("rowsPerSecond", &Import::rows_per_second).read_only(),
      json::integer("attempt", &Import::attempt)
          .doc("Number of attempts. An interrupted import continues where it stopped.")
          .read_only(),
      json::any("error", &Import::error).doc("The problem that ended the import.").read_only(),
      json::instant("createdAt", &Import::created_at).read_only(),
      json::instant("updatedAt", &Import::updated_at).read_only(),
      json::instant("startedAt", &Import::started_at).read_only(),
      json::instant("finishedAt", &Import::finished_at).read_only(),
      json::instant("expiresAt", &Import::expires_at)
          .doc("When the report is removed: 7 days after the end.")
          .read_only()};
}

template <class Resource>
void read_stored(const json::Table<Resource>& table, const std::string& text, Resource& into) {
  const auto document = json::Document::parse(text);
  if (!document) throw std::logic_error{"the stored import is not JSON"};
  json::Reading reading{json::Strictness::lenient};
  table.read_patch(document->root(), reading).apply_to(into);
}

std::optional<std::int64_t> pace_of(const Import& shown) {
  if (!shown.started_at || shown.state.processed() == 0) return std::nullopt;
  const std::chrono::duration<double> took =
      shown.finished_at.value_or(shown.updated_at) - *shown.started_at;
  const auto rows = static_cast<double>(shown.state.processed());
  return static_cast<std::int64_t>(rows / std::max(took.count(), 0.001));
}

}  // namespace

const json::Table<Import>& import_json() {
  static const json::Table<Import> table{
      "Import", "Creates or updates objects from the rows of a file.", members()};
  return table;
}

std::string options_of(const Import& request) { return request_json().to_json(request); }

std::string result_of(const State& state) { return state_json().to_json(state); }

Import import_of(const jobs::Job& job) {
  Import made;
  read_stored(request_json(), job.options, made);
  if (job.result) read_stored(state_json(), *job.result, made.state);
  made.id = job.id;
  made.type = job.type;
  made.status = job.state;
  made.total = job.total;
  made.attempt = job.attempt;
  if (job.error) made.error = json::Raw{*job.error};
  made.created_at = job.queued_at;
  made.updated_at = job.updated_at;
  made.started_at = job.started_at;
  made.finished_at = job.finished_at;
  made.expires_at = job.expires_at;
  made.rows_per_second = pace_of(made);
  return made;
}

}  // namespace shopbell::imports
