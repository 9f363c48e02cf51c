import { describe, expect, test } from "vitest";
import { ServiceError } from "#shared/errors/service-error.ts";
import { toServiceError } from "#shared/rpc/error-conversion.ts";
import type { Clock } from "#shared/time/clock.ts";
import { ManualClock } from "#shared/time/manual-clock-fixture.ts";
import { PassingClock } from "#shared/time/passing-clock-fixture.ts";
import { PartTurns, uploadFile } from "./upload-file.ts";

/** Calls that record the parts and their times, and take `partMs`. */
function recordParts(clock: Clock & { readonly pass?: (durationMs: number) => void }, partMs = 0) {
  const parts: { readonly store: string; readonly at: number; readonly bytes: number }[] = [];
  const importsOf = (store: string): Parameters<typeof uploadFile>[0]["imports"] => ({
    createImport: async () => ({ $typeName: "settings.v1.CreateImportResponse", importId: store }),
    addImportPart: async ({ content = new Uint8Array() }) => {
      parts.push({ store, at: clock.now(), bytes: content.length });
      clock.pass?.(partMs);
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

describe("files that an edge receives at a time", () => {
  const clock = new ManualClock();
  const sizeMax = 10 * 1_024 * 1_024;
  // Default time limit of the edge for receiving a request.
  const requestMs = 15_000;

  /** Uploads of new stores, or of one. Each has the time that it took, or the error with which it ended. */
  function uploads() {
    const { parts, importsOf } = recordParts(clock);
    const created: string[] = [];
    const turns = new PartTurns(clock);
    const send = async (store: string, content: AsyncIterable<Uint8Array>) => {
      const imports = {
        ...importsOf(store),
        createImport: () => {
          created.push(store);
          return importsOf(store).createImport({});
        },
      };
      const startedAt = clock.now();
      const file = { name: "orders.csv", content };
      return uploadFile({ imports, store, clock, turns }, file).then(() => clock.now() - startedAt, toServiceError);
    };
    return { parts, created, send };
  }

  async function advanceUntil<T>(result: Promise<T>): Promise<T> {
    let isPending = true;
    void result.finally(() => (isPending = false));
    while (isPending) await clock.advance(20);
    return result;
  }

  test("those of seven stores at once either arrive in time or are refused before an import is created", async () => {
    const { parts, created, send } = uploads();
    const stores = ["s0", "s1", "s2", "s3", "s4", "s5", "s6"];
    const sent = await advanceUntil(Promise.all(stores.map((store) => send(store, contentOf(sizeMax)))));
    expect(created).toEqual(stores.slice(0, 5));
    for (const took of sent.slice(0, 5)) expect(took).toBeLessThan(0.85 * requestMs);
    expect(sent.slice(5)).toMatchObject([{ code: "unavailable" }, { code: "unavailable" }]);
    const times = parts.map(({ at }) => at);
    expect((times.at(-1) ?? 0) - (times[0] ?? 0)).toBeGreaterThanOrEqual(199 * 60);
    expect(await advanceUntil(send("s5", contentOf(300_000)))).toBeLessThan(300);
  });

  test("large files arrive in time, however many small ones of other stores arrive meanwhile", async () => {
    const { created, send } = uploads();
    let isDone = false;
    const large = Promise.all(["a", "b", "c", "d"].map((store) => send(store, contentOf(sizeMax))));
    const small = async () => {
      for (let count = 0; !isDone; count++) await send(`small ${count}`, contentOf(1_000));
    };
    const others = small();
    const took = await advanceUntil(large);
    isDone = true;
    await advanceUntil(others);
    for (const each of took) expect(each).toBeLessThan(0.85 * requestMs);
    expect(created.length).toBeGreaterThan(20);
  });

  test("a store sends at most two, which leaves room for others, and sends again once one has ended or failed", async () => {
    const { created, send } = uploads();
    async function* cutOff() {
      yield Buffer.alloc(600_000, "x");
      throw new ServiceError("bad_request", "the connection was closed");
    }
    const results = Promise.all([
      send("large", contentOf(sizeMax)),
      send("large", cutOff()),
      send("large", contentOf(1_000)),
      send("small", contentOf(1_000)),
    ]);
    const [first, second, third, other] = await advanceUntil(results);
    expect([first, other]).toEqual([expect.any(Number), expect.any(Number)]);
    expect([second, third]).toMatchObject([{ code: "bad_request" }, { code: "unavailable" }]);
    const again = [send("large", contentOf(1_000)), send("large", contentOf(1_000))];
    expect(await advanceUntil(Promise.all(again))).toEqual([expect.any(Number), expect.any(Number)]);
    expect(created).toEqual(["large", "large", "small", "large", "large"]);
  });

  /** A file of which the rest arrives once the promise resolves. */
  async function* interrupted(rest: Promise<void>) {
    yield Buffer.alloc(1_000, "x");
    await rest;
    yield Buffer.alloc(1_000, "x");
  }

  test("those that arrive slowly leave their places to others after a second, and go on once they arrive", async () => {
    const { parts, send } = uploads();
    const rest = Promise.withResolvers<void>();
    const slow = Promise.all(["a", "a", "b", "b", "c"].map((store) => send(store, interrupted(rest.promise))));
    expect(await advanceUntil(send("d", contentOf(1_000)))).toMatchObject({ code: "unavailable" });
    for (let passedMs = 0; passedMs < 1_100; passedMs += 20) await clock.advance(20);
    const others = ["a", "a", "d", "e", "f"].map((store) => send(store, contentOf(300_000)));
    expect(await advanceUntil(Promise.all(others))).toEqual(Array(5).fill(expect.any(Number)));
    rest.resolve();
    expect(await advanceUntil(slow)).toEqual(Array(5).fill(expect.any(Number)));
    expect(parts.filter(({ store }) => store === "c").map(({ bytes }) => bytes)).toEqual([2_000]);
  });

  test("those that arrive slowly are refused if others have taken their places, and these still arrive in time", async () => {
    const { send } = uploads();
    const rest = Promise.withResolvers<void>();
    const slow = Promise.all(["a", "a", "b", "b", "c"].map((store) => send(store, interrupted(rest.promise))));
    for (let passedMs = 0; passedMs < 1_100; passedMs += 20) await clock.advance(20);
    const others = Promise.all(["d", "e", "f", "g", "h"].map((store) => send(store, contentOf(sizeMax))));
    rest.resolve();
    for (const refused of await advanceUntil(slow)) expect(refused).toMatchObject({ code: "unavailable" });
    for (const took of await advanceUntil(others)) expect(took).toBeLessThan(0.85 * requestMs);
  });
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
