/**
 * Origin of a number. `measured`: by the benchmark; `stand-in`: by the benchmark, with a stand-in for MongoDB;
 * `assumed`: not measured here, so measure it on your own servers.
 */
type Source = "measured" | "stand-in" | "assumed";

/** A number that the estimates use. */
export interface Cost {
  readonly value: number;
  readonly unit: string;
  readonly source: Source;
  readonly what: string;
}

const cost = (value: number, unit: string, source: Source, what: string): Cost => ({ value, unit, source, what });

/**
 * Costs of single operations, and sizes of stored documents. The measured numbers come from `npm run bench`;
 * test/bench/RESULTS.md lists its runs. After a change, run `npm run generate`.
 */
export const costs = {
  pageEdge: cost(280, "µs", "measured", "edge CPU per page of 50 certificates"),
  pageRegistry: cost(540, "µs", "measured", "registry CPU per page of 50 certificates"),
  pageDatabase: cost(500, "µs", "assumed", "database CPU per page of 50 certificates, including admission"),
  changeRegistry: cost(1_600, "µs", "measured", "registry CPU per change"),
  changeDatabase: cost(2_100, "µs", "stand-in", "database CPU per change, without replication"),
  deliveryNotifier: cost(900, "µs", "measured", "notifier CPU per message"),
  deliveryRegistry: cost(250, "µs", "measured", "registry CPU per message"),
  deliveryDatabase: cost(600, "µs", "assumed", "database CPU per message: claim, outcome, outbox"),
  messageNats: cost(100, "µs", "assumed", "NATS CPU per message"),
  certificateBytes: cost(1_245, "bytes", "measured", "a certificate as BSON"),
  historyBytes: cost(187, "bytes", "measured", "a history entry as BSON"),
  deliveryBytes: cost(529, "bytes", "measured", "a delivery log entry as BSON"),
  messageBytes: cost(952, "bytes", "measured", "an event in the outbox or the stream"),
  indexEntryBytes: cost(40, "bytes", "assumed", "an index entry, with prefix compression"),
  compression: cost(0.5, "ratio", "assumed", "documents on disk ÷ BSON"),
} as const satisfies Record<string, Cost>;

/** Numbers that follow from the design (indexes, retention) or are assumed (events per certificate, utilization). */
export const facts = {
  certificateIndexes: 12,
  /** Assumed average number of a certificate's search words; the index `words` has an entry for each. */
  wordsPerCertificate: 13,
  historyIndexes: 2,
  deliveryIndexes: 6,
  deliveryLogDays: 30,
  /** Assumed average number of events in a certificate's life: `issued`, usually `verified`, and sometimes others. */
  eventsPerCertificate: 2.5,
  /** Share of each core that the peak load may use. */
  utilization: 0.5,
} as const;

/** Limits of one database, the relays and one store. */
export const ceilings = {
  databaseCores: cost(32, "cores", "assumed", "maximum cores of the MongoDB primary"),
  databaseDiskGb: cost(4_000, "GB", "assumed", "maximum disk per MongoDB member"),
  databaseMemoryGb: cost(256, "GB", "assumed", "maximum memory per MongoDB member"),
  /** Each of the 16 partitions has a replica of its own at best; its process uses one core. */
  relayPerSecond: cost(25_600, "1/s", "assumed", "maximum rate of events: 16 relays that publish 1,600 a second each"),
  storeChangesPerSecond: cost(1_000, "1/s", "measured", "maximum change rate per store: one change per millisecond"),
} as const;
