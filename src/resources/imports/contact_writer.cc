// Writes the contacts of an import file: decides a chunk of rows in memory, row by row, and writes
// the chunk in a few statements.
#include <algorithm>

#include "base/identity.h"
#include "base/problem.h"
#include "operations/trigger.h"
#include "resources/contact_fields/field_set.h"
#include "resources/contacts/contact_answer.h"
#include "resources/contacts/contact_batch.h"
#include "resources/contacts/contact_json.h"
#include "resources/contacts/contact_values.h"
#include "resources/imports/row_writer.h"

namespace shopbell::imports {

namespace {

using contacts::Contact;
using contacts::ContactBatch;
using contacts::Patch;

CellKind kind_of_field(std::string_view type) {
  if (type == "integer" || type == "decimal") return CellKind::number;
  if (type == "boolean") return CellKind::boolean;
  if (type == "choices") return CellKind::texts;
  return CellKind::text;
}

// A record of the file, parsed like the body of a request.
struct Sent {
  const Record* record = nullptr;
  json::Reading reading;
  Patch patch;
  Contact contact;  // an empty contact with the patch applied
  std::optional<std::string> email_key;
  std::optional<std::string> phone;  // phone number as E.164
  std::vector<Sha256> hashes;
  std::vector<RowError> errors;

  bool is_readable() const { return errors.empty(); }
};

template <class Value>
void remove_duplicates(std::vector<Value>& values) {
  std::ranges::sort(values);
  const auto repeated = std::ranges::unique(values);
  values.erase(repeated.begin(), repeated.end());
}

// True if the JSON is the member's value in a contact that never had one.
bool is_empty(std::string_view name, std::string_view json) {
  if (name == "points") return json == "0";
  if (name == "emailSubscription" || name == "smsSubscription") return json == "\"none\"";
  return json == "null" || json == "[]" || json == "{}";
}

// Writes the members of `sent` that are empty in `stored`. Compares each member of `fields` alone.
void write_missing(json::Writer& writer, const json::Value& sent, const json::Value& stored) {
  sent.for_each([&](std::string_view name, const json::Value& value) {
    const auto had = stored.member(name);
    if (name == "fields" && had && value.type() == json::Type::object) {
      writer.key(name).begin_object();
      write_missing(writer, value, *had);
      writer.end();
    } else if (!had || is_empty(name, had->to_json())) {
      writer.key(name).written(value.to_json());
    }
  });
}

class ContactWriter final : public RowWriter {
 public:
  explicit ContactWriter(const ImportSession& session)
      : session_{session},
        hasher_{session.keyring, session.account},
        strictness_{session.import.options.on_invalid == "cell" ? json::Strictness::lenient
                                                                : json::Strictness::strict} {}

  boost::asio::awaitable<FindKind> columns() override {
    co_await read_store();
    co_return [fields = fields_, shown = contacts::contact_json().schema(),
               sent = contacts::contact_json().patch_schema()](
                  const Path& path) -> std::optional<CellKind> {
      if (path.front() != "fields") return kind_in(shown, sent, path);
      const auto* field = path.size() == 2 ? fields->find(path[1]) : nullptr;
      if (field == nullptr) return std::nullopt;
      return kind_of_field(field->type);
    };
  }

  std::size_t batch_size(std::span<const Record> records) const override { return records.size(); }

  boost::asio::awaitable<std::optional<Plan>> plan_ahead(std::span<const Record> records) override {
    // A dry run writes nothing, so each chunk is compared only with the stored contacts.
    if (session_.import.options.dry_run) last_.reset();
    co_return co_await plan(records);
  }

  boost::asio::awaitable<void> write(std::span<const Record> records,
                                     AddProgress add_progress) override {
    last_.reset();
    Plan made = co_await plan(records);
    last_.reset();  // the next plan must not build on a plan that is not committed
    add_progress(made.judged, made.effect);
    co_await session_.database.run(std::move(made.effect), session_.scope());
  }

 private:
  boost::asio::awaitable<Plan> plan(std::span<const Record> records) {
    std::vector<Sent> sent;
    sent.reserve(records.size());
    for (const auto& record : records) sent.push_back(read(record));
    pg::Group reads;
    std::vector<Sha256> hashes = add_reads(sent, reads);
    pg::Results found = co_await session_.database.run(std::move(reads), session_.scope());
    const auto store = contacts::found_knowledge(found[1]);
    country_ = store.country;
    if (store.fields_version != fields_->version()) {
      fields_ = co_await memory_.get(session_.database, session_.scope(), store.fields_version);
    }
    auto batch = std::make_unique<ContactBatch>(
        contacts::found_contacts(found[0]),
        contacts::Knowledge{
            .account = session_.account,
            .now = store.now,
            // Consent counts from the upload, however long the import takes: a choice that a person
            // makes during the import is newer.
            .decided_at = session_.import.created_at,
            .fields = fields_.get(),
            .store_country = store.country,
            .store_currency = store.currency,
            .marks = contacts::Marks{std::move(hashes), found[2]},
            .hasher = hasher_,
            .trigger = operations::trigger_from(session_.import.options.trigger_workflows)},
        std::move(last_));
    Plan made;
    made.judged.reserve(sent.size());
    for (auto& one : sent) made.judged.push_back(judge(one, *batch));
    if (!session_.import.options.dry_run) batch->write(made.effect);
    last_ = std::move(batch);
    co_return made;
  }

