import { expect } from "vitest";
import type { ImportState } from "../../services/registry/imports/imports.ts";
import { eventually } from "./eventually.ts";
import type { TestDatabase } from "./test-database.ts";

/**
 * Calls a function, and verifies that it changed no document in any collection. First waits until the registries have
 * no storefront work and no import: after an earlier change they work in the background, and change documents.
 *
 * @returns the result of `call`
 */
export async function expectNothingChanged<T>(
  database: Pick<TestDatabase, "collections" | "contents">,
  call: () => Promise<T>,
): Promise<T> {
  const isAtWork = { $or: [{ dueAt: { $exists: true } }, { lease: { $exists: true } }] };
  const isRunning = { state: { $in: ["examining", "issuing"] satisfies ImportState[] } };
  const { storefronts, imports } = database.collections;
  const workCounts = () => Promise.all([storefronts.countDocuments(isAtWork), imports.countDocuments(isRunning)]);
  await eventually(async () => expect(await workCounts()).toEqual([0, 0]));
  const before = await database.contents();
  const result = await call();
  expect(await database.contents()).toEqual(before);
  return result;
}
