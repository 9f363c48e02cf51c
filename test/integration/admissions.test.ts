import { randomBytes } from "node:crypto";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Admission, type HandleListResponse } from "#gen/registry/v1/edge_service_pb.js";
import { EditionStyle, Plan } from "#gen/registry/v1/store_admin_service_pb.js";
import { toServiceError } from "#shared/rpc/error-conversion.ts";
import type { RateLimitPolicy } from "../../services/registry/admissions/admission.ts";
import { RefusedKeys } from "../../services/registry/admissions/refused-keys.ts";
import { fullestWindow, windowModel } from "../../services/registry/admissions/window-model-fixture.ts";
import { MongoAdmissions } from "../../services/registry/mongo/admissions/mongo-admissions.ts";
import { insertAccess } from "../harness/access-of-store.ts";
import { inStore } from "../harness/in-store.ts";
import { openTestRegistry } from "../harness/registry-fixture.ts";
import { seededRandom } from "../harness/seeded-random.ts";
import { createKeyedStore, createTestApiKey, createTestStore } from "../harness/test-stores.ts";

const registry = await openTestRegistry();
const { database, admin, edge } = registry;
const { access, stores } = database.collections;
const second = await openTestRegistry({ database });
const replicas = [registry, second, await openTestRegistry({ database })] as const;

const { ADMITTED, PLAN_REQUIRED, RATE_LIMITED, UNKNOWN_KEY } = Admission;

test("admits exactly 120 of 300 requests that 60 concurrent callers send to three registries", async () => {
  const { storeId, keySha256 } = await createKeyedStore(registry);
  const answers: HandleListResponse[] = [];
  // 60 concurrent callers: more would exceed the time limits on a slow database server.
  const callers = Array.from({ length: 60 }, async (_, caller) => {
    for (let call = 0; call < 5; call++)
      answers.push(await (replicas[(caller + call) % 3] ?? registry).edge.admit({ keySha256 }));
  });
  await Promise.all(callers);

  const admitted = answers.filter(({ admission }) => admission === ADMITTED);
  expect(admitted).toHaveLength(120);
  expect(answers.filter(({ admission }) => admission === RATE_LIMITED)).toHaveLength(180);
  expect(answers.every((answer) => answer.storeId === storeId)).toBe(true);
  const remaining = admitted.map(({ rateLimit }) => rateLimit?.remaining ?? -1);
  expect(remaining.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 120 }, (_, index) => index));
  for (const { admission, rateLimit } of answers) {
    expect(rateLimit).toMatchObject({ limit: 120, windowSeconds: 60 });
    expect(rateLimit?.resetSeconds).toBeGreaterThan(30);
    expect(rateLimit?.resetSeconds).toBeLessThanOrEqual(60);
    if (admission === RATE_LIMITED) expect(rateLimit?.remaining).toBe(0);
  }
});

test("counts requests with any of a store's keys together, and each store's requests separately", async () => {
  const [storeId, other] = [await createTestStore(registry), await createTestStore(registry)];
  const first = await createTestApiKey(registry, storeId);
  const second = await createTestApiKey(registry, storeId);
  const foreign = await createTestApiKey(registry, other);
  await edge.admit(first);
  expect((await edge.admit(second)).rateLimit?.remaining).toBe(118);
  expect(await edge.admit(foreign)).toMatchObject({ storeId: other, rateLimit: { remaining: 119 } });
});

test("refuses a key of a store on the Basic plan without counting the request, and applies an upgrade and a downgrade immediately", async () => {
  const { storeId, keySha256 } = await createKeyedStore(registry, { plan: Plan.BASIC });
  for (let call = 0; call < 5; call++)
    expect(await edge.admit({ keySha256 })).toMatchObject({
      admission: PLAN_REQUIRED,
      storeId,
      rateLimit: { limit: 120, remaining: 120, resetSeconds: 0 },
    });
  await admin.setPlan({ plan: Plan.PRO }, inStore(storeId));
  expect(await edge.admit({ keySha256 })).toMatchObject({
    admission: ADMITTED,
    rateLimit: { remaining: 119 },
  });
  await admin.setPlan({ plan: Plan.BASIC }, inStore(storeId));
  for (const replica of replicas) expect((await replica.edge.admit({ keySha256 })).admission).toBe(PLAN_REQUIRED);
});

test("refuses an unknown key with UNKNOWN_KEY, and rejects a hash that is not 32 bytes long", async () => {
  const unknown = await edge.admit({ keySha256: randomBytes(32) });
  expect(unknown).toMatchObject({ admission: UNKNOWN_KEY, storeId: "" });
  expect(unknown.rateLimit).toBeUndefined();
  await expect(edge.admit({ keySha256: randomBytes(31) })).rejects.toThrow("key_sha256 must be 32 bytes");
});

