// All limits of the service. Beyond a limit the caller gets an error: no queue, cache or buffer
// grows without bound.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

namespace shopbell::limits {

using std::chrono::milliseconds;
using std::chrono::seconds;

// Requests
inline constexpr std::size_t kPathBytes = std::size_t{8} * 1024;     // a longer path gets 414
inline constexpr std::size_t kHeaderBytes = std::size_t{32} * 1024;  // longer headers get 431
inline constexpr std::size_t kBodyBytes = std::size_t{1024} * 1024;  // a larger body gets 413
inline constexpr std::size_t kPathSegments = 16;
inline constexpr std::size_t kRequestIdBytes = 128;
inline constexpr auto kRequestDeadline = seconds{5};  // from a request's last byte to its answer

// Memory of one process for long heads, bodies and large answers; beyond it the caller gets 503.
inline constexpr std::size_t kRequestMemory = std::size_t{256} * 1024 * 1024;
// The share of one account, and of all requests without a key together.
inline constexpr std::size_t kRequestMemoryShare = kRequestMemory / 4;
inline constexpr std::size_t kHeadFree = std::size_t{8} * 1024;     // smaller heads are free
inline constexpr std::size_t kAnswerFree = std::size_t{64} * 1024;  // smaller answers are free

// Uploads: streamed bodies. Their byte limit also holds after decompression.
inline constexpr std::size_t kUploadBytes = std::size_t{1024} * 1024 * 1024;  // 413 if larger
inline constexpr std::size_t kUploadBlock = std::size_t{64} * 1024;           // buffer of an upload
// An upload that sends less than this within kBodyTimeout gets 408.
inline constexpr std::size_t kUploadPace = std::size_t{32} * 1024;
inline constexpr auto kUploadMost = std::chrono::hours{6};  // maximum duration of an upload
inline constexpr auto kUploadRenewal = seconds{30};         // an upload renews its lease this often
// When its lease expires, an uploaded file without a job is deleted.
inline constexpr auto kUploadLease = std::chrono::minutes{2};
inline constexpr std::size_t kBoundaryCharacters = 70;  // the maximum in RFC 2046, 5.1.1
inline constexpr std::size_t kFormParts = 16;
inline constexpr std::size_t kFormHeaderBytes = std::size_t{8} * 1024;  // headers of one part
inline constexpr std::size_t kFormFieldBytes = std::size_t{64} * 1024;  // a part that is no file

// Compression
inline constexpr std::size_t kCompressFrom = 1024;  // smaller answers are sent uncompressed
// Against decompression bombs: up to this size any compression ratio is allowed.
inline constexpr std::size_t kInflationFree = std::size_t{1024} * 1024;
inline constexpr std::size_t kInflationRatio = 100;  // maximum ratio beyond kInflationFree

// Texts
inline constexpr std::size_t kTextCharacters = 255;  // default maximum of a single-line text
inline constexpr std::size_t kPhoneBytes = 64;       // a phone number as entered

// Lists
inline constexpr std::int64_t kPageDefault = 50;
inline constexpr std::int64_t kPageMost = 500;

// Writes
inline constexpr std::size_t kIdempotencyKeyBytes = 255;
inline constexpr auto kIdempotencyKept = std::chrono::days{7};
inline constexpr int kWriteAttempts = 20;  // attempts of a write that conflicts with other writes
inline constexpr auto kWritePause = milliseconds{5};  // maximum backoff, times the attempt number

// Rate limits: defaults that the operator can override per account or key
inline constexpr std::int64_t kRatePerSecond = 100;
inline constexpr std::int64_t kRateBurst = 200;
inline constexpr std::int64_t kLinesAsRequest = 100;  // lines of a bulk body that cost one token
inline constexpr double kFailuresPerSecond = 5;       // failed authentications per client address
inline constexpr double kFailuresBurst = 50;
inline constexpr std::int64_t kAnonymousPerSecond = 50;  // requests without a key, per address
inline constexpr std::int64_t kAnonymousBurst = 500;
inline constexpr std::size_t kRateBuckets = 100'000;   // beyond it, idle buckets are evicted
inline constexpr auto kExchangeInterval = seconds{1};  // processes exchange their usage this often

// Objects per account
inline constexpr std::int64_t kContactFields = 500;
inline constexpr std::int64_t kIndexedContactFields = 20;
inline constexpr std::int64_t kFieldTextCharacters = 5000;
inline constexpr std::size_t kFieldOptions = 500;
inline constexpr std::int64_t kApiKeys = 200;
inline constexpr std::size_t kFieldCacheBytes = std::size_t{64} * 1024 * 1024;  // size in a process

// Contacts
inline constexpr std::int64_t kContactTags = 200;
inline constexpr std::int64_t kExternalIdCharacters = 256;
inline constexpr std::size_t kConsentsSent = 50;     // maximum per request
inline constexpr std::int64_t kConsentsShown = 100;  // newest entries kept in a history
inline constexpr std::int64_t kWordingCharacters = 5000;
inline constexpr auto kClockSkew = std::chrono::minutes{5};  // tolerated lead of a consent's time
inline constexpr std::size_t kSearchKeyBytes = 400;          // indexed prefix of a normalized name
inline constexpr std::size_t kFacetBytes = 256;         // longer values are indexed by their hash
inline constexpr std::int64_t kEventsForgotten = 1000;  // events erased at once; the rest follows
inline constexpr std::size_t kTimelineKinds = 20;       // kinds per query; each costs a lookup

// Products and purchases
inline constexpr std::int64_t kStoreIdCharacters = 256;  // length of the store's own ids
inline constexpr std::size_t kProductBytes = 4 * kBodyBytes;
inline constexpr std::size_t kAttributes = 100;
inline constexpr std::int64_t kAttributeCharacters = 1000;
inline constexpr std::int64_t kDescriptionBytes = 65'535;
inline constexpr std::int64_t kCategories = 50;
inline constexpr std::int64_t kProductTags = 200;
inline constexpr std::int64_t kRelatedProducts = 50;
inline constexpr std::size_t kVariants = 2048;
inline constexpr std::size_t kTranslations = 100;
inline constexpr std::size_t kPrices = 200;
inline constexpr std::size_t kPurchaseLines = 500;
inline constexpr std::size_t kRefunds = 100;
inline constexpr std::int64_t kCouponCodes = 20;
inline constexpr std::int64_t kTrackingUrls = 20;

// CSV files: defaults of the reader
inline constexpr std::size_t kCsvCellBytes = std::size_t{256} * 1024;
inline constexpr std::size_t kCsvRowBytes = kBodyBytes;  // the same limit as for a request body
inline constexpr std::size_t kCsvColumns = 1000;

// Custom events
inline constexpr std::size_t kEventBytes = std::size_t{256} * 1024;
inline constexpr std::size_t kEventLinesBytes = 8 * kBodyBytes;  // a bulk body: one event per line
inline constexpr std::size_t kEventLines = 10'000;
inline constexpr std::int64_t kEventIdCharacters = 128;
inline constexpr auto kEventAhead = std::chrono::hours{24};  // how far ahead an event may be dated
inline constexpr std::size_t kEventsPerStatement = 500;

// Custom integrations and event types
inline constexpr std::int64_t kIntegrations = 200;
inline constexpr std::int64_t kEventTypes = 500;
inline constexpr std::int64_t kDescriptionCharacters = 5000;
inline constexpr std::size_t kEventFields = 200;  // per event type, all depths together
inline constexpr int kEventFieldDepth = 5;
inline constexpr std::size_t kEventFieldBytes = std::size_t{64} * 1024;  // all fields, as JSON
inline constexpr std::size_t kEventListItems = 500;
inline constexpr std::size_t kEventHeaders = 20;  // custom headers per sending event type
inline constexpr std::int64_t kHeaderValueCharacters = 2048;
inline constexpr auto kPreviousSecretValid = std::chrono::hours{24};  // valid after a rotation
inline constexpr std::size_t kEventTypeCacheBytes = std::size_t{64} * 1024 * 1024;  // per process
inline constexpr std::size_t kUntypedNumberBytes = 400;  // a number whose field is unknown
inline constexpr int kUntypedNumberExponent = 308;       // PostgreSQL's numeric allows more

// Coupons
inline constexpr std::int64_t kCouponSets = 1000;  // maximum per account
inline constexpr std::int64_t kCouponsPerSet = 1'000'000;
inline constexpr std::int64_t kCouponsAdded = 10'000;  // maximum per request
inline constexpr std::size_t kCouponCodeCharacters = 64;

// Templates
inline constexpr std::int64_t kTemplates = 1000;         // maximum per account
inline constexpr std::int64_t kTemplateVersions = 1000;  // per template, the draft included
inline constexpr std::size_t kTemplateLocales = 50;
inline constexpr std::size_t kTemplateBytes = 2 * kBodyBytes;    // body with all locales
inline constexpr std::int64_t kTemplateCharacters = 512 * 1024;  // HTML, text or MJML of a locale
inline constexpr std::int64_t kSubjectCharacters = 1000;         // source of subject or preheader
inline constexpr std::size_t kShownMailBytes = std::size_t{102} * 1024;  // Gmail hides the rest

// Workflows
inline constexpr std::int64_t kWorkflows = 1000;
inline constexpr std::size_t kUsersShown = 1000;  // workflows listed as users of an object
inline constexpr std::size_t kWorkflowNodes = 200;
inline constexpr std::int64_t kWorkflowTags = 50;
inline constexpr std::size_t kWorkflowEdges = 50;  // maximum per node; also terms per condition

// Connections
inline constexpr std::size_t kConnectionsPerLoop = 20'000;
inline constexpr std::size_t kConnectionsPerAddress = 1'000;  // per process, unless configured
inline constexpr auto kHeadTimeout = seconds{10};  // first byte of a request to the end of its head
inline constexpr auto kBodyTimeout = seconds{30};  // end of a head to the end of its body
inline constexpr auto kIdleTimeout = seconds{75};  // keep-alive connection without a request
inline constexpr auto kWriteTimeout = seconds{30};  // for a client that does not read its answer
inline constexpr auto kLingerTimeout = seconds{2};  // time to discard input after the last answer
inline constexpr auto kSweepInterval = milliseconds{100};
inline constexpr auto kCertificateCheck = seconds{2};  // polling interval of the TLS files

// JSON
inline constexpr int kJsonDepth = 32;
inline constexpr std::size_t kFaults = 100;  // reported per request; further faults are dropped

// PostgreSQL
inline constexpr std::size_t kGroupsPerConnection = 4096;  // in flight; beyond it callers get 503
inline constexpr std::size_t kStatementsPerGroup = 64;
inline constexpr std::size_t kGroupsPerCommit = 64;  // callers' groups in one transaction
inline constexpr auto kQueryTimeout = milliseconds{2000};
inline constexpr auto kLockTimeout = milliseconds{50};
inline constexpr auto kStallTimeout = seconds{15};  // a connection silent for this long is closed
inline constexpr auto kConnectTimeout = milliseconds{3000};
inline constexpr auto kReconnectFirst = milliseconds{50};
inline constexpr auto kReconnectMost = milliseconds{1000};
inline constexpr std::size_t kExclusivePerLoop = 8;
inline constexpr std::size_t kExclusivePerAccount = 4;  // leaves connections for other accounts
inline constexpr auto kExclusiveLockTimeout = milliseconds{1500};

// Requests to other servers
inline constexpr std::size_t kOutboundConnections = 16;  // per event loop; beyond it requests queue
inline constexpr auto kOutboundTime = milliseconds{30'000};
inline constexpr auto kOutboundConnectTime = milliseconds{5'000};
inline constexpr auto kOutboundStall = seconds{20};  // a request that transfers nothing fails
inline constexpr std::size_t kOutboundAnswerBytes = std::size_t{1024} * 1024;
inline constexpr std::size_t kOutboundPieceBytes = std::size_t{256} * 1024;  // buffer of an answer

// S3
inline constexpr std::size_t kS3PartBytes = std::size_t{8} * 1024 * 1024;   // upload part
inline constexpr std::size_t kS3RangeBytes = std::size_t{4} * 1024 * 1024;  // download range
inline constexpr auto kS3CallTime = milliseconds{120'000};
inline constexpr auto kS3Patience = seconds{30};  // total retry time of one call
inline constexpr auto kS3PauseFirst = milliseconds{100};
inline constexpr auto kS3PauseMost = milliseconds{5000};

// Keys
inline constexpr auto kKeyCache = milliseconds{900};  // a revoked key fails within one second
inline constexpr std::size_t kKeyCacheBytes = std::size_t{32} * 1024 * 1024;  // size in one loop

// Maintenance
inline constexpr auto kUpkeepInterval = std::chrono::minutes{1};
inline constexpr std::int64_t kUpkeepBatch = 1000;
inline constexpr auto kUpkeepBudget = seconds{5};  // time of one round of a chore
inline constexpr auto kUpkeepPause = seconds{1};   // before the next round of an unfinished chore
inline constexpr auto kUpkeepRetry = seconds{10};  // pause after a failure
inline constexpr auto kUsageInterval = seconds{20};
// Maximum number of transactions whose events one statement counts.
inline constexpr std::int64_t kUsageTransactions = 20'000;

// Deletion of accounts
inline constexpr auto kAccountGrace = std::chrono::days{30};  // default, before rows are deleted
inline constexpr auto kAccountGraceMost = std::chrono::days{365};
// Longer than any write of a request or reader that began before the account was suspended.
inline constexpr auto kAccountSettles = seconds{10};
inline constexpr auto kDeletionInterval = seconds{1};
inline constexpr auto kDeletionBudget = milliseconds{500};  // time of one round of deletions

// Events
inline constexpr auto kEventsKept = std::chrono::days{400};
inline constexpr int kEventMonthsAhead = 2;  // monthly partitions created in advance

// Event log
inline constexpr auto kTickInterval = milliseconds{10};  // between ticks while events arrive
inline constexpr auto kTickIdle = milliseconds{200};     // polling interval while no events arrive
inline constexpr auto kLogHeartbeat = seconds{1};        // renews the leases of a process
inline constexpr auto kLogLease = seconds{4};     // others take over this long after a heartbeat
inline constexpr auto kLogProgress = seconds{1};  // progress without effects is saved this often
inline constexpr int kAutomationPipelines = 4;  // concurrent transactions of workflows per process
inline constexpr std::size_t kDefinitionCacheBytes = 64U << 20U;  // compiled workflows per process
inline constexpr std::size_t kWorkflowBytes = 16U << 10U;  // memory of a compiled workflow, about
inline constexpr std::int64_t kReactPage = 500;  // inputs per transaction of a reader with `react`
inline constexpr std::int64_t kClaimContacts = 500;    // messages that a claim looks for
inline constexpr std::int64_t kSchedulePage = 8000;    // contacts of a schedule in one transaction
inline constexpr auto kScheduleInterval = seconds{1};  // between polls for schedules that are due
inline constexpr std::size_t kWakePage = 500;          // waiting runs that one transaction wakes
inline constexpr auto kClaimInterval = seconds{1};     // between polls for messages that are due
inline constexpr auto kTimerWindow = seconds{10};  // how far ahead a reader looks for its timers
inline constexpr auto kBusyPause =
    milliseconds{100};  // before lanes are tried again whose rows were locked
inline constexpr auto kLogTransaction = seconds{5};  // timeout of readers, ticks and heartbeats
inline constexpr std::int64_t kLogPage = 2000;  // events per transaction of a reader with effects
// Events to prefetch; also the page size of a reader without effects.
inline constexpr std::int64_t kLogAhead = 16'000;
inline constexpr std::int64_t kLogReadBytes = std::int64_t{16} * 1024 * 1024;  // payloads per read
// Ids that a read looks through for each event that it may return: readers of few accounts, or of
// few lanes, skip most events.
inline constexpr std::int64_t kLogIdsPerEvent = 8;
inline constexpr std::int64_t kTicksMerged = 3000;  // ticks that a lagging reader takes as one
inline constexpr auto kTicksKept = std::chrono::minutes{10};  // history behind the slowest reader
// After this time without a process that has it, a reader is dropped: it would keep all ticks.
inline constexpr auto kReaderUnused = std::chrono::days{3};
// A shorter step of the database's clock is normal.
inline constexpr double kClockSetBackSeconds = 1;
inline constexpr auto kLogPauseMost = seconds{2};  // maximum backoff after failed transactions
inline constexpr std::size_t kParkedReasonBytes = 1000;

// Webhooks
inline constexpr std::int64_t kWebhooks = 100;               // endpoints per account
inline constexpr std::size_t kWebhookKinds = 100;            // event kinds per endpoint
inline constexpr std::size_t kWebhookHeaders = 20;           // custom headers per endpoint
inline constexpr auto kDeliveryTime = milliseconds{15'000};  // timeout of an endpoint's answer
inline constexpr auto kDeliveryLease = seconds{30};          // on expiry another process may send
inline constexpr std::size_t kDeliveriesAtOnce = 256;        // in flight per process
inline constexpr std::size_t kDeliveriesPerEndpoint = 8;     // in flight, for different contacts
inline constexpr std::size_t kDeliveriesPerAccount = 64;
inline constexpr auto kDeliveryPoll = milliseconds{250};  // between polls for due deliveries
inline constexpr auto kDeliveryPauseFirst = seconds{5};   // backoff after the first failure
inline constexpr auto kDeliveryPauseMost = std::chrono::hours{6};
inline constexpr auto kDeliveryTries = std::chrono::days{3};  // deliveries are retried this long
// While a delivery fails, the contact's later deliveries wait for it this long.
inline constexpr auto kDeliveryHolds = std::chrono::minutes{5};
inline constexpr auto kRetryAfterMost = std::chrono::hours{24};
// After this time with failures only, the endpoint is paused.
inline constexpr auto kEndpointDead = std::chrono::hours{24};
inline constexpr auto kDeliveriesKept = std::chrono::days{30};
inline constexpr std::int64_t kReplayRows = 5'000;      // rows scanned per transaction
inline constexpr auto kWaitingEvery = seconds{15};      // between counts of due deliveries
inline constexpr std::int64_t kWaitingCounted = 1'000;  // counted due deliveries per endpoint
inline constexpr std::size_t kWaitingEndpoints = 100;   // endpoints counted; others are estimated
// After this many failures in a row an endpoint gets one attempt at a time, with growing pauses.
inline constexpr std::int64_t kFailuresInRow = 8;
inline constexpr auto kEndpointPauseFirst = seconds{1};
inline constexpr auto kEndpointPauseMost = seconds{30};
inline constexpr std::size_t kFailingAtOnce = 128;  // in flight to failing endpoints, per process
inline constexpr auto kNextDueEvery = seconds{30};  // between updates of a next due time
// A transaction that makes a delivery due usually commits within this time.
inline constexpr auto kDueCommit = seconds{10};

// Keyring
inline constexpr auto kRingMargin = std::chrono::hours{1};     // for clock errors and late restarts
inline constexpr auto kCursorValid = std::chrono::days{1};     // of a cursor, after a key rotation
inline constexpr auto kAnswersKept = std::chrono::days{7};     // stored for an Idempotency-Key
inline constexpr auto kRehashPause = std::chrono::minutes{1};  // between attempts, per API key
inline constexpr std::size_t kDependentsShown = 20;  // API keys in the refusal to retire a key

// Kafka
inline constexpr int kStreamPartitions = 64;        // one per lane group of the event log
inline constexpr int kIntakePartitions = 3;         // one per broker: few, for large batches
inline constexpr auto kKafkaPatience = seconds{5};  // timeout of admin requests about a topic
inline constexpr auto kKafkaFarewell = seconds{1};  // a closing producer awaits delivery reports
inline constexpr std::size_t kKafkaMessages = 200'000;  // undelivered messages per producer
inline constexpr std::size_t kKafkaBytes = std::size_t{256} * 1024 * 1024;   // undelivered bytes
inline constexpr std::size_t kKafkaFetched = std::size_t{64} * 1024 * 1024;  // prefetch buffer
inline constexpr std::size_t kKafkaMessageBytes = 8 * kBodyBytes;
inline constexpr auto kKafkaKept = std::chrono::days{7};  // retention of topics the service creates
inline constexpr auto kKafkaLook = seconds{30};           // between checks of a topic
inline constexpr auto kKafkaLookSoon = seconds{1};        // between checks of an unusable topic

// Intake: custom events through Kafka
inline constexpr auto kIntakeGiveUp = milliseconds{2'000};  // timeout; then the database is used
inline constexpr auto kIntakeLinger = milliseconds{20};     // time an event waits to join a batch
inline constexpr std::size_t kIntakeTogether = 2'000;       // events per transaction
inline constexpr auto kIntakeQuiet = milliseconds{250};     // time a read waits for its first event
inline constexpr auto kIntakePause = milliseconds{500};     // backoff after an error
inline constexpr std::size_t kRejectedTogether = 50;        // inserts per round trip
inline constexpr auto kIntakePauseMost = seconds{10};       // maximum backoff, unexpected errors
// Unsigned messages are accepted until no process that sends them was seen for this long. Such a
// process may send events for kKeysWithoutDatabase after its last heartbeat.
inline constexpr auto kUnsignedQuiet = std::chrono::minutes{10};
// The numbers of senders, which mark a replayed message as a duplicate, are kept this long.
inline constexpr auto kSendersKept = std::chrono::days{35};
// With an intake, a cached key stays valid this long while the database is unavailable.
inline constexpr auto kKeysWithoutDatabase = std::chrono::minutes{2};

// Jobs
inline constexpr std::size_t kJobsAtOnce = 2;             // running jobs of a kind per process
inline constexpr auto kJobPoll = milliseconds{250};       // between polls for jobs
inline constexpr auto kJobHeartbeat = milliseconds{500};  // saves progress, checks for cancellation
inline constexpr auto kJobLease = seconds{5};      // others take over this long after a heartbeat
inline constexpr std::int64_t kJobAttempts = 100;  // after this many attempts the job fails
inline constexpr auto kJobsKept = std::chrono::days{30};  // retention of finished jobs
inline constexpr auto kJobHandBack = seconds{3};          // shutdown timeout for releasing jobs

// Exports
inline constexpr std::int64_t kExportsUnfinished = 5;         // per account; beyond it 429
inline constexpr auto kExportsKept = std::chrono::days{7};    // retention of an export's file
inline constexpr auto kLinkValid = std::chrono::minutes{15};  // validity of a download link
inline constexpr std::size_t kExportColumns = 600;
inline constexpr std::int64_t kWatermarkBytes = 65'536;  // a watermark lists transactions in flight
inline constexpr auto kWatermarkValid = std::chrono::days{390};     // must be less than kEventsKept
inline constexpr std::size_t kCopyBlock = std::size_t{256} * 1024;  // rows buffered during a copy

// Imports
inline constexpr std::int64_t kImportsUnfinished = 10;      // per account; beyond it 429
inline constexpr auto kImportsKept = std::chrono::days{7};  // maximum retention of file and report
inline constexpr std::size_t kImportErrorsShown = 20;       // the error report has all errors
inline constexpr std::size_t kImportErrorBytes = 1000;      // detail of one error, and its pointer
inline constexpr std::size_t kFileNameCharacters = 255;
inline constexpr std::size_t kImportRows = 1000;  // rows per transaction
inline constexpr std::size_t kImportChunkBytes = std::size_t{1024} * 1024;
inline constexpr std::size_t kImportRequests = 100;   // per transaction, for rows written singly
inline constexpr auto kImportDeadline = seconds{60};  // deadline of one transaction

// Files
inline constexpr std::size_t kStorageThreads = 2;
inline constexpr std::size_t kDownloadBlock = std::size_t{256} * 1024;

// Shutdown
inline constexpr auto kDrainIdle = seconds{1};   // idle connections are closed after this time
inline constexpr auto kDrainMost = seconds{10};  // the process exits after this time in any case

}  // namespace shopbell::limits
