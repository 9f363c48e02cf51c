import { expect, test } from "vitest";
import { z } from "zod";
import { spawnProgram } from "../../harness/program/spawn-program.ts";

// A short run of `npm run check:fuzz`, of one minute: releases run it for an hour. Latencies and delays of a machine
// that runs other tests say nothing, so only what no other program can cause is judged.
const service = z.strictObject({ mebibytes: z.int(), quiet_delay_ms: z.int(), fuzzed_delay_ms: z.int() });
const counts = z.strictObject({
  seed: z.int(),
  minutes: z.literal(1),
  requests: z.int(),
  statuses: z.string(),
  services: z.strictObject({ edge: service, registry: service }),
  p99_ratio: z.number(),
  findings: z.int(),
  complete: z.literal(true),
});

test("mutated bodies to every route end without a 500, a crash, a failed request of another store or 512 MiB", {
  timeout: 240_000,
}, async ({ signal }) => {
  const { output, counts: found } = await spawnProgram(
    counts,
    signal,
    "test/checks/fuzz/main.ts",
    "--no-build",
    "--minutes",
    "1",
  );
  expect(output).not.toMatch(/: 500$|no reply within|good store's request|exited|used \d+ MiB/m);
  expect(found.requests, output).toBeGreaterThan(200);
});
