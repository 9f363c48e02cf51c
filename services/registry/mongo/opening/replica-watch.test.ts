import { expect, test } from "vitest";
import { missedMax, ReplicaWatch } from "./replica-watch.ts";

const observe = (watch: ReplicaWatch, beats: Readonly<Record<string, number>>) =>
  watch.observe(new Map(Object.entries(beats)));

test("regards a replica as stopped after three successive observations without a new heartbeat", () => {
  const watch = new ReplicaWatch();
  expect(observe(watch, { a: 7, b: 1 })).toEqual([]);
  for (let missed = 1; missed < missedMax; missed++) expect(observe(watch, { a: 7, b: 1 + missed })).toEqual([]);
  expect(observe(watch, { a: 7, b: 9 })).toEqual(["a"]);
});

test("regards no replica as stopped on the first observation, for example after a restart of all replicas", () => {
  expect(observe(new ReplicaWatch(), { a: 7, b: 1 })).toEqual([]);
});

test("starts counting again when the heartbeat changes, even to a lower value", () => {
  const watch = new ReplicaWatch();
  for (const beat of [7, 7, 7, 1, 1, 1]) expect(observe(watch, { a: beat })).toEqual([]);
  expect(observe(watch, { a: 1 })).toEqual(["a"]);
});

test("forgets replicas that have removed their heartbeat", () => {
  const watch = new ReplicaWatch();
  for (const beats of [{ a: 7 }, { a: 7 }, { a: 7 }, {}, { a: 7 }]) expect(observe(watch, beats)).toEqual([]);
});
