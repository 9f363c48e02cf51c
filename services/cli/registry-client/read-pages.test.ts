import { Code, ConnectError } from "@connectrpc/connect";
import { expect, test } from "vitest";
import { PassingClock } from "#shared/time/passing-clock-fixture.ts";
import { readPages } from "./read-pages.ts";

const unavailable = new ConnectError("the registry is restarting", Code.Unavailable);

/** Reads a list of two pages, whose calls fail where the list of failures says so. */
function read(failures: readonly (ConnectError | undefined)[]) {
  const clock = new PassingClock();
  const found: number[] = [];
  const notes: string[] = [];
  const left = [...failures];
  const page = async (_limit: number, position: string | undefined) => {
    const failure = left.shift();
    if (failure !== undefined) throw failure;
    return position === undefined ? { items: [1, 2], next: "3" } : { items: [3], next: undefined };
  };
  const done = readPages(
    10,
    page,
    (item) => found.push(item),
    (text) => notes.push(text),
    clock,
  );
  return { done, found, notes, clock };
}

test("a list that has begun survives an outage of a minute, says that it waits, and has each item once", async () => {
  const { done, found, notes, clock } = read([undefined, ...Array<ConnectError>(12).fill(unavailable)]);
  expect(await done).toBe(false);
  expect(found).toEqual([1, 2, 3]);
  expect(clock.slept).toHaveLength(12);
  expect(notes).toEqual(Array(12).fill("The service is temporarily unavailable. Try again shortly. Retrying …"));
});

test.each([
  ["the first page is unavailable", [unavailable]],
  ["a later page is refused", [undefined, new ConnectError("the filter is invalid", Code.InvalidArgument)]],
])("a list ends at once if %s", async (_name, failures) => {
  const { done, clock } = read(failures);
  await expect(done).rejects.toThrow();
  expect(clock.slept).toEqual([]);
});
