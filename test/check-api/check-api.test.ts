import { spawn } from "node:child_process";
import { expect, test } from "vitest";
import { z } from "zod";
import { projectFolder } from "../../deploy/local/stack/service-process.ts";
import { notToBeHad } from "./run-check.ts";

// What `npm run check:api` does, in its short form.
const requestsMin = 300;

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

test("nothing that is made of the API's own description breaks the edge, with the limit and without", {
  timeout: 240_000,
}, async ({ signal, skip }) => {
  const args = ["test/check-api/main.ts", "--requests", String(requestsMin), "--seed", "1"];
  const child = spawn(process.execPath, args, { cwd: projectFolder });
  signal.addEventListener("abort", () => child.kill(), { once: true });
  let printed = "";
  let words = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    printed += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    words += text;
  });
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", resolve);
  });
  // On machines that run the checks before a change lands it has to be had.
  if (code === notToBeHad && !process.env.CI) skip(words.trim());
  expect(code, words).toBe(0);
  const result = counts.parse(JSON.parse(printed.trimEnd().split("\n").at(-1) ?? ""));
  expect(result).toMatchObject({ server_errors: 0, failures: 0 });
  expect(result.requests).toBeGreaterThanOrEqual(requestsMin);
  expect(result.statuses["200"]).toBeGreaterThan(0);
  expect(result.rate_limited).toBeGreaterThan(0);
});
