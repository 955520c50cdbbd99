#include "http/problem_answer.h"

#include <algorithm>
#include <array>
#include <format>

#include "json/writer.h"

namespace shopbell::http {

namespace {

std::string_view name_of(Fault::Where where) {
  constexpr std::array<std::string_view, 3> kNames{"pointer", "parameter", "header"};
  return kNames[static_cast<std::size_t>(where)];
}

void write_kind(json::Writer& writer, const ProblemKind& kind) {
  writer.begin_object();
  writer.key("code").text(kind.name);
  writer.key("status").integer(kind.status);
  writer.key("title").text(kind.title);
  writer.key("mend").text(kind.mend);
  writer.end();
}

bool wants_html(const Call& call) { return call.request().header("accept").contains("text/html"); }

constexpr std::string_view kPage = R"(<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>{0} · Shopbell</title>
<style>body{{font:1rem/1.5 system-ui,sans-serif;max-width:40rem;margin:3rem auto;padding:0 1rem}}code{{background:#eee;padding:.1em .3em}}</style>
<h1>{1}</h1>
<p><code>{0}</code>, status {2}</p>
<p>{3}</p>
<p><a href="./">All problems</a></p>
</html>
)";

boost::asio::awaitable<Response> list_problems(Call call) {
  if (wants_html(call)) {
    std::string page =
        "<!doctype html>\n<html lang=\"en\"><meta charset=\"utf-8\"><title>Problems · "
        "Shopbell</title>\n"
        "<h1>Problems</h1>\n<ul>\n";
    for (const auto& kind : problem_kinds()) {
      page += std::format("<li><a href=\"{0}\"><code>{0}</code></a> {1}: {2}</li>\n", kind.name,
                          kind.status, kind.title);
    }
    co_return Response{.content_type = "text/html; charset=utf-8",
                       .body = page + "</ul>\n</html>\n"};
  }
  json::Writer writer;
  writer.begin_object().key("data").begin_list();
  for (const auto& kind : problem_kinds()) write_kind(writer, kind);
  writer.end().end();
  co_return Response::json(writer.finish());
}

boost::asio::awaitable<Response> explain_problem(Call call) {
  const auto kind = std::ranges::find(problem_kinds(), call.path("code"), &ProblemKind::name);
  if (kind == problem_kinds().end())
    throw Problem{Code::not_found, "There is no problem of that code."};
  if (wants_html(call)) {
    co_return Response{
        .content_type = "text/html; charset=utf-8",
        .body = std::format(kPage, kind->name, kind->title, kind->status, kind->mend)};
  }
  json::Writer writer;
  write_kind(writer, *kind);
  co_return Response::json(writer.finish());
}

}  // namespace

Response problem_answer(const Problem& problem, std::string_view base_path,
                        std::string_view instance, std::string_view request_id) {
  const ProblemKind& kind = kind_of(problem.code());
  json::Writer writer;
  writer.begin_object();
  writer.key("type").text(std::format("{}/problems/{}", base_path, kind.name));
  writer.key("title").text(kind.title);
  writer.key("status").integer(kind.status);
  writer.key("detail").text(problem.detail());
  writer.key("instance").text(instance);
  writer.key("code").text(kind.name);
  writer.key("requestId").text(request_id);
  if (!problem.faults().empty()) {
    writer.key("errors").begin_list();
    for (const auto& fault : problem.faults()) {
      writer.begin_object();
      writer.key(name_of(fault.where)).text(fault.at);
      writer.key("code").text(fault.code);
      writer.key("detail").text(fault.detail);
      writer.end();
    }
    writer.end();
  }
  writer.end();
  return {.status = kind.status,
          .content_type = "application/problem+json",
          .body = writer.finish(),
          .headers = problem.headers()};
}

json::Schema problem_schema() {
  const auto text = [](std::string description) {
    return json::Schema{.type = "string", .description = std::move(description)};
  };
  json::Schema error{
      .type = "object",
      .description = "One fault; exactly one of pointer, parameter and header is there."};
  error.members = {{"code", text("What is wrong, for programs.")},
                   {"detail", text("What is wrong, for people.")}};
  error.optional_members = {{"pointer", text("Where in the body (RFC 6901).")},
                            {"parameter", text("Which query parameter.")},
                            {"header", text("Which header.")}};
  json::Schema problem{.type = "object",
                       .description = "RFC 9457. Programs read `code`, people read `detail`."};
  problem.members = {{"type", text("Where the problem is explained.")},
                     {"title", text("What kind of problem it is.")},
                     {"status", {.type = "integer"}},
                     {"detail", text("What happened this time.")},
                     {"instance", text("The path of the request.")},
                     {"code", text("Stable name of the kind.")},
                     {"requestId", text("To find the request in the service's log.")}};
  problem.optional_members = {
      {"errors",
       {.type = "array", .description = "Every fault of the request at once.", .items = {error}}}};
  return problem;
}

std::vector<Route> problem_routes() {
  const auto page = [](std::string id, std::string path, Handler handler) {
    return Route{Method::get, std::move(path), Access::anybody(), std::move(handler),
                 Operation{.id = std::move(id), .tag = "Problems", .listed = false}};
  };
  return {page("listProblems", "/problems/", list_problems),
          page("explainProblem", "/problems/{code}", explain_problem)};
}

}  // namespace shopbell::http
