import { once } from "node:events";
import { createServer } from "node:http";
import { connect } from "node:net";
import Koa from "koa";
import { expect, onTestFinished, test } from "vitest";
import type { EdgeState } from "../http/edge-context.ts";
import { requestState } from "../http/request-state.ts";
import { collectForms } from "./collect-forms.ts";

const patience = { timeout: 30_000 };
const type = "Content-Type: application/x-www-form-urlencoded";

/** Starts a server that answers a form with its size, or with the code of the error. @returns its port */
async function listen(onRefused: (code: string) => void = () => undefined): Promise<number> {
  const app = new Koa<EdgeState>();
  app.silent = true;
  app.use(requestState([], 60_000));
  app.use(collectForms());
  app.use(async (ctx) => {
    ctx.body = await ctx.state.form?.then(
      (form) => String(form).length,
      ({ code }: { readonly code: string }) => {
        onRefused(code);
        return code;
      },
    );
  });
  const server = createServer(app.callback()).listen(0, "127.0.0.1");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  await once(server, "listening");
  const address = server.address();
  return typeof address === "object" && address !== null ? address.port : 0;
}

/** Sends forms without their last byte from one client. @returns what ends them */
async function sendUnfinished(port: number, count: number): Promise<() => void> {
  const sockets = Array.from({ length: count }, () => connect(port, "127.0.0.1").on("error", () => undefined));
  for (const socket of sockets) {
    const head = `POST / HTTP/1.1\r\nHost: edge\r\n${type}\r\nContent-Length: 65536\r\n\r\n`;
    await new Promise((resolve) => socket.write(`${head}${"a".repeat(65_535)}`, resolve));
  }
  return () => {
    for (const socket of sockets) socket.resetAndDestroy();
  };
}

async function send(port: number, body: string): Promise<string> {
  const headers = { "Content-Type": "application/x-www-form-urlencoded" };
  return (await fetch(`http://127.0.0.1:${port}/`, { method: "POST", headers, body })).text();
}

test("the unfinished forms of one client hold a bounded amount of memory, which their end frees", async () => {
  const port = await listen();
  const end = await sendUnfinished(port, 64);
  await expect.poll(() => send(port, "a".repeat(60_000)), patience).toBe("unavailable");
  end();
  await expect.poll(() => send(port, "a".repeat(60_000)), patience).toBe("60001");
});

test("a form that arrives in single bytes, each of which takes up memory of its own, is refused", async () => {
  const port = await listen();
  const socket = connect(port, "127.0.0.1");
  onTestFinished(() => void socket.destroy());
  const head = `POST / HTTP/1.1\r\nHost: edge\r\nConnection: close\r\n${type}\r\nTransfer-Encoding: chunked\r\n\r\n`;
  socket.end(`${head}${"1\r\na\r\n".repeat(60_000)}0\r\n\r\n`);
  const received = (await socket.toArray()).join("");
  expect(received).toContain("unavailable");
});

test("a form whose client disconnects is refused", async () => {
  const refused: string[] = [];
  const port = await listen((code) => refused.push(code));
  (await sendUnfinished(port, 1))();
  await expect.poll(() => refused, patience).toEqual(["bad_request"]);
});

test("a form that is too large is refused", async () => {
  expect(await send(await listen(), "a".repeat(65_537))).toBe("bad_request");
});
