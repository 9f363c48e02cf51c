import { expect, test } from "vitest";
import { spawnCheck } from "../../harness/program/spawn-program.ts";

// A short run of `npm run check:attacks`, with attacks for as long as in a run of five minutes: releases run it for an
// hour. Without pauses, latencies are not judged: on a machine that runs other tests, they say nothing.
test("attacks are refused without a 500, a crash, a failed request of another store, 512 MiB or a turn of over 200 ms", {
  timeout: 600_000,
}, async ({ signal }) => {
  const options = ["--no-build", "--no-pauses", "--minutes", "2.5"];
  const { code, output, counts: found } = await spawnCheck("attacks", signal, ...options);
  expect(code, output).toBe(0);
  expect(found).toMatchObject({ minutes: 2.5, p99_ratio: null, complete: true });
  expect(found.requests, output).toBeGreaterThan(1_000);
});
