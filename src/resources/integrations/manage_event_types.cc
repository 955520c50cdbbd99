#include "resources/integrations/manage_event_types.h"

#include "base/limits.h"
#include "http/answer.h"
#include "http/conditions.h"
#include "http/write.h"
#include "outgoing/signing_secret.h"
#include "outgoing/target.h"
#include "resources/integrations/event_type_json.h"
#include "resources/integrations/event_type_store.h"
#include "resources/integrations/event_types_api.h"

namespace shopbell::integrations {

namespace {

using Answer = boost::asio::awaitable<http::Response>;

http::Response answer_of(const EventType& type, const json::Reading& reading) {
  return http::resource_answer(event_type_json(), type, tag_of(type), reading);
}

Answer change(http::Call call, net::OutsideRules outside) {
  json::Reading reading = call.reading();
  const auto changes = event_type_json().read_patch(call.body(), reading);
  reading.finish();
  pg::Group reads;
  read_event_type(reads, call.account(), call.path("id"));
  co_return co_await http::write(
      call, std::move(reads),
      [call, changes, reading, outside](const http::Premises& premises, pg::Group& effect) {
        const auto before = found_event_type(premises.results[0]);
        if (!before) throw missing_event_type();
        http::check_conditions(call, tag_of(*before));
        json::Reading judged = reading;
        EventType after = *before;
        changes.apply_to(after);
        check_change(judged, *before, after);
        if (after.direction == before->direction) settle(judged, after);
        if (changes.names("headers"))
          outgoing::settle_headers(judged, before->headers, after.headers);
        if (after.sends() && after.url && after.url != before->url)
          outgoing::check_url(judged, *after.url, outside);
        judged.finish();
        const bool other_delivery = changes_delivery(*before, after);
        if (other_delivery) call.require_scope(outgoing::kScope);
        if (!other_delivery &&
            event_type_json().to_json(after) == event_type_json().to_json(*before))
          return answer_of(*before, judged);
        outgoing::seal_headers(call.keyring(), call.account(), after.id, after.headers);
        after.updated_at = premises.now;
        update_event_type(effect, call.account(), after);
        ++after.version;
        return answer_of(after, judged);
      });
}

Answer rotate(http::Call call) {
  call.require_scope(outgoing::kScope);
  pg::Group reads;
  read_event_type(reads, call.account(), call.path("id"));
  co_return co_await http::write(
      call, std::move(reads), [call](const http::Premises& premises, pg::Group& effect) {
        auto type = found_event_type(premises.results[0]);
        if (!type) throw missing_event_type();
        if (!type->sends())
          throw Problem{Code::not_found, "The event type receives: it has no signing secret."};
        http::check_conditions(call, tag_of(*type));
        type->signing_secret = outgoing::new_signing_secret();
        type->updated_at = premises.now;
        rotate_secret(effect, call.account(), *type,
                      call.keyring().seal(*type->signing_secret,
                                          outgoing::secret_context(call.account(), type->id)));
        ++type->version;
        return http::resource_answer(created_event_type_json(), *type, tag_of(*type));
      });
}

http::Operation type_operation(std::string id, std::string summary, std::string description) {
  return {.id = std::move(id),
          .tag = "Custom integrations",
          .summary = std::move(summary),
          .description = std::move(description),
          .versioned = true,
          .problems = {Code::not_found},
          .further_scopes = {std::string{outgoing::kScope}}};
}

http::Operation change_type_operation() {
  http::Operation described = type_operation(
      "changeCustomEventType", "Change a custom event type",
      "Name, URL, headers, new optional fields and options, wider limits. What cannot "
      "change may be sent as it is. By id or alias.");
  described.answer_name = event_type_json().name();
  described.answer = event_type_json().answer_schema();
  described.body = http::Body{.name = "CustomEventTypePatch",
                              .schema = event_type_json().patch_schema(),
                              .example = R"({"name":"Points used"})"};
  return described;
}

http::Operation rotate_operation() {
  http::Operation described = type_operation(
      "rotateSigningSecret", "Rotate the signing secret of a custom event type",
      "The answer shows the new one, once. The one before stays valid for 24 hours.");
  described.answer_name = created_event_type_json().name();
  described.answer = created_event_type_json().answer_schema();
  return described;
}

}  // namespace

std::vector<http::Route> manage_event_type_routes(const net::OutsideRules& outside) {
  const auto write = http::Access::scope("manage-custom-event-types:write");
  const std::string one = "/manage/custom-event-types/{id}";
  return {{http::Method::patch, one, write,
           [outside](http::Call call) { return change(call, outside); }, change_type_operation()},
          {http::Method::post, one + "/rotate-secret", write, rotate, rotate_operation()}};
}

}  // namespace shopbell::integrations
