import { PassThrough } from "node:stream";
import { finished } from "node:stream/promises";
import { setImmediate as turn } from "node:timers/promises";
import { expect, test } from "vitest";
import { downloadsMax, PageQuota, pagesAtOnceMax } from "./page-quota.ts";

function open() {
  let nowMs = 0;
  const quota = new PageQuota({ now: () => nowMs, sleep: () => Promise.resolve() });
  return { quota, wait: (ms: number) => (nowMs += ms) };
}

test("a store opens three hundred pages at once and then ten a second; other stores have their own quota", () => {
  const { quota, wait } = open();
  const limited = expect.objectContaining({ code: "rate_limited", retryAfterSeconds: 1 });
  for (let count = 0; count < pagesAtOnceMax; count++) quota.take("one.example");
  expect(() => quota.take("one.example")).toThrow(limited);
  quota.take("other.example");
  wait(1_000);
  for (let count = 0; count < 10; count++) quota.take("one.example");
  expect(() => quota.take("one.example")).toThrow(limited);
});

test("eight pages of a store are prepared at a time, and then those that wait; another store's at once", async () => {
  const { quota } = open();
  const started: string[] = [];
  const held = Promise.withResolvers<void>();
  const prepare = (name: string) => async () => {
    started.push(name);
    await held.promise;
    return name;
  };
  const ten = Array.from({ length: 10 }, () => quota.run("one.example", prepare("one")));
  const other = quota.run("other.example", prepare("other"));
  await turn();
  expect(started).toEqual([...Array(8).fill("one"), "other"]);
  held.resolve();
  expect(await Promise.all(ten)).toEqual(Array(10).fill("one"));
  expect(await other).toBe("other");
});

test("a page for which there is no room to wait is refused as unavailable; a page's error is its own", async () => {
  const { quota } = open();
  const held = Promise.withResolvers<void>();
  const pages = Array.from({ length: 300 }, () => quota.run("one.example", () => held.promise));
  const outcomes = Promise.allSettled(pages);
  held.resolve();
  const refused = (await outcomes).flatMap((outcome) => (outcome.status === "rejected" ? [outcome.reason] : []));
  expect(refused.length).toBeGreaterThan(100);
  for (const error of refused) expect(error).toMatchObject({ code: "unavailable" });
  await expect(quota.run("one.example", () => Promise.reject(new Error("own")))).rejects.toThrow("own");
});

test("a store's clients that read slowly hold few downloads in memory; another one begins once one has ended or left", async () => {
  const { quota } = open();
  const begin = (shop: string) => {
    const response = new PassThrough();
    quota.beginDownload(shop, response);
    return response;
  };
  const responses = Array.from({ length: downloadsMax.store }, () => begin("one.example"));
  const unavailable = expect.objectContaining({ code: "unavailable" });
  expect(() => begin("one.example")).toThrow(unavailable);
  begin("other.example");
  responses[0]?.resume().end();
  responses[1]?.destroy();
  await Promise.allSettled(responses.slice(0, 2).map((response) => finished(response)));
  begin("one.example");
  begin("one.example");
  expect(() => begin("one.example")).toThrow(unavailable);
});
