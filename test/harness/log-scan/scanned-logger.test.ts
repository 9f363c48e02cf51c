import { expect, test } from "vitest";
import { generateApiKey } from "#shared/keys/api-key.ts";
import { takeProblems } from "./recent-problems.ts";
import { createScannedLogger } from "./scanned-logger.ts";

test("requireClean throws when a service in the test process has logged a key, even at trace level and in a nested field", () => {
  const { logger, requireClean } = createScannedLogger("registry");
  logger.trace({ method: "CreateApiKey", secret: "configured" }, "call");
  requireClean();
  logger.trace({ request: { key: generateApiKey() } }, "call");
  expect(requireClean).toThrow("registry (API key): ");
});

test("the last warnings and errors of the services in the test's process are kept, and taken once", () => {
  takeProblems();
  const { logger } = createScannedLogger("registry");
  for (let count = 1; count <= 40; count++) logger.warn({ count }, "call failed");
  logger.info("call served");
  const found = takeProblems().map((line) => JSON.parse(line));
  expect(found).toHaveLength(30);
  expect(found.at(-1)).toMatchObject({ count: 40, msg: "call failed" });
  expect(takeProblems()).toEqual([]);
});
