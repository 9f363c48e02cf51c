import { Worker } from "node:worker_threads";
import { ExportError } from "#shared/orders/export-error.ts";
import { ImportStoppedError } from "#shared/orders/import-orders.ts";
import type { ImportSummary, IssueResult } from "#shared/orders/import-tally.ts";
import type { OrderUnitItem } from "#shared/orders/order-unit-row.ts";
import type { Reason } from "#shared/reasons/reason.ts";
import type { ReadLimits, ReadOrdersOptions, ReadReport } from "./read-orders.ts";

/** What the thread sends: a report, a request that it waits for the {@link ThreadReply} to, or the result. */
export type ThreadMessage =
  | { readonly report: ReadReport }
  | { readonly request: "chunk" }
  | { readonly request: "issue"; readonly units: readonly OrderUnitItem[] }
  | { readonly summary: ImportSummary; readonly fault: ThreadFault | undefined };

/** The fault at which the thread stopped reading. */
type ThreadFault = { readonly reason: Reason; readonly line: number | null; readonly column: string | null };

/** The chunk, undefined at the end of the file; or the results. */
export type ThreadReply = { readonly chunk: Uint8Array | undefined } | { readonly results: readonly IssueResult[] };

// A file of 200,000 orders, the costliest of the measured ones, is read with 192.
const resourceLimits = { maxOldGenerationSizeMb: 256 };

/**
 * Reads a file like {@link readOrders}, but parses it in a thread of its own with a low priority, so that parsing
 * delays no request and the memory of a file is bounded. `source` and `issue` run in the caller's thread; an error of
 * theirs ends the thread.
 *
 * @throws also an error if the thread ends early, for example because the file needs too much memory
 */
export async function readOrdersInThread(options: ReadOrdersOptions): Promise<ImportSummary> {
  const { unitsMax, problemsMax } = options;
  const limits: ReadLimits = { unitsMax, problemsMax };
  const worker = new Worker(new URL("./read-orders-worker.ts", import.meta.url), {
    workerData: limits,
    resourceLimits,
  });
  const { promise: result, resolve, reject } = Promise.withResolvers<ImportSummary>();
  worker.once("error", reject);
  worker.once("exit", () => reject(new Error("the thread that reads the file has ended")));
  const chunks = options.source[Symbol.asyncIterator]();
  // Settles at once, not in a microtask: a caller that was busy gets the last message and "exit" in one turn.
  function receive(message: ThreadMessage): void {
    try {
      if ("report" in message) options.onReport(message.report);
      else if ("summary" in message) resolve(finished(message));
      else void answer(message).catch(reject);
    } catch (error) {
      reject(error);
    }
  }
  async function answer(request: Parameters<typeof replyTo>[0]): Promise<void> {
    worker.postMessage(await replyTo(request));
  }
  async function replyTo(message: Extract<ThreadMessage, { readonly request: string }>): Promise<ThreadReply> {
    if (message.request === "issue") return { results: await options.issue(message.units) };
    const next = await chunks.next();
    // A copy: a view would be sent with all of the memory that it is a view of.
    return { chunk: next.done === true ? undefined : new Uint8Array(next.value) };
  }
  worker.on("message", receive);
  try {
    return await result;
  } finally {
    await worker.terminate();
    await chunks.return?.();
  }
}

function finished({ summary, fault }: Extract<ThreadMessage, { readonly summary: ImportSummary }>): ImportSummary {
  if (fault === undefined) return summary;
  throw new ImportStoppedError(new ExportError(fault.reason, fault), summary);
}
