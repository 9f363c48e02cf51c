import { expect, test } from "vitest";
import { z } from "zod";
import { spawnProgram } from "../../harness/program/spawn-program.ts";
import { noViolations, violationFields } from "../webhooks/violation-fields.ts";

// Each test is a short run of `npm run check:rolling` with the installed database server, which may be slow.
const timeout = 600_000;

const counts = z.strictObject({
  seed: z.int(),
  ...violationFields,
  restarts: z.int(),
  processes: z.int(),
  requests: z.int(),
  failed_requests: z.int(),
  interrupted_requests: z.int(),
  events: z.int(),
  posts: z.int(),
  unclean_stops: z.int(),
  crashed: z.int(),
  stores: z.int(),
  seconds: z.int(),
  complete: z.boolean(),
});

const checkRolling = (signal: AbortSignal, ...options: string[]) =>
  spawnProgram(counts, signal, "test/checks/rolling/main.ts", "--no-build", ...options);

test("counts no failed list requests and no lost or repeated messages during rolling restarts of all services", {
  timeout,
}, async ({ signal }) => {
  const { code, output, counts } = await checkRolling(signal, "--short");
  const flawless = {
    ...noViolations,
    failed_requests: 0,
    unclean_stops: 0,
    crashed: 0,
    complete: true,
  };
  expect(counts, output).toMatchObject({ ...flawless, restarts: 3, processes: 18 });
  expect(counts.requests).toBeGreaterThan(100);
  expect(counts.posts).toBe(counts.events);
  expect(code).toBe(0);
});

test("counts failed requests when requests are sent to edges that are not ready", { timeout }, async ({ signal }) => {
  const { code, counts } = await checkRolling(signal, "--restarts", "1", "--ignore-readiness");
  expect(counts.failed_requests).toBeGreaterThan(0);
  expect(code).toBe(1);
});
