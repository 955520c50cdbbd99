// Maker: fills accounts through the interface itself. For any route it finds, from the table alone,
// the operation that makes what the route's path names, sends that operation's own example with
// texts of its own, and says where the object is.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "tests/proofs/actors/catalogue.h"
#include "tests/proofs/actors/raw_client.h"
#include "tests/proofs/actors/stage.h"

namespace shopbell::proofs {

struct Object {
  std::string path;                 // of the route it was made for
  std::vector<std::string> values;  // of that path's parameters
  std::string etag;                 // as its creation told; may be empty
  std::string answer;               // of its creation
  std::string sent;                 // the body it was made from
};

// The members of the route's body that hold ids: of other objects of the same kind.
std::vector<std::string> naming_members(const Route& route);

// Safe to be used by several threads.
class Maker {
 public:
  using Send = std::function<Reply(const Ask& ask)>;
  // Puts an event of that type there which was queued and rejected; its id.
  using Reject = std::function<std::string(const Account& account, const std::string& type,
                                           const std::string& mark)>;
  Maker(const Catalogue& catalogue, Send send, Reject reject)
      : catalogue_{catalogue}, send_{std::move(send)}, reject_{std::move(reject)} {}

  // A new object at a path of the route; the path itself where it has no parameters. Nothing when
  // no operation makes such a thing. `mark` is in its texts.
  std::optional<Object> make(const Account& account, const Route& route, const std::string& mark);
  // As `make`, from this very body: the same one in another account.
  std::optional<Object> make_from(const Account& account, const Route& route,
                                  const std::string& body);

  // A request that succeeds: at an object of its own, with a body of its own.
  std::optional<Ask> good_request(const Account& account, const Route& route,
                                  const std::string& mark);

  // A list below an object is empty until something is made there; this is more than a page of two.
  void fill_list(const Account& account, const Route& route, const Object& object,
                 const std::string& mark);

  // The route's example with `mark` in every text that takes it.
  std::string marked_body(const Account& account, const Route& route, const std::string& path,
                          const std::string& mark);
  // Another mark at each call: small letters and digits.
  std::string next_mark(const std::string& prefix);

  // The operation that makes what the route's path names; null when there is none.
  const Route* creator_of(const Route& route) const;

  // What went wrong while making things, in the words of the service.
  std::vector<std::string> troubles();

 private:
  // Fills the members of the body that name other objects of the same kind; false when there is no
  // way to make such.
  bool name_others(const Account& account, const Route& route, std::string& body);
  std::string trial_of(const Account& account, const std::string& below);
  Object rejected_of(const Account& account, const Route& route, const std::string& mark);
  void change_contact(const Account& account, const Object& contact, const std::string& mark);

  struct Made {
    Reply reply;
    Ask ask;
    std::vector<std::string> parents;  // values of the creator's own path
  };
  std::optional<Made> create(const Account& account, const Route& creator, const std::string& mark,
                             const std::optional<std::string>& body, const Route* wanted = nullptr);
  std::optional<Object> object_from(const Route& route, const Route& creator, const Made& made);
  std::optional<Object> listed(const Account& account, const Route& route);
  std::optional<Object> file_of(const Account& account, const std::string& mark);
  void await_job(const Account& account, const Route& route, const Object& object);
  void note(std::string trouble);

  const Catalogue& catalogue_;
  Send send_;
  Reject reject_;
  std::atomic<std::uint64_t> marks_ = 0;
  std::mutex mutex_;
  std::map<const Route*, std::set<std::string>> fixed_;  // texts of an example that must stay
  std::set<const Route*> learnt_;
  std::set<std::string> troubles_;
};

// By the hand of the stage.
Maker::Reject rejecting(Stage& stage);

// The request of an operation at a path, with a key and the body's example.
Ask request_of(const Route& route, const std::string& path, const std::string& key);

}  // namespace shopbell::proofs
