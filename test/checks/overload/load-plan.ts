import { z } from "zod";

const openLoad = z.object({
  kind: z.literal("open"),
  pattern: z.enum(["steady", "poisson"]),
  /** Mean number of arrivals per second, of all stores together. */
  perSecond: z.number(),
});
const closedLoad = z.object({
  kind: z.literal("closed"),
  /** Number of clients. Each sends one request at a time. */
  clients: z.int(),
});

const streamPlan = z.object({
  name: z.string(),
  load: z.discriminatedUnion("kind", [openLoad, closedLoad]),
  /** One API key per store. */
  apiKeys: z.array(z.string()),
  /** How long each store in turn sends all requests, in milliseconds; null if each request is from a random store. */
  turnMs: z.number().nullable(),
  /** Share of requests with an invalid parameter, 0 to 1; they get 400 and count against the rate limit. */
  invalidShare: z.number(),
  /** Clients disconnect within this time after they have sent a request; null if they wait for the response. */
  leaveWithinMs: z.number().nullable(),
  connectionsMax: z.int(),
});

/** The requests of a group of stores, which one worker thread sends. */
export type StreamPlan = z.output<typeof streamPlan>;

/** The input of one worker thread, which generates one stream. */
export const loadPlan = z.object({
  /** Ports of the edges. */
  ports: z.array(z.int()),
  seed: z.int(),
  seconds: z.number(),
  /** Time at the start that is not measured; part of `seconds`. */
  warmUpSeconds: z.number(),
  stream: streamPlan,
});

export type LoadPlan = z.output<typeof loadPlan>;

/** Counts of a store's requests, by how they ended. */
const endCounts = z.object({
  /** Status 200. */
  pages: z.int(),
  /** Status 400. */
  badRequests: z.int(),
  /** Status 429. */
  rateLimited: z.int(),
  /** Status 503. */
  unavailable: z.int(),
  /** Any other status, such as 500. */
  otherStatus: z.int(),
  /** The connection was closed, or 30 s passed, before the response was complete. */
  unanswered: z.int(),
  /** The client disconnected as planned. */
  left: z.int(),
  /** No connection became free within 5 s, or before the load ended. */
  unsent: z.int(),
});

export type EndCounts = z.output<typeof endCounts>;

/** The result of one stream. */
export const streamResult = z.object({
  name: z.string(),
  /** One element per store, in the order of the plan's `apiKeys`. */
  stores: z.array(endCounts),
  /** Complete pages per second in the measured time. */
  pagesPerSecond: z.number(),
  /** Number of measured requests with a valid query; 0 if the clients disconnect early (`leaveWithinMs`). */
  requests: z.int(),
  /** Number of `requests` that got no page; their latency counts as 10 s. */
  failed: z.int(),
  /** Time from the planned arrival of a request to the complete page; null if no request was measured. */
  p50Ms: z.number().nullable(),
  p99Ms: z.number().nullable(),
  /** Longest delay between the planned arrival of a request and its handling by the generator. */
  lagMaxMs: z.number(),
  /** Time from the planned end of the load to the end of the last request. */
  drainMs: z.number(),
});

export type StreamResult = z.output<typeof streamResult>;
