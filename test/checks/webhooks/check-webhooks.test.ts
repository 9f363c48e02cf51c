import { expect, test } from "vitest";
import { z } from "zod";
import { spawnProgram } from "../../harness/program/spawn-program.ts";
import { noViolations, violationFields } from "./violation-fields.ts";

// Each test is a short run of `npm run check:webhooks` with the installed database server, which may be slow. JetStream
// waits 30 s before it redelivers a killed notifier's messages, and a failing run waits minutes for missing messages.
const timeout = 600_000;
const short = ["--events", "400", "--stores", "12", "--kills-per-step", "1", "--kill-every-ms", "4000"];

const counts = z.strictObject({
  seed: z.int(),
  ...violationFields,
  events: z.int(),
  posts: z.int(),
  crashed: z.int(),
  trigger_posts: z.int(),
  trigger_lost: z.int(),
  trigger_out_of_order: z.int(),
  interrupted: z.int(),
  skipped: z.int(),
  kills: z.int(),
  stores: z.int(),
  seconds: z.int(),
  handling: z.string(),
  complete: z.boolean(),
  memory_mb: z.record(z.string(), z.strictObject({ before: z.int().nullable(), after: z.int().nullable() })),
  flat: z.boolean().nullable(),
});

const checkWebhooks = (signal: AbortSignal, ...options: string[]) =>
  spawnProgram(counts, signal, "test/checks/webhooks/main.ts", ...short, "--no-build", ...options);

// Concurrent, because each run mostly waits, and the tests check only counts, not rates or latencies.
test.concurrent("sends no webhook event twice or out of order, records every outcome, and sends every event to the triggers, while servers, registries and notifiers are killed", {
  timeout,
}, async ({ signal }) => {
  const { code, output, counts } = await checkWebhooks(signal, "--claim-life-ms", "20000");
  const flawless = {
    ...noViolations,
    trigger_lost: 0,
    trigger_out_of_order: 0,
    crashed: 0,
    complete: true,
  };
  expect(counts, output).toMatchObject({ ...flawless, handling: "usual" });
  expect(counts.events).toBeGreaterThanOrEqual(400);
  expect(counts.posts).toBeGreaterThan(100);
  expect(counts.trigger_posts).toBeGreaterThan(100);
  // A notifier is killed at each of the nine steps; the database, NATS and two registries are killed as well.
  expect(counts.kills).toBeGreaterThanOrEqual(13);
  expect(code).toBe(0);
});

test.concurrent("fails and reports lost events when notifiers acknowledge messages immediately and claim no events", {
  timeout,
}, async ({ signal }) => {
  const { code, counts } = await checkWebhooks(signal, "--ack-first", "--events", "250");
  expect(counts.without_outcome).toBe(counts.events);
  expect(counts.lost).toBeGreaterThan(0);
  expect(counts.handling).toBe("ack-first");
  expect(code).toBe(1);
});
