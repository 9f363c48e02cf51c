import { expect, test } from "vitest";
import { PutBackLog } from "./put-back-log.ts";

test("a later message of the certificate waits for the earlier one that is out, others do not", () => {
  const log = new PutBackLog();
  log.add("a", 5, 1_000, 0);
  expect(log.blockedUntil("a", 6, 0)).toBe(1_000);
  expect(log.blockedUntil("a", 5, 0)).toBeUndefined();
  expect(log.blockedUntil("a", 4, 0)).toBeUndefined();
  expect(log.blockedUntil("b", 6, 0)).toBeUndefined();
});

test("of several that are out the last one to come back counts", () => {
  const log = new PutBackLog();
  log.add("a", 5, 1_000, 0);
  log.add("a", 6, 3_000, 0);
  log.add("a", 7, 2_000, 0);
  expect(log.blockedUntil("a", 8, 0)).toBe(3_000);
  log.remove("a", 6);
  expect(log.blockedUntil("a", 8, 0)).toBe(2_000);
});

test("one that is back, or does not come back in its time, holds up nobody", () => {
  const log = new PutBackLog();
  log.add("a", 5, 1_000, 0);
  log.add("b", 6, 1_000, 0);
  log.remove("a", 5);
  expect(log.blockedUntil("a", 6, 0)).toBeUndefined();
  expect(log.blockedUntil("b", 7, 1_000)).toBeUndefined();
});

test("what is forgotten takes no memory", () => {
  const log = new PutBackLog();
  for (let index = 0; index < 1_000; index++) log.add(`certificate-${index}`, index, index + 10, index);
  expect(log.size).toBeLessThan(20);
  log.remove("certificate-999", 999);
  log.add("last", 1, 10_000, 9_999);
  expect(log.size).toBe(1);
});
