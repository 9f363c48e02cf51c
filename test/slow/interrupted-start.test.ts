import { readFile } from "node:fs/promises";
import path from "node:path";
import { execa } from "execa";
import { expect, onTestFinished, test } from "vitest";
import { freePort } from "../../deploy/local/servers/free-port.ts";
import { startCertctlProcesses } from "../../deploy/local/stack/certctl-processes.ts";
import { demoFacts } from "../../deploy/local/stack/data-folder.ts";
import { runCertctl } from "../../deploy/local/stack/run-certctl.ts";
import { projectFolder } from "../../deploy/local/stack/service-process.ts";
import { eventually } from "../harness/eventually.ts";
import { openTemporaryFolder } from "../harness/files/temporary-folder.ts";

const limitMs = 300_000;

/** Starts the demo as a terminal does: in a process group of its own, all of whose processes get Ctrl-C. */
async function startDemo(data: string) {
  const ports = ["--port", "--registry-port", "--receiver-port", "--shop-port"];
  const options = await Promise.all(ports.map(async (port) => [port, String(await freePort())]));
  const args = ["deploy/local/start.ts", "--data", data, ...options.flat()];
  const demo = execa(process.execPath, args, {
    cwd: projectFolder,
    stdin: "ignore",
    all: true,
    detached: true,
    reject: false,
  });
  onTestFinished(() => void demo.kill("SIGKILL"));
  let text = "";
  demo.all.on("data", (chunk: Buffer) => {
    text += chunk.toString("utf8");
  });
  const ended = demo.then(({ all }) => {
    throw new Error(`the demo ended:\n${all}`);
  });
  return {
    prints: (line: string) =>
      Promise.race([ended, eventually(() => expect(text).toContain(line), { withinMs: limitMs })]),
    /** Presses Ctrl-C. */
    interrupt: async () => {
      if (demo.pid !== undefined) process.kill(-demo.pid, "SIGINT");
      const { exitCode, all } = await demo;
      return { exitCode, lastLines: all.split("\n").slice(-2) };
    },
  };
}

/** Returns the valid API keys of the demo store, one a line. */
async function apiKeysIn(data: string): Promise<string> {
  const facts = demoFacts.parse(JSON.parse(await readFile(path.join(data, "demo.json"), "utf8")));
  const { cert_file: cert, key_file: key, ca_file: ca } = facts.operator_tls;
  const certctl = startCertctlProcesses();
  onTestFinished(() => certctl.close());
  const registry = { registryAddress: facts.registry_address, operator: { cert, key, ca }, certctl };
  return (await runCertctl(registry, facts.shop, ["key", "list"])).trim();
}

const stopped = { lastLines: ["Stopping …", "Stopped."] };

test("Ctrl-C during the import of the first start ends the demo without an error, and the next start continues with one API key", {
  timeout: limitMs,
}, async () => {
  const data = await openTemporaryFolder("interrupted-start", onTestFinished);
  const first = await startDemo(data);
  await first.prints("Importing the demo order export …");
  expect(await first.interrupt()).toEqual({ exitCode: 130, ...stopped });
  const second = await startDemo(data);
  await second.prints("The certificate registry is ready.");
  expect(await apiKeysIn(data)).toMatch(/^\S+ .* demo$/);
  expect(await second.interrupt()).toEqual({ exitCode: 0, ...stopped });
});
