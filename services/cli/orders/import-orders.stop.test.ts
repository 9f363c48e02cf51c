import { describe, expect, test } from "vitest";
import { bytesOf, exportText, headRow } from "./csv-fixture.ts";
import { ImportStoppedError, importOrders } from "./import-orders.ts";
import type { IssueResult } from "./import-tally.ts";
import { NOTHING, registryFixture } from "./registry-fixture.ts";

describe("an import stops", () => {
  test("where the file cannot be read on, after the rows before it were issued", async () => {
    const text = `${exportText([headRow("#1", "11"), headRow("#2", "22")])}#3,"`;
    const { issue, batches } = registryFixture();
    const stopped = await importOrders({ source: bytesOf(text), issue }).catch((error: unknown) => error);
    expect(stopped).toBeInstanceOf(ImportStoppedError);
    expect(stopped).toMatchObject({
      line: 4,
      summary: { ...NOTHING, rows: 2, orders: 2, units: 2, issued: 2 },
    });
    expect(batches).toEqual([2]);
  });

  test("at a header that will not do, with nothing issued", async () => {
    const { issue, batches } = registryFixture();
    const stopped = importOrders({ source: bytesOf("Name,Email\n"), issue });
    await expect(stopped).rejects.toMatchObject({ column: "Financial Status", summary: NOTHING });
    expect(batches).toEqual([]);
  });

  test("where issuing fails, with its error, and lets go of the file", async () => {
    let closed = false;
    async function* source() {
      try {
        yield* bytesOf(exportText(Array.from({ length: 9 }, (_, at) => headRow(`#${at}`, `${at}`))));
      } finally {
        closed = true;
      }
    }
    const failing = () => Promise.reject(new Error("registry away"));
    await expect(importOrders({ source: source(), issue: failing, batchSize: 2 })).rejects.toThrow(
      "registry away",
    );
    expect(closed).toBe(true);
  });

  test("where results and items differ in number: no result may be taken for another's", async () => {
    const issue = () => Promise.resolve<IssueResult[]>([]);
    const stopped = importOrders({ source: bytesOf(exportText([headRow("#1", "11")])), issue });
    await expect(stopped).rejects.toThrow("0 results came for 1 items");
  });
});
