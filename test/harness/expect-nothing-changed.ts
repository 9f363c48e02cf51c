import { afterAll, beforeAll, expect } from "vitest";
import type { ImportState } from "../../services/registry/imports/imports.ts";
import { eventually } from "./eventually.ts";
import type { TestDatabase } from "./test-database.ts";

type ObservedDatabase = Pick<TestDatabase, "collections" | "contents">;

/**
 * Calls a function, and verifies that it changed no document in any collection. First waits until the registries have
 * no storefront work and no import: after an earlier change they work in the background, and change documents.
 *
 * @returns the result of `call`
 */
export async function expectNothingChanged<T>(database: ObservedDatabase, call: () => Promise<T>): Promise<T> {
  const before = await contentsAtRest(database);
  const result = await call();
  expect(await database.contents()).toEqual(before);
  return result;
}

/**
 * Verifies that all tests of the surrounding `describe` together changed no document, as {@link expectNothingChanged}
 * does for a call. For tests of many refused calls: reading all collections twice takes longer than a refusal.
 */
export function expectAllChangeNothing(database: ObservedDatabase): void {
  let before: Awaited<ReturnType<TestDatabase["contents"]>> | undefined;
  beforeAll(async () => {
    before = await contentsAtRest(database);
  });
  afterAll(async () => expect(await database.contents()).toEqual(before));
}

async function contentsAtRest({ collections, contents }: ObservedDatabase) {
  const isAtWork = { $or: [{ dueAt: { $exists: true } }, { lease: { $exists: true } }] };
  const isRunning = { state: { $in: ["examining", "issuing"] satisfies ImportState[] } };
  const { storefronts, imports } = collections;
  const workCounts = () => Promise.all([storefronts.countDocuments(isAtWork), imports.countDocuments(isRunning)]);
  await eventually(async () => expect(await workCounts()).toEqual([0, 0]));
  return contents();
}
