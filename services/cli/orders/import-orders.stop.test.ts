import { describe, expect, test } from "vitest";
import { bytesOf, exportText, headRow } from "./csv-fixture.ts";
import { ImportStoppedError, importOrders } from "./import-orders.ts";
import type { IssueResult } from "./import-tally.ts";
import { emptySummary, registryFixture } from "./registry-fixture.ts";

describe("importOrders stops", () => {
  test("at a fault in the file, after issuing the rows before it", async () => {
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

  test("at an unusable header, issuing nothing", async () => {
    const { issue, batches } = registryFixture();
    const stopped = importOrders({ source: bytesOf("Name,Email\n"), issue });
    await expect(stopped).rejects.toMatchObject({ column: "Financial Status", summary: emptySummary });
    expect(batches).toEqual([]);
  });

  test("with the error of a failed batch, and closes the file", async () => {
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

  test("if the registry returns fewer results than items", async () => {
    const issue = () => Promise.resolve<IssueResult[]>([]);
    const stopped = importOrders({ source: bytesOf(exportText([headRow("#1", "11")])), issue });
    await expect(stopped).rejects.toThrow("returned 0 results for 1 items");
  });
});
