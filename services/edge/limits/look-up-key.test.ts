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

/** Looks up new keys of one client, one after another, by calls that fail. @returns the codes of the errors */
async function lookUpFailing(count: number, clientSignal: AbortSignal): Promise<string[]> {
  const lookUp = createKeyLookup({ keyGuard: new KeyGuard(stoppedClock), metrics: new Registry() });
  const client = { text: "192.0.2.1", networks: ["192.0.2.1"] } as const;
  const target = parseRequestTarget("/");
  const state: EdgeState = { deadline: Number.POSITIVE_INFINITY, clientSignal, requestId: "", target, client };
  const call = () => Promise.reject(new ServiceError("unavailable", "The call failed."));
  const codes: string[] = [];
  for (let index = 0; index < count; index++)
    await lookUp({ state }, apiKeys, randomBytes(32).toString("base64"), { call, isKnown: () => true }).catch(
      (error: unknown) => codes.push(error instanceof ServiceError ? error.code : String(error)),
    );
  return codes;
}

test("a client that leaves during each look-up of a new key has tried too many keys after a hundred", async () => {
  const codes = await lookUpFailing(101, AbortSignal.abort());
  expect(codes).toEqual([...Array(100).fill("unavailable"), "rate_limited"]);
});

test("a look-up that fails while its client waits costs nothing", async () => {
  expect(await lookUpFailing(101, new AbortController().signal)).toEqual(Array(101).fill("unavailable"));
});