const caches = {
  "with the cache of refused keys": () => new RefusedKeys(),
  "without a cache": () => ({ note: () => undefined, has: () => false }),
};

const startMs = Date.parse("2026-05-01T12:00:00.000Z");

describe.each(Object.entries(caches))("the sliding window %s", (_name, refusedKeys) => {
  /** Creates a store with one key. @returns a function that requests an admission with this key at a given time */
  async function admissionsAt(policy: RateLimitPolicy) {
    let nowMs = 0;
    const { hashes } = await insertAccess({ access });
    const admissions = new MongoAdmissions(access, policy, {
      databaseTime: () => new Date(nowMs),
      refusedKeys: refusedKeys(),
    });
    return async (atMs: number) => {
      nowMs = atMs;
      const decision = await admissions.admit(hashes[0] ?? Buffer.alloc(0));
      if (!("rateLimit" in decision)) throw new Error(decision.admission);
      return { isAdmitted: decision.admission === "admitted", rateLimit: decision.rateLimit };
    };
  }

  const dayMs = 86_400_000;

  test.each<[string, outcomes: [afterMs: number, isAdmitted: boolean][]]>([
    [
      "frees a place exactly 60,000 ms after the request that took it, and not after 59,999 ms",
      [
        [0, true],
        [100, true],
        [101, false],
        [59_999, false],
        [60_000, true],
        [60_000, false],
        [60_099, false],
        [60_100, true],
        [120_000, true],
      ],
    ],
    [
      "never moves back in time: records an admission with an earlier time at the time of the previous admission",
      [
        [0, true],
        [0, true],
        [60_000, true],
        // If this request were recorded at 59,999 ms, the two at 0 would still count and it would be refused.
        [59_999, true],
        [119_999, false],
        [119_998, false],
        [120_000, true],
      ],
    ],
    [
      "refuses requests for at most one window after the database's clock is set back by a day",
      [
        [dayMs, true],
        [dayMs + 10, true],
        [dayMs + 20, false],
        [0, false],
        [59_999, false],
        [60_000, true],
        [60_000, true],
        [60_001, false],
      ],
    ],
    [
      "continues at the new time if the database's clock is set back by more time than an operation can take",
      [
        [dayMs, true],
        [0, true],
        [59_999, false],
        [60_000, true],
        [119_999, true],
        [119_999, false],
        [120_000, true],
      ],
    ],
    [
      "counts admissions for a whole window if the database's clock jumps ahead between them and is then set back further",
      [
        [100_000, true],
        [131_000, true],
        [72_000, false],
        [131_999, false],
        [132_000, true],
      ],
    ],
  ])("%s", async (_name, outcomes) => {
    const admit = await admissionsAt({ limit: 2, windowMs: 60_000 });
    for (const [afterMs, isAdmitted] of outcomes)
      expect([afterMs, (await admit(startMs + afterMs)).isAdmitted]).toEqual([afterMs, isAdmitted]);
  });

  test("reports a reset at most one window ahead even if the database's clock is set back by a day", async () => {
    const admit = await admissionsAt({ limit: 1, windowMs: 60_000 });
    await admit(startMs + dayMs);
    const { rateLimit } = await admit(startMs);
    expect(rateLimit).toMatchObject({ remaining: 0, resetSeconds: 60 });
    expect((await admit(startMs + 30_000)).rateLimit).toMatchObject({ remaining: 0, resetSeconds: 30 });
  });

  test("does not count refused requests", async () => {
    const admit = await admissionsAt({ limit: 1, windowMs: 60_000 });
    await admit(startMs);
    for (let call = 0; call < 30; call++)
      expect(await admit(startMs + 2_000 * call)).toEqual({
        isAdmitted: false,
        rateLimit: { limit: 1, windowSeconds: 60, remaining: 0, resetSeconds: 60 - 2 * call },
      });
    expect((await admit(startMs + 60_000)).isAdmitted).toBe(true);
  });

  test("matches a reference model for any non-decreasing sequence of times", async () => {
    const gapMs = fc.oneof(fc.constant(0), fc.nat(3), fc.nat(1_500), fc.constantFrom(999, 1_000, 1_001));
    const run = fc.tuple(fc.integer({ min: 1, max: 4 }), fc.array(gapMs, { minLength: 5, maxLength: 20 }));
    await fc.assert(
      fc.asyncProperty(run, async ([limit, gaps]) => {
        const policy = { limit, windowMs: 1_000 };
        const admit = await admissionsAt(policy);
        const model = windowModel(policy);
        let atMs = startMs;
        for (const gap of gaps) {
          atMs += gap;
          const { isAdmitted, rateLimit } = await admit(atMs);
          const expected = model(atMs);
          expect(isAdmitted).toBe(expected.isAdmitted);
          expect(rateLimit.remaining).toBe(limit - expected.taken.length);
        }
      }),
      { numRuns: 25, interruptAfterTimeLimit: 12_000 },
    );
  });

  test("admits at most 120 requests in any 60 seconds under random bursts of concurrent requests", async () => {
    const policy = { limit: 120, windowMs: 60_000 };
    const admit = await admissionsAt(policy);
    const random = seededRandom(20_261_121);
    const admitted: number[] = [];
    let atMs = startMs;
    for (let burst = 0; burst < 40; burst++) {
      atMs += random.below(12_000);
      const answers = await Promise.all(Array.from({ length: 1 + random.below(40) }, () => admit(atMs)));
      admitted.push(...answers.filter(({ isAdmitted }) => isAdmitted).map(() => atMs));
    }
    expect(fullestWindow(admitted, policy.windowMs)).toBe(policy.limit);
  });
});

