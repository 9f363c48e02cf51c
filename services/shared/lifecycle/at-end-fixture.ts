import { afterAll, onTestFinished, TestRunner } from "vitest";

/**
 * Registers a function that ends something after the running test or, outside of a test, after the tests of the file.
 * Vitest never calls what a running test registers with `afterAll`, so that a registry would work on until the worker
 * ends.
 */
export function atEnd(end: () => Promise<unknown>): void {
  if (TestRunner.getCurrentTest() === undefined) afterAll(end);
  else onTestFinished(async () => void (await end()));
}
