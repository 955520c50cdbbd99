// Every limit of the service, on one page. Past a limit the caller is told; nothing grows without
// end.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

namespace shopbell::limits {

using std::chrono::milliseconds;
using std::chrono::seconds;

// Requests
inline constexpr std::size_t kPathBytes = std::size_t{8} * 1024;     // 414 path-too-long
inline constexpr std::size_t kHeaderBytes = std::size_t{32} * 1024;  // 431 headers-too-large
inline constexpr std::size_t kBodyBytes = std::size_t{1024} * 1024;  // 413 body-too-large
inline constexpr std::size_t kPathSegments = 16;
inline constexpr std::size_t kRequestIdBytes = 128;
inline constexpr auto kRequestDeadline =
    seconds{5};  // from the last byte of a request to its answer

// Uploads: bodies that are read while they come in
inline constexpr std::size_t kUploadBytes =
    std::size_t{1024} * 1024 * 1024;                                 // 413; unpacked as much
inline constexpr std::size_t kUploadBlock = std::size_t{64} * 1024;  // in memory of one at a time
inline constexpr std::size_t kUploadPace =
    std::size_t{32} * 1024;  // at least so much within each kBodyTimeout, or 408
inline constexpr auto kUploadMost = std::chrono::hours{6};     // from its head to its last byte
inline constexpr auto kUploadRenewal = seconds{30};            // its file is told to be wanted
inline constexpr auto kUploadLease = std::chrono::minutes{2};  // then a file without a job goes
inline constexpr std::size_t kBoundaryCharacters = 70;         // RFC 2046, 5.1.1
inline constexpr std::size_t kFormParts = 16;
inline constexpr std::size_t kFormHeaderBytes = std::size_t{8} * 1024;  // of one part
inline constexpr std::size_t kFormFieldBytes =
    std::size_t{64} * 1024;  // of one that is not the file

// Compression
inline constexpr std::size_t kCompressFrom = 1024;  // answers below it are not worth the work
inline constexpr std::size_t kInflationFree =
    std::size_t{1024} * 1024;                        // up to here any ratio goes
inline constexpr std::size_t kInflationRatio = 100;  // past it: no bombs

// Texts
inline constexpr std::size_t kTextCharacters = 255;  // of one line, unless a field says otherwise
inline constexpr std::size_t kPhoneBytes = 64;       // of a number as somebody writes it

// Lists
inline constexpr std::int64_t kPageDefault = 50;
inline constexpr std::int64_t kPageMost = 500;

// Writes
inline constexpr std::size_t kIdempotencyKeyBytes = 255;
inline constexpr auto kIdempotencyKept = std::chrono::days{7};
inline constexpr int kWriteAttempts = 20;  // of a write whose premises others keep changing
inline constexpr auto kWritePause = milliseconds{5};  // before the next attempt, at most

// Requests per second, unless the operator gives an account or a key others
inline constexpr std::int64_t kRatePerSecond = 100;
inline constexpr std::int64_t kRateBurst = 200;
inline constexpr std::int64_t kLinesAsRequest = 100;  // in the bucket that bulk bodies draw from
inline constexpr double kFailuresPerSecond = 5;       // failed authentications by one address
inline constexpr double kFailuresBurst = 50;
inline constexpr std::size_t kRateBuckets = 100'000;   // remembered at most; the idle go first
inline constexpr auto kExchangeInterval = seconds{1};  // between processes

// What an account may hold
inline constexpr std::int64_t kContactFields = 500;
inline constexpr std::int64_t kIndexedContactFields = 20;
inline constexpr std::int64_t kFieldTextCharacters = 5000;
inline constexpr std::size_t kFieldOptions = 500;
inline constexpr std::int64_t kApiKeys = 200;
inline constexpr std::size_t kFieldSets = 10'000;  // accounts whose fields a process remembers

// Contacts
inline constexpr std::int64_t kContactTags = 200;
inline constexpr std::int64_t kExternalIdCharacters = 256;
inline constexpr std::size_t kConsentsSent = 50;     // in one request
inline constexpr std::int64_t kConsentsShown = 100;  // of a history, the newest
inline constexpr std::int64_t kWordingCharacters = 5000;
inline constexpr auto kClockSkew = std::chrono::minutes{5};  // a consent may lie in the future by
inline constexpr std::size_t kSearchKeyBytes = 400;          // of a name, as lists look for it
inline constexpr std::size_t kFacetBytes = 256;         // longer values are found by their hash
inline constexpr std::int64_t kEventsForgotten = 1000;  // with an erasure; the rest after it
inline constexpr std::size_t kTimelineKinds = 20;       // asked for at once: each is looked up

// Products and purchases
inline constexpr std::int64_t kStoreIdCharacters = 256;  // of the store's own ids
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

// CSV files, unless their reader is given others
inline constexpr std::size_t kCsvCellBytes = std::size_t{256} * 1024;
inline constexpr std::size_t kCsvRowBytes = kBodyBytes;  // what one request may say of a thing
inline constexpr std::size_t kCsvColumns = 1000;

// Custom events
inline constexpr std::size_t kEventBytes = std::size_t{256} * 1024;
inline constexpr std::size_t kEventLinesBytes = 8 * kBodyBytes;  // of many, one a line
inline constexpr std::size_t kEventLines = 10'000;
inline constexpr std::int64_t kEventIdCharacters = 128;
inline constexpr auto kEventAhead = std::chrono::hours{24};  // an event may lie in the future by
inline constexpr std::size_t kEventsPerStatement = 500;

// Custom integrations and event types
inline constexpr std::int64_t kIntegrations = 200;
inline constexpr std::int64_t kEventTypes = 500;
inline constexpr std::int64_t kDescriptionCharacters = 5000;
inline constexpr std::size_t kEventFields = 200;  // of a type, at all depths together
inline constexpr int kEventFieldDepth = 5;
inline constexpr std::size_t kEventFieldBytes = std::size_t{64} * 1024;  // of their JSON
inline constexpr std::size_t kEventListItems = 500;
inline constexpr std::size_t kEventHeaders = 20;  // that go with what a type sends
inline constexpr std::int64_t kHeaderValueCharacters = 2048;
inline constexpr auto kPreviousSecretValid = std::chrono::hours{24};  // after a rotation
inline constexpr std::size_t kEventTypeSets = 1000;      // accounts whose types a process remembers
inline constexpr std::size_t kUntypedNumberBytes = 400;  // of a number no field describes
inline constexpr int kUntypedNumberExponent = 308;       // PostgreSQL's numbers hold more

// Coupons
inline constexpr std::int64_t kCouponSets = 1000;  // of an account
inline constexpr std::int64_t kCouponsPerSet = 1'000'000;
inline constexpr std::int64_t kCouponsAdded = 10'000;  // in one request
inline constexpr std::size_t kCouponCodeCharacters = 64;

// Templates and workflows
inline constexpr std::int64_t kTemplates = 1000;  // of an account
inline constexpr std::int64_t kWorkflows = 1000;
inline constexpr std::size_t kUsersShown = 1000;  // workflows that use something
inline constexpr std::size_t kWorkflowNodes = 200;
inline constexpr std::int64_t kWorkflowTags = 50;
inline constexpr std::size_t kWorkflowEdges = 50;  // of one node, and terms of one condition

// Connections
inline constexpr std::size_t kConnectionsPerLoop = 20'000;
inline constexpr auto kHeadTimeout = seconds{10};  // first byte of a request to the end of its head
inline constexpr auto kBodyTimeout = seconds{30};  // end of the head to the end of the body
inline constexpr auto kIdleTimeout = seconds{75};  // a kept connection without a request
inline constexpr auto kWriteTimeout = seconds{30};  // a client that does not read its answer
inline constexpr auto kLingerTimeout = seconds{2};  // reading on after the last answer
inline constexpr auto kSweepInterval = milliseconds{100};
inline constexpr auto kCertificateCheck = seconds{2};  // between two looks at the TLS files

// JSON
inline constexpr int kJsonDepth = 32;
inline constexpr std::size_t kFaults =
    100;  // told at once; a body with more has nothing to learn from them

// PostgreSQL
inline constexpr std::size_t kGroupsPerConnection = 4096;  // unanswered groups; past it 503
inline constexpr std::size_t kStatementsPerGroup = 64;
inline constexpr std::size_t kGroupsPerCommit = 64;  // of different callers, in one transaction
inline constexpr auto kQueryTimeout = milliseconds{2000};
inline constexpr auto kLockTimeout = milliseconds{50};
inline constexpr auto kStallTimeout =
    seconds{15};  // groups wait and nothing comes back: the connection is dead
inline constexpr auto kConnectTimeout = milliseconds{3000};
inline constexpr auto kReconnectFirst = milliseconds{50};
inline constexpr auto kReconnectMost = milliseconds{1000};
inline constexpr std::size_t kExclusivePerLoop = 8;
inline constexpr std::size_t kExclusivePerAccount = 4;  // of them, so that no store takes them all
inline constexpr auto kExclusiveLockTimeout = milliseconds{1500};

// Requests to other servers
inline constexpr std::size_t kOutboundConnections = 16;  // per loop; past it requests wait
inline constexpr auto kOutboundTime = milliseconds{30'000};
inline constexpr auto kOutboundConnectTime = milliseconds{5'000};
inline constexpr auto kOutboundStall = seconds{20};  // nothing moves: the server is gone
inline constexpr std::size_t kOutboundAnswerBytes = std::size_t{1024} * 1024;
inline constexpr std::size_t kOutboundPieceBytes = std::size_t{256} * 1024;  // of an answer's body

// S3
inline constexpr std::size_t kS3PartBytes = std::size_t{8} * 1024 * 1024;   // of an upload
inline constexpr std::size_t kS3RangeBytes = std::size_t{4} * 1024 * 1024;  // of a download
inline constexpr auto kS3CallTime = milliseconds{120'000};
inline constexpr auto kS3Patience = seconds{30};  // with a server that fails or cannot be reached
inline constexpr auto kS3PauseFirst = milliseconds{100};
inline constexpr auto kS3PauseMost = milliseconds{5000};

// Keys
inline constexpr auto kKeyCache = milliseconds{900};  // so a revoked key is dead within a second
inline constexpr std::size_t kKeyCacheEntries = 10'000;

// Upkeep
inline constexpr auto kUpkeepInterval = std::chrono::minutes{1};
inline constexpr std::int64_t kUpkeepBatch = 1000;

// Events
inline constexpr auto kEventsKept = std::chrono::days{400};
inline constexpr int kEventMonthsAhead = 2;  // partitions made beside this month's
inline constexpr auto kPartitionInterval = std::chrono::hours{1};

// The log: events as its readers see them
inline constexpr auto kTickInterval = milliseconds{10};  // between two ticks while events come
inline constexpr auto kTickIdle = milliseconds{200};     // between two looks while none do
inline constexpr auto kLogHeartbeat = seconds{1};        // of a process; leases live by it
inline constexpr auto kLogLease = seconds{4};        // after the last heartbeat others take over
inline constexpr auto kLogProgress = seconds{1};     // until progress without effects is told
inline constexpr auto kLogTransaction = seconds{5};  // of a reader, a tick or a heartbeat
inline constexpr std::int64_t kLogPage = 2000;     // events that a reader takes in one transaction
inline constexpr std::int64_t kLogAhead = 16'000;  // read ahead; or taken without statements
inline constexpr std::int64_t kLogReadBytes =
    std::int64_t{16} * 1024 * 1024;                           // of payloads, at once
inline constexpr std::int64_t kTicksMerged = 3000;            // that a reader behind takes as one
inline constexpr auto kTicksKept = std::chrono::minutes{10};  // behind the slowest reader
inline constexpr auto kLogPauseMost = seconds{2};             // of a reader whose transaction fails
inline constexpr std::size_t kParkedReasonBytes = 1000;

// Webhooks
inline constexpr std::int64_t kWebhooks = 100;               // endpoints of an account
inline constexpr std::size_t kWebhookKinds = 100;            // that one endpoint names
inline constexpr std::size_t kWebhookHeaders = 20;           // sent along
inline constexpr auto kDeliveryTime = milliseconds{15'000};  // for an endpoint's answer
inline constexpr auto kDeliveryLease = seconds{30};          // then another process sends it
inline constexpr std::size_t kDeliveriesAtOnce = 256;        // under way in one process
inline constexpr std::size_t kDeliveriesPerEndpoint = 8;     // of them, to different contacts
inline constexpr std::size_t kDeliveriesPerAccount = 64;
inline constexpr auto kDeliveryPoll = milliseconds{250};  // between two looks for what is due
inline constexpr auto kDeliveryPauseFirst = seconds{5};   // after the first failure, then longer
inline constexpr auto kDeliveryPauseMost = std::chrono::hours{6};
inline constexpr auto kDeliveryTries = std::chrono::days{3};     // then it has failed
inline constexpr auto kDeliveryHolds = std::chrono::minutes{5};  // the contact's later ones back
inline constexpr auto kRetryAfterMost = std::chrono::hours{24};
inline constexpr auto kEndpointDead = std::chrono::hours{24};  // nothing but failures: paused
inline constexpr auto kDeliveriesKept = std::chrono::days{30};
inline constexpr std::int64_t kReplayRows = 5'000;       // gone through in one transaction
inline constexpr std::int64_t kWaitingCounted = 10'000;  // of one endpoint

// Kafka
inline constexpr int kStreamPartitions = 64;        // of the topic: a log's group of lanes each
inline constexpr int kIntakePartitions = 3;         // one for each broker: events go together
inline constexpr auto kKafkaPatience = seconds{5};  // for what brokers say of a topic
inline constexpr auto kKafkaFarewell = seconds{1};  // for the last reports of a producer that goes
inline constexpr std::size_t kKafkaMessages = 200'000;  // of a producer, not delivered yet
inline constexpr std::size_t kKafkaBytes = std::size_t{256} * 1024 * 1024;   // the same
inline constexpr std::size_t kKafkaFetched = std::size_t{64} * 1024 * 1024;  // not looked at yet
inline constexpr std::size_t kKafkaMessageBytes = 8 * kBodyBytes;
inline constexpr auto kKafkaKept = std::chrono::days{7};  // in a topic that the service makes
inline constexpr auto kKafkaLook = seconds{30};           // between two at a topic
inline constexpr auto kKafkaLookSoon = seconds{1};        // while it cannot be used

// Intake: custom events through Kafka
inline constexpr auto kIntakeGiveUp = milliseconds{2'000};  // then a request asks the database
inline constexpr auto kIntakeLinger = milliseconds{20};     // an event waits for others to go with
inline constexpr std::size_t kIntakeTogether = 2'000;       // events in one transaction
inline constexpr auto kIntakeQuiet = milliseconds{250};     // a read waits for the first of them
inline constexpr auto kIntakePause = milliseconds{500};     // after trouble
inline constexpr std::size_t kRejectedTogether = 50;        // in one round trip
inline constexpr auto kKeysWithoutDatabase = std::chrono::minutes{2};  // a good one stays good

// Jobs
inline constexpr std::size_t kJobsAtOnce = 2;             // in one process
inline constexpr auto kJobPoll = milliseconds{250};       // between two looks for work
inline constexpr auto kJobHeartbeat = milliseconds{500};  // progress told, cancelling heard
inline constexpr auto kJobLease = seconds{5};      // after the last heartbeat others take over
inline constexpr std::int64_t kJobAttempts = 100;  // then it ends as an error
inline constexpr auto kJobsKept = std::chrono::days{30};  // a record after its end
inline constexpr auto kJobHandBack = seconds{3};          // for that, when the process stops

// Exports
inline constexpr std::int64_t kExportsUnfinished = 5;         // of an account; past it 429
inline constexpr auto kExportsKept = std::chrono::days{7};    // a file after its end
inline constexpr auto kLinkValid = std::chrono::minutes{15};  // of a download
inline constexpr std::size_t kExportColumns = 600;
inline constexpr std::int64_t kWatermarkBytes = 65'536;  // names every transaction under way
inline constexpr auto kWatermarkValid = std::chrono::days{390};     // less than events are kept
inline constexpr std::size_t kCopyBlock = std::size_t{256} * 1024;  // of rows on their way

// Imports
inline constexpr std::int64_t kImportsUnfinished = 10;      // of an account; past it 429
inline constexpr auto kImportsKept = std::chrono::days{7};  // a file and a report, at most
inline constexpr std::size_t kImportErrorsShown = 20;       // the report has all
inline constexpr std::size_t kImportErrorBytes = 1000;      // of what one says, and of where
inline constexpr std::size_t kFileNameCharacters = 255;
inline constexpr std::size_t kImportRows = 1000;  // in one transaction
inline constexpr std::size_t kImportChunkBytes = std::size_t{1024} * 1024;
inline constexpr std::size_t kImportRequests = 100;   // in one, of what is done one by one
inline constexpr auto kImportDeadline = seconds{60};  // of one transaction

// Files
inline constexpr std::size_t kStorageThreads = 2;
inline constexpr std::size_t kDownloadBlock = std::size_t{256} * 1024;

// Stopping
inline constexpr auto kDrainIdle =
    seconds{1};  // kept connections without a request are closed after this
inline constexpr auto kDrainMost = seconds{10};  // then the process ends, whatever is left

}  // namespace shopbell::limits
