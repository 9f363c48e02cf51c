import { expect, test } from "vitest";
import { SetupError } from "../../../deploy/local/servers/setup-error.ts";
import { spawnCheck } from "../../harness/program/spawn-program.ts";
import { findSchemathesis } from "./schemathesis-program.ts";

const requestsMin = 150;

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
  const options = ["--requests", String(requestsMin), "--seed", "1"];
  const { code, output, counts: found } = await spawnCheck("api", signal, ...options);
  const statuses = { 200: expect.any(Number) };
  expect(found, output).toMatchObject({ server_errors: 0, failures: 0, complete: true, statuses });
  expect(found.requests).toBeGreaterThanOrEqual(requestsMin);
  expect(found.rate_limited).toBeGreaterThan(0);
  expect(code).toBe(0);
});
