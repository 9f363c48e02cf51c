import { setImmediate as turn } from "node:timers/promises";
import { expect, test } from "vitest";
import { prepareQrCodes, qrCode } from "./qr-code.ts";

const texts = Array.from({ length: 100 }, (_, index) => `https://verify.example/verify/${index}`);
const never = new AbortController().signal;

test("the codes of a long page are encoded in turns, between which other requests are answered", async () => {
  let isPrepared = false;
  let turns = 0;
  const prepared = prepareQrCodes("shop.example", texts, never).then(() => {
    isPrepared = true;
  });
  while (!isPrepared) {
    await turn();
    turns++;
  }
  await prepared;
  expect(turns).toBeGreaterThanOrEqual(texts.length);
});

test("a code is encoded once; no more are encoded for a client that has left", async () => {
  const [text = ""] = texts;
  expect(qrCode(text)).toBe(qrCode(text));
  const leftLink = "https://verify.example/verify/left";
  const left = prepareQrCodes("shop.example", [leftLink], AbortSignal.abort());
  await expect(left).rejects.toMatchObject({ code: "unavailable" });
});

test("the codes of one page are encoded at a time, so that the pages of many merchants leave time, too", async () => {
  const pages = ["one", "other"].map((shop) => texts.map((text) => `${text}/${shop}`));
  const ended: number[] = [];
  const prepare = async ([first = ""]: readonly string[], shop: number, links = pages[shop] ?? []) => {
    await prepareQrCodes(`${shop}.example`, links, never);
    ended.push(shop);
    return qrCode(first);
  };
  let turns = 0;
  const both = Promise.all(pages.map((links, shop) => prepare(links, shop)));
  while (ended.length < pages.length) {
    await turn();
    turns++;
  }
  await both;
  expect(ended).toEqual([0, 1]);
  expect(turns).toBeGreaterThanOrEqual(2 * texts.length);
});
