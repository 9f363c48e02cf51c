import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, test } from "vitest";
import { TurnQueue } from "./turn-queue.ts";

function collecting() {
  const sent: (readonly string[])[] = [];
  return { sent, queue: new TurnQueue<string>((items) => sent.push(items)) };
}

test("passes on all items added in one turn of the event loop together, in order", async () => {
  const { sent, queue } = collecting();
  queue.add("a");
  await Promise.resolve();
  queue.add("b");
  expect(sent).toEqual([]);
  await nextTurn();
  queue.add("c");
  await nextTurn();
  expect(sent).toEqual([["a", "b"], ["c"]]);
});

test("passes on each item only once even if the queue is flushed before the end of the turn", async () => {
  const { sent, queue } = collecting();
  queue.add("a");
  queue.flush();
  queue.add("b");
  queue.flush();
  queue.flush();
  await nextTurn();
  expect(sent).toEqual([["a"], ["b"]]);
});
