import { ceilings, costs, facts } from "./costs.ts";

/** A load to size for. The rates are peak rates. */
export interface Load {
  readonly stores: number;
  readonly certificates: number;
  readonly changesPerSecond: number;
  /** Pages of 50 certificates. */
  readonly pagesPerSecond: number;
}

/**
 * The resources that a load needs; those of `database` and `nats` are per server. `coresUsed` is the work at the peak;
 * `cores` and `replicas` include a reserve.
 */
interface Estimate {
  readonly edge: ServiceSize;
  readonly registry: ServiceSize;
  readonly notifier: ServiceSize;
  readonly database: {
    readonly coresUsed: number;
    readonly cores: number;
    readonly memoryGb: number;
    readonly diskGb: number;
  };
  readonly nats: { readonly coresUsed: number; readonly cores: number; readonly diskGb: number };
}

/** The size of a service. A replica is one process, which uses at most one core. */
interface ServiceSize {
  readonly coresUsed: number;
  readonly replicas: number;
}

const microsPerSecond = 1_000_000;
const bytesPerGb = 1_000_000_000;
const daySeconds = 86_400;
// The stream must have room for the messages of an outage this long.
const natsBacklogSeconds = 3_600;
// Ratio of a day's peak rate to its average rate.
const peakToAverage = 3;

/** Computes the resources for a load from the cost of each operation, assuming one message per change. */
export function estimate({ certificates, changesPerSecond: changes, pagesPerSecond: pages }: Load): Estimate {
  const coresOf = (micros: number) => micros / microsPerSecond;
  const edge = coresOf(pages * costs.pageEdge.value);
  const registry = coresOf(
    pages * costs.pageRegistry.value + changes * (costs.changeRegistry.value + costs.deliveryRegistry.value),
  );
  const notifier = coresOf(changes * costs.deliveryNotifier.value);
  const database = coresOf(
    pages * costs.pageDatabase.value + changes * (costs.changeDatabase.value + costs.deliveryDatabase.value),
  );
  const { documents, indexes } = bytesOnDisk(certificates, changes);
  const nats = coresOf(changes * costs.messageNats.value);
  return {
    edge: serviceSize(edge),
    registry: serviceSize(registry),
    notifier: serviceSize(notifier),
    database: {
      coresUsed: database,
      cores: withReserve(database, 2),
      // For the indexes, a fifth of the documents, and the server itself (2 GB).
      memoryGb: Math.max(4, roundUp((indexes + documents / 5) / bytesPerGb + 2)),
      // Twice the data, which leaves room for index builds, the oplog and growth.
      diskGb: Math.max(20, roundUp((2 * (documents + indexes)) / bytesPerGb)),
    },
    nats: {
      coresUsed: nats,
      cores: withReserve(nats, 1),
      diskGb: Math.max(2, roundUp((changes * natsBacklogSeconds * costs.messageBytes.value) / bytesPerGb)),
    },
  };
}

/** A resource that more replicas do not increase without limit: CPU, memory or disk of the database, or the relays. */
interface Ceiling {
  readonly what: string;
  /** Factor by which the load can grow until it uses up the resource. */
  readonly factor: number;
}

/** Returns the ceilings of a load, in the order in which a growing load reaches them. */
export function ceilingsOf(load: Load): readonly Ceiling[] {
  const { database } = estimate(load);
  const { documents, indexes } = bytesOnDisk(load.certificates, load.changesPerSecond);
  const memoryGb = (indexes + documents / 5) / bytesPerGb;
  return [
    { what: "database CPU", factor: (ceilings.databaseCores.value * facts.utilization) / database.coresUsed },
    { what: "database memory", factor: ceilings.databaseMemoryGb.value / memoryGb },
    { what: "database disk", factor: ceilings.databaseDiskGb.value / ((2 * (documents + indexes)) / bytesPerGb) },
    { what: "relay", factor: ceilings.relayPerSecond.value / load.changesPerSecond },
  ].toSorted((a, b) => a.factor - b.factor);
}

function bytesOnDisk(certificates: number, changesPerSecond: number) {
  const events = certificates * facts.eventsPerCertificate;
  const deliveries = (changesPerSecond / peakToAverage) * facts.deliveryLogDays * daySeconds;
  const bson =
    certificates * costs.certificateBytes.value +
    events * costs.historyBytes.value +
    deliveries * costs.deliveryBytes.value;
  const entries =
    certificates * (facts.certificateIndexes - 1 + facts.wordsPerCertificate) +
    events * facts.historyIndexes +
    deliveries * facts.deliveryIndexes;
  return { documents: bson * costs.compression.value, indexes: entries * costs.indexEntryBytes.value };
}

function serviceSize(coresUsed: number): ServiceSize {
  return { coresUsed, replicas: withReserve(coresUsed, 2) };
}

function withReserve(coresUsed: number, atLeast: number): number {
  return Math.max(atLeast, Math.ceil(coresUsed / facts.utilization));
}

/** Rounds up to a whole number with at most two significant digits. */
function roundUp(value: number): number {
  const step = 10 ** Math.max(0, Math.floor(Math.log10(value)) - 1);
  return Math.ceil(value / step) * step;
}
