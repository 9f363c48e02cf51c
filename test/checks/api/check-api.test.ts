import { expect, test } from "vitest";
import { z } from "zod";
import { SetupError } from "../../../deploy/local/servers/setup-error.ts";
import { spawnProgram } from "../../harness/program/spawn-program.ts";
import { findSchemathesis } from "./schemathesis-program.ts";

const requestsMin = 150;

const counts = z.strictObject({
  seed: z.int(),
  cases: z.int(),
  requests: z.int(),
  statuses: z.record(z.string(), z.int()),
  limited_requests: z.int(),
  rate_limited: z.int(),
  server_errors: z.int(),
  failures: z.int(),
  seconds: z.int(),
  complete: z.literal(true),
});

// A short run of `npm run check:api`.
test("finds no failure with requests generated from the API description, below and above the rate limit", {
  timeout: 300_000,
}, async ({ signal, skip }) => {
  try {
    await findSchemathesis({ env: process.env, log: () => undefined, signal });
  } catch (error) {
    // On CI, a failed installation fails the test.
    if (!(error instanceof SetupError) || process.env.CI) throw error;
    skip(`schemathesis cannot be installed: ${error.message}`);
  }
  const args = ["test/checks/api/main.ts", "--requests", String(requestsMin), "--seed", "1"];
  const { code, output, counts: found } = await spawnProgram(counts, signal, ...args);
  expect(found, output).toMatchObject({ server_errors: 0, failures: 0 });
  expect(found.requests).toBeGreaterThanOrEqual(requestsMin);
  expect(found.statuses["200"]).toBeGreaterThan(0);
  expect(found.rate_limited).toBeGreaterThan(0);
  expect(code).toBe(0);
});
