import { createServer } from "node:http";
import { connect } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { closeHttp, listenHttp } from "#shared/http/operations-server.ts";
import { receiveBody } from "./receive-body.ts";

const room = { take: () => true, [Symbol.dispose]: () => undefined };

test("a body that arrives while the process is paused for longer than it may take is not too late", async () => {
  const received = Promise.withResolvers<Buffer>();
  const server = createServer((request, response) => {
    const limits = {
      named: "form",
      bytesMax: 100,
      receiveMs: 50,
      room,
      tooLarge: () => new Error("too large"),
    } as const;
    receiveBody(request, response, limits).then(received.resolve, received.reject);
    // Node.js writes to the socket at once, and the bytes arrive during the pause.
    socket.write("late");
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200);
  });
  const socket = connect(await listenHttp(server, "127.0.0.1", 0), "127.0.0.1");
  onTestFinished(async () => {
    socket.destroy();
    await closeHttp(server, 1_000);
  });
  socket.write("POST / HTTP/1.1\r\nHost: edge\r\nContent-Length: 4\r\n\r\n");
  expect(String(await received.promise)).toBe("late");
});
