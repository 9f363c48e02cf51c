import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const main = fileURLToPath(new URL("main.ts", import.meta.url));
const required = { NOTIFIER_REGISTRY_ADDRESS: "127.0.0.1:1", NOTIFIER_NATS_SERVERS: "nats://127.0.0.1:1" };

/** Runs the notifier with a configuration that it cannot use, to its end. */
function run(env: Readonly<Record<string, string>>): Promise<{ code: unknown; lines: string[] }> {
  return new Promise((resolve) => {
    const options = { env: { ...required, NOTIFIER_OPERATIONS_PORT: "0", ...env }, timeout: 20_000 };
    execFile(process.execPath, [main], options, (error, stdout, stderr) => {
      resolve({ code: error?.code, lines: `${stdout}${stderr}`.trim().split("\n") });
    });
  });
}

test.each([
  [
    "NOTIFIER_EXTRA_CA_FILE",
    "/nowhere/ca.pem",
    "NOTIFIER_EXTRA_CA_FILE: /nowhere/ca.pem cannot be read (ENOENT)",
  ],
  ["NOTIFIER_EXTRA_CA_FILE", "/dev/null", "NOTIFIER_EXTRA_CA_FILE: /dev/null holds no PEM certificate"],
  [
    "NOTIFIER_ALLOWED_NETWORKS",
    "10.0.0.0/8,10.1.2.3/16",
    "The configuration cannot be used. NOTIFIER_ALLOWED_NETWORKS: no network, as 10.1.0.0/16 is: 10.1.2.3/16",
  ],
])("%s=%s ends it with code 2 and one line that says why, without a stack", async (name, value, message) => {
  const { code, lines } = await run({ [name]: value });
  expect(code).toBe(2);
  expect(lines).toHaveLength(1);
  const line: Record<string, unknown> = JSON.parse(lines[0] ?? "");
  expect(line).toEqual({ level: 60, time: expect.any(String), service: "notifier", msg: message });
});
