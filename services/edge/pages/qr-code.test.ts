import { setImmediate as turn } from "node:timers/promises";
import { expect, test } from "vitest";
import { prepareQrCodes, qrCode } from "./qr-code.ts";

const texts = Array.from({ length: 100 }, (_, index) => `https://verify.example/verify/${index}`);
const never = new AbortController().signal;

test("the codes of a long page are encoded in turns, between which other requests are answered", async () => {
  let isPrepared = false;
  let turns = 0;
  const prepared = prepareQrCodes(texts, never).then(() => {
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
  const left = prepareQrCodes(["https://verify.example/verify/left"], AbortSignal.abort());
  await expect(left).rejects.toMatchObject({ code: "unavailable" });
});
