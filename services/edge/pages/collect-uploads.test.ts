import { Readable } from "node:stream";
import Koa from "koa";
import { expect, test } from "vitest";
import { serveHttp } from "../../../test/harness/listeners/serve-http.ts";
import { longestTurnCpuMs } from "../../../test/harness/turns/longest-turn.ts";
import type { EdgeState } from "../http/edge-context.ts";
import { collectUploads, withUpload } from "./collect-uploads.ts";

/** Starts a server that responds with the number of fields and of the file's bytes. @returns its URL */
async function listen(): Promise<string> {
  const app = new Koa<EdgeState>();
  app.silent = true;
  app.use(collectUploads("/"));
  app.use(async (ctx) => {
    const fields = await ctx.state.form;
    let bytes = 0;
    for await (const chunk of (await ctx.state.upload)?.content ?? []) bytes += chunk.length;
    ctx.body = `${fields?.size} fields, ${bytes} bytes`;
  });
  return `${await serveHttp(app.callback())}/`;
}

const field = '--limit\r\nContent-Disposition: form-data; name="a"\r\n\r\nx\r\n';
const file = '--limit\r\nContent-Disposition: form-data; name="file"; filename="f.csv"\r\n\r\n';
const headers = { "Content-Type": "multipart/form-data; boundary=limit" };

async function send(url: string, body: string): Promise<string> {
  const response = await fetch(url, { method: "POST", headers, body });
  return `${response.status} ${await response.text()}`;
}

test("a form with up to 20 fields and a file is received", async () => {
  expect(await send(await listen(), `${field.repeat(20)}${file}abc\r\n--limit--\r\n`)).toBe("200 20 fields, 3 bytes");
});

test.each([
  [
    "without its last boundary",
    async function* () {
      yield `${file}abc`;
    },
  ],
  [
    "with its connection",
    async function* () {
      yield `${file}abc`;
      throw new Error("cut off");
    },
  ],
])("a form of unknown length that ends %s is not taken for a whole one", async (_how, body) => {
  const url = await listen();
  const sent = fetch(url, { method: "POST", headers, body: Readable.from(body()), duplex: "half" });
  expect(
    await sent.then(
      ({ status }) => status,
      () => "failed",
    ),
  ).not.toBe(200);
});

test.each([
  ["fields", field.repeat(21)],
  ["parts", "--limit\r\nContent-Type: text/plain\r\n\r\nx\r\n".repeat(26)],
])("a form with more %s than any page has is refused, and the rest is not parsed", async (_what, start) => {
  const url = await listen();
  const body = start + field.repeat(180_000);
  let cpuMs = Number.POSITIVE_INFINITY;
  // More than once, because a garbage collection can make a reading too large.
  for (let run = 0; run < 5 && cpuMs >= 500; run++) {
    const cpu = process.threadCpuUsage();
    expect(await send(url, body)).toMatch(/^500/);
    cpuMs = process.threadCpuUsage(cpu).user / 1_000;
  }
  expect(cpuMs).toBeLessThan(500);
});

test.each([
  ["beginnings of the boundary", "\r\n--limi"],
  ["line breaks", "\r\n"],
])("a file of 10 MiB of %s delays no other request", async (_what, unit) => {
  const url = await listen();
  const body = `${file}${unit.repeat(10_485_760 / unit.length)}\r\n--limit--\r\n`;
  expect(await longestTurnCpuMs(() => send(url, body), 50)).toBeLessThan(50);
});

test("small chunks of a file count as much memory as they take up", async () => {
  const mib = 1_024 * 1_024;
  const fileOf = (chunks: number) => ({
    name: "logo.png",
    formBytes: undefined,
    content: Readable.from(Array.from({ length: chunks }, () => Buffer.of(1))),
  });
  const bytesOf = (chunks: number) =>
    withUpload(fileOf(chunks), 11 * mib, "shop.example", async (content) => content?.length);
  expect(await bytesOf(30_000)).toBe(30_000);
  // A chunk counts as 256 bytes, and a store has 10 MiB.
  await expect(bytesOf(50_000)).rejects.toMatchObject({ code: "unavailable" });
  expect(await bytesOf(30_000)).toBe(30_000);
});
