import { systemClock } from "#shared/time/clock.ts";
import type { SeededRandom } from "../../harness/seeded-random.ts";
import type { Tally } from "../runner/tally.ts";
import type { FetchPage, ListPage } from "./list-page.ts";
import type { StoredPage, Version, VersionFilter } from "./version.ts";

/** What a {@link FeedClient} works with. */
export interface FeedClientSetup {
  readonly name: string;
  readonly storeId: string;
  readonly filter: VersionFilter;
  /** 1 to 100. */
  readonly limit: number;
  /** Which part of the run's changes is there when it begins to read, 0 to 1. */
  readonly joinsAt: number;
  /** One for each edge: each request goes to any of them. */
  readonly edges: readonly FetchPage[];
  readonly random: SeededRandom;
  /** Counts the replies that were no page. */
  readonly tally: Tally;
}

const crashLikelihood = 0.03;
const pageWithinMs = 120_000;
const pauseMaxMs = 300;

/**
 * An integrator that keeps a copy of a store by the procedure of the interface specification, §4.1, to the letter, and
 * crashes now and then in mid-paging.
 */
export class FeedClient {
  readonly setup: FeedClientSetup;
  readonly #copy = new Map<string, Version>();
  readonly #pages: StoredPage[] = [];
  // Of the pages that were stored as a whole. They are stored in their order, so that all that is older was seen, and
  // it is right to go on from here after a crash, even in the midst of the first, full reading.
  #newest: string | undefined;
  #outOfOrder = 0;

  constructor(setup: FeedClientSetup) {
    this.setup = setup;
  }

  /** What it knows, by the certificates' ids. */
  get copy(): ReadonlyMap<string, Version> {
    return this.#copy;
  }

  /** The pages that it stored, but for empty ones. */
  get pages(): readonly StoredPage[] {
    return this.#pages;
  }

  /** How many certificates came whose `updatedAt` was not later than that of the one before. */
  get outOfOrder(): number {
    return this.#outOfOrder;
  }

  /** Catches up until `isLast` says that this time, which began afterwards, was the last one. */
  async follow(isLast: () => boolean, over: AbortSignal): Promise<void> {
    for (let last = false; !last; ) {
      last = isLast();
      await this.catchUp(over);
      await systemClock.sleep(this.setup.random.below(pauseMaxMs), over);
    }
  }

  /** Goes through the procedure until it comes to the last page. @throws Error when a page does not come in time */
  async catchUp(over: AbortSignal): Promise<void> {
    while (!(await this.#readPages(over))) this.setup.tally.add("crashed in mid-paging");
  }

  /** @returns false when the client crashed: the page that had come, and the cursor, are forgotten */
  async #readPages(over: AbortSignal): Promise<boolean> {
    const { filter, limit, random } = this.setup;
    const since = this.#newest === undefined ? {} : { updated_since: this.#newest };
    const parameters = { ...filter, limit: String(limit), ...since };
    let cursor: string | null = null;
    do {
      const askedAt = now();
      const page: ListPage = await this.#page(cursor === null ? parameters : { ...parameters, cursor }, over);
      if (random.chance(crashLikelihood)) return false;
      this.#store(page, askedAt);
      cursor = page.nextCursor;
    } while (cursor !== null);
    return true;
  }

  async #page(parameters: Readonly<Record<string, string>>, over: AbortSignal): Promise<ListPage> {
    const { name, edges, random, tally } = this.setup;
    const deadline = systemClock.now() + pageWithinMs;
    for (;;) {
      over.throwIfAborted();
      const reply = await random.pick(edges)(parameters);
      if ("page" in reply) return reply.page;
      tally.add(reply.failure);
      if (systemClock.now() >= deadline) throw new Error(`${name} gets no page: ${reply.failure}`);
      await systemClock.sleep(random.below(pauseMaxMs), over);
    }
  }

  #store({ certificates }: ListPage, askedAt: string): void {
    for (const certificate of certificates) {
      if (this.#newest !== undefined && certificate.updatedAt <= this.#newest) this.#outOfOrder++;
      else this.#newest = certificate.updatedAt;
      this.#copy.set(certificate.id, certificate);
    }
    const times = certificates.map(({ updatedAt }) => updatedAt);
    if (times.length > 0) this.#pages.push({ askedAt, answeredAt: now(), times });
  }
}

const now = () => new Date(systemClock.now()).toISOString();
