import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { HttpConnection } from "./http-connection.ts";

/** Connects to a server that runs `onRequest` for each chunk that it receives. */
async function connectTo(onRequest: (socket: Socket) => void) {
  const server = createServer({ noDelay: true }, (socket) => socket.on("data", () => onRequest(socket)));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const closed = Promise.withResolvers<void>();
  const connection = new HttpConnection((server.address() as AddressInfo).port, closed.resolve);
  onTestFinished(() => connection.destroy());
  const request = () => new Promise((resolve) => connection.send(Buffer.from("GET / HTTP/1.1\r\n\r\n"), resolve));
  return { request, closed: closed.promise };
}

test("returns the status once the body is complete, however the response is split", async () => {
  const text = "HTTP/1.1 503 Service Unavailable\r\ncontent-length: 5\r\nX: y\r\n\r\nabcde";
  for (const at of [3, 20, text.length - 7, text.length - 2, text.length]) {
    const { request } = await connectTo((socket) => {
      socket.write(text.slice(0, at));
      setTimeout(() => socket.write(text.slice(at)), 5);
    });
    expect(await request()).toBe(503);
  }
});

test("sends several requests on one connection", async () => {
  let status = 200;
  const { request } = await connectTo(
    (socket) => void socket.write(`HTTP/1.1 ${status++} X\r\nContent-Length: 0\r\n\r\n`),
  );
  expect([await request(), await request()]).toEqual([200, 201]);
});

test.each([
  ["closes the connection before the body is complete", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nabc"],
  ["sends no Content-Length", "HTTP/1.1 200 OK\r\n\r\n"],
])("returns no status when the server %s", async (_what, text) => {
  const { request, closed } = await connectTo((socket) => void socket.end(text));
  expect(await request()).toBeUndefined();
  await closed;
});