  boost::asio::awaitable<void> read_store() {
    pg::Group reads;
    contacts::read_knowledge(reads, session_.account);
    const pg::Results found = co_await session_.database.run(std::move(reads), session_.scope());
    const auto store = contacts::found_knowledge(found[0]);
    country_ = store.country;
    fields_ = co_await memory_.get(session_.database, session_.scope(), store.fields_version);
  }

  Sent read(const Record& record) const {
    Sent sent{.record = &record, .reading = json::Reading{strictness_}};
    if (record.fault) {
      sent.errors.push_back(*record.fault);
      return sent;
    }
    try {
      const auto document = json::Document::parse_body(record.json);
      sent.patch = contacts::contact_json().read_patch(document.root(), sent.reading);
      sent.reading.finish();
    } catch (const Problem& problem) {
      sent.errors = errors_of(record, problem);
      return sent;
    }
    sent.patch.apply_to(sent.contact);
    if (sent.contact.email) sent.email_key = email_key(*sent.contact.email);
    if (sent.email_key) sent.hashes.push_back(hasher_.address(contacts::kEmail, *sent.email_key));
    if (sent.contact.external_id)
      sent.hashes.push_back(hasher_.external_id(*sent.contact.external_id));
    if (sent.contact.phone) sent.phone = to_e164(*sent.contact.phone, country_);
    if (sent.phone) sent.hashes.push_back(hasher_.address(contacts::kSms, *sent.phone));
    return sent;
  }

  // Reads the contacts that the rows name, the store's settings, and the suppressions and erasures
  // of their addresses. Returns the hashes of these addresses.
  std::vector<Sha256> add_reads(const std::vector<Sent>& sent, pg::Group& reads) const {
    contacts::Keys keys;
    std::vector<Sha256> hashes;
    for (const auto& one : sent) {
      if (!one.is_readable()) continue;
      if (one.email_key) keys.emails.push_back(*one.email_key);
      if (one.contact.external_id) keys.external_ids.push_back(*one.contact.external_id);
      hashes.insert(hashes.end(), one.hashes.begin(), one.hashes.end());
    }
    remove_duplicates(keys.emails);
    remove_duplicates(keys.external_ids);
    remove_duplicates(hashes);
    contacts::read_contacts(reads, session_.account, keys);
    contacts::read_knowledge(reads, session_.account);
    contacts::read_marks(reads, session_.account, hashes);
    return hashes;
  }

  Judged judge(Sent& sent, ContactBatch& batch) const {
    if (!sent.is_readable()) return {Outcome::failed, sent.errors};
    try {
      return decide(sent, batch);
    } catch (const Problem& problem) {
      return {Outcome::failed, errors_of(*sent.record, problem)};
    }
  }

  Judged decide(Sent& sent, ContactBatch& batch) const {
    const Options& options = session_.import.options;
    const Contact* existing = target(sent, batch);
    if (existing == nullptr && options.mode == "updateOnly")
      throw Problem{Code::contact_not_found, "There is no contact with these identifiers."};
    if (existing != nullptr && options.mode == "createOnly") return {};
    if (existing != nullptr && options.only_empty) keep_values(sent, *existing);
    const bool fresh = existing == nullptr;
    const bool changed = batch.change(existing, sent.patch, sent.reading, sent.hashes, sent.phone);
    Judged judged{fresh ? Outcome::created : changed ? Outcome::updated : Outcome::unchanged, {}};
    for (const auto& warning : sent.reading.warnings())
      judged.errors.push_back(error_of(sent.record->row, warning.at, warning.code, warning.detail));
    return judged;
  }

  const Contact* target(const Sent& sent, const ContactBatch& batch) const {
    const std::string& match = session_.import.options.match_by;
    const bool by_id = match == "externalId";
    const bool by_email = match == "email";
    if (by_id      ? !sent.contact.external_id
        : by_email ? !sent.email_key
                   : !sent.contact.external_id && !sent.email_key) {
      json::Reading reading;
      reading.refuse_at(by_id ? "externalId" : "email", "required",
                        "The row has no identifier to match a contact by.");
      reading.finish();
    }
    const auto found = batch.named(sent.email_key, sent.contact.external_id);
    if (found.size() > 1) throw contacts::conflict(*found[0], *found[1]);
    if (found.empty()) return nullptr;
    const Contact& one = *found.front();
    if ((by_id && one.external_id != sent.contact.external_id) ||
        (by_email && one.email_key != sent.email_key))
      throw contacts::conflict(one, one);
    return &one;
  }

  // For `onlyEmpty`: reduces the patch to members that the stored contact has no value for.
  void keep_values(Sent& sent, const Contact& stored) const {
    const auto document = json::Document::parse_body(sent.record->json);
    Contact shown = stored;
    contacts::show_fields(*fields_, shown);
    const auto had = json::Document::parse(contacts::contact_json().to_json(shown));
    json::Writer writer;
    writer.begin_object();
    write_missing(writer, document.root(), had->root());
    writer.end();
    const auto left = json::Document::parse(writer.finish());
    json::Reading again{strictness_};  // the first reading has already reported the faults
    sent.patch = contacts::contact_json().read_patch(left->root(), again);
  }

  const ImportSession session_;
  const contacts::AddressHasher hasher_;
  const json::Strictness strictness_;
  contact_fields::FieldSets memory_;
  std::shared_ptr<const contact_fields::FieldSet> fields_;
  std::string country_;
  std::unique_ptr<ContactBatch> last_;  // the previous plan's contacts, the base of the next plan
};

}  // namespace

std::unique_ptr<RowWriter> contact_writer(const ImportSession& session) {
  return std::make_unique<ContactWriter>(session);
}

}  // namespace shopbell::imports
