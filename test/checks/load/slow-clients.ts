import { connect, type Socket } from "node:net";
import { parentPort, workerData } from "node:worker_threads";
import { z } from "zod";

const setupSchema = z.object({ port: z.int(), connections: z.int(), addresses: z.int() });

/** State of the slow clients, which the worker thread reports four times a second. */
export const slowClientsReport = z.object({
  open: z.int(),
  /** Connections that the edge has closed; each is replaced. */
  closed: z.int(),
  /** Error message of the first failed connection attempt. */
  problem: z.string().optional(),
});

const head = "GET /v1/certificates HTTP/1.1\r\nHost: edge\r\n";
const slowHead = `${head}X-Slow: ${"a".repeat(4_000)}`;
const byteEveryMs = 2_000;
const connectsPerTick = 50;
const tickMs = 50;

/**
 * Runs the slow clients; called in a worker thread. One third sends nothing; one third sends a header one byte at a
 * time; one third sends one request without an API key and then nothing. Opens at most 1,000 connections per second,
 * and replaces lost ones.
 */
function runSlowClients(
  setup: z.output<typeof setupSchema>,
  report: (state: z.output<typeof slowClientsReport>) => void,
) {
  const open = new Set<Socket>();
  let made = 0;
  let missing = setup.connections;
  let closed = 0;
  let problem: string | undefined;

  const openOne = () => {
    const index = made++;
    missing--;
    const localAddress = `127.0.0.${2 + (index % setup.addresses)}`;
    const socket = connect({ host: "127.0.0.1", port: setup.port, localAddress });
    let drip: NodeJS.Timeout | undefined;
    let sent = head.length;
    socket.resume();
    socket.once("connect", () => {
      open.add(socket);
      if (index % 3 === 1) {
        socket.write(head);
        drip = setInterval(() => socket.write(slowHead.charAt(sent++) || "a"), byteEveryMs);
      } else if (index % 3 === 2) socket.write(`${head}\r\n`);
    });
    socket.once("error", (error) => {
      if (!open.has(socket)) problem ??= error.message;
    });
    socket.once("close", () => {
      clearInterval(drip);
      if (open.delete(socket)) closed++;
      missing++;
    });
  };

  setInterval(() => {
    for (let count = Math.min(missing, connectsPerTick); count > 0; count--) openOne();
  }, tickMs);
  setInterval(() => report({ open: open.size, closed, ...(problem === undefined ? {} : { problem }) }), 250);
}

if (parentPort !== null) {
  const port = parentPort;
  runSlowClients(setupSchema.parse(workerData), (state) => port.postMessage(state));
}
