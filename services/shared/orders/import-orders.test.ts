import { describe, expect, test } from "vitest";
import { reason } from "../reasons/reason.ts";
import { bytesOf, exportText, headRow, lineRow } from "./csv-fixture.ts";
import { ImportStoppedError, importOrders } from "./import-orders.ts";
import { type ImportProblem, type IssueResult, importProblemText } from "./import-tally.ts";
import type { OrderUnitItem, WithdrawnOrder } from "./order-unit-row.ts";
import { emptySummary, registryFixture } from "./registry-fixture.ts";

describe("importOrders", () => {
  const text = exportText([
    headRow("#1", "11", { "Lineitem quantity": "3" }),
    lineRow("#1"),
    headRow("#2", "22", { "Financial Status": "pending" }),
    headRow("#3", "33", { "Cancelled at": "2024-05-02 10:11:12 +0200" }),
    headRow("#4", "44", { Email: "ann" }),
  ]);

  test("issues each unit's certificate only once, reports unusable rows, and returns the totals", async () => {
    const { issue, batches } = registryFixture();
    const problems: ImportProblem[] = [];
    const onProblem = (problem: ImportProblem) => problems.push(problem);
    const summary = await importOrders({ source: bytesOf(text), issue, onProblem });
    const sum = {
      ...emptySummary,
      rows: 5,
      orders: 4,
      units: 4,
      skipped: { notPaid: 1, refunded: 0, cancelled: 1 },
      unusable: 1,
    };
    expect(summary).toEqual({ ...sum, issued: 4 });
    expect(problems).toEqual([{ line: 6, column: "Email", reason: reason("email_invalid"), firstUnit: 1 }]);
    expect(batches).toEqual([4]);
    const again = await importOrders({ source: bytesOf(text), issue });
    expect(again).toEqual({ ...sum, alreadyIssued: 4 });
  });

  test("sends one batch at a time and stops reading while a batch is in flight", async () => {
    const rows = Array.from({ length: 500 }, (_, at) => headRow(`#${at}`, `${at}`));
    const batches: number[] = [];
    let bytesRead = 0;
    let callsUnderWay = 0;
    async function issue(items: readonly OrderUnitItem[]): Promise<IssueResult[]> {
      callsUnderWay += 1;
      expect(callsUnderWay).toBe(1);
      const before = bytesRead;
      await new Promise((resolve) => setTimeout(resolve, 5));
      expect(bytesRead).toBe(before);
      callsUnderWay -= 1;
      batches.push(items.length);
      return items.map(() => ({ outcome: "issued" }));
    }
    const onProgress = ({ bytes }: { bytes: number }) => {
      bytesRead = bytes;
    };
    const source = bytesOf(exportText(rows), 256);
    const summary = await importOrders({ source, issue, batchSize: 200, onProgress });
    expect(batches).toEqual([200, 200, 100]);
    expect(summary.issued).toBe(500);
  });

  test("reports how many rows and bytes it has read", async () => {
    const reports: { rows: number; bytes: number }[] = [];
    await importOrders({
      source: bytesOf(text),
      ...registryFixture(),
      onProgress: (progress) => reports.push(progress),
    });
    expect(reports.at(-1)).toEqual({ rows: 5, bytes: Buffer.byteLength(text) });
  });

  test("returns zeros for a file with only a header", async () => {
    expect(await importOrders({ source: bytesOf(exportText([])), ...registryFixture() })).toEqual(emptySummary);
  });
});

describe("importOrders with refunded and cancelled orders", () => {
  const text = exportText([
    headRow("#1", "11"),
    headRow("#2", "22", { "Financial Status": "refunded" }),
    lineRow("#2"),
    headRow("#3", "33", { "Cancelled at": "2024-05-02 10:11:12 +0200" }),
    headRow("#2", "22", { "Financial Status": "refunded" }),
  ]);

  test("withdraws each order once, in file order, and adds up the certificates found and revoked", async () => {
    const withdrawn: WithdrawnOrder[] = [];
    const withdraw = async (order: WithdrawnOrder) => {
      withdrawn.push(order);
      return order.id === "22" ? { found: 3, revoked: 2 } : { found: 1, revoked: 1 };
    };
    const summary = await importOrders({ source: bytesOf(text), ...registryFixture(), withdraw });
    expect(withdrawn).toEqual([
      { line: 3, id: "22", name: "#2", reason: "refunded" },
      { line: 5, id: "33", name: "#3", reason: "cancelled" },
    ]);
    expect(summary).toEqual({
      ...emptySummary,
      rows: 5,
      orders: 3,
      units: 1,
      issued: 1,
      skipped: { notPaid: 0, refunded: 3, cancelled: 1 },
      withdrawn: { found: 4, revoked: 3 },
    });
  });

  test("stops at a failed withdrawal, and rejects with its error", async () => {
    const withdraw = () => Promise.reject(new Error("registry unavailable"));
    const stopped = importOrders({ source: bytesOf(text), ...registryFixture(), withdraw });
    await expect(stopped).rejects.toThrow("registry unavailable");
  });
});

