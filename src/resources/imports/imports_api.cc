#include "resources/imports/imports_api.h"

#include <algorithm>
#include <format>

#include "base/limits.h"
#include "http/write.h"
#include "jobs/job_store.h"
#include "resources/files/file_link.h"
#include "resources/files/job_routes.h"
#include "resources/imports/failures.h"
#include "resources/imports/import_care.h"
#include "resources/imports/import_json.h"
#include "resources/imports/import_upload.h"

namespace shopbell::imports {

namespace {

using files::Answer;

// "contacts-20261115-020425-errors.csv"
std::string report_name_of(const Import& made) {
  return std::format("{}-{:%Y%m%d-%H%M%S}-errors.csv", made.type,
                     std::chrono::floor<std::chrono::seconds>(made.created_at));
}

struct Slice {
  using Made = Import;
  static constexpr const char* kKind = kJobKind;
  static constexpr const char* kMissing = "There is no import of that id.";
  static const json::Table<Import>& table() { return import_json(); }
  static Import shown(const http::Call& call, const jobs::Job& job) {
    Import made = import_of(job);
    const bool ended = made.status == "finished" || made.status == "error";
    if (made.state.report_file && ended && made.expires_at)
      made.error_report_url = files::link_to(call, made.id, report_name_of(made), made.expires_at);
    return made;
  }
  static void leave_out(Import& made) {
    made.error_report_url.reset();
    made.rows_per_second.reset();
  }
};

// How many may be under way, told before anything is read, so that nobody uploads for nothing. A
// repetition that will be answered as the first request was queues nothing: there is more room.
boost::asio::awaitable<std::int64_t> check_room(http::Call call) {
  pg::Group reads;
  jobs::read_unfinished(reads, call.account(), kJobKind);
  read_uploads(reads, call.account());
  const pg::Results found = co_await call.database().run(std::move(reads), call.scope());
  const std::int64_t unfinished = jobs::found_unfinished(found[0]) + found_uploads(found[1]);
  if (unfinished >= limits::kImportsUnfinished && co_await http::was_answered(call))
    co_return 2 * limits::kImportsUnfinished;
  refuse_more(unfinished);
  co_return limits::kImportsUnfinished;
}

Answer queue(http::Call call, const FileIntake& intake, Import wish) {
  pg::Group reads;
  read_premises(reads, call.account(), wish);
  co_return co_await http::write(
      call, std::move(reads),
      [call, wish, &intake](const http::Premises& premises, pg::Group& effect) {
        json::Reading reading;
        const Import import = settled(reading, wish, premises.results);
        finish_reading(call, reading);
        const jobs::Job job = add_import(effect, import, intake, call.account(),
                                         call.caller().key_id, premises.now, premises.results);
        http::Response response = files::answer_of<Slice>(import_of(job));
        response.status = 201;
        response.headers.emplace_back(
            "Location", std::format("{}/imports/{}", call.base_path(), job.id.to_string()));
        return response;
      });
}

// The database was away while the file came in.
Problem given_up() {
  return Problem{Code::unavailable, "The upload was given up meanwhile."}.with_header("Retry-After",
                                                                                      "1");
}

Answer create(http::Call call) {
  const std::int64_t most = co_await check_room(call);
  FileIntake intake{call.database(), call.storage(), call.account(), call.clock().now(), most};
  std::optional<http::Response> response;
  std::exception_ptr failure;
  try {
    const Import wish = co_await receive(call, intake);
    response = co_await queue(call, intake, wish);
  } catch (const pg::Error& error) {
    failure = is_gone(error)   ? std::make_exception_ptr(given_up())
              : is_full(error) ? std::make_exception_ptr(too_many(most))
                               : std::current_exception();
  } catch (...) {
    failure = std::current_exception();
  }
  // A repetition has brought the file once more.
  co_await intake.drop();
  if (failure) std::rethrow_exception(failure);
  co_return std::move(*response);
}

http::Operation operation(std::string id, std::string summary, std::string description) {
  return {.id = std::move(id),
          .tag = "Imports",
          .tag_description = "Files of rows that become the store's.",
          .summary = std::move(summary),
          .description = std::move(description),
          .answer_name = import_json().name(),
          .answer = import_json().answer_schema(),
          .hashed = true,
          .problems = {Code::not_found}};
}

http::Operation list_operation() {
  http::Operation described = operation("listImports", "Get import list",
                                        "Newest first. Records go 30 days after their end.");
  described.parameters = files::list_parameters(types());
  described.answer_name = "ImportPage";
  described.answer = http::page_schema(import_json().name());
  described.hashed = false;
  described.problems = {Code::invalid_cursor};
  return described;
}

// `type` and the options, for a file that comes alone.
std::vector<http::QueryParameter> parameters() {
  std::vector<http::QueryParameter> all{{"type",
                                         "Of a file alone, which needs it: what the rows are.",
                                         {.type = "string", .options = types()}}};
  const json::Schema options = options_json().patch_schema();
  for (const auto& [name, schema] : options.optional_members) {
    json::Schema plain = schema;
    plain.nullable = false;
    plain.description.clear();
    all.push_back({name, "Of a file alone: the option. " + schema.description, plain});
  }
  return all;
}

http::UploadBody upload() {
  json::Schema form{.type = "object", .description = "In any order."};
  json::Schema type{.type = "string", .options = types()};
  form.members = {{"type", type},
                  {"file",
                   {.type = "string",
                    .format = "binary",
                    .description = "CSV or NDJSON in UTF-8, plain or packed by gzip or zstd; at "
                                   "most 1 GiB, plain, too."}}};
  form.optional_members = {{"options", options_json().patch_schema()}};
  return {.name = "NewImport",
          .form = std::move(form),
          .example = {{"type", "contacts"},
                      {"options", R"({"mode":"upsert"})"},
                      {"file", "@contacts.csv"}},
          .alone = {{"text/csv", "The file alone.", "email,firstName\nada@example.com,Ada\n"},
                    {"application/x-ndjson", "The file alone.",
                     R"({"email":"ada@example.com","firstName":"Ada"})"
                     "\n"}}};
}

http::Operation create_operation() {
  http::Operation described = operation(
      "createImport", "Create import",
      "Queues it, once the whole file is there: a form, or the file alone with the rest in the "
      "query. The rows are applied in the order of the file. Needs the scope to write what it "
      "holds; at most 10 of an account are unfinished.");
  described.success = 201;
  described.parameters = parameters();
  described.upload = upload();
  described.problems = {Code::import_queue_full, Code::file_unreadable};
  for (const auto& type : types()) described.further_scopes.push_back(scope_of(type));
  return described;
}

http::Operation delete_operation() {
  http::Operation described =
      operation("deleteImport", "Delete import by Id",
                "With its files. One that is not finished is cancelled; rows that were written "
                "stay.");
  described.success = 204;
  described.answer_name.clear();
  described.hashed = false;
  return described;
}

http::Operation cancel_operation() {
  return operation("cancelImport", "Cancel an import",
                   "It is over at once, and its worker stops within a second; rows that were "
                   "written stay. One that has ended stays as it is; the status says which.");
}

}  // namespace

std::vector<http::Route> routes() {
  using http::Access;
  using http::Method;
  return {{Method::get, "/imports/", Access::scope("imports:read"), files::list<Slice>,
           list_operation()},
          {Method::post, "/imports/", Access::scope("imports:write"), create, create_operation()},
          {Method::get, "/imports/{id}", Access::scope("imports:read"), files::get<Slice>,
           operation("getImport", "Get import detail by Id",
                     "With a link to the report of its failed rows, if there are any.")},
          {Method::delete_, "/imports/{id}", Access::scope("imports:delete"), files::remove<Slice>,
           delete_operation()},
          {Method::post, "/manage/imports/{id}/cancel", Access::scope("manage-imports:write"),
           files::cancel<Slice>, cancel_operation()}};
}

std::optional<files::Offer> offered(const jobs::Job& job) {
  const Import made = import_of(job);
  if (!made.state.report_file) return std::nullopt;
  return files::Offer{.file = *made.state.report_file,
                      .name = report_name_of(made),
                      .media_type = "text/csv; charset=utf-8",
                      .etag = ""};
}

}  // namespace shopbell::imports
