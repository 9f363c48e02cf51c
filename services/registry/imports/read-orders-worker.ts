/** The thread in which {@link readOrdersInThread} reads a file. */
import { once } from "node:events";
import { getPriority, setPriority } from "node:os";
import { parentPort, workerData } from "node:worker_threads";
import type { ReadLimits } from "./read-orders.ts";
import type { ThreadMessage, ThreadReply } from "./read-orders-in-thread.ts";

const lowPriority = 10;

// On Linux, 0 is the calling thread; elsewhere it is the whole process. Raising a priority needs a privilege.
if (process.platform === "linux" && getPriority(0) < lowPriority) setPriority(0, lowPriority);

// Only now, so that compiling them has a low priority, too.
const { ImportStoppedError } = await import("#shared/orders/import-orders.ts");
const { readOrders } = await import("./read-orders.ts");

async function ask(request: ThreadMessage): Promise<ThreadReply> {
  send(request);
  if (parentPort === null) throw new Error("this program runs in a thread");
  const [reply]: ThreadReply[] = await once(parentPort, "message");
  if (reply === undefined) throw new TypeError("the reply is missing");
  return reply;
}

function send(message: ThreadMessage): void {
  parentPort?.postMessage(message);
}

async function* chunks(): AsyncGenerator<Uint8Array> {
  for (;;) {
    const reply = await ask({ request: "chunk" });
    if (!("chunk" in reply) || reply.chunk === undefined) return;
    yield reply.chunk;
  }
}

const { unitsMax, problemsMax }: ReadLimits = workerData;
try {
  const summary = await readOrders({
    source: chunks(),
    issue: async (units) => {
      const reply = await ask({ request: "issue", units });
      return "results" in reply ? reply.results : [];
    },
    unitsMax,
    problemsMax,
    onReport: (report) => send({ report }),
  });
  send({ summary, fault: undefined });
} catch (error) {
  if (!(error instanceof ImportStoppedError)) throw error;
  const { reason, line, column, summary } = error;
  send({ summary, fault: { reason, line, column } });
}
