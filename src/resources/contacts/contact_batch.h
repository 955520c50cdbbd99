// ContactBatch: applies many rows of an import file to contacts in memory. The contacts are read
// once and written once; the result is the same as applying the rows one after the other.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "resources/contacts/contact_change.h"
#include "resources/contacts/contact_store.h"
#include "resources/contacts/named_contact.h"

namespace shopbell::contacts {

class ContactBatch {
 public:
  // `known.marks` are the marks of all rows. Changes of the previous batch, `before`, count as
  // written, although `found` may have been read before they were. `before` is consumed.
  ContactBatch(std::vector<Contact> found, const Knowledge& known,
               std::unique_ptr<ContactBatch> before = {});

  // Returns the contacts with these identifiers, in their current state.
  std::vector<const Contact*> named(const std::optional<std::string>& email_key,
                                    const std::optional<std::string>& external_id) const;

  // Applies a row to `who`, or to a new contact when it is null. Returns false when nothing
  // changes. A refused row throws its Problem and changes nothing. `hashes` are of the identifiers
  // in the row, `phone` is its phone number as E.164.
  bool change(const Contact* who, const Patch& patch, json::Reading& reading,
              const std::vector<Sha256>& hashes, const std::optional<std::string>& phone);

  // Adds the writes of all rows. Call it once, after the last row.
  void write(pg::Group& effect);

 private:
  struct Person {
    Contact read;
    std::optional<Change> change;  // the change from `read` to the current state

    const Contact& now() const { return change ? change->after : read; }
  };
  struct Mark {
    std::optional<Suppression> now;
    bool changed = false;
  };
  using MarkKey = std::pair<std::string, Sha256>;  // (channel, hash of the address)

  void carry_over(ContactBatch& before, std::vector<Contact>& found);
  Person& add(Contact contact);
  Person& person_of(const Contact& contact);
  void index(Person& person);
  void unindex(const Contact& contact);
  Marks marks_of(const std::vector<Sha256>& hashes) const;
  void apply_suppressions(const ConsentOutcome& consent);

  Knowledge known_;
  Marks marks_;  // suppressions and erasures as read from the database
  std::deque<Person> people_;
  std::unordered_map<std::string, Person*> by_email_;
  std::unordered_map<std::string, Person*> by_external_id_;
  std::map<MarkKey, Mark> suppressions_;
};

}  // namespace shopbell::contacts
