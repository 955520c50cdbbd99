// Maker: fills accounts through the API. For any route it finds, from the route table alone, the
// operation that creates the object in the route's path. It sends that operation's example with its
// own strings and returns the object's path.
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
  std::string path;                 // path of the route that the object was made for
  std::vector<std::string> values;  // values of that path's parameters
  std::string etag;                 // ETag of the creation's response; may be empty
  std::string answer;               // body of the creation's response
  std::string sent;                 // body of the creation's request
};

// Returns the members of the route's body that hold ids of other objects of the same kind.
std::vector<std::string> naming_members(const Route& route);

// Creates objects through the API. Thread-safe.
class Maker {
 public:
  using Send = std::function<Reply(const Ask& ask)>;
  // Inserts an event of that type that was queued and rejected; returns its id.
  using Reject = std::function<std::string(const Account& account, const std::string& type,
                                           const std::string& mark)>;
  Maker(const Catalogue& catalogue, Send send, Reject reject)
      : catalogue_{catalogue}, send_{std::move(send)}, reject_{std::move(reject)} {}

  // Creates an object at a path of the route. A route without parameters needs no object. Returns
  // nullopt if no operation creates such objects. `mark` becomes part of the object's strings.
  std::optional<Object> make(const Account& account, const Route& route, const std::string& mark);
  // Like `make`, but with the given body, to create the same object in another account.
  std::optional<Object> make_from(const Account& account, const Route& route,
                                  const std::string& body);

  // Returns a request that succeeds, with its own object and body.
  std::optional<Ask> good_request(const Account& account, const Route& route,
                                  const std::string& mark);

  // Fills an empty list below an object with more than a page of two.
  void fill_list(const Account& account, const Route& route, const Object& object,
                 const std::string& mark);

  // Returns the route's example with `mark` in every string that accepts it.
  std::string marked_body(const Account& account, const Route& route, const std::string& path,
                          const std::string& mark);
  // Returns a unique mark of lower-case letters and digits.
  std::string next_mark(const std::string& prefix);

  // Returns the operation that creates the object in the route's path, or null.
  const Route* creator_of(const Route& route) const;

  // Returns the errors that occurred while creating objects, with the service's response.
  std::vector<std::string> troubles();

 private:
  // Fills the members of the body that name other objects of the same kind. Returns false if these
  // objects cannot be created.
  bool name_others(const Account& account, const Route& route, std::string& body);
  std::string trial_of(const Account& account, const std::string& below);
  Object rejected_of(const Account& account, const Route& route, const std::string& mark);
  std::optional<Object> run_of(const Account& account, const Route& route, const std::string& mark);
  void add_versions(const Account& account, const std::string& list);
  void change_contact(const Account& account, const Object& contact, const std::string& mark);

  struct Made {
    Reply reply;
    Ask ask;
    std::vector<std::string> parents;  // values of the parameters in the creator's path
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
  std::map<const Route*, std::set<std::string>>
      fixed_;  // strings of each example that must not change
  std::set<const Route*> learnt_;
  std::set<std::string> troubles_;
};

// Returns a function that inserts rejected events through the stage's database connection.
Maker::Reject rejecting(Stage& stage);

// Returns a request for the operation at that path, with a key and the example body.
Ask request_of(const Route& route, const std::string& path, const std::string& key);

}  // namespace shopbell::proofs
