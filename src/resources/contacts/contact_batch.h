// ContactBatch: contacts that many rows of a file are about, as they become row by row. What was
// read of them once is all that is asked of the database; what comes of it is what comes of the
// rows one after the other.
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
  // `known.marks` are those of all the rows. What `before` came to counts as written, although the
  // database may not have shown it yet; of `before` nothing is left but that.
  ContactBatch(std::vector<Contact> found, const Knowledge& known,
               std::unique_ptr<ContactBatch> before = {});

  // Everybody the identifiers name, as they are by now.
  std::vector<const Contact*> named(const std::optional<std::string>& email_key,
                                    const std::optional<std::string>& external_id) const;

  // What a row says of one of them, or of somebody new; whether anything comes of it. Throws the
  // Problem that refuses it: then nothing has changed. `hashes` are of what the row names, `phone`
  // is its number as E.164.
  bool change(const Contact* who, const Patch& patch, json::Reading& reading,
              const std::vector<Sha256>& hashes, const std::optional<std::string>& phone);

  // All of it together, once, when there are no more rows.
  void write(pg::Group& effect);

 private:
  struct Person {
    Contact read;
    std::optional<Change> change;  // from what was read to now

    const Contact& now() const { return change ? change->after : read; }
  };
  struct Mark {
    std::optional<Suppression> now;
    bool changed = false;
  };
  using MarkKey = std::pair<std::string, Sha256>;  // a channel, an address

  void inherit(ContactBatch& before, std::vector<Contact>& found);
  Person& add(Contact contact);
  Person& person_of(const Contact& contact);
  void index(Person& person);
  void unindex(const Contact& contact);
  Marks marks_of(const std::vector<Sha256>& hashes) const;
  void note(const ConsentOutcome& consent);

  Knowledge known_;
  Marks marks_;  // as they were read
  std::deque<Person> people_;
  std::unordered_map<std::string, Person*> by_email_;
  std::unordered_map<std::string, Person*> by_external_id_;
  std::map<MarkKey, Mark> suppressions_;
};

}  // namespace shopbell::contacts
