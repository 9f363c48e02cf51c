import { expect, onTestFinished, test } from "vitest";
import type { ServerExit } from "../../../deploy/local/servers/running-server.ts";
import { eventually } from "../eventually.ts";
import { Supervisor } from "./supervisor.ts";

/** Supervises a process that the test can make exit by itself. */
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
    await eventually(async () => expect(exits.length).toBe(starts + 1), { withinMs: 5_000 });
  };
  return { supervisor, process, exit };
}

test("counts the exits that the test did not cause", async () => {
  const { supervisor, process, exit } = await startProcess(false);
  await exit({ code: 1, signal: null });
  await exit({ code: null, signal: "SIGKILL" });
  await process.kill();
  await process.start();
  await process.stop();
  expect(supervisor.unexpectedExits).toEqual([
    "part exited unexpectedly with code 1; restarting it",
    "part exited unexpectedly on SIGKILL; restarting it",
  ]);
});

test("expects only SIGKILL of a process that kills itself", async () => {
  const { supervisor, exit } = await startProcess(true);
  await exit({ code: null, signal: "SIGKILL" });
  await exit({ code: null, signal: "SIGABRT" });
  expect(supervisor.unexpectedExits).toEqual(["part exited unexpectedly on SIGABRT; restarting it"]);
});
