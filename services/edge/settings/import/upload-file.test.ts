import { expect, test } from "vitest";
import { PassingClock } from "#shared/time/passing-clock-fixture.ts";
import { PartTurns, uploadFile } from "./upload-file.ts";

/** Calls that record the parts and their times, and take `partMs`. */
function recordParts(clock: PassingClock, partMs = 0) {
  const parts: { readonly store: string; readonly at: number; readonly bytes: number }[] = [];
  const importsOf = (store: string): Parameters<typeof uploadFile>[0]["imports"] => ({
    createImport: async () => ({ $typeName: "settings.v1.CreateImportResponse", importId: store }),
    addImportPart: async ({ content = new Uint8Array() }) => {
      parts.push({ store, at: clock.now(), bytes: content.length });
      clock.pass(partMs);
      return { $typeName: "settings.v1.AddImportPartResponse" };
    },
  });
  return { parts, importsOf };
}

async function* contentOf(bytes: number, chunkBytes = bytes) {
  for (let sent = 0; sent < bytes; sent += chunkBytes) yield Buffer.alloc(Math.min(chunkBytes, bytes - sent), "x");
}

test.each([
  { how: "pauses between the parts of its file, so that requests of other stores get their turn", partMs: 0 },
  { how: "does not pause after parts that take long by themselves, so that it ends in time", partMs: 200 },
])("an upload $how", async ({ partMs }) => {
  const clock = new PassingClock();
  const { parts, importsOf } = recordParts(clock, partMs);
  const upload = { imports: importsOf("linden"), store: "linden", clock, turns: new PartTurns(clock) };
  await uploadFile(upload, { name: "orders.csv", content: contentOf(600_000) });
  const everyMs = Math.max(120, partMs);
  expect(parts.map(({ at }) => at)).toEqual([0, everyMs, 2 * everyMs]);
  expect(parts.map(({ bytes }) => bytes)).toEqual([262_144, 262_144, 75_712]);
});

test("stores take turns with the parts of their files, and several uploads of one store take the turns of one", async () => {
  const clock = new PassingClock();
  const turns = new PartTurns(clock);
  const order: string[] = [];
  const startedAt = clock.now();
  const send = async (store: string, count: number) => {
    for (let part = 0; part < count; part++) {
      await turns.next(store);
      order.push(store);
    }
  };
  await Promise.all([...Array.from({ length: 6 }, () => send("large", 10)), send("small", 10)]);
  expect(clock.now() - startedAt).toBe(69 * 60);
  expect(order.lastIndexOf("small")).toBeLessThan(30);
});

test("parts beyond those that may wait are refused, those of other stores last", async () => {
  const turns = new PartTurns(new PassingClock());
  const waiting = Array.from({ length: 100 }, () => turns.next("large"));
  const refused = Promise.allSettled(waiting);
  await turns.next("small");
  const results = await refused;
  const reasons = results.flatMap((result) => (result.status === "rejected" ? [result.reason] : []));
  expect(reasons.length).toBeGreaterThan(30);
  expect(reasons[0]).toMatchObject({ code: "unavailable" });
});

test("a file that arrives byte by byte takes little processor time, and arrives unchanged", async () => {
  const clock = new PassingClock();
  const { parts, importsOf } = recordParts(clock);
  const before = process.threadCpuUsage();
  const upload = { imports: importsOf("linden"), store: "linden", clock, turns: new PartTurns(clock) };
  await uploadFile(upload, { name: "orders.csv", content: contentOf(300_000, 1) });
  expect(process.threadCpuUsage(before).user / 1_000).toBeLessThan(1_500);
  expect(parts.map(({ bytes }) => bytes)).toEqual([262_144, 37_856]);
});
