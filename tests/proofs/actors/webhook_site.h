// WebhookSite: runs the receiver tests/proofs/actors/webhook_receiver.mjs. It creates endpoints at
// the service, passes their secrets to the receiver, and reads arrivals from the receiver's file.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "testing/process.h"
#include "tests/proofs/actors/fleet.h"

namespace shopbell::proofs {

struct Arrival {
  std::string path;
  std::string id;  // value of the webhook-id header
  std::int64_t sequence = 0;
  std::int64_t at_ms = 0;  // milliseconds since 1970
  bool is_signed = false;
  int status = 0;  // status of the receiver's response; 0 if there was none

  bool accepted() const { return status / 100 == 2; }
};

class WebhookSite {
 public:
  WebhookSite(const std::filesystem::path& checkout, std::chrono::milliseconds slowest);
  ~WebhookSite();
  WebhookSite(const WebhookSite&) = delete;
  WebhookSite& operator=(const WebhookSite&) = delete;

  // Returns settings that allow the service to call the receiver.
  std::map<std::string, std::string> environment() const;

  // Creates an endpoint at that path for events of the type `ring`; returns its id.
  std::string create_endpoint(const Fleet& fleet, const std::string& key, const std::string& path);

  // Endpoints with a path `/sink-…` only count the requests that they accept. At first they answer;
  // on request they disconnect instead.
  void set_sinks_answer(bool answer);
  std::int64_t accepted_by_sinks() const;

  // Returns all arrivals so far at the other endpoints, in order of arrival.
  std::vector<Arrival> arrivals() const;

 private:
  testing::Answer ask_control(testing::Ask ask) const;

  std::filesystem::path directory_;
  std::unique_ptr<testing::Process> receiver_;
  std::string port_;
  std::string target_port_;  // the target of redirects
  std::string control_port_;
};

// Creates an endpoint for all events that is never sent anything, so that its delivery rows stay.
// Returns its id.
std::string create_paused_endpoint(const Fleet& fleet, const std::string& key);
// Returns the endpoint's status, as in the API.
std::string status_of_endpoint(const Fleet& fleet, const std::string& key, const std::string& id);
void set_endpoint_status(const Fleet& fleet, const std::string& key, const std::string& id,
                         const std::string& status);

}  // namespace shopbell::proofs
