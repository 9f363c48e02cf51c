import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { readdir, readFile } from "node:fs/promises";
import { getPriority } from "node:os";
import type { Worker } from "node:worker_threads";
import { describe, expect, test } from "vitest";
import { bytesOf, exportText, headRow, lineRow } from "#shared/orders/csv-fixture.ts";
import { ImportStoppedError } from "#shared/orders/import-orders.ts";
import type { ImportProblem, ImportSummary } from "#shared/orders/import-tally.ts";
import type { OrderUnitItem } from "#shared/orders/order-unit-row.ts";
import { registryFixture } from "#shared/orders/registry-fixture.ts";
import { type ReadOrders, type ReadOrdersOptions, type ReadReport, readOrders } from "./read-orders.ts";
import { readOrdersInThread } from "./read-orders-in-thread.ts";

/** Reads a text, and returns the outcome and what was reported. */
async function read(readFrom: ReadOrders, text: string, options: Partial<ReadOrdersOptions> = {}) {
  const reports: ReadReport[] = [];
  const [outcome] = await Promise.allSettled([
    readFrom({
      source: bytesOf(text, 8_192),
      ...registryFixture(),
      unitsMax: 1_000,
      problemsMax: 3,
      onReport: (report) => reports.push(report),
      ...options,
    }),
  ]);
  const problems: ImportProblem[] = reports.flatMap((report) => report.problems);
  return { outcome: comparable(outcome), problems, last: { ...reports.at(-1), problems: [] } };
}

/** Returns the outcome without the stack and the cause of the error at which the reading stopped. */
function comparable(outcome: PromiseSettledResult<ImportSummary>) {
  if (outcome.status === "fulfilled" || !(outcome.reason instanceof ImportStoppedError)) return outcome;
  const { message, reason, line, column, summary } = outcome.reason;
  return { status: "stopped", message, reason, line, column, summary };
}

const rows = [
  headRow("#1", "11", { "Lineitem quantity": "3" }),
  lineRow("#1", { "Lineitem name": "Zoë – 李" }),
  ...Array.from({ length: 5 }, (_, at) => headRow(`#2${at}`, `22${at}`, { Email: "ann" })),
  headRow("#3", "33", { "Financial Status": "refunded" }),
  ...Array.from({ length: 300 }, (_, at) => headRow(`#4${at}`, `44${at}`)),
];
const orders = exportText(rows);

describe("readOrdersInThread", { timeout: 120_000 }, () => {
  test.each([
    ["a file with rows of all kinds", orders],
    ["a file without the needed columns", "a,b\n1,2\n"],
    ["a file with a quotation mark that is never closed", `${orders}"#9,`],
    ["a file with too many units", exportText([...rows, headRow("#5", "55", { "Lineitem quantity": "5000" })])],
    ["an empty file", ""],
  ])("reads %s like readOrders", async (_what, text) => {
    const expected = await read(readOrders, text);
    const found = await read(readOrdersInThread, text);
    expect(found).toEqual(expected);
    expect(expected.problems.length).toBeLessThanOrEqual(3);
  });

  test.each(["source", "issue"] as const)("ends with the error of %s", async (failing) => {
    const failure = new Error("the lease is lost");
    async function* source() {
      yield Buffer.from(orders);
      throw failure;
    }
    const issue = () => Promise.reject(failure);
    const options = failing === "source" ? { source: source() } : { issue };
    const { outcome } = await read(readOrdersInThread, orders, options);
    expect(outcome).toEqual({ status: "rejected", reason: failure });
  });

  test("fails if its thread ends, instead of waiting for it", async () => {
    const { promise: started, resolve } = Promise.withResolvers<Worker>();
    const onThread = (message: unknown) => resolve((message as { readonly worker: Worker }).worker);
    subscribe("worker_threads", onThread);
    const issue = async (items: readonly OrderUnitItem[]) => {
      await (await started).terminate();
      return items.map(() => ({ outcome: "issued" }) as const);
    };
    const { outcome } = await read(readOrdersInThread, orders, { issue });
    unsubscribe("worker_threads", onThread);
    expect(outcome).toMatchObject({ status: "rejected", reason: { message: expect.stringContaining("has ended") } });
  });

  test("says at which fault it stopped, also if the caller is busy until the thread has ended", async () => {
    const text = `${exportText([])}"#9,`;
    const expected = await read(readOrders, text);
    async function* source() {
      yield Buffer.from(text);
      // Begins when the thread has been told that the file has ended, and lasts until the thread has ended, too.
      setImmediate(() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_000));
    }
    const found = await read(readOrdersInThread, text, { source: source() });
    expect(found).toEqual({ ...expected, last: { ...expected.last, bytes: Buffer.byteLength(text) } });
  });

  // With a nice value of 10 or more, for example under nice(1), requests have no higher priority to begin with.
  const isLowered = process.platform === "linux" && getPriority() < 10;
  test.runIf(isLowered)("parses with a lower priority than requests have", async () => {
    const priorities: number[][] = [];
    const { issue } = registryFixture();
    const issueAndLook = async (items: readonly OrderUnitItem[]) => {
      priorities.push(await threadPriorities());
      return issue(items);
    };
    await read(readOrdersInThread, orders, { issue: issueAndLook });
    const own = await threadPriorities();
    expect(priorities.flat()).toContain(10);
    expect(own).not.toContain(10);
  });

  test("takes little of the caller's processor time, also for a file whose rows are all refused", async () => {
    const text = exportText([]) + "#1\n".repeat(60_000);
    const before = process.threadCpuUsage();
    const { last } = await read(readOrdersInThread, text, { problemsMax: 10_000 });
    expect(last).toMatchObject({ rows: 60_000, problemCount: 60_000 });
    expect(process.threadCpuUsage(before).user / 1_000).toBeLessThan(250);
  });
});

/** Returns the nice values of this process's threads (proc_pid_stat(5), field 19). */
async function threadPriorities(): Promise<number[]> {
  const threads = await readdir("/proc/self/task");
  const stats = await Promise.all(
    threads.map((thread) => readFile(`/proc/self/task/${thread}/stat`, "utf8").catch(() => "")),
  );
  return stats.map((stat) => Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[16]));
}
