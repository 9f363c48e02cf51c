import { expect, test } from "vitest";
import { settingsFixture } from "../values/store-settings-fixture.ts";
import { handleListRequest } from "./handle-list-request.ts";
import { KeyOwners } from "./key-owners.ts";

const rateLimit = { limit: 120, windowSeconds: 60, remaining: 119, resetSeconds: 60 };
const page = { filter: {}, limit: 50 };
const keyHash = new Uint8Array(32);

type Hook = (keyOwners: KeyOwners) => void;

/**
 * Handles a request that fails with `unavailable`; the hooks run during its admission and while its page is read.
 *
 * @returns the stores to whose rate limits the request has returned a place
 */
async function returnsAfter(
  { inAdmission = () => undefined, inPage = () => undefined }: { inAdmission?: Hook; inPage?: Hook },
  limits: { signal: AbortSignal; clock: { now: () => number } },
) {
  const returned: (string | undefined)[] = [];
  const keyOwners = new KeyOwners();
  const deps = {
    feed: {
      readRenderContext: async () => undefined,
      readRows: async (_storeId: string, { remainingMs }: { remainingMs: () => number }) => {
        inPage(keyOwners);
        remainingMs();
        return [];
      },
    },
    serviceVerifyUrl: "https://example.com",
    admissions: {
      refuse: async () => undefined,
      admit: async (_keyHash: Uint8Array, options?: { readonly remainingMs?: () => number }) => {
        inAdmission(keyOwners);
        options?.remainingMs?.();
        return {
          admission: "admitted",
          storeId: "sto_1",
          rateLimit,
          at: new Date(0),
          settings: settingsFixture,
          epoch: "",
        } as const;
      },
    },
    placeReturns: { add: ({ storeId }: { readonly storeId?: string | undefined }) => void returned.push(storeId) },
    shedder: { run: <T>(_request: unknown, work: () => Promise<T>) => work() },
    keyOwners,
    clock: { ...limits.clock, sleep: async () => undefined },
  };
  const request = { keyHash, admissionId: new Uint8Array(16), page };
  const handled = handleListRequest(deps, { ...request, limits: { deadline: 1_000, signal: limits.signal } });
  await expect(handled).rejects.toMatchObject({ code: "unavailable" });
  return returned;
}

function testRig() {
  let nowMs = 0;
  const leaving = new AbortController();
  return {
    leave: () => leaving.abort(),
    expire: () => {
      nowMs = 1_000;
      // The signal of a call also aborts when its deadline passes.
      leaving.abort();
    },
    limits: { signal: leaving.signal, clock: { now: () => nowMs } },
  };
}

test("does not return the rate-limit place of a request whose client disconnects after admission", async () => {
  const { leave, limits } = testRig();
  expect(await returnsAfter({ inPage: leave }, limits)).toEqual([]);
});

test("returns the rate-limit place of a request whose deadline passes after admission", async () => {
  const { expire, limits } = testRig();
  expect(await returnsAfter({ inPage: expire }, limits)).toEqual(["sto_1"]);
});

test("returns the rate-limit place of a request whose key is revoked while its page is read, and refused to another request", async () => {
  const { expire, limits } = testRig();
  const inPage = (keyOwners: KeyOwners) => {
    keyOwners.forget(keyHash);
    expire();
  };
  // Without its store, the place of a revoked key is not found.
  expect(await returnsAfter({ inPage }, limits)).toEqual(["sto_1"]);
});

test("refuses a request with a recently refused key without waiting for the load shedder", async () => {
  const refusal = { admission: "plan_required", storeId: "sto_1", rateLimit } as const;
  const unused = async () => {
    throw new Error("a refused request needs no more than its refusal");
  };
  const deps = {
    feed: { readRenderContext: unused, readRows: unused },
    serviceVerifyUrl: "https://example.com",
    admissions: { refuse: async () => refusal, admit: unused },
    placeReturns: { add: () => undefined },
    shedder: { run: <T>() => new Promise<T>(() => undefined) },
    keyOwners: new KeyOwners(),
    clock: { now: () => 0, sleep: async () => undefined },
  };
  const request = { keyHash, admissionId: new Uint8Array(16), page };
  const limits = { deadline: 1_000, signal: new AbortController().signal };
  expect(await handleListRequest(deps, { ...request, limits })).toEqual({ decision: refusal });
});

test("returns no rate-limit place for a request that is dropped before its admission is written", async () => {
  for (const event of ["leave", "expire"] as const) {
    const { limits, ...events } = testRig();
    expect(await returnsAfter({ inAdmission: events[event] }, limits)).toEqual([]);
  }
});
