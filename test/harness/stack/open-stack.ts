import { afterAll } from "vitest";
import { createTestDatabase, type TestDatabase } from "../test-database.ts";
import { type Stack, type StackOptions, startStack } from "./start-stack.ts";

/**
 * Starts a stack with a new database on the run's database server, and ends both after the tests of the file. On a busy
 * machine, its edges wait up to half a minute for the registry before they respond with 503.
 */
export async function openStack(
  options: Omit<StackOptions, "mongodbUri">,
): Promise<Stack & { readonly testDatabase: TestDatabase }> {
  const testDatabase = await createTestDatabase();
  // Vitest runs no hook of a file that cannot be loaded.
  const stack = await startStack({ edgeTimeoutMs: 30_000, ...options, mongodbUri: testDatabase.uri }).catch(
    async (error: unknown) => {
      await testDatabase.close();
      throw error;
    },
  );
  afterAll(async () => {
    await stack.close().finally(() => testDatabase.close());
  });
  return { ...stack, testDatabase };
}
