import { execa } from "execa";
import { expect, test } from "vitest";
import { requirePython } from "../../test/client/runtimes.ts";

test("the unit tests of the Python client library pass", async (context) => {
  const python = await requirePython(context);
  const args = ["-W", "error::ResourceWarning", "-m", "unittest", "--verbose"];
  // Neither leaves files in the repository, nor asks a proxy for the tests' own servers.
  const env = { PYTHONDONTWRITEBYTECODE: "1", no_proxy: "127.0.0.1" };
  const { all, exitCode } = await execa(python, args, { cwd: import.meta.dirname, env, all: true, reject: false });
  expect(exitCode, all).toBe(0);
  expect(all).toMatch(/^Ran \d\d tests/m);
});
