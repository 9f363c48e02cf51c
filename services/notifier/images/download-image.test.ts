import type { TLSSocket } from "node:tls";
import { expect, test } from "vitest";
import { steadyClock } from "#shared/time/clock.ts";
import { makeServerCertificate } from "../../../deploy/local/certificates/self-signed.ts";
import { stopAfterTest } from "../webhook/deliver-fixture.ts";
import { floods, startFloodingReceiver } from "../webhook/flooding-receiver-fixture.ts";
import { guardAllowing, loopbackGuard } from "../webhook/guard-fixture.ts";
import { type ReceivedRequest, startReceiverFixture } from "../webhook/receiver-fixture.ts";
import { createAddressResolver } from "../webhook/resolve-addresses.ts";
import { deliverySecureContext } from "../webhook/secure-context.ts";
import { startTcpServer } from "../webhook/tcp-server-fixture.ts";
import { TlsSessions } from "../webhook/tls-sessions.ts";
import { type DownloadOptions, downloadImage, ImageNotFetched, imageFileBytesMax } from "./download-image.ts";

const certificate = await makeServerCertificate();
const options = {
  secureContext: deliverySecureContext({ extraAuthoritiesPem: certificate.caPem }),
  sessions: new TlsSessions(0, steadyClock),
  guard: loopbackGuard,
  resolveAddresses: createAddressResolver(),
  lookUpTimeoutMs: 5_000,
  connectTimeoutMs: 5_000,
  tlsTimeoutMs: 5_000,
};
const startServer = async (reply: (socket: TLSSocket, request: ReceivedRequest) => void) =>
  stopAfterTest(await startReceiverFixture(certificate, reply));

const never = new AbortController().signal;
const download = (port: number, change: Partial<DownloadOptions> = {}, signal = never) =>
  downloadImage(`https://127.0.0.1:${port}/kite.jpg?width=1024`, { ...options, ...change }, signal);

/** Returns why a download failed, and whether it is worth another attempt. */
async function failureOf(downloading: Promise<Uint8Array>): Promise<readonly [code: string, isTemporary: boolean]> {
  const error: unknown = await downloading.then(
    () => undefined,
    (failure: unknown) => failure,
  );
  if (!(error instanceof ImageNotFetched)) throw new Error("the download has not failed as expected", { cause: error });
  return [error.reason.code, error.isTemporary];
}

const chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
const ok = (length: number) => `HTTP/1.1 200 OK\r\nContent-Length: ${length}\r\n\r\n`;

test("returns a file of the maximum size, which it has asked for once", async () => {
  const file = Buffer.alloc(imageFileBytesMax, 7);
  const server = await startServer((socket) => void socket.end(Buffer.concat([Buffer.from(ok(file.length)), file])));
  expect(Buffer.compare(Buffer.from(await download(server.port)), file)).toBe(0);
  expect(server.requests.map(({ head }) => head)).toEqual([
    expect.stringMatching(/^GET \/kite\.jpg\?width=1024 HTTP\/1\.1\r\nHost: 127\.0\.0\.1:\d+\r\n/),
  ]);
});

test.each([
  ["a larger file", ok(imageFileBytesMax + 1), 6, ["image_unusable", false]],
  ["an endless file", "HTTP/1.1 200 OK\r\n\r\n", 1_000, ["image_unusable", false]],
  ["endless headers", "HTTP/1.1 200 OK\r\nX: ", 1_000, ["image_unreachable", true]],
  ["endless interim replies", "HTTP/1.1 100 Continue\r\n\r\n".repeat(10_000), 1_000, ["image_unreachable", false]],
  ["endless short chunks", `${chunked}${"1\r\nx\r\n".repeat(600_000)}`, 1_000, ["image_unreachable", false]],
  ["something else than HTTP", "hello\r\n\r\n", 1, ["image_unreachable", true]],
  ["a broken reply", ok(10), 0, ["image_unreachable", true]],
] as const)("refuses %s, and reads no more of it than a bound", async (_what, head, mebibytes, failure) => {
  let written = 0;
  const server = await startServer((socket) => {
    const piece = Buffer.alloc(64 * 1_024, "x");
    const write = () => {
      while (written < mebibytes * 1_048_576) {
        written += piece.length;
        if (!socket.write(piece)) return void socket.once("drain", write);
      }
      socket.end();
    };
    socket.write(head);
    write();
  });
  expect(await failureOf(download(server.port))).toEqual(failure);
  // What the sockets of both sides buffer is written, too.
  expect(written).toBeLessThan(imageFileBytesMax + 32 * 1_048_576);
});

test.each(["", ok(imageFileBytesMax)])("refuses a flood of session tickets after %j", async (reply) => {
  const server = stopAfterTest(await startFloodingReceiver(certificate, floods.sessionTickets, { reply }));
  expect(await failureOf(download(server.port))).toEqual(["image_unreachable", false]);
});

test.each([
  ["a redirect", "302 Found\r\nLocation: https://127.0.0.1/", false],
  ["a missing file", "404 Not Found", false],
  ["a busy server", "503 Service Unavailable", true],
  ["too many requests", "429 Too Many Requests", true],
])("reports the status of %s, and follows no redirect", async (_what, status, isTemporary) => {
  const server = await startServer((socket) => void socket.end(`HTTP/1.1 ${status}\r\nContent-Length: 0\r\n\r\n`));
  expect(await failureOf(download(server.port))).toEqual(["image_refused", isTemporary]);
  expect(server.requests).toHaveLength(1);
});

test("connects to no address that the guard refuses", async () => {
  const server = await startServer((socket) => void socket.end());
  const guard = guardAllowing("10.0.0.0/8");
  // Nor does another attempt.
  expect(await failureOf(download(server.port, { guard }))).toEqual(["image_unreachable", false]);
  expect(server.connections()).toBe(0);
});

test("makes one attempt at a server whose certificate is not trusted", async () => {
  const server = await startServer((socket) => void socket.end());
  const secureContext = deliverySecureContext({});
  expect(await failureOf(download(server.port, { secureContext }))).toEqual(["image_unreachable", false]);
});

test("makes another attempt at a server that ends the TLS handshake", async () => {
  const server = stopAfterTest(await startTcpServer((socket) => void socket.destroy()));
  expect(await failureOf(download(server.port))).toEqual(["image_unreachable", true]);
});

test("ends a download that is interrupted or takes too long", async () => {
  const server = await startServer((socket) => void socket.write(ok(100)));
  const interrupting = new AbortController();
  const downloading = failureOf(download(server.port, {}, interrupting.signal));
  await expect.poll(() => server.requests.length).toBe(1);
  interrupting.abort("stopping");
  expect(await downloading).toEqual(["image_unreachable", true]);
  expect(await failureOf(download(server.port, { totalMs: 1_000 }))).toEqual(["image_unreachable", true]);
});
