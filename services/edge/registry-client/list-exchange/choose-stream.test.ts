import { expect, test } from "vitest";
import { chooseStream } from "./choose-stream.ts";

const stream = (name: string, outstanding: number, { isSilent = false, isLeaving = false } = {}) => ({
  name,
  outstanding,
  isSilent,
  isLeaving,
});

test("chooses the stream with the fewest outstanding requests", () => {
  const streams = [stream("a", 3), stream("b", 1), stream("c", 2)];
  for (let turn = 0; turn < 5; turn++) expect(chooseStream(streams, turn)?.name).toBe("b");
});

test("distributes requests over all streams with the lowest load", () => {
  const streams = [stream("a", 0), stream("b", 0), stream("c", 1)];
  const chosen = Array.from({ length: 30 }, (_, turn) => chooseStream(streams, turn)?.name);
  expect([...new Set(chosen)].sort()).toEqual(["a", "b"]);
});

test("prefers a busy stream to a silent stream, and either to a stream whose replica is no longer listed", () => {
  const silent = stream("silent", 0, { isSilent: true });
  const leaving = stream("leaving", 0, { isLeaving: true });
  expect(chooseStream([leaving, silent, stream("busy", 1_000)], 0)?.name).toBe("busy");
  expect(chooseStream([leaving, silent], 0)?.name).toBe("silent");
  expect(chooseStream([leaving], 7)?.name).toBe("leaving");
});

test("returns undefined if there is no stream", () => {
  expect(chooseStream([], 0)).toBeUndefined();
});
