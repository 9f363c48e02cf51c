import { connect, type Socket } from "node:net";
import Koa from "koa";
import { Registry } from "prom-client";
import { expect, onTestFinished, test } from "vitest";
import { closeHttp, listenHttp } from "#shared/http/operations-server.ts";
import { createLogger } from "#shared/observe/logger.ts";
import { systemClock } from "#shared/time/clock.ts";
import type { EdgeState } from "../http/edge-context.ts";
import { createHttpServer } from "../http/http-server.ts";
import { requestState } from "../http/request-state.ts";
import { readAll } from "../testing/raw-http.ts";
import { collectForms } from "./collect-forms.ts";

const patience = { timeout: 30_000 };
const type = "Content-Type: application/x-www-form-urlencoded";
const incomplete = "form was not received in full; send it again";

/**
 * Starts a server that answers a form with its size, or with the code of the error, and nothing else.
 *
 * @returns its port
 */
async function listen(onRefused: (why: string) => void = () => undefined): Promise<number> {
  const app = new Koa<EdgeState>();
  app.silent = true;
  app.use(requestState([], 60_000));
  app.use(collectForms());
  app.use(async (ctx) => {
    const { form = new Promise<never>(() => undefined) } = ctx.state;
    ctx.body = await form.then(
      (form) => String(form).length,
      ({ code, message }: { readonly code: string; readonly message: string }) => {
        onRefused(message);
        return code;
      },
    );
  });
  const server = createHttpServer({
    handler: app.callback(),
    logger: createLogger("edge", "silent"),
    clock: systemClock,
    timeouts: { headersMs: 60_000, requestMs: 60_000, responseMs: 60_000, keepAliveMs: 60_000 },
    connections: { total: 100, perAddress: 100 },
    trustedProxies: [],
    metrics: new Registry(),
  });
  onTestFinished(() => {
    server.closeAllConnections();
    return closeHttp(server, 1_000);
  });
  return listenHttp(server, "127.0.0.1", 0);
}

/** Sends forms without their last byte from one client. @returns a function that does something with each connection */
async function sendUnfinished(port: number, count: number): Promise<(end: (socket: Socket) => void) => void> {
  const sockets = Array.from({ length: count }, () => connect(port, "127.0.0.1").on("error", () => undefined));
  onTestFinished(() => sockets.forEach((socket) => void socket.destroy()));
  for (const socket of sockets) {
    const head = `POST / HTTP/1.1\r\nHost: edge\r\n${type}\r\nTransfer-Encoding: chunked\r\n\r\n10000\r\n`;
    await new Promise((resolve) => socket.write(`${head}${"a".repeat(65_535)}`, resolve));
  }
  return (end) => sockets.forEach(end);
}

async function send(port: number, body: string): Promise<string> {
  const headers = { "Content-Type": "application/x-www-form-urlencoded" };
  return (await fetch(`http://127.0.0.1:${port}/`, { method: "POST", headers, body })).text();
}

test.each([
  ["a reset", (socket: Socket) => socket.resetAndDestroy()],
  ["the end of their connections", (socket: Socket) => socket.end()],
  ["an invalid chunk", (socket: Socket) => socket.write("aaa")],
])("the unfinished forms of one client hold a bounded amount of memory, which %s frees", async (_end, end) => {
  const refused: string[] = [];
  const port = await listen((why) => refused.push(why));
  const endAll = await sendUnfinished(port, 40);
  await expect.poll(() => send(port, "a".repeat(60_000)), patience).toBe("unavailable");
  endAll(end);
  await expect.poll(() => refused, patience).toContain(incomplete);
  await expect.poll(() => send(port, "a".repeat(60_000)), patience).toBe("60001");
});

test("complete forms whose turn on their connection does not come free their memory when it is reset", async () => {
  const port = await listen();
  const socket = connect(port, "127.0.0.1").on("error", () => undefined);
  onTestFinished(() => void socket.destroy());
  const form = `POST / HTTP/1.1\r\nHost: edge\r\n${type}\r\nContent-Length: 60000\r\n\r\n${"a".repeat(60_000)}`;
  socket.write(`GET / HTTP/1.1\r\nHost: edge\r\n\r\n${form.repeat(40)}`);
  await expect.poll(() => send(port, "a".repeat(60_000)), patience).toBe("unavailable");
  socket.resetAndDestroy();
  await expect.poll(() => send(port, "a".repeat(60_000)), patience).toBe("60001");
});

test("a form that arrives in single bytes, each of which takes up memory of its own, is refused", async () => {
  const port = await listen();
  const socket = connect(port, "127.0.0.1");
  onTestFinished(() => void socket.destroy());
  const head = `POST / HTTP/1.1\r\nHost: edge\r\nConnection: close\r\n${type}\r\nTransfer-Encoding: chunked\r\n\r\n`;
  socket.end(`${head}${"1\r\na\r\n".repeat(60_000)}0\r\n\r\n`);
  // The server may reset the connection once it has answered.
  expect((await readAll(socket)).text).toContain("unavailable");
});

test("a form whose client disconnects is refused", async () => {
  const refused: string[] = [];
  const port = await listen((why) => refused.push(why));
  (await sendUnfinished(port, 1))((socket) => socket.resetAndDestroy());
  await expect.poll(() => refused, patience).toEqual([incomplete]);
});

test("a form that takes longer than 5 seconds is refused", async () => {
  const refused: string[] = [];
  await sendUnfinished(await listen((why) => refused.push(why)), 1);
  await expect.poll(() => refused, patience).toEqual(["The form did not arrive within 5 seconds."]);
});

test("a form that is too large is refused", async () => {
  expect(await send(await listen(), "a".repeat(65_537))).toBe("bad_request");
});
