import { connect, type Socket } from "node:net";
import { parentPort, workerData } from "node:worker_threads";
import { z } from "zod";

/** What a crowd is told when it starts. */
export const crowdSetup = z.object({ port: z.int(), connections: z.int(), addresses: z.int() });

/** What a crowd reports, four times a second. */
export const crowdReport = z.object({
  /** Connections that are open. */
  open: z.int(),
  /** Those that the edge has closed so far; for each a new one is made. */
  closed: z.int(),
  /** The first reason why one could not be made. */
  problem: z.string().optional(),
});

const head = "GET /v1/certificates HTTP/1.1\r\nHost: edge\r\n";
const slowHead = `${head}X-Slow: ${"a".repeat(4_000)}`;
const dripEveryMs = 2_000;
const connectsPerTick = 50;
const tickMs = 50;

/**
 * A worker with slow clients: a third says nothing, a third sends its headers a byte at a time, a third sends one request
 * without a key and then nothing. Whoever loses the connection comes back, at most 1,000 a second in all.
 */
function runCrowd(setup: z.output<typeof crowdSetup>, report: (state: z.output<typeof crowdReport>) => void) {
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
        drip = setInterval(() => socket.write(slowHead.charAt(sent++) || "a"), dripEveryMs);
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
  runCrowd(crowdSetup.parse(workerData), (state) => port.postMessage(state));
}
