import { expect, onTestFinished, test, vi } from "vitest";
import { runBackupCommand } from "./run-backup-command.ts";

const usage = expect.stringContaining("Usage: backup save");

test.each([["--help"], ["-h"], ["save", "--help"]])("prints the usage on request: %s %s", async (...args) => {
  const out = vi.spyOn(process.stdout, "write").mockReturnValue(true);
  onTestFinished(() => out.mockRestore());
  expect(await runBackupCommand(args, {})).toBe(0);
  expect(out).toHaveBeenCalledExactlyOnceWith(usage);
});

test("prints the usage on standard error for an invalid command line", async () => {
  const error = vi.spyOn(process.stderr, "write").mockReturnValue(true);
  onTestFinished(() => error.mockRestore());
  expect(await runBackupCommand(["--unknown"], {})).toBe(2);
  expect(error).toHaveBeenCalledExactlyOnceWith(usage);
});
