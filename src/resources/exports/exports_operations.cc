#include "resources/exports/exports_operations.h"

#include <algorithm>
#include <format>

#include "base/limits.h"
#include "jobs/job_store.h"
#include "operations/resource_operations.h"
#include "operations/write.h"
#include "resources/exports/export_filters.h"
#include "resources/exports/export_json.h"
#include "resources/exports/export_query.h"
#include "resources/exports/export_rules.h"
#include "resources/exports/report.h"
#include "resources/files/file_link.h"
#include "resources/files/job_operations.h"

namespace shopbell::exports {

namespace {

using files::Answer;

struct Slice {
  using Made = Export;
  static constexpr const char* kKind = kJobKind;
  static constexpr const char* kMissing = "There is no export of that id.";
  static const json::Table<Export>& table() { return export_json(); }
  static Export shown(const operations::Input& input, const jobs::Job& job) {
    Export made = export_of(job);
    if (made.moment) made.watermark = watermark_of(input.keyring(), job.account, *made.moment);
    if (made.status == "finished" && input.caller().may_all(read_scopes(made)))
      made.file_url = files::link_to(input, made.id, made.file_name, made.expires_at);
    return made;
  }
  static void leave_out(Export& made) { made.file_url.reset(); }
};

// Buyer identifiers need the scope contacts:read; without it the export leaves them out.
void require_scopes(const operations::Input& input, Export& request) {
  if (request.type == "purchases" && request.columns.empty() &&
      !input.caller().may("contacts:read"))
    request.columns = columns_without_contact(request);
  for (const auto& scope : read_scopes(request)) input.require_scope(scope);
}

void refuse_more(std::int64_t unfinished) {
  if (unfinished < limits::kExportsUnfinished) return;
  throw Problem{
      Code::export_queue_full,
      std::format("{} exports are unfinished, which is the limit. Retry when one has ended.",
                  unfinished)}
      .with_header("Retry-After", "5");
}

jobs::Job job_of(const operations::Input& input, const Export& request, Instant now) {
  jobs::Job job;
  job.account = input.account();
  job.id = Uuid::v7(now);
  job.kind = kJobKind;
  job.type = request.type;
  job.options = options_of(request);
  job.key = input.caller().key();
  job.queued_at = job.updated_at = now;
  return job;
}

// Checks a parsed request against the store's data, and queues it.
Answer queue(operations::Input input, json::Reading reading, Export request) {
  require_scopes(input, request);
  pg::Group reads;
  jobs::read_unfinished(reads, input.account(), kJobKind);
  read_names(reads, input.account(), request);
  co_return co_await operations::write(
      input, std::move(reads),
      [input, request, reading](const operations::Premises& premises, pg::Group& effect) {
        json::Reading judged = reading;
        Export resolved = request;
        resolve_names(judged, resolved, premises.results.subspan(1), input.keyring(),
                      input.account(), premises.now);
        judged.finish();
        refuse_more(jobs::found_unfinished(premises.results[0]));
        const jobs::Job job = job_of(input, resolved, premises.now);
        jobs::add_job(effect, job, limits::kExportsUnfinished);
        operations::Output output = files::answer_of<Slice>(export_of(job), judged);
        return operations::created(input, std::move(output),
                                   std::format("/exports/{}", job.id.to_string()));
      });
}

Answer create(operations::Input input) {
  json::Reading reading = input.reading();
  Export request = read_request(input.body(), reading);
  reading.finish();
  co_return co_await queue(input, std::move(reading), std::move(request));
}

Answer create_report(operations::Input input) {
  json::Reading reading = input.reading();
  Export request = read_report(input.body(), reading, input.clock().now());
  reading.finish();
  co_return co_await queue(input, std::move(reading), std::move(request));
}

std::string media_type_of(const Export& made) {
  if (made.compression == "gzip") return "application/gzip";
  if (made.compression == "zip") return "application/zip";
  return made.is_ndjson() ? "application/x-ndjson" : "text/csv; charset=utf-8";
}

}  // namespace

std::vector<operations::Operation> operation_table() {
  using operations::Access;
  using operations::Method;
  const auto job =
      operations::ResourceOperations{
          .tag = "Exports", .tag_description = "Rows of the store as files.", .hashed = true}
          .with_answer(export_json());
  return {
      {Method::get, "/exports/", Access::scope("exports:read"), files::list<Slice>,
       job.list("listExports", "Get export list",
                "Newest first. An export is deleted 30 days after its end.",
                files::list_filters(all_types()))},
      {Method::post, "/exports/", Access::scope("exports:write"), create,
       job.create("createExport", "Create export",
                  "Queues an export: one consistent state of the store as a file. Needs the read "
                  "scope of the type. An account may have at most 5 unfinished exports.",
                  {.body = operations::body_of(new_export_json()),
                   .problems = {Code::contact_not_found, Code::export_queue_full},
                   .further_scopes = {"contacts:read", "products:read", "purchases:read",
                                      "coupon-sets:read", "exports:read", "imports:read"}})},
      {Method::post, "/exports/type/data-explorer", Access::scope("exports:write"), create_report,
       job.create(
           "createDataExplorerExport", "Create data explorer export",
           "Queues a report of purchases, products sold, contact growth, events, workflows or "
           "coupons, by day, week or month. A report is an export with a row per period. Needs the "
           "read "
           "scopes of the data.",
           {.body = operations::body_of(new_report_json()),
            .problems = {Code::contact_not_found, Code::export_queue_full},
            .further_scopes = {"contacts:read", "products:read", "purchases:read", "workflows:read",
                               "coupon-sets:read"}})},
      {Method::get, "/exports/{id}", Access::scope("exports:read"), files::get<Slice>,
       job.get(
           "getExport", "Get export detail by Id",
           "Includes a link to its file, once the export has finished, if the caller may read the "
           "data.")},
      {Method::delete_, "/exports/{id}", Access::scope("exports:delete"), files::remove<Slice>,
       job.remove("deleteExport", "Delete export by Id",
                  "Deletes the export and its file. An unfinished export is cancelled. Links to "
                  "the file stop working.")},
      {Method::post, "/manage/exports/{id}/cancel", Access::scope("manage-exports:write"),
       files::cancel<Slice>,
       job.change("cancelExport", "Cancel an export",
                  "Cancels an unfinished export. Its worker stops within a second. An export that "
                  "has ended stays unchanged: see its status.")}};
}

std::optional<files::Offer> offered(const jobs::Job& job) {
  const Export made = export_of(job);
  if (!made.file) return std::nullopt;
  std::vector<std::string> scopes = read_scopes(made);
  scopes.emplace_back("exports:read");
  return files::Offer{.file = *made.file,
                      .name = made.file_name,
                      .media_type = media_type_of(made),
                      .etag = '"' + *made.sha256 + '"',
                      .scopes = std::move(scopes)};
}

}  // namespace shopbell::exports
