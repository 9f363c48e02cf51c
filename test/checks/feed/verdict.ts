import type { ToldChange } from "../runner/told.ts";
import type { Truth } from "./truth.ts";
import { matches, type StoredPage, type Version, type VersionFilter } from "./version.ts";

/** A client after its last catch-up. */
export interface CheckedClient {
  readonly name: string;
  readonly storeId: string;
  readonly filter: VersionFilter;
  readonly copy: ReadonlyMap<string, Version>;
  /** In the order in which it stored them. */
  readonly pages: readonly StoredPage[];
  readonly outOfOrder: number;
}

/** What a run is judged by. */
export interface Evidence {
  readonly truth: Truth;
  readonly clients: readonly CheckedClient[];
  /** For each store what its writers were told. */
  readonly told: ReadonlyMap<string, readonly ToldChange[]>;
}

/** What is wrong; nothing may be. */
export interface Verdict {
  /** Certificates that a client must have in their last state, but has not at all or in an older one. */
  readonly missed: number;
  /** Certificates that came to a client with an `updatedAt` that was not later than that of the one before. */
  readonly outOfOrder: number;
  /** Changes of a store with the time of another one. */
  readonly doubled: number;
  /** What a client saw or a writer was told of, and what in the end never happened. */
  readonly phantom: number;
  /** A sentence for each that was missed or is a phantom. */
  readonly findings: readonly string[];
}

/** Compares what the clients have with what is. */
export function judge({ truth, clients, told }: Evidence): Verdict {
  const missed = clients.flatMap((client) => missedBy(client, truth));
  const phantoms = [
    ...clients.flatMap((client) => phantomsOf(client, truth)),
    ...[...told].flatMap(([storeId, changes]) => lostOf(storeId, changes, truth)),
  ];
  const doubled = (times: readonly string[]) => times.length - new Set(times).size;
  return {
    missed: missed.length,
    outOfOrder: sum(clients.map(({ outOfOrder }) => outOfOrder)),
    doubled: sum(Array.from(truth.changedAt.values(), doubled)),
    phantom: phantoms.length,
    findings: [...missed, ...phantoms],
  };
}

function missedBy({ name, storeId, filter, copy, pages }: CheckedClient, truth: Truth): string[] {
  const wanted = [...certificatesOf(truth, storeId).values()].filter((version) => matches(filter, version));
  return wanted.flatMap((version) => {
    const known = copy.get(version.id);
    if (known !== undefined && known.updatedAt >= version.updatedAt) return [];
    const passing = pages.find(({ times }) => times.some((time) => time > version.updatedAt));
    return [
      `${name} missed ${text(version)} of ${storeId}: it has ${text(known)}, and passed by ${pageText(passing)}`,
    ];
  });
}

function phantomsOf({ name, storeId, copy, pages }: CheckedClient, truth: Truth): string[] {
  const certificates = certificatesOf(truth, storeId);
  const untrue = [...copy.values()].filter((known) => {
    const version = certificates.get(known.id);
    return version === undefined || (known.updatedAt >= version.updatedAt && text(known) !== text(version));
  });
  const times = timesOf(truth, storeId);
  for (const { updatedAt } of untrue) times.add(updatedAt);
  const neverWas = pages.flatMap(({ times: seen }) => seen).filter((time) => !times.has(time));
  return [
    ...untrue.map((known) => `${name} has the phantom ${text(known)} of ${storeId}`),
    ...neverWas.map((time) => `${name} saw a change of ${storeId} at ${time}: a phantom`),
  ];
}

function lostOf(storeId: string, changes: readonly ToldChange[], truth: Truth): string[] {
  const certificates = certificatesOf(truth, storeId);
  const times = timesOf(truth, storeId);
  const isThere = ({ certificateId, updatedAt }: ToldChange) =>
    certificates.has(certificateId) && (updatedAt === undefined || times.has(updatedAt));
  return changes.flatMap((change) =>
    isThere(change)
      ? []
      : [
          `a writer was told of a change that is gone: ${change.certificateId} of ${storeId} at ${change.updatedAt}`,
        ],
  );
}

function certificatesOf(truth: Truth, storeId: string): ReadonlyMap<string, Version> {
  return truth.stores.get(storeId) ?? new Map();
}

function timesOf(truth: Truth, storeId: string): Set<string> {
  return new Set(truth.changedAt.get(storeId));
}

function text(version: Version | undefined): string {
  if (version === undefined) return "nothing";
  const { id, updatedAt, status, owner } = version;
  return `${id} ${updatedAt} ${status} ${owner}`;
}

function pageText(page: StoredPage | undefined): string {
  if (page === undefined) return "no page";
  const { askedAt, answeredAt, times } = page;
  return `the page of ${askedAt} to ${answeredAt} with ${times.length} from ${times[0]} to ${times.at(-1)}`;
}

function sum(counts: readonly number[]): number {
  return counts.reduce((total, count) => total + count, 0);
}