const soldOut = reason("sold_out", { title: "Kite" });

describe("importOrders with units that get no certificates", () => {
  const text = exportText([headRow("#1", "11", { "Lineitem quantity": "3" }), lineRow("#1")]);

  async function run(answer: (item: OrderUnitItem) => IssueResult | null, batchSize = 2) {
    const problems: ImportProblem[] = [];
    const { issue } = registryFixture(answer);
    const onProblem = (problem: ImportProblem) => problems.push(problem);
    return { summary: await importOrders({ source: bytesOf(text), issue, batchSize, onProblem }), problems };
  }

  test("reports refused units once per row, with the column of the refused field", async () => {
    const { summary, problems } = await run(({ order }) =>
      order.line === "1" ? { outcome: "invalid", field: "buyer.email", reason: reason("email_invalid") } : null,
    );
    expect(problems).toEqual([{ line: 2, column: "Email", reason: reason("email_invalid"), firstUnit: 1 }]);
    expect(summary).toMatchObject({ units: 4, issued: 1, invalid: 3, unusable: 1 });
  });

  test("reports a sold-out edition once per row, with the number of the first affected unit", async () => {
    const { summary, problems } = await run(({ order }) =>
      order.line === "1" && order.unit > 1 ? { outcome: "sold_out", reason: soldOut } : null,
    );
    expect(problems).toEqual([{ line: 2, column: "Lineitem sku", reason: soldOut, firstUnit: 2 }]);
    expect(problems.map((problem) => importProblemText(problem, "de"))).toEqual([
      "Die Auflage von Kite ist vergriffen. Das erste betroffene Stück ist Nummer 2.",
    ]);
    expect(summary).toMatchObject({ units: 4, issued: 2, soldOut: 2, unusable: 0 });
  });
});

describe("importOrders stops", () => {
  test("at a fault in the file, after issuing certificates for the rows before it", async () => {
    const text = `${exportText([headRow("#1", "11"), headRow("#2", "22")])}#3,"`;
    const { issue, batches } = registryFixture();
    const stopped = await importOrders({ source: bytesOf(text), issue }).catch((error: unknown) => error);
    expect(stopped).toBeInstanceOf(ImportStoppedError);
    expect(stopped).toMatchObject({
      line: 4,
      summary: { ...emptySummary, rows: 2, orders: 2, units: 2, issued: 2 },
    });
    expect(batches).toEqual([2]);
  });

  test("at an unusable header, without issuing certificates", async () => {
    const { issue, batches } = registryFixture();
    const stopped = importOrders({ source: bytesOf("Name,Email\n"), issue });
    await expect(stopped).rejects.toMatchObject({ column: "Financial Status", summary: emptySummary });
    expect(batches).toEqual([]);
  });

  test("at the first unit beyond the limit, after issuing certificates for the units before it", async () => {
    const text = exportText([
      headRow("#1", "11", { "Lineitem quantity": "3" }),
      headRow("#2", "22"),
      headRow("#3", "33"),
    ]);
    const { issue, batches } = registryFixture();
    const read = (unitsMax: number) => importOrders({ source: bytesOf(text), issue, unitsMax, batchSize: 2 });
    await expect(read(4)).rejects.toMatchObject({
      line: 4,
      message: "Line 4: An import takes at most 4 items. Export a shorter period, or ask support to import the file.",
      summary: { units: 4, issued: 4 },
    });
    expect(batches).toEqual([2, 2]);
    expect(await read(5)).toMatchObject({ units: 5, alreadyIssued: 4, issued: 1 });
    await expect(read(1_000_000)).resolves.toMatchObject({ units: 5 });
  });

  test("at a failed batch, rejects with its error, and closes the file", async () => {
    let closed = false;
    async function* source() {
      try {
        yield* bytesOf(exportText(Array.from({ length: 9 }, (_, at) => headRow(`#${at}`, `${at}`))));
      } finally {
        closed = true;
      }
    }
    const failing = () => Promise.reject(new Error("registry unavailable"));
    await expect(importOrders({ source: source(), issue: failing, batchSize: 2 })).rejects.toThrow(
      "registry unavailable",
    );
    expect(closed).toBe(true);
  });

  test("if the registry returns fewer results than the batch has items", async () => {
    const issue = () => Promise.resolve<IssueResult[]>([]);
    const stopped = importOrders({ source: bytesOf(exportText([headRow("#1", "11")])), issue });
    await expect(stopped).rejects.toThrow("returned 0 results for 1 items");
  });
});
