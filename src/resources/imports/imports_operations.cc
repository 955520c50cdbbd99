#include "resources/imports/imports_operations.h"

#include <algorithm>
#include <format>

#include "base/limits.h"
#include "jobs/job_store.h"
#include "operations/resource_operations.h"
#include "operations/write.h"
#include "resources/files/file_link.h"
#include "resources/files/job_operations.h"
#include "resources/imports/failures.h"
#include "resources/imports/import_json.h"
#include "resources/imports/import_queue.h"
#include "resources/imports/import_upload.h"

namespace shopbell::imports {

namespace {

using files::Answer;

// Returns a name such as "contacts-20261115-020425-errors.csv".
std::string report_name_of(const Import& made) {
  return std::format("{}-{:%Y%m%d-%H%M%S}-errors.csv", made.type,
                     std::chrono::floor<std::chrono::seconds>(made.created_at));
}

struct Slice {
  using Made = Import;
  static constexpr const char* kKind = kJobKind;
  static constexpr const char* kMissing = "There is no import of that id.";
  static const json::Table<Import>& table() { return import_json(); }
  static Import shown(const operations::Input& input, const jobs::Job& job) {
    Import made = import_of(job);
    const bool ended = made.status == "finished" || made.status == "error";
    if (made.state.report_file && ended && made.expires_at &&
        input.caller().may_all(read_scopes(made.type)))
      made.error_report_url = files::link_to(input, made.id, report_name_of(made), made.expires_at);
    return made;
  }
  static void leave_out(Import& made) {
    made.error_report_url.reset();
    made.rows_per_second.reset();
  }
};

// Returns the limit of unfinished imports, and refuses at the limit before the body is read. A
// repeated request whose idempotency key was answered queues nothing, so its limit is higher.
boost::asio::awaitable<std::int64_t> check_room(operations::Input input) {
  pg::Group reads;
  jobs::read_unfinished(reads, input.account(), kJobKind);
  read_uploads(reads, input.account());
  const pg::Results found = co_await input.database().run(std::move(reads), input.scope());
  const std::int64_t unfinished = jobs::found_unfinished(found[0]) + found_uploads(found[1]);
  if (unfinished >= limits::kImportsUnfinished && co_await operations::was_answered(input))
    co_return 2 * limits::kImportsUnfinished;
  refuse_more(unfinished);
  co_return limits::kImportsUnfinished;
}

Answer queue(operations::Input input, const FileIntake& intake, Import request) {
  pg::Group reads;
  read_premises(reads, input.account(), request);
  co_return co_await operations::write(
      input, std::move(reads),
      [input, request, &intake](const operations::Premises& premises, pg::Group& effect) {
        json::Reading reading;
        const Import import = resolved(reading, request, premises.results);
        finish_reading(input, reading);
        const jobs::Job job = add_import(effect, import, intake, input.account(),
                                         input.caller().key(), premises.now, premises.results);
        operations::Output output = files::answer_of<Slice>(import_of(job));
        return operations::created(input, std::move(output),
                                   std::format("/imports/{}", job.id.to_string()));
      });
}

// The problem of an upload whose lease expired, because the database was unreachable meanwhile.
Problem upload_expired() {
  return Problem{Code::unavailable,
                 "The database was unreachable for too long; send the file again."}
      .with_header("Retry-After", "1");
}

Answer create(operations::Input input) {
  const std::int64_t most = co_await check_room(input);
  FileIntake intake{input.database(), input.storage(), input.account(), input.clock().now(), most};
  std::optional<operations::Output> output;
  std::exception_ptr failure;
  try {
    const Import request = co_await receive(input, intake);
    output = co_await queue(input, intake, request);
  } catch (const pg::Error& error) {
    failure = is_gone(error)   ? std::make_exception_ptr(upload_expired())
              : is_full(error) ? std::make_exception_ptr(too_many(most))
                               : std::current_exception();
  } catch (...) {
    failure = std::current_exception();
  }
  // Remove the file if no job owns it, after a failure or a repeated request.
  co_await intake.drop();
  if (failure) std::rethrow_exception(failure);
  co_return std::move(*output);
}

// The query parameters for a body that is the file itself: `type` and the options.
std::vector<operations::QueryParameter> parameters() {
  std::vector<operations::QueryParameter> all{
      {"type",
       "Type of the rows. Required if the body is the file itself.",
       {.type = "string", .options = types()}}};
  const json::Schema options = options_json().patch_schema();
  for (const auto& [name, schema] : options.optional_members) {
    json::Schema plain = schema;
    plain.nullable = false;
    plain.description.clear();
    all.push_back({name, "For a body that is the file itself. " + schema.description, plain});
  }
  return all;
}

operations::UploadBody upload() {
  json::Schema form{.type = "object", .description = "The parts may come in any order."};
  json::Schema type{.type = "string", .options = types()};
  form.members = {{"type", type},
                  {"file",
                   {.type = "string",
                    .format = "binary",
                    .description = "CSV or NDJSON in UTF-8, optionally compressed with gzip or "
                                   "zstd. At most 1 GiB, both as sent and uncompressed."}}};
  form.optional_members = {{"options", options_json().patch_schema()}};
  return {.name = "NewImport",
          .form = std::move(form),
          .example = {{"type", "contacts"},
                      {"options", R"({"mode":"upsert"})"},
                      {"file", "@contacts.csv"}},
          .alone = {{"text/csv", "The file itself.", "email,firstName\nada@example.com,Ada\n"},
                    {"application/x-ndjson", "The file itself.",
                     R"({"email":"ada@example.com","firstName":"Ada"})"
                     "\n"}}};
}

operations::ResourceOperations import_operations() {
  return operations::ResourceOperations{
      .tag = "Imports",
      .tag_description = "Create and update objects from the rows of a file.",
      .hashed = true}
      .with_answer(import_json());
}

operations::Description create_operation() {
  operations::Description described = import_operations().create(
      "createImport", "Create import",
      "Queues an import once the whole file has arrived. Send a form, or the file itself with "
      "`type` and the options in the query. Rows are applied in the order of the file. Needs the "
      "write scope of the type. An account may have at most 10 unfinished imports.",
      {.parameters = parameters(), .problems = {Code::import_queue_full, Code::file_unreadable}});
  described.upload = upload();
  for (const auto& type : types()) described.further_scopes.push_back(write_scopes(type).front());
  return described;
}

}  // namespace

std::vector<operations::Operation> operation_table() {
  using operations::Access;
  using operations::Method;
  const auto job = import_operations();
  return {
      {Method::get, "/imports/", Access::scope("imports:read"), files::list<Slice>,
       job.list("listImports", "Get import list",
                "Newest first. An import is deleted 30 days after its end.",
                files::list_filters(types()))},
      {Method::post, "/imports/", Access::scope("imports:write"), create, create_operation()},
      {Method::get, "/imports/{id}", Access::scope("imports:read"), files::get<Slice>,
       job.get(
           "getImport", "Get import detail by Id",
           "Includes a link to the report of its failed rows, if there are any and the caller may "
           "read the data.")},
      {Method::delete_, "/imports/{id}", Access::scope("imports:delete"), files::remove<Slice>,
       job.remove("deleteImport", "Delete import by Id",
                  "Deletes the import and its files. An unfinished import is cancelled; rows that "
                  "were written stay.")},
      {Method::post, "/manage/imports/{id}/cancel", Access::scope("manage-imports:write"),
       files::cancel<Slice>,
       job.change("cancelImport", "Cancel an import",
                  "Cancels an unfinished import. Its worker stops within a second; rows that were "
                  "written stay. An import that has ended stays unchanged: see its status.")}};
}

std::optional<files::Offer> offered(const jobs::Job& job) {
  const Import made = import_of(job);
  if (!made.state.report_file) return std::nullopt;
  std::vector<std::string> scopes = read_scopes(made.type);
  scopes.emplace_back("imports:read");
  return files::Offer{.file = *made.state.report_file,
                      .name = report_name_of(made),
                      .media_type = "text/csv; charset=utf-8",
                      .etag = "",
                      .scopes = std::move(scopes)};
}

}  // namespace shopbell::imports
