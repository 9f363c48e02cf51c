import { setTimeout as delay, setImmediate as nextTurn } from "node:timers/promises";
import { HttpConnection } from "../../harness/http-connection.ts";
import { actorRandom, type SeededRandom } from "../../harness/seeded-random.ts";
import { quantile } from "../../harness/statistics.ts";
import { arrivalTimes } from "./arrivals.ts";
import type { EndCounts, LoadPlan, StreamPlan, StreamResult } from "./load-plan.ts";

/** One request. Times are in milliseconds since the start of the stream. */
interface Request {
  readonly store: number;
  readonly isInvalid: boolean;
  readonly arrivesAt: number;
}

// Much longer than the deadline that the edge sets: even a starved edge responds, and its response shows whether the
// request counts against the limit.
const answerWithinMs = 30_000;
// A request that waits longer for a free connection is not sent.
const connectionWithinMs = 5_000;
// Counts as the latency of a request that got no page.
const failedAfterMs = 10_000;
const sweepEveryMs = 500;
const arrivalsPerTurn = 64;
const reconnectAfterMs = 100;
const shareSteps = 10_000;

/** Generates the requests of one stream and counts how they end. */
export class LoadStream {
  readonly #plan: StreamPlan;
  readonly #setup: LoadPlan;
  readonly #random: SeededRandom;
  readonly #bytes: readonly { readonly valid: Buffer; readonly invalid: Buffer }[];
  readonly #stores: EndCounts[];
  readonly #startedAt = performance.now();
  readonly #idle: HttpConnection[] = [];
  readonly #inFlight = new Map<HttpConnection, { readonly request: Request; readonly sentAt: number }>();
  #waiting: Request[] = [];
  #opened = 0;
  #isEnding = false;
  #pages = 0;
  #failed = 0;
  #lagMaxMs = 0;
  readonly #durationsMs: number[] = [];

