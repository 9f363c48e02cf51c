import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { openTemporaryFolder } from "../../harness/files/temporary-folder.ts";
import { documentCount, findPeers, peers } from "./peers.ts";

test("finds the installed peers, and reports a missing package for each of the others", async () => {
  const folder = await openTemporaryFolder("bench-peers", onTestFinished);
  for (const name of [
    "fastify/node_modules/fastify",
    "fastify/node_modules/mongodb",
    "feathers/node_modules/mongodb",
  ]) {
    mkdirSync(path.join(folder, name), { recursive: true });
    writeFileSync(path.join(folder, name, "package.json"), "{}");
  }
  const { installed, missing } = findPeers(folder);
  expect(installed.map(({ name }) => name)).toEqual(["fastify"]);
  expect(missing.map(({ reason }) => reason)).toEqual([
    "@feathersjs/feathers is not installed in feathers",
    "parse-server is not installed in parse-server",
  ]);
  expect(findPeers("/does/not/exist").missing).toHaveLength(peers.length);
});

test("counts the documents on a page in each peer's format", () => {
  expect(documentCount({ certificates: [1, 2], next_cursor: null })).toBe(2);
  expect(documentCount([1, 2, 3])).toBe(3);
  expect(documentCount({ results: [] })).toBe(0);
  expect(documentCount({ error: "unauthorized" })).toBeUndefined();
  expect(documentCount(null)).toBeUndefined();
});
