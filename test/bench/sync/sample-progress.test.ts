import { expect, test } from "vitest";
import { sampleProgress } from "./sample-progress.ts";

test("samples the final progress even when `stop` is called while a sample is being taken", async () => {
  let units = 0;
  const stopping = Promise.withResolvers<void>();
  const sampling = sampleProgress(
    () => units,
    async () => {
      await stopping.promise;
      return 2 * units;
    },
  );
  units = 100;
  sampling.stop();
  stopping.resolve();
  const samples = await sampling.samples;
  expect(samples.at(-1)).toEqual({ units: 100, cost: 200 });
});
