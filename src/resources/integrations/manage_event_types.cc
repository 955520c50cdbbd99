#include "resources/integrations/manage_event_types.h"

#include "base/limits.h"
#include "operations/conditions.h"
#include "operations/output.h"
#include "operations/write.h"
#include "outgoing/signing_secret.h"
#include "outgoing/target.h"
#include "resources/integrations/event_type_json.h"
#include "resources/integrations/event_type_store.h"
#include "resources/integrations/event_types_operations.h"
#include "resources/webhooks/webhook_store.h"

namespace shopbell::integrations {

namespace {

using Answer = boost::asio::awaitable<operations::Output>;

operations::Output answer_of(const EventType& type, const json::Reading& reading) {
  return operations::resource_output(event_type_json(), type, tag_of(type), reading);
}

Answer change(operations::Input input, net::OutsideRules outside) {
  json::Reading reading = input.reading();
  const auto changes = event_type_json().read_patch(input.body(), reading);
  reading.finish();
  pg::Group reads;
  read_event_type(reads, input.account(), input.path("id"));
  co_return co_await operations::write(
      input, std::move(reads),
      [input, changes, reading, outside](const operations::Premises& premises, pg::Group& effect) {
        const auto before = found_event_type(premises.results[0]);
        if (!before) throw missing_event_type();
        operations::check_conditions(input, tag_of(*before));
        json::Reading judged = reading;
        EventType after = *before;
        changes.apply_to(after);
        check_change(judged, *before, after);
        if (after.direction == before->direction) settle(judged, after);
        settle_status(*before, after);
        outgoing::settle_moved_headers(judged, before->url.value_or(""), after.url.value_or(""),
                                       before->headers, after.headers, changes.names("headers"));
        if (after.sends() && after.url && after.url != before->url)
          outgoing::check_url(judged, *after.url, outside);
        const bool other_delivery = changes_delivery(*before, after);
        if (other_delivery) input.require_scope(outgoing::kScope);
        judged.finish();
        if (!other_delivery &&
            event_type_json().to_json(after) == event_type_json().to_json(*before))
          return answer_of(*before, judged);
        outgoing::seal_headers(input.keyring(), input.account(), after.id, after.headers);
        after.updated_at = premises.now;
        update_event_type(effect, input.account(), after);
        if (after.status != before->status)
          webhooks::set_endpoint_state(effect, input.account(), after.id, after.status == "enabled",
                                       premises.now);
        ++after.version;
        return answer_of(after, judged);
      });
}

Answer rotate(operations::Input input) {
  input.require_scope(outgoing::kScope);
  pg::Group reads;
  read_event_type(reads, input.account(), input.path("id"));
  co_return co_await operations::write(
      input, std::move(reads), [input](const operations::Premises& premises, pg::Group& effect) {
        auto type = found_event_type(premises.results[0]);
        if (!type) throw missing_event_type();
        if (!type->sends())
          throw Problem{Code::not_found,
                        "An event type with direction receive has no signing secret."};
        operations::check_conditions(input, tag_of(*type));
        type->signing_secret = outgoing::new_signing_secret();
        type->updated_at = premises.now;
        rotate_secret(effect, input.account(), *type,
                      input.keyring().seal(*type->signing_secret,
                                           outgoing::secret_context(input.account(), type->id)));
        ++type->version;
        return operations::resource_output(created_event_type_json(), *type, tag_of(*type));
      });
}

}  // namespace

std::vector<operations::Operation> manage_event_type_routes(const net::OutsideRules& outside) {
  using operations::Method;
  const auto write = operations::Access::scope("manage-custom-event-types:write");
  const std::string one = "/manage/custom-event-types/{id}";
  const std::vector<std::string> further_scopes{std::string{outgoing::kScope}};
  const auto type = event_type_operations();
  return {
      {Method::patch, one, write,
       [outside](operations::Input input) { return change(input, outside); },
       type.change("changeCustomEventType", "Change a custom event type",
                   "Changes name, URL, headers or status, adds optional fields or options, or "
                   "widens limits. Members that cannot change may be sent unchanged. The path "
                   "takes an id or alias.",
                   {.body = operations::patch_body(event_type_json(), R"({"name":"Points used"})"),
                    .further_scopes = further_scopes})},
      {Method::post, one + "/rotate-secret", write, rotate,
       type.with_answer(created_event_type_json())
           .change("rotateSigningSecret", "Rotate the signing secret of a custom event type",
                   "Only this answer shows the new secret. The previous one stays valid for 24 "
                   "hours.",
                   {.further_scopes = further_scopes})}};
}

}  // namespace shopbell::integrations
