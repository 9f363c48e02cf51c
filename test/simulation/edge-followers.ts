import { RegistryClient } from "../../services/client/registry-client.ts";
import type { CertificateDocument } from "../../services/registry/mongo/documents/documents.ts";
import { type EdgeWorld, request } from "./edge-world.ts";
import { choicesOf } from "./run-in-world.ts";

const pageSize = 6;
const waitsMs = 6_000;
// Two clients stay within the limit, and leave room for the known key beside guesses.
const pauseMs = 8_000;
// A request whose reply is late enough that a client would not call it served.
const servedWithinMs = 2_500;

/** A client that keeps a copy of the quiet store's list. */
interface Follower {
  readonly name: string;
  /** The latest `updatedAt` of each certificate, by its id. */
  readonly copy: Map<string, string>;
  /** The newest `updatedAt` that it has read from the list. */
  watermark: string | undefined;
  /** Of the next page; undefined after the last one. */
  cursor: string | undefined;
}

/** Returns a client with an empty copy. */
export function newFollower(name: string): Follower {
  return { name, copy: new Map(), watermark: undefined, cursor: undefined };
}

/**
 * Follows the list by the paging procedure of INTERFACE.md §4.1, with the client library, until the history ends. Once
 * the faults have ended, each of its requests must be served, whatever the clients of other stores do.
 */
export async function followList(history: EdgeWorld, follower: Follower): Promise<void> {
  const { world, quiet } = history;
  const { name } = follower;
  const random = choicesOf(history, name);
  const client = new RegistryClient({
    baseUrl: "https://registry.example.test",
    apiKey: quiet.apiKey,
    maxWaitMs: 0,
    timeoutMs: 60_000,
    fetch: (url, init) => fetchFrom(history, new URL(String(url)), new Headers(init?.headers)),
  });
  while (!history.isEnding) {
    await world.delay(pauseMs + random.below(1_000));
    const sentMs = world.now();
    const isCalm = history.calmFromMs !== undefined && sentMs >= history.calmFromMs;
    const problem = await readPage(client, follower).catch((error: unknown) =>
      isCalm ? `${name} is refused beside clients of other stores: ${error}` : undefined,
    );
    const tookMs = world.now() - sentMs;
    if (problem !== undefined) history.problems.push(problem);
    else if (isCalm && tookMs > servedWithinMs)
      history.problems.push(`${name} waits ${tookMs} ms beside clients of other stores`);
  }
}

/** @returns what is wrong with the page */
async function readPage(client: RegistryClient, follower: Follower): Promise<string | undefined> {
  const { cursor, watermark } = follower;
  const query = cursor !== undefined ? { cursor } : watermark !== undefined ? { updatedSince: watermark } : {};
  const page = await client.getPage({ ...query, limit: pageSize });
  let problem: string | undefined;
  for (const { id, updatedAt } of page.certificates) {
    if (follower.watermark !== undefined && updatedAt <= follower.watermark)
      problem = `${id} is out of order in the list`;
    follower.watermark = updatedAt;
    follower.copy.set(id, updatedAt);
  }
  follower.cursor = page.nextCursor ?? undefined;
  return problem;
}

async function fetchFrom(history: EdgeWorld, { pathname, search }: URL, headers: Headers): Promise<Response> {
  const response = await request(history, {
    method: "GET",
    path: pathname + search,
    headers: Object.fromEntries(headers),
    from: "203.0.113.9",
    waitsMs,
  });
  if (response === undefined) throw new TypeError("the connection was lost");
  const { status, body } = response;
  return new Response(body, { status, headers: response.headers });
}

/** Judges what a follower has read at rest. */
export function judgeFollower({ copy }: Pick<Follower, "copy">, stored: readonly CertificateDocument[]): string[] {
  const missed = stored.filter(({ _id, updatedAt }) => copy.get(_id) !== updatedAt.toISOString());
  return [
    ...missed.map(({ _id }) => `a follower has missed a change of ${_id}`),
    ...(copy.size > stored.length ? ["a follower has read certificates that do not exist"] : []),
  ];
}
