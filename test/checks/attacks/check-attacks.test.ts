import { expect, test } from "vitest";
import { z } from "zod";
import { spawnProgram } from "../../harness/program/spawn-program.ts";

// A short run of `npm run check:attacks`, with attacks for as long as in a run of five minutes: releases run it for an
// hour. Without pauses, latencies are not judged: on a machine that runs other tests, they say nothing.
const service = z.strictObject({ mebibytes: z.int(), turn_cpu_ms: z.int(), turn_ms: z.int() });
const counts = z.strictObject({
  seed: z.int(),
  minutes: z.literal(2.5),
  requests: z.int(),
  statuses: z.string(),
  services: z.strictObject({ edge: service, registry: service }),
  p99_ratio: z.null(),
  findings: z.int(),
  complete: z.literal(true),
});

test("attacks are refused without a 500, a crash, a failed request of another store, 512 MiB or a turn of over 200 ms", {
  timeout: 600_000,
}, async ({ signal }) => {
  const options = ["--no-build", "--no-pauses", "--minutes", "2.5"];
  const { code, output, counts: found } = await spawnProgram(counts, signal, "test/checks/attacks/main.ts", ...options);
  expect(code, output).toBe(0);
  expect(found.requests, output).toBeGreaterThan(1_000);
});
