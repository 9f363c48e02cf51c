import { pino } from "pino";
import { expect, test } from "vitest";
import { ManualClock } from "#shared/time/manual-clock-fixture.ts";
import type { AdmissionDecision, AdmissionRefusal } from "../admissions/admission.ts";
import { settingsFixture } from "../values/store-settings-fixture.ts";
import type { KeyUse } from "./api-keys.ts";
import { KeyUses } from "./key-uses.ts";

const rateLimit = { limit: 120, windowSeconds: 60, remaining: 119, resetSeconds: 60 };
const hash = (byte: number) => new Uint8Array(32).fill(byte);

function decisionOf(admission: AdmissionDecision["admission"]): AdmissionDecision {
  if (admission === "unknown_key") return { admission };
  const ofStore = { storeId: "sto_1", rateLimit };
  if (admission !== "admitted") return { admission, ...ofStore };
  return { admission, ...ofStore, at: new Date(0), settings: settingsFixture, epoch: "" };
}

/**
 * Starts KeyUses with a clock that the test controls. `writes` lists the uses in each write: the first byte of the
 * key's hash, and the time.
 */
function startUses() {
  const writes: [byte: number | undefined, atMs: number][][] = [];
  const keys = {
    noteUses: async (uses: readonly KeyUse[]) => {
      writes.push(uses.map(({ keyHash, at }) => [keyHash[0], at.getTime()]));
    },
  };
  const clock = new ManualClock();
  let decision = decisionOf("admitted");
  let refusal: AdmissionRefusal | undefined;
  const uses = new KeyUses({ keys, clock, logger: pino({ level: "silent" }) });
  const admissions = uses.watch({ admit: async () => decision, refuse: async () => refusal });
  uses.start();
  return {
    uses,
    keys,
    writes,
    use: async (keyHash: Uint8Array, admission: AdmissionDecision["admission"] = "admitted") => {
      decision = decisionOf(admission);
      await admissions.admit(keyHash);
    },
    useRefused: async (keyHash: Uint8Array, admission?: AdmissionRefusal["admission"]) => {
      refusal = admission === "unknown_key" ? { admission } : admission && { admission, storeId: "sto_1", rateLimit };
      await admissions.refuse(keyHash);
    },
    clock,
    endMinute: () => clock.endSleep(),
  };
}

test("writes the latest use of each key once a minute, and nothing in a minute without uses", async () => {
  const { writes, use, clock, endMinute } = startUses();
  await use(hash(1));
  await use(hash(2));
  await clock.advance(5_000);
  await use(hash(1));
  expect(writes).toEqual([]);
  await endMinute();
  await endMinute();
  expect(writes).toEqual([
    [
      [1, 5_000],
      [2, 0],
    ],
  ]);
});

test("records the use of a known key even if the request is refused, but not the use of an unknown key", async () => {
  const { writes, use, useRefused, endMinute } = startUses();
  await use(hash(1), "rate_limited");
  await use(hash(2), "plan_required");
  await use(hash(3), "unknown_key");
  await useRefused(hash(4), "rate_limited");
  await useRefused(hash(5), "unknown_key");
  await useRefused(hash(6));
  await endMinute();
  expect(writes.flat().map(([byte]) => byte)).toEqual([1, 2, 4]);
});

test("writes pending uses when it stops", async () => {
  const { writes, uses, use } = startUses();
  await use(hash(1));
  await uses.stop();
  expect(writes).toEqual([[[1, 0]]]);
});

test("continues after a failed write, and loses only the uses in that write", async () => {
  const { writes, keys, use, endMinute } = startUses();
  const { noteUses } = keys;
  keys.noteUses = () => Promise.reject(new Error("unavailable"));
  await use(hash(1));
  await endMinute();
  keys.noteUses = noteUses;
  await use(hash(2));
  await endMinute();
  expect(writes).toEqual([[[2, 60_000]]]);
});