describe("the settings that an admission returns", () => {
  // The window is never full, and short enough that the log remains small during a flood.
  const policy = { limit: 1_000_000, windowMs: 50 };

  /** Creates a store with a key. @returns its id and a function that requests an admission */
  async function storeWith(settings: Parameters<typeof createTestStore>[1] = {}) {
    const storeId = await createTestStore(registry, settings);
    const { keySha256 } = await createTestApiKey(registry, storeId);
    const admissions = new MongoAdmissions(access, policy);
    const admit = async () => {
      const decision = await admissions.admit(keySha256, { id: randomBytes(16) });
      if (decision.admission !== "admitted") throw new Error(decision.admission);
      return decision;
    };
    return { storeId, admit };
  }

  test("returns the database's time and the store's settings with an admission", async () => {
    const { admit } = await storeWith({ language: "fr" });
    const before = await database.now();
    const { at, settings } = await admit();
    expect(settings).toMatchObject({ editionStyle: "number_total", verifyBaseUrl: null, language: "fr" });
    expect(at.getTime()).toBeGreaterThanOrEqual(before.getTime());
    expect(at.getTime()).toBeLessThanOrEqual((await database.now()).getTime());
  });

  test("returns changed settings with the next admission", async () => {
    const { storeId, admit } = await storeWith();
    await admin.updateSettings({ language: "de", verifyBaseUrl: "https://shop.example.test" }, inStore(storeId));
    const changed = { editionStyle: "number_total", verifyBaseUrl: "https://shop.example.test", language: "de" };
    expect((await admit()).settings).toMatchObject(changed);
    await second.admin.updateSettings({ editionStyle: EditionStyle.NO_OF, verifyBaseUrl: "" }, inStore(storeId));
    expect((await admit()).settings).toMatchObject({ editionStyle: "no_of", verifyBaseUrl: null, language: "de" });
  });

  test("a rejected update does not change the settings that the next admission returns", async () => {
    const { storeId, admit } = await storeWith();
    const { settings } = await admit();
    const error = await admin.updateSettings({ language: "sv" }, inStore(storeId)).catch(toServiceError);
    expect(error).toMatchObject({ code: "bad_request" });
    expect((await admit()).settings).toEqual(settings);
  });

  test("loses no change to the settings during a flood of admissions, and returns the new settings with the next admission", async () => {
    const { storeId, admit } = await storeWith();
    const ended = new AbortController();
    const flood = Array.from({ length: 8 }, async () => {
      while (!ended.signal.aborted) await admit();
    });
    try {
      for (let change = 0; change < 10; change++) {
        const verifyBaseUrl = `https://shop.example.test/${change}`;
        const language = change % 2 === 0 ? "de" : "fr";
        await Promise.all([
          admin.updateSettings({ verifyBaseUrl }, inStore(storeId)),
          second.admin.updateSettings({ language }, inStore(storeId)),
        ]);
        expect((await admit()).settings).toMatchObject({ verifyBaseUrl, language });
      }
    } finally {
      ended.abort();
      await Promise.all(flood);
    }
    const [store, copy] = await Promise.all([stores.findOne({ _id: storeId }), access.findOne({ _id: storeId })]);
    expect(copy?.settings).toEqual(store?.settings);
  });
});
