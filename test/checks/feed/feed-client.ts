import { systemClock } from "#shared/time/clock.ts";
import type { SeededRandom } from "../../harness/seeded-random.ts";
import type { Counter } from "../runner/counter.ts";
import type { CertificateVersion, StoredPage, VersionFilter } from "./certificate-version.ts";
import type { FetchPage, ListPage } from "./list-page.ts";
import { crashed } from "./outage.ts";

interface FeedClientSetup {
  readonly name: string;
  readonly storeId: string;
  readonly filter: VersionFilter;
  /** Page size, 1 to 100. */
  readonly limit: number;
  /** Share of the run that has passed when the client starts, 0 to 1. */
  readonly joinsAt: number;
  /** One function per edge; each request uses a randomly chosen edge. */
  readonly edges: readonly FetchPage[];
  readonly random: SeededRandom;
  /** Returns the number of changes in the store that have been confirmed to writers so far. */
  readonly changes: () => number;
  /** Counts failed requests by reason, and crashes. */
  readonly replies: Counter;
}

const crashProbability = 0.03;
// Small pages reveal faults only while changes are made; afterwards, reading a long list in small pages would take
// minutes.
const finalLimit = 100;
// Longer than a simultaneous restart of all processes takes.
const pageWithinMs = 300_000;
const pauseMaxMs = 300;
const idleMaxMs = 2_000;
const idlePollMs = 20;

/**
 * An integrator that maintains a copy of a store with the paging procedure of INTERFACE.md §4.1, and sometimes crashes
 * between two pages.
 */
export class FeedClient {
  readonly setup: FeedClientSetup;
  /** The copy of the store, by certificate id. */
  readonly copy = new Map<string, CertificateVersion>();
  /** The non-empty pages that the client has stored. */
  readonly pages: StoredPage[] = [];
  /** Number of pages received, including empty ones and those that a crash lost. */
  pagesReceived = 0;
  /** Whether the latest catch-up reached the last page. */
  isCaughtUp = false;
  /** Number of certificates whose `updatedAt` was not later than the newest `updatedAt` stored before. */
  outOfOrder = 0;
  // Pages are stored in order, so the client can continue from here after a crash, even one during the initial full
  // read.
  #newest: string | undefined;

  constructor(setup: FeedClientSetup) {
    this.setup = setup;
  }

  /** Catches up repeatedly until `isLast` returns true, then one last time. */
  async follow(isLast: () => boolean, signal: AbortSignal): Promise<void> {
    for (let last = false; !last; ) {
      last = isLast();
      const changes = this.setup.changes();
      await this.catchUp(signal, isLast);
      if (!last) await this.#pause(changes, isLast, signal);
    }
  }

  /** Pauses for a random time, and longer while the store does not change: reading an idle store reveals no faults. */
  async #pause(changesBefore: number, isLast: () => boolean, signal: AbortSignal): Promise<void> {
    await systemClock.sleep(this.setup.random.below(pauseMaxMs), signal);
    const idleUntil = performance.now() + idleMaxMs;
    while (this.setup.changes() === changesBefore && performance.now() < idleUntil && !isLast() && !signal.aborted)
      await systemClock.sleep(idlePollMs, signal);
  }

  /**
   * Reads to the last page.
   *
   * @param isFinal returns whether the last change has been made; the client then uses large pages
   * @throws Error when a page is not available in time, when a request fails permanently, or when the signal aborts
   */
  async catchUp(signal: AbortSignal, isFinal = () => true): Promise<void> {
    this.isCaughtUp = false;
    while (!(await this.#readPages(signal, isFinal))) this.setup.replies.add(crashed);
    this.isCaughtUp = true;
  }

  /** Latest `updatedAt` in the stored pages: all earlier changes have been read. Undefined without stored pages. */
  get newest(): string | undefined {
    return this.#newest;
  }

  /** Reads to the last page. @returns false when the client crashed, losing the current page and the cursor */
  async #readPages(signal: AbortSignal, isFinal: () => boolean): Promise<boolean> {
    const { filter, random } = this.setup;
    const since = this.#newest === undefined ? {} : { updated_since: this.#newest };
    let cursor: string | null = null;
    do {
      const requestedAt = now();
      const limit = String(isFinal() ? finalLimit : this.setup.limit);
      const query = { ...filter, ...since, limit, ...(cursor === null ? {} : { cursor }) };
      const page: ListPage = await this.#page(query, signal);
      if (random.chance(crashProbability)) return false;
      this.#store(page, requestedAt);
      cursor = page.nextCursor;
    } while (cursor !== null);
    return true;
  }

  async #page(parameters: Readonly<Record<string, string>>, signal: AbortSignal): Promise<ListPage> {
    const { name, edges, random, replies } = this.setup;
    const deadline = performance.now() + pageWithinMs;
    for (;;) {
      signal.throwIfAborted();
      const reply = await random.pick(edges)(parameters);
      if ("page" in reply) {
        this.pagesReceived++;
        return reply.page;
      }
      replies.add(reply.failure);
      if (performance.now() >= deadline) throw new Error(`${name} cannot read a page: ${reply.failure}`);
      await systemClock.sleep(random.below(pauseMaxMs), signal);
    }
  }

  #store({ certificates }: ListPage, requestedAt: string): void {
    for (const certificate of certificates) {
      if (this.#newest !== undefined && certificate.updatedAt <= this.#newest) this.outOfOrder++;
      else this.#newest = certificate.updatedAt;
      this.copy.set(certificate.id, certificate);
    }
    const times = certificates.map(({ updatedAt }) => updatedAt);
    if (times.length > 0) this.pages.push({ requestedAt, receivedAt: now(), times });
  }
}

const now = () => new Date(systemClock.now()).toISOString();