  constructor(setup: LoadPlan) {
    const plan = setup.stream;
    this.#plan = plan;
    this.#setup = setup;
    this.#random = actorRandom(setup.seed, plan.name);
    this.#bytes = plan.apiKeys.map((key) => ({ valid: bytesOf(key, ""), invalid: bytesOf(key, "?limit=0") }));
    this.#stores = plan.apiKeys.map(() => ({
      pages: 0,
      badRequests: 0,
      rateLimited: 0,
      unavailable: 0,
      otherStatus: 0,
      unanswered: 0,
      left: 0,
      unsent: 0,
    }));
  }

  /** Sends requests for the planned time, then waits until all have ended. */
  async run(): Promise<StreamResult> {
    const { load } = this.#plan;
    const sweep = setInterval(() => this.#sweep(), sweepEveryMs);
    if (load.kind === "closed") {
      for (let client = 0; client < load.clients; client++) this.#arrive(this.#now());
      await delay(this.#endsAt);
    } else {
      let arrivals = 0;
      for (const arrivesAt of arrivalTimes(load.pattern, load.perSecond, this.#random)) {
        if (arrivesAt >= this.#endsAt) break;
        // A generator that lags behind must still read responses.
        if (arrivals++ % arrivalsPerTurn === 0) await nextTurn();
        while (this.#now() < arrivesAt) await delay(1);
        this.#lagMaxMs = Math.max(this.#lagMaxMs, this.#now() - arrivesAt);
        this.#arrive(arrivesAt);
      }
    }
    this.#isEnding = true;
    for (const request of this.#waiting.splice(0)) this.#end(request, "unsent");
    while (this.#inFlight.size > 0) await delay(10);
    clearInterval(sweep);
    for (const connection of this.#idle) connection.destroy();
    return this.#result();
  }

  get #endsAt(): number {
    return 1_000 * this.#setup.seconds;
  }

  #now(): number {
    return performance.now() - this.#startedAt;
  }

  #arrive(arrivesAt: number): void {
    const { apiKeys, turnMs, invalidShare, connectionsMax } = this.#plan;
    const turn = turnMs === null ? this.#random.below(apiKeys.length) : Math.floor(arrivesAt / turnMs);
    const isInvalid = this.#random.below(shareSteps) < invalidShare * shareSteps;
    const request = { store: turn % apiKeys.length, isInvalid, arrivesAt };
    const idle = this.#idle.pop();
    if (idle !== undefined) this.#send(idle, request);
    else if (this.#opened < connectionsMax) this.#send(this.#open(), request);
    else this.#waiting.push(request);
  }

  #arriveAgain(afterMs: number): void {
    setTimeout(() => {
      if (!this.#isEnding) this.#arrive(this.#now());
    }, afterMs);
  }

  #open(): HttpConnection {
    const { ports } = this.#setup;
    const port = ports[this.#opened++ % ports.length] ?? 0;
    const connection: HttpConnection = new HttpConnection(port, () => {
      this.#opened--;
      const index = this.#idle.indexOf(connection);
      if (index >= 0) this.#idle.splice(index, 1);
      this.#sendNext();
    });
    return connection;
  }

  #send(connection: HttpConnection, request: Request): void {
    const bytes = this.#bytes[request.store];
    if (bytes === undefined) throw new RangeError(`there is no store ${request.store}`);
    this.#inFlight.set(connection, { request, sentAt: this.#now() });
    const { leaveWithinMs } = this.#plan;
    const leaving =
      leaveWithinMs === null
        ? undefined
        : setTimeout(() => this.#abandon(connection, request, "left"), this.#random.below(leaveWithinMs));
    connection.send(request.isInvalid ? bytes.invalid : bytes.valid, (status) => {
      clearTimeout(leaving);
      if (status !== undefined) this.#idle.push(connection);
      if (this.#inFlight.delete(connection)) this.#end(request, endOf(status));
      this.#sendNext();
    });
  }

  /** Sends the next waiting request on an idle connection or, below the maximum, on a new one. */
  #sendNext(): void {
    if (this.#waiting.length === 0) return;
    const idle = this.#idle.pop();
    if (idle === undefined && this.#opened >= this.#plan.connectionsMax) return;
    const request = this.#waiting.shift();
    if (request !== undefined) this.#send(idle ?? this.#open(), request);
  }

  /** Closes a connection whose client no longer waits for the response. */
  #abandon(connection: HttpConnection, request: Request, end: "left" | "unanswered"): void {
    if (this.#inFlight.get(connection)?.request !== request) return;
    this.#inFlight.delete(connection);
    this.#end(request, end);
    connection.destroy();
  }

  /** Ends the requests whose time limit has passed. */
  #sweep(): void {
    const now = this.#now();
    for (const [connection, { request, sentAt }] of this.#inFlight)
      if (now - sentAt > answerWithinMs) this.#abandon(connection, request, "unanswered");
    const waiting = this.#waiting.findIndex(({ arrivesAt }) => now - arrivesAt <= connectionWithinMs);
    const late = this.#waiting.splice(0, waiting < 0 ? this.#waiting.length : waiting);
    for (const request of late) this.#end(request, "unsent");
  }

  #end({ store, isInvalid, arrivesAt }: Request, end: keyof EndCounts): void {
    if (this.#plan.load.kind === "closed") this.#arriveAgain(end === "unanswered" ? reconnectAfterMs : 0);
    const counts = this.#stores[store];
    if (counts !== undefined) counts[end]++;
    const now = this.#now();
    const measuredFrom = 1_000 * this.#setup.warmUpSeconds;
    if (end === "pages" && now >= measuredFrom && now < this.#endsAt) this.#pages++;
    if (isInvalid || this.#plan.leaveWithinMs !== null || arrivesAt < measuredFrom) return;
    if (end !== "pages") this.#failed++;
    this.#durationsMs.push(end === "pages" ? now - arrivesAt : failedAfterMs);
  }

  #result(): StreamResult {
    const { seconds, warmUpSeconds } = this.#setup;
    const at = (share: number) =>
      this.#durationsMs.length === 0 ? null : Math.round(quantile(this.#durationsMs, share) * 10) / 10;
    return {
      name: this.#plan.name,
      stores: this.#stores,
      pagesPerSecond: this.#pages / (seconds - warmUpSeconds),
      requests: this.#durationsMs.length,
      failed: this.#failed,
      p50Ms: at(0.5),
      p99Ms: at(0.99),
      lagMaxMs: Math.round(this.#lagMaxMs),
      drainMs: Math.round(this.#now() - this.#endsAt),
    };
  }
}

function endOf(status: number | undefined): keyof EndCounts {
  switch (status) {
    case 200:
      return "pages";
    case 400:
      return "badRequests";
    case 429:
      return "rateLimited";
    case 503:
      return "unavailable";
    case undefined:
      return "unanswered";
    default:
      return "otherStatus";
  }
}

function bytesOf(apiKey: string, query: string): Buffer {
  return Buffer.from(
    `GET /v1/certificates${query} HTTP/1.1\r\nHost: edge.example.test\r\nAuthorization: Bearer ${apiKey}\r\n\r\n`,
  );
}
