import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { expect, onTestFinished, test } from "vitest";
import { generateApiKey } from "#shared/keys/api-key.ts";
import type { ServerExit } from "../../../deploy/local/servers/running-server.ts";
import { eventually } from "../eventually.ts";
import { Supervisor } from "./supervisor.ts";

// Longer than the limit of `eventually`.
const timeout = 120_000;

/** Supervises a simulated process; `exit` makes it exit and waits for its restart. */
async function startProcess(killsItself: boolean) {
  const supervisor = await Supervisor.open({ name: "supervisor-test", restart: true });
  onTestFinished(() => supervisor.close());
  const exits: ((exit: ServerExit) => void)[] = [];
  const launch = async () => {
    const { promise: exited, resolve } = Promise.withResolvers<ServerExit>();
    exits.push(resolve);
    const kill = () => resolve({ code: null, signal: "SIGKILL" });
    return { pid: 1, exited, kill, stop: async () => kill() };
  };
  const process = await supervisor.start({ name: "part", launch, killsItself });
  const exit = async (how: ServerExit) => {
    const starts = exits.length;
    exits.at(-1)?.(how);
    await eventually(async () => expect(exits.length).toBe(starts + 1));
  };
  return { supervisor, process, exit };
}

test("lists the exits that neither kill() nor stop() caused", { timeout }, async () => {
  const { supervisor, process, exit } = await startProcess(false);
  await exit({ code: 1, signal: null });
  await exit({ code: null, signal: "SIGKILL" });
  await process.kill();
  await process.start();
  await process.stop();
  expect(supervisor.unexpectedExits).toEqual([
    "part exited with code 1; restarting it",
    "part exited on SIGKILL; restarting it",
  ]);
});

test("lists the exits of a process that kills itself, except those by SIGKILL", { timeout }, async () => {
  const { supervisor, exit } = await startProcess(true);
  await exit({ code: null, signal: "SIGKILL" });
  await exit({ code: null, signal: "SIGABRT" });
  expect(supervisor.unexpectedExits).toEqual(["part exited on SIGABRT; restarting it"]);
});

test.each([
  ["an API key", `unknown key ${generateApiKey()}`, "API key"],
  ["a cursor", "/v1/certificates/AQAAAZypRQp7GZNvYGpZX6pl2a72xelrHA", "random text"],
  ["an e-mail address", "no owner ada@example.test", "e-mail address"],
])("rejects on close, and still removes the folder, when a service has logged %s", async (_name, text, kind) => {
  const supervisor = await Supervisor.open({ name: "supervisor-test" });
  const script = supervisor.path("service.mjs");
  await writeFile(
    script,
    `console.log("first line");\nconsole.log(${JSON.stringify(text)});\nsetInterval(() => {}, 1_000);`,
  );
  const log = supervisor.path("edge.log");
  const isReady = async () => (await readFile(log, "utf8")).includes("\n", "first line\n".length);
  await supervisor.startService("edge", () => ({ name: "edge", script, env: {}, isReady }));
  await expect(supervisor.close()).rejects.toThrow(`edge.log:2 (${kind}): `);
  expect(existsSync(supervisor.folder)).toBe(false);
});

test("rejects on close when a log contains the content of a key file in hexadecimal", async () => {
  const supervisor = await Supervisor.open({ name: "supervisor-test" });
  const key = randomBytes(32);
  await writeFile(supervisor.path("cursor.key"), key);
  await writeFile(supervisor.path("edge.log"), `key: ${key.toString("hex")}\n`);
  await expect(supervisor.close()).rejects.toThrow("edge.log:1 (key of the installation): key: [");
});

test("close runs the remaining cleanups after one fails, and rejects with the failed cleanup's error", async () => {
  const supervisor = await Supervisor.open({ name: "supervisor-test" });
  const failure = new Error("a cleanup failed");
  const ran: string[] = [];
  supervisor.onClose(async () => ran.push("first"));
  supervisor.onClose(() => Promise.reject(failure));
  supervisor.onClose(async () => ran.push("last"));
  await expect(supervisor.close()).rejects.toBe(failure);
  expect(ran).toEqual(["last", "first"]);
  expect(existsSync(supervisor.path("."))).toBe(false);
});
