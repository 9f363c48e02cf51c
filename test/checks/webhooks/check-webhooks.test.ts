import { expect, test } from "vitest";
import { z } from "zod";
import { runCheckProgram } from "../runner/run-check-program.ts";

// What `npm run check:webhooks` does, in its short form. The database server is the one that is there: a slow one takes
// longer. JetStream hands a message out again 30 s after the notifier that had it was killed; a run that fails waits for
// minutes for what does not come.
const timeout = 600_000;
const short = ["--events", "400", "--stores", "12", "--kills-per-step", "1", "--kill-every-ms", "4000"];

const counts = z.strictObject({
  ...{ seed: z.int(), events: z.int(), posts: z.int(), doubled: z.int(), out_of_order: z.int() },
  ...{ without_outcome: z.int(), lost: z.int(), untrue: z.int(), wrong: z.int() },
  ...{ interrupted: z.int(), skipped: z.int(), kills: z.int(), stores: z.int(), seconds: z.int() },
  handling: z.string(),
});

const checkWebhooks = (signal: AbortSignal, ...options: string[]) =>
  runCheckProgram(counts, signal, "test/checks/webhooks/main.ts", ...short, "--no-build", ...options);

test("no event is sent twice or out of order, and each has its outcome, while everything is killed", {
  timeout,
}, async ({ signal }) => {
  const { code, words, counts } = await checkWebhooks(signal, "--claim-life-ms", "20000");
  const flawless = { doubled: 0, out_of_order: 0, without_outcome: 0, lost: 0, untrue: 0, wrong: 0 };
  expect(counts, words).toMatchObject({ ...flawless, handling: "usual" });
  expect(counts.events).toBeGreaterThanOrEqual(400);
  expect(counts.posts).toBeGreaterThan(100);
  // A notifier at each of the six steps, and each of database, messages and two registries, at least once.
  expect(counts.kills).toBeGreaterThanOrEqual(10);
  expect(code).toBe(0);
});

test("events go lost where a notifier acknowledges first and claims never, and the check says so", {
  timeout,
}, async ({ signal }) => {
  const { code, counts } = await checkWebhooks(signal, "--ack-first");
  expect(counts.without_outcome).toBe(counts.events);
  expect(counts.lost).toBeGreaterThan(0);
  expect(counts.handling).toBe("ack-first");
  expect(code).toBe(1);
});
