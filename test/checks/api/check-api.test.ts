import { expect, test } from "vitest";
import { z } from "zod";
import { SetupError } from "../../../deploy/local/servers/setup-error.ts";
import { runCheckProgram } from "../runner/run-check-program.ts";
import { findSchemathesis } from "./schemathesis-program.ts";

// What `npm run check:api` does, in its short form.
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
});

test("nothing that follows from the API's description breaks the edge, within the limit and beyond it", {
  timeout: 300_000,
}, async ({ signal, skip }) => {
  try {
    await findSchemathesis({ env: process.env, log: () => undefined, signal });
  } catch (error) {
    // Before a change lands, it has to be had.
    if (!(error instanceof SetupError) || process.env.CI) throw error;
    skip(`schemathesis cannot be had: ${error.message}`);
  }
  const args = ["test/checks/api/main.ts", "--requests", String(requestsMin), "--seed", "1"];
  const { code, words, counts: found } = await runCheckProgram(counts, signal, ...args);
  expect(found, words).toMatchObject({ server_errors: 0, failures: 0 });
  expect(found.requests).toBeGreaterThanOrEqual(requestsMin);
  expect(found.statuses["200"]).toBeGreaterThan(0);
  expect(found.rate_limited).toBeGreaterThan(0);
  expect(code).toBe(0);
});
