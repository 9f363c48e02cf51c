import { expect, test } from "vitest";
import { onAbort } from "./on-abort.ts";

test("calls each listener of a signal once, except those that have been disposed of", async () => {
  const { signal, abort } = controller();
  const called: string[] = [];
  const listener = () => void called.push("twice");
  using _first = onAbort(signal, listener);
  using _second = onAbort(signal, listener);
  onAbort(signal, () => called.push("disposed"))[Symbol.dispose]();
  expect(called).toEqual([]);
  abort();
  abort();
  expect(called).toEqual(["twice", "twice"]);
});

test("calls a listener that is added to an aborted signal at the end of the current step", async () => {
  const { signal, abort } = controller();
  abort();
  const called: string[] = [];
  using _listener = onAbort(signal, () => called.push("late"));
  expect(called).toEqual([]);
  await Promise.resolve();
  expect(called).toEqual(["late"]);
});

function controller() {
  const aborts = new AbortController();
  return { signal: aborts.signal, abort: () => aborts.abort() };
}
