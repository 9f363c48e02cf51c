import { afterEach, expect, test, vi } from "vitest";
import { backOffMs } from "./back-off.ts";

afterEach(() => void vi.restoreAllMocks());

test("delays double from the first to the maximum, and jitter shortens each by up to a quarter", () => {
  const random = vi.spyOn(Math, "random");
  const delays = [0, 1, 2, 3, 4, 50, 5_000].map((failures) =>
    [0, 1].map((drawn) => {
      random.mockReturnValueOnce(drawn);
      return backOffMs(failures, 100, 1_000);
    }),
  );
  expect(delays).toEqual([
    [100, 75],
    [200, 150],
    [400, 300],
    [800, 600],
    [1_000, 750],
    [1_000, 750],
    [1_000, 750],
  ]);
});
