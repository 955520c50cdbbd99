// Proof: a program that tests a promise by causing failures. Each proof has a name, a description
// and a function that returns its verdict. tools/prove runs it and, at full size, writes its
// figures into docs/promises.md.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace shopbell::proofs {

struct Setting {
  bool quick = false;                     // run only a smoke test of a few seconds
  std::uint64_t seed = 0;                 // seed of all random choices of the proof
  std::optional<std::int64_t> size = {};  // instead of the full size, of proofs that have a size
  std::filesystem::path checkout;
  std::filesystem::path binary;
  int seeds = 0;                   // of `simulate`: how many runs; 0: as many as the size asks for
  int days = 0;                    // of `simulate`: the virtual time of a run; 0: as the size says
  std::string without;             // of `simulate`: a mechanism to remove
  std::filesystem::path previous;  // the previous release's binary; if empty, `binary` is used
};

struct Verdict {
  bool holds = false;
  std::string figures;  // a summary such as "50 restarts, slowest recovery 0.41 s, …"
};

struct Proof {
  std::string name;
  std::string promise;  // the promise to users
  std::string how;      // one sentence on how the proof tests it
  Verdict (*run)(const Setting& setting);
  // Paths of the code that the proof tests. `tools/prove --all --changed` runs the proof after a
  // change there, in its own file, or in code that all proofs share.
  std::vector<std::string> code;
};

// Prints progress, overwriting one line of the terminal.
void progress(const std::string& text);

Verdict database_restart(const Setting& setting);
Verdict edge(const Setting& setting);
Verdict isolation(const Setting& setting);
Verdict idempotency(const Setting& setting);
Verdict field_rounds(const Setting& setting);
Verdict consent(const Setting& setting);
Verdict merge(const Setting& setting);
Verdict erasure(const Setting& setting);
Verdict forget_account(const Setting& setting);
Verdict kill_writes(const Setting& setting);
Verdict event_order(const Setting& setting);
Verdict money(const Setting& setting);
Verdict retries(const Setting& setting);
Verdict coupons(const Setting& setting);
Verdict since(const Setting& setting);
Verdict round_trip(const Setting& setting);
Verdict import_kill(const Setting& setting);
Verdict noisy_neighbour(const Setting& setting);
Verdict full_disk(const Setting& setting);
Verdict upgrade(const Setting& setting);
Verdict restore(const Setting& setting);
Verdict ssrf(const Setting& setting);
Verdict log(const Setting& setting);
Verdict long_snapshot(const Setting& setting);
Verdict webhooks(const Setting& setting);
Verdict backlog(const Setting& setting);
Verdict intake(const Setting& setting);
Verdict stream(const Setting& setting);
Verdict siege(const Setting& setting);
Verdict many_stores(const Setting& setting);
Verdict calendar(const Setting& setting);
Verdict timers(const Setting& setting);
Verdict simulate(const Setting& setting);
Verdict abandoned_cart(const Setting& setting);
Verdict live_edit(const Setting& setting);

}  // namespace shopbell::proofs
