import { Worker } from "node:worker_threads";
import { expect, onTestFinished, test } from "vitest";
import { openTestEdge } from "../testing/start-edge.ts";

test("a client that resets its connection before it is accepted is a client whose address is unknown", async () => {
  const edge = await openTestEdge({}, { onEnd: onTestFinished });
  const done = new Int32Array(new SharedArrayBuffer(4));
  const count = 20;
  // Another thread sends and resets while this one accepts nothing.
  const worker = new Worker(
    `const { connect } = require("node:net");
    const { port, count, done } = require("node:worker_threads").workerData;
    const request = () => new Promise((resolve) => {
      const socket = connect(port, "127.0.0.1", () =>
        socket.write("GET / HTTP/1.1\\r\\nHost: edge\\r\\n\\r\\n", () => socket.resetAndDestroy()));
      socket.on("error", () => undefined).on("close", resolve);
    });
    Promise.all(Array.from({ length: count }, request)).then(() => { Atomics.store(done, 0, 1); Atomics.notify(done, 0); });`,
    { eval: true, workerData: { port: edge.port, count, done } },
  );
  // "not-equal" if the other thread was faster.
  expect(Atomics.wait(done, 0, 0, 60_000)).not.toBe("timed-out");
  await worker.terminate();
  const clients = () => edge.log.filter(({ msg }) => msg === "request").map(({ client }) => client);
  await expect.poll(clients, { timeout: 60_000 }).toEqual(Array(count).fill("unknown"));
});
