import { describe, expect, test } from "vitest";
import { type ImportBatch, type ImportProgress, placeBatch } from "./import-progress.ts";

const batch = (changes: Partial<ImportBatch> = {}): ImportBatch => ({
  idempotencyKey: "",
  position: undefined,
  itemCount: 2,
  ...changes,
});

describe("placeBatch", () => {
  test("places the first batch at position 0, and each later batch after the previous one", () => {
    const first = placeBatch(undefined, batch({ idempotencyKey: "spring" }));
    expect(first.keys).toEqual(["import/spring/0", "import/spring/1"]);
    const second = placeBatch(first.progress, batch({ idempotencyKey: "spring", itemCount: 1 }));
    expect(second.keys).toEqual(["import/spring/2"]);
    expect(second.progress).toEqual({ idempotencyKey: "spring", nextPosition: 3n });
  });

  test("places a batch at the position that it specifies, and the next batch after it", () => {
    const first = placeBatch(undefined, batch({ idempotencyKey: "spring", position: 40n }));
    expect(first.keys).toEqual(["import/spring/40", "import/spring/41"]);
    expect(placeBatch(first.progress, batch()).keys).toEqual(["import/spring/42", "import/spring/43"]);
    expect(placeBatch(first.progress, batch({ position: 0n })).progress.nextPosition).toBe(2n);
  });

  test("counts the items of an import without an idempotency key, but assigns no issue keys", () => {
    const { keys, progress } = placeBatch(undefined, batch());
    expect(keys).toEqual([undefined, undefined]);
    expect(progress).toEqual({ idempotencyKey: "", nextPosition: 2n });
  });

  const begun: ImportProgress = { idempotencyKey: "spring", nextPosition: 2n };
  const withoutKey: ImportProgress = { idempotencyKey: "", nextPosition: 2n };
  test.each<[string, ImportProgress | undefined, Partial<ImportBatch>, string]>([
    ["a malformed key", undefined, { idempotencyKey: "a/b" }, "idempotency_key"],
    ["a key with a line break", undefined, { idempotencyKey: "a\n" }, "idempotency_key"],
    ["another key in a later batch", begun, { idempotencyKey: "autumn" }, "idempotency_key"],
    ["a key that only a later batch has", withoutKey, { idempotencyKey: "spring" }, "idempotency_key"],
    ["a position without a key", undefined, { position: 0n }, "position"],
    ["a position over 2^53", begun, { position: 2n ** 53n + 1n }, "position"],
  ])("rejects %s", (_, before, changes, field) => {
    expect(() => placeBatch(before, batch(changes))).toThrow(expect.objectContaining({ code: "bad_request", field }));
  });
});
