import { existsSync } from "node:fs";
import path from "node:path";

/**
 * A program, installed outside this project, that serves copies of the certificates. The copies are in another database
 * on the registry's database server.
 */
export interface Peer {
  readonly name: string;
  /** Main file in `servers`. */
  readonly script: string;
  /** Packages that must be installed in the peer's folder. */
  readonly packages: readonly string[];
  /** Returns the path and query that request a page of a store. */
  pageOf(storeId: string, limit: number): string;
  /** Additional request headers, each with its line ending. Default: none. */
  readonly headers?: string;
}

/** The peers; README.md says how to install each. */
export const peers: readonly Peer[] = [
  {
    name: "fastify",
    script: "fastify.mjs",
    packages: ["fastify", "mongodb"],
    pageOf: (storeId, limit) => `/${storeId}/v1/certificates?limit=${limit}`,
  },
  {
    name: "feathers",
    script: "feathers.mjs",
    packages: ["@feathersjs/feathers", "@feathersjs/koa", "@feathersjs/mongodb", "mongodb"],
    pageOf: (storeId, limit) => `/certificates?store=${storeId}&$limit=${limit}&$sort[updatedAt]=1`,
  },
  {
    name: "parse-server",
    script: "parse-server.mjs",
    packages: ["parse-server", "express", "mongodb"],
    pageOf: (storeId, limit) =>
      `/classes/certificates?where=${encodeURIComponent(JSON.stringify({ store: storeId }))}&limit=${limit}&order=updatedAt`,
    headers: "X-Parse-Application-Id: bench\r\nX-Parse-REST-API-Key: bench\r\n",
  },
];

/** Splits the peers into those that are installed in `<folder>/<name>` and those that lack a package. */
export function findPeers(folder: string) {
  const lacks = (peer: Peer) =>
    peer.packages.find((name) => !existsSync(path.join(folder, peer.name, "node_modules", name, "package.json")));
  const missing = peers.flatMap((peer) => {
    const lacking = lacks(peer);
    return lacking === undefined ? [] : [{ peer, reason: `${lacking} is not installed in ${peer.name}` }];
  });
  return { installed: peers.filter((peer) => lacks(peer) === undefined), missing };
}

/**
 * Returns the number of documents in a response of any peer; undefined if the response is neither a list nor an object
 * with exactly one list.
 */
export function documentCount(body: unknown): number | undefined {
  if (Array.isArray(body)) return body.length;
  if (typeof body !== "object" || body === null) return undefined;
  const lists = Object.values(body).filter((value) => Array.isArray(value));
  return lists.length === 1 ? lists[0]?.length : undefined;
}
