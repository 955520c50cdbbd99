#include "http/reference/openapi_body.h"

#include "http/wire/body.h"

namespace shopbell::http {

namespace {

void write_json(json::Writer& writer, const Operation& route) {
  const operations::Body& body = *route.description.body;
  std::vector<std::string_view> types{"application/json"};
  if (route.method == Method::patch) types.push_back("application/merge-patch+json");
  if (body.lines_bytes_max > 0) {
    writer.key("application/x-ndjson").begin_object().key("schema");
    json::write(writer, {.type = "string", .description = "Several objects, one per line."});
    writer.key("example").text(body.example + "\n" + body.example + "\n").end();
  }
  for (const auto type : types) {
    writer.key(type).begin_object().key("schema");
    json::write(writer, {.reference = body.name});
    if (!body.example.empty()) writer.key("example").json(body.example);
    writer.end();
  }
}

void write_upload(json::Writer& writer, const operations::UploadBody& upload) {
  writer.key("multipart/form-data").begin_object().key("schema");
  json::write(writer, {.reference = upload.name});
  writer.key("encoding").begin_object();
  for (const auto* members : {&upload.form.members, &upload.form.optional_members}) {
    for (const auto& [name, schema] : *members) {
      if (schema.type != "object") continue;
      writer.key(name).begin_object().key("contentType").text("application/json").end();
    }
  }
  writer.end().end();
  for (const auto& [media_type, description, example] : upload.alone) {
    writer.key(media_type).begin_object().key("schema");
    json::write(writer, {.type = "string", .description = description});
    writer.key("example").text(example).end();
  }
}

}  // namespace

void write_body(json::Writer& writer, const Operation& route) {
  if (!route.description.body && !route.description.upload) return;
  writer.key("requestBody").begin_object().key("required").boolean(!may_lack_body(route));
  writer.key("content").begin_object();
  if (route.description.body) write_json(writer, route);
  if (route.description.upload) write_upload(writer, *route.description.upload);
  writer.end().end();
}

}  // namespace shopbell::http
