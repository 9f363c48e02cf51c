import { randomBytes } from "node:crypto";
import { Registry } from "prom-client";
import { expect, test } from "vitest";
import { ServiceError } from "#shared/errors/service-error.ts";
import type { EdgeState } from "../http/edge-context.ts";
import { parseRequestTarget } from "../http/request-target.ts";
import { stoppedClock } from "../testing/start-edge.ts";
import { apiKeys } from "./bearer-key.ts";
import { KeyGuard } from "./key-guard.ts";
import { createKeyLookup } from "./look-up-key.ts";

/** Returns a function that looks up a key for one client. */
function openLookUp(clientSignal = new AbortController().signal) {
  const lookUp = createKeyLookup({ keyGuard: new KeyGuard(stoppedClock), metrics: new Registry() });
  const client = { text: "192.0.2.1", networks: ["192.0.2.1"] } as const;
  const target = parseRequestTarget("/");
  const state: EdgeState = { deadline: performance.now() + 60_000, clientSignal, requestId: "", target, client };
  return (key: string, call: () => Promise<string>) => lookUp({ state }, apiKeys, key, { call, isKnown: () => true });
}

const newKey = () => randomBytes(32).toString("base64");
const fail = () => Promise.reject(new ServiceError("unavailable", "The call failed."));
const codeOf = (error: unknown) => (error instanceof ServiceError ? error.code : String(error));

/** Looks up new keys of one client, one after another, by calls that fail. @returns the codes of the errors */
async function lookUpFailing(count: number, clientSignal?: AbortSignal): Promise<string[]> {
  const lookUp = openLookUp(clientSignal);
  const codes: string[] = [];
  for (let index = 0; index < count; index++) codes.push(await lookUp(newKey(), fail).catch(codeOf));
  return codes;
}

test("a client that leaves during each look-up of a new key has tried too many keys after a hundred", async () => {
  const codes = await lookUpFailing(101, AbortSignal.abort());
  expect(codes).toEqual([...Array(100).fill("unavailable"), "rate_limited"]);
});

test("a look-up that fails while its client waits costs nothing", async () => {
  expect(await lookUpFailing(101)).toEqual(Array(101).fill("unavailable"));
});

test("of the requests with a new key that wait for a look-up that fails, one makes the next, and none is limited", async () => {
  const lookUp = openLookUp();
  const key = newKey();
  let calls = 0;
  const call = async () => {
    const isFirst = calls++ === 0;
    await new Promise(setImmediate);
    return isFirst ? fail() : "found";
  };
  const results = await Promise.all(Array.from({ length: 150 }, () => lookUp(key, call).catch(codeOf)));
  expect(results).toEqual(["unavailable", ...Array(149).fill("found")]);
});
