import { expect, test } from "vitest";
import { generateApiKey } from "#shared/keys/api-key.ts";
import { createScannedLogger } from "./scanned-logger.ts";

test("requireClean throws when a service in the test process has logged a key, even at trace level and in a nested field", () => {
  const { logger, requireClean } = createScannedLogger("registry");
  logger.trace({ method: "CreateApiKey", secret: "configured" }, "call");
  requireClean();
  logger.trace({ request: { key: generateApiKey() } }, "call");
  expect(requireClean).toThrow("registry (API key): ");
});
