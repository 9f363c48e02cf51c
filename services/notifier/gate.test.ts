import { expect, test } from "vitest";
import { Gate } from "./gate.ts";

test("who waits goes through when the gate opens, who comes later at once, after closing not", async () => {
  const gate = new Gate();
  const { signal } = new AbortController();
  const passed: string[] = [];
  const first = gate.whenOpen(signal).then(() => passed.push("first"));
  await Promise.resolve();
  expect(passed).toEqual([]);
  gate.open();
  await first;
  await gate.whenOpen(signal);
  gate.close();
  gate.whenOpen(signal).then(() => passed.push("never"));
  await new Promise(setImmediate);
  expect(passed).toEqual(["first"]);
});

test("a signal that aborts lets go of who waits", async () => {
  const abort = new AbortController();
  const waiting = new Gate().whenOpen(abort.signal);
  abort.abort();
  await waiting;
  await new Gate().whenOpen(abort.signal);
});
