import { randomBytes } from "node:crypto";
import fc from "fast-check";
import { Binary } from "mongodb";
import { expect, test } from "vitest";
import { steadyClock } from "#shared/time/clock.ts";
import type { RateLimitPolicy } from "../../services/registry/admissions/admission.ts";
import { PlaceReturns } from "../../services/registry/admissions/place-returns.ts";
import { MongoAdmissions } from "../../services/registry/mongo/admissions/mongo-admissions.ts";
import { insertAccess } from "../harness/access-of-store.ts";
import { admissionTimesOf } from "../harness/admitted-requests.ts";
import { openTestDatabase } from "../harness/test-database.ts";

const database = await openTestDatabase();
const { access } = database.collections;
const startMs = Date.parse("2026-05-01T12:00:00.000Z");

/** Creates a store with one key. Its admissions use a clock that `at` sets, in milliseconds since `startMs`. */
async function startStore(policy: RateLimitPolicy) {
  const { storeId, hashes } = await insertAccess({ access });
  const [keyHash = Buffer.alloc(0)] = hashes;
  let nowMs = startMs;
  const admissions = new MongoAdmissions(access, policy, { databaseTime: () => new Date(nowMs) });
  const stored = async () => {
    const document = await access.findOne({ _id: storeId });
    if (document === null) throw new Error("the store has no access document");
    return document;
  };
  return {
    at: (ms: number) => {
      nowMs = startMs + ms;
    },
    admit: async (id?: Uint8Array) => (await admissions.admit(keyHash, id && { id })).admission === "admitted",
    /** Removes these admissions from the rate-limit window. @returns the number of admissions removed */
    giveBack: async (...ids: Uint8Array[]) => (await admissions.returnPlaces(keyHash, ids)).length,
    stored,
    /** Returns the times of the admissions in the log, in milliseconds since `startMs`. */
    times: async () => admissionTimesOf((await stored()).admitted).map((time) => time - startMs),
  };
}

const newId = () => randomBytes(16);

test("removes exactly the given admission from the window, even if others were made in the same millisecond", async () => {
  const { at, admit, giveBack, times } = await startStore({ limit: 10, windowMs: 60_000 });
  const [first, second, third, late] = [newId(), newId(), newId(), newId()];
  for (const id of [first, second, third]) await admit(id);
  at(5);
  await admit(late);
  expect(await giveBack(second)).toBe(1);
  expect(await times()).toEqual([0, 0, 5]);
  expect(await giveBack(second, late)).toBe(1);
  expect(await times()).toEqual([0, 0]);
  expect(await giveBack(first, third)).toBe(2);
  expect(await times()).toEqual([]);
});

test("admits another request after an admission is removed from a full window", async () => {
  const { admit, giveBack } = await startStore({ limit: 2, windowMs: 60_000 });
  const id = newId();
  expect([await admit(), await admit(id), await admit(newId())]).toEqual([true, true, false]);
  expect(await giveBack(id)).toBe(1);
  expect([await admit(newId()), await admit(newId())]).toEqual([true, false]);
});

test("removes no admission for the id of a refused request or for an unknown id", async () => {
  const { admit, giveBack, times } = await startStore({ limit: 2, windowMs: 60_000 });
  const refused = newId();
  await admit();
  await admit(newId());
  await admit(refused);
  expect(await giveBack(refused, newId())).toBe(0);
  expect(await times()).toEqual([0, 0]);
});

test("removes an admission that was made before the database's clock was set back", async () => {
  const { at, admit, giveBack, times } = await startStore({ limit: 3, windowMs: 60_000 });
  const id = newId();
  at(86_400_000);
  await admit(id);
  at(0);
  await admit(newId());
  expect(await times()).toEqual([0, 0]);
  expect(await giveBack(id)).toBe(1);
  expect(await times()).toEqual([0]);
});

test("keeps nothing of a request that has left the window", async () => {
  const { at, admit, giveBack, times } = await startStore({ limit: 3, windowMs: 1_000 });
  const old = newId();
  await admit(old);
  for (let round = 1; round <= 4; round++) {
    at(1_000 * round);
    for (let request = 0; request < 3; request++) await admit(newId());
  }
  expect(await giveBack(old)).toBe(0);
  expect(await times()).toHaveLength(3);
});

const step = fc.oneof(
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("admit" as const), number: fc.nat(2) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("giveBack" as const), number: fc.nat(30) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("pass" as const), number: fc.constantFrom(1, 400, 1_000) }) },
);

/** Admits requests and removes admissions, both in the database and in a model, and compares the two. */
class PlacesModel {
  readonly #store: Awaited<ReturnType<typeof startStore>>;
  readonly #policy: RateLimitPolicy;
  readonly #ids: Uint8Array[] = [];
  #log: { readonly index: number; readonly atMs: number }[] = [];
  #nowMs = 0;

  constructor(store: Awaited<ReturnType<typeof startStore>>, policy: RateLimitPolicy) {
    this.#store = store;
    this.#policy = policy;
  }

  async pass(ms: number): Promise<void> {
    this.#nowMs += ms;
    this.#store.at(this.#nowMs);
  }

  async admit(): Promise<void> {
    const id = newId();
    const index = this.#ids.push(id) - 1;
    const hasRoom = this.#inWindow().length < this.#policy.limit;
    expect(await this.#store.admit(id)).toBe(hasRoom);
    if (hasRoom) this.#log.push({ index, atMs: this.#nowMs });
  }

  async giveBack(index: number): Promise<void> {
    const id = this.#ids[index];
    if (id !== undefined) await this.#store.giveBack(id);
    this.#log = this.#log.filter((admission) => admission.index !== index);
  }

  async check(): Promise<void> {
    // The stored log may contain admissions that have left the window since the last decision.
    const stored = (await this.#store.times()).filter((atMs) => this.#isInWindow(atMs));
    expect(stored).toEqual(this.#inWindow().map(({ atMs }) => atMs));
  }

  #inWindow() {
    return this.#log.filter(({ atMs }) => this.#isInWindow(atMs));
  }

  #isInWindow(atMs: number): boolean {
    return this.#nowMs - atMs < this.#policy.windowMs;
  }
}

test("after a random sequence of operations, the window contains the same admissions as in a reference model", async () => {
  const policy = { limit: 4, windowMs: 1_000 };
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 25 }), async (steps) => {
      const model = new PlacesModel(await startStore(policy), policy);
      for (const { kind, number } of steps) await model[kind](number);
      await model.check();
    }),
    { numRuns: 30, interruptAfterTimeLimit: 15_000 },
  );
});

test("returns the place of a request whose key was revoked meanwhile", async () => {
  const policy = { limit: 2, windowMs: 60_000 };
  const { storeId, hashes } = await insertAccess({ access }, 2);
  const [revoked = Buffer.alloc(0), other = Buffer.alloc(0)] = hashes;
  const admissions = new MongoAdmissions(access, policy);
  const id = newId();
  await admissions.admit(revoked, { id });
  await admissions.admit(other);
  await access.updateOne({ _id: storeId }, { $pull: { keys: { hash: new Binary(revoked) } } });
  expect((await admissions.admit(other)).admission).toBe("rate_limited");
  const returns = new PlaceReturns({ places: admissions, clock: steadyClock, windowMs: policy.windowMs });
  returns.add({ keyHash: revoked, id, isWritten: true, storeId });
  await returns.stop();
  expect((await new MongoAdmissions(access, policy).admit(other)).admission).toBe("admitted");
});
