import { describe, expect, test } from "vitest";
import { OutcomeKind } from "#gen/registry/v1/notifier_service_pb.js";
import { collectGarbage } from "../../../test/harness/collect-garbage.ts";
import { expectNoUncaughtException } from "./deliver-fixture.ts";
import { type Behaviour, deliverToHostile, repeats } from "./hostile-receiver-fixture.ts";

expectNoUncaughtException();

describe("the reply timeout", () => {
  const limit = { replyTimeoutMs: 200 };
  const remedy = "Reply before you process the message.";
  const incomplete = `The receiver did not send a final status within 0.2 seconds. ${remedy}`;

  test.each<[string, Behaviour, string]>([
    ["without a reply", () => undefined, `The receiver did not reply within 0.2 seconds. ${remedy}`],
    ["while the status line arrives byte by byte", repeats("x", 20, "HTTP/1.1 200 "), incomplete],
    ["during endless interim replies", repeats("HTTP/1.1 100 Continue\r\n\r\n", 20), incomplete],
    ["during endless headers of an interim reply", repeats("A: b\r\n", 20, "HTTP/1.1 103 Early Hints\r\n"), incomplete],
  ])("expires %s", async (_name, behave, reason) => {
    const attempt = await deliverToHostile(behave, limit);
    expect(attempt).toMatchObject({ kind: OutcomeKind.TIMEOUT, httpStatus: 0, reason });
    expect(attempt.durationMs).toBeLessThan(5_000);
    expect(attempt.phases.replyMs).toBeGreaterThanOrEqual(199);
  });

  test("excludes the body: a slow body is truncated after half a second without changing the outcome", async () => {
    const startedAt = performance.now();
    const slowBody = repeats("x", 100, "HTTP/1.1 200 OK\r\nContent-Length: 999\r\n\r\n");
    const attempt = await deliverToHostile(slowBody, limit);
    expect(attempt).toMatchObject({ kind: OutcomeKind.DELIVERED, httpStatus: 200 });
    expect(attempt.replyExcerpt).toMatch(/^x+$/);
    expect(performance.now() - startedAt - attempt.durationMs).toBeGreaterThan(450);
  });
});

test("ends the attempt after a complete reply even if the connection stays open", async () => {
  let shortestMs = Number.POSITIVE_INFINITY;
  // An attempt that waits for the end of the connection takes half a second. Takes the fastest of several attempts,
  // because the machine may be busy.
  for (let attempt = 0; attempt < 30 && shortestMs >= 450; attempt++) {
    const startedAt = performance.now();
    await deliverToHostile((socket) => void socket.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"));
    shortestMs = Math.min(shortestMs, performance.now() - startedAt);
  }
  expect(shortestMs).toBeLessThan(450);
});

/** Returns how much memory is in use after a garbage collection, in bytes. */
function usedBytes(): number {
  collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

test("does not accumulate an endless body in memory", async () => {
  const flood = Buffer.alloc(1 << 20, "x");
  const before = usedBytes();
  let bytes = 0;
  let nextReading = 64 << 20;
  let retained = 0;
  await deliverToHostile((socket) => {
    const more = () => {
      while (!socket.destroyed && socket.write(flood)) bytes += flood.length;
      bytes += flood.length;
      if (bytes < nextReading) return;
      nextReading += 64 << 20;
      retained = Math.max(retained, usedBytes() - before);
    };
    socket.on("drain", more);
    socket.write("HTTP/1.1 200 OK\r\n\r\n");
    more();
  });
  expect(bytes).toBeGreaterThan(0);
  // What the buffers of both ends of the connection hold: the attempt has ended once the excerpt is complete.
  expect(bytes).toBeLessThan(16 << 20);
  expect(retained).toBeLessThan(64 << 20);
});
