import { sum } from "../../harness/statistics.ts";
import type { ConfirmedChange } from "../runner/acknowledged-changes.ts";
import { type CertificateVersion, matches, type StoredPage, type VersionFilter } from "./certificate-version.ts";
import type { ExpectedState } from "./expected-state.ts";

/** A client at the end of a run. */
export interface ClientResult {
  readonly name: string;
  readonly storeId: string;
  readonly filter: VersionFilter;
  readonly copy: ReadonlyMap<string, CertificateVersion>;
  /** The non-empty pages, in the order in which the client stored them. */
  readonly pages: readonly StoredPage[];
  readonly outOfOrder: number;
  /** Whether the copy must be complete. Otherwise it may lack changes later than `newest`. */
  readonly isCaughtUp: boolean;
  /** Latest `updatedAt` in the client's pages; undefined if it has none. */
  readonly newest: string | undefined;
}

/** Input of {@link evaluate}. */
export interface Evidence {
  readonly expected: ExpectedState;
  readonly clients: readonly ClientResult[];
  /** Changes that were confirmed to writers, by store id. */
  readonly acknowledged: ReadonlyMap<string, readonly ConfirmedChange[]>;
}

/** Violations of the feed's guarantee, by kind. */
interface Verdict {
  /** Number of certificates that are missing from a client's copy or stale in it, summed over the clients. */
  readonly missed: number;
  /** Number of certificates whose `updatedAt` was not later than the newest `updatedAt` that the client had stored. */
  readonly outOfOrder: number;
  /** Number of changes that repeat the time of another change in the same store. */
  readonly doubled: number;
  /** Number of changes that were sent to a client or confirmed to a writer but are not in the database. */
  readonly phantom: number;
  /** One sentence per missed certificate and per phantom. */
  readonly findings: readonly string[];
}

/** Compares the clients' copies and the acknowledged changes with the expected state. */
export function evaluate({ expected, clients, acknowledged }: Evidence): Verdict {
  const missed = clients.flatMap((client) => missedBy(client, expected, acknowledged.get(client.storeId)));
  const phantoms = [
    ...clients.flatMap((client) => phantomsOf(client, expected)),
    ...[...acknowledged].flatMap(([storeId, changes]) => lostChanges(storeId, changes, expected)),
  ];
  const doubled = (times: readonly string[]) => times.length - new Set(times).size;
  return {
    missed: missed.length,
    outOfOrder: sum(clients.map(({ outOfOrder }) => outOfOrder)),
    doubled: sum(Array.from(expected.changedAt.values(), doubled)),
    phantom: phantoms.length,
    findings: [...missed, ...phantoms],
  };
}

function missedBy(
  client: ClientResult,
  expected: ExpectedState,
  acknowledged: readonly ConfirmedChange[] = [],
): string[] {
  const { name, storeId, filter, copy, pages, isCaughtUp, newest = "" } = client;
  const wanted = [...certificatesOf(expected, storeId).values()].filter(
    (version) => matches(filter, version) && (isCaughtUp || version.updatedAt <= newest),
  );
  return wanted.flatMap((version) => {
    const known = copy.get(version.id);
    if (known !== undefined && known.updatedAt >= version.updatedAt) return [];
    const passing = pages.find(({ times }) => times.some((time) => time > version.updatedAt));
    const confirmed = acknowledged.find(
      ({ certificateId, updatedAt }) => certificateId === version.id && updatedAt === version.updatedAt,
    );
    return [
      `${name} missed ${text(version)} of ${storeId}: it has ${text(known)}; first later page: ${pageText(passing)}; ` +
        `confirmed to its writer: ${confirmed?.confirmedAt ?? "no"}; the store's changes: ${changesAround(version.updatedAt, passing, expected.changedAt.get(storeId))}`,
    ];
  });
}

const aroundMs = 20;

/**
 * Returns the times of a store's changes up to 20 ms from a missed one, each marked if the page contains it: this shows
 * whether the page divides a transaction.
 */
function changesAround(missedAt: string, page: StoredPage | undefined, times: readonly string[] = []): string {
  const isNear = (time: string) => Math.abs(Date.parse(time) - Date.parse(missedAt)) <= aroundMs;
  const mark = (time: string) => (page?.times.includes(time) ? `${time} (in the page)` : time);
  return times.filter(isNear).toSorted().map(mark).join(", ");
}

function phantomsOf({ name, storeId, copy, pages }: ClientResult, expected: ExpectedState): string[] {
  const certificates = certificatesOf(expected, storeId);
  const wrongVersions = [...copy.values()].filter((known) => {
    const version = certificates.get(known.id);
    return version === undefined || (known.updatedAt >= version.updatedAt && text(known) !== text(version));
  });
  const times = timesOf(expected, storeId);
  for (const { updatedAt } of wrongVersions) times.add(updatedAt);
  const unknownTimes = pages.flatMap(({ times: seen }) => seen).filter((time) => !times.has(time));
  return [
    ...wrongVersions.map((known) => `${name} has the phantom ${text(known)} of ${storeId}`),
    ...unknownTimes.map((time) => `${name} received a change in ${storeId} at ${time} that is not in the database`),
  ];
}

function lostChanges(storeId: string, changes: readonly ConfirmedChange[], expected: ExpectedState): string[] {
  const certificates = certificatesOf(expected, storeId);
  const times = timesOf(expected, storeId);
  const exists = ({ certificateId, updatedAt }: ConfirmedChange) =>
    certificates.has(certificateId) && (updatedAt === undefined || times.has(updatedAt));
  return changes
    .filter((change) => !exists(change))
    .map(
      ({ certificateId, updatedAt }) =>
        `an acknowledged change was lost: ${certificateId} of ${storeId} at ${updatedAt}`,
    );
}

function certificatesOf(expected: ExpectedState, storeId: string): ReadonlyMap<string, CertificateVersion> {
  return expected.stores.get(storeId) ?? new Map();
}

function timesOf(expected: ExpectedState, storeId: string): Set<string> {
  return new Set(expected.changedAt.get(storeId));
}

function text(version: CertificateVersion | undefined): string {
  if (version === undefined) return "nothing";
  const { id, updatedAt, status, owner } = version;
  return `${id} ${updatedAt} ${status} ${owner}`;
}

function pageText(page: StoredPage | undefined): string {
  if (page === undefined) return "none";
  const { requestedAt, receivedAt, times } = page;
  return `requested ${requestedAt}, received ${receivedAt}, ${times.length} times from ${times[0]} to ${times.at(-1)}`;
}
