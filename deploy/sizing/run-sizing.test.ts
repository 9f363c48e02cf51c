import { expect, onTestFinished, test, vi } from "vitest";
import { runSizing } from "./run-sizing.ts";

function run(...args: string[]) {
  const out = vi.spyOn(process.stdout, "write").mockReturnValue(true);
  const error = vi.spyOn(process.stderr, "write").mockReturnValue(true);
  onTestFinished(() => void vi.restoreAllMocks());
  const code = runSizing(args);
  return { code, out: out.mock.calls.join(""), error: error.mock.calls.join("") };
}

const usage = expect.stringContaining("Usage: npm run sizing");

test("prints the usage on request", () => {
  expect(run("--help")).toEqual({ code: 0, out: usage, error: "" });
});

test.each([[["--unknown"]], [["--stores", "1"]]])("prints the usage on standard error for %j", (args) => {
  expect(run(...args)).toEqual({ code: 2, out: "", error: usage });
});

test("prints the sizes for a load", () => {
  const load = ["--stores", "5", "--certificates", "100", "--changes", "1", "--pages", "1"];
  expect(run(...load)).toEqual({ code: 0, out: expect.stringContaining("| yours | 5 | 100 |"), error: "" });
});
