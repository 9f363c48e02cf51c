import { expect, test } from "vitest";
import { spawnCheck } from "../../harness/program/spawn-program.ts";
import { noViolations } from "../webhooks/verdict.ts";

// Each test is a short run of `npm run check:rolling` with the installed database server, which may be slow.
const timeout = 600_000;

const checkRolling = (signal: AbortSignal, ...options: string[]) =>
  spawnCheck("rolling", signal, "--no-build", ...options);

test("counts no failed list requests and no lost or repeated messages during rolling restarts of all services", {
  timeout,
}, async ({ signal }) => {
  const { code, output, counts } = await checkRolling(signal, "--short");
  const flawless = { ...noViolations, failed_requests: 0, unclean_stops: 0, crashed: 0, complete: true };
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
