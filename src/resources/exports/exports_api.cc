#include "resources/exports/exports_api.h"

#include <algorithm>
#include <format>

#include "base/limits.h"
#include "http/write.h"
#include "jobs/job_store.h"
#include "resources/exports/export_filters.h"
#include "resources/exports/export_json.h"
#include "resources/exports/export_query.h"
#include "resources/exports/export_rules.h"
#include "resources/exports/report.h"
#include "resources/files/file_link.h"
#include "resources/files/job_routes.h"

namespace shopbell::exports {

namespace {

using files::Answer;

struct Slice {
  using Made = Export;
  static constexpr const char* kKind = kJobKind;
  static constexpr const char* kMissing = "There is no export of that id.";
  static const json::Table<Export>& table() { return export_json(); }
  static Export shown(const http::Call& call, const jobs::Job& job) {
    Export made = export_of(job);
    if (made.moment) made.watermark = watermark_of(call.keyring(), job.account, *made.moment);
    if (made.status == "finished")
      made.file_url = files::link_to(call, made.id, made.file_name, made.expires_at);
    return made;
  }
  static void leave_out(Export& made) { made.file_url.reset(); }
};

std::vector<std::string> scopes_of(const Export& wish) {
  if (wish.is_report()) return find_report(wish.report)->scopes;
  if (wish.is_person()) return {"contacts:read", "purchases:read", "coupon-sets:read"};
  if (wish.type == "products") return {"products:read"};
  if (wish.type == "purchases") return {"purchases:read"};
  if (wish.type == "coupons") return {"coupon-sets:read"};
  return {"contacts:read"};  // what happened is of contacts, mostly
}

// Who the buyers are is for keys that may read contacts.
void require_scopes(const http::Call& call, Export& wish) {
  for (const auto& scope : scopes_of(wish)) call.require_scope(scope);
  if (wish.type != "purchases") return;
  const bool named = std::ranges::any_of(
      wish.columns, [](const std::string& name) { return name.starts_with(kContact); });
  if (named) call.require_scope("contacts:read");
  if (wish.columns.empty() && !call.caller().may("contacts:read"))
    wish.columns = columns_without_contact(wish);
}

void refuse_more(std::int64_t unfinished) {
  if (unfinished < limits::kExportsUnfinished) return;
  throw Problem{
      Code::export_queue_full,
      std::format("{} exports are unfinished; that is as many as there may be.", unfinished)}
      .with_header("Retry-After", "5");
}

jobs::Job job_of(const http::Call& call, const Export& wish, Instant now) {
  jobs::Job job;
  job.account = call.account();
  job.id = Uuid::v7(now);
  job.kind = kJobKind;
  job.type = wish.type;
  job.options = options_of(wish);
  job.key = call.caller().key_id;
  job.queued_at = job.updated_at = now;
  return job;
}

// What was asked for, read and found to be right on its own.
Answer queue(http::Call call, json::Reading reading, Export wish) {
  require_scopes(call, wish);
  pg::Group reads;
  jobs::read_unfinished(reads, call.account(), kJobKind);
  read_names(reads, call.account(), wish);
  co_return co_await http::write(
      call, std::move(reads),
      [call, wish, reading](const http::Premises& premises, pg::Group& effect) {
        json::Reading judged = reading;
        Export settled = wish;
        settle_names(judged, settled, premises.results.subspan(1), call.keyring(), call.account(),
                     premises.now);
        judged.finish();
        refuse_more(jobs::found_unfinished(premises.results[0]));
        const jobs::Job job = job_of(call, settled, premises.now);
        jobs::add_job(effect, job, limits::kExportsUnfinished);
        http::Response response = files::answer_of<Slice>(export_of(job), judged);
        response.status = 201;
        response.headers.emplace_back(
            "Location", std::format("{}/exports/{}", call.base_path(), job.id.to_string()));
        return response;
      });
}

Answer create(http::Call call) {
  json::Reading reading = call.reading();
  Export wish = read_wish(call.body(), reading);
  reading.finish();
  co_return co_await queue(call, std::move(reading), std::move(wish));
}

Answer create_report(http::Call call) {
  json::Reading reading = call.reading();
  Export wish = read_report(call.body(), reading, call.clock().now());
  reading.finish();
  co_return co_await queue(call, std::move(reading), std::move(wish));
}

std::string media_type_of(const Export& made) {
  if (made.compression == "gzip") return "application/gzip";
  if (made.compression == "zip") return "application/zip";
  return made.is_ndjson() ? "application/x-ndjson" : "text/csv; charset=utf-8";
}

http::Operation operation(std::string id, std::string summary, std::string description) {
  return {.id = std::move(id),
          .tag = "Exports",
          .tag_description = "Rows of the store as files.",
          .summary = std::move(summary),
          .description = std::move(description),
          .answer_name = export_json().name(),
          .answer = export_json().answer_schema(),
          .hashed = true,
          .problems = {Code::not_found}};
}

http::Operation list_operation() {
  http::Operation described = operation("listExports", "Get export list",
                                        "Newest first. Records go 30 days after their end.");
  described.parameters = files::list_parameters(all_types());
  described.answer_name = "ExportPage";
  described.answer = http::page_schema(export_json().name());
  described.hashed = false;
  described.problems = {Code::invalid_cursor};
  return described;
}

// As it is sent, with an example.
http::Body body_of(const json::Table<Export>& table) {
  return {.name = table.name(), .schema = table.new_schema(), .example = table.example()};
}

http::Operation create_operation() {
  http::Operation described = operation(
      "createExport", "Create export",
      "Queues it: one consistent state of the store as a file. Needs the scope to read what it "
      "holds; at most 5 of an account are unfinished.");
  described.success = 201;
  described.body = body_of(new_export_json());
  described.problems = {Code::contact_not_found, Code::export_queue_full};
  described.further_scopes = {"contacts:read", "products:read", "purchases:read",
                              "coupon-sets:read"};
  return described;
}

http::Operation create_report_operation() {
  http::Operation described = operation(
      "createDataExplorerExport", "Create data explorer export",
      "Queues a report: what was bought, sold, came and went, or happened, by day, week or month. "
      "An export like the others, with a row per period. Needs the scope to read what it counts.");
  described.success = 201;
  described.body = body_of(new_report_json());
  described.problems = {Code::contact_not_found, Code::export_queue_full};
  described.further_scopes = {"contacts:read", "products:read", "purchases:read"};
  return described;
}

http::Operation delete_operation() {
  http::Operation described =
      operation("deleteExport", "Delete export by Id",
                "With its file. One that is not finished is cancelled; its links end.");
  described.success = 204;
  described.answer_name.clear();
  described.hashed = false;
  return described;
}

http::Operation cancel_operation() {
  return operation("cancelExport", "Cancel an export",
                   "It is over at once, and its worker stops within a second. One that has ended "
                   "stays as it is; the status says which.");
}

}  // namespace

std::vector<http::Route> routes() {
  using http::Access;
  using http::Method;
  return {{Method::get, "/exports/", Access::scope("exports:read"), files::list<Slice>,
           list_operation()},
          {Method::post, "/exports/", Access::scope("exports:write"), create, create_operation()},
          {Method::post, "/exports/type/data-explorer", Access::scope("exports:write"),
           create_report, create_report_operation()},
          {Method::get, "/exports/{id}", Access::scope("exports:read"), files::get<Slice>,
           operation("getExport", "Get export detail by Id",
                     "With a link to its file, once it is there.")},
          {Method::delete_, "/exports/{id}", Access::scope("exports:delete"), files::remove<Slice>,
           delete_operation()},
          {Method::post, "/manage/exports/{id}/cancel", Access::scope("manage-exports:write"),
           files::cancel<Slice>, cancel_operation()}};
}

std::optional<files::Offer> offered(const jobs::Job& job) {
  const Export made = export_of(job);
  if (!made.file) return std::nullopt;
  return files::Offer{.file = *made.file,
                      .name = made.file_name,
                      .media_type = media_type_of(made),
                      .etag = '"' + *made.sha256 + '"'};
}

}  // namespace shopbell::exports
