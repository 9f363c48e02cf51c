import { expect, test } from "vitest";
import { createLogger } from "./logger.ts";

test("hides secrets and e-mail addresses in errors and reasons", () => {
  const lines: string[] = [];
  const logger = createLogger("registry", "info", { write: (line: string) => void lines.push(line) });
  const error = new Error("cannot connect to mongodb://user:hunter2@db/registry for ada@example.com");
  logger.warn({ reason: error.message }, "waiting for the database");
  logger.error({ err: error }, "failed");
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { service: "registry", reason: "cannot connect to mongodb://[hidden]@db/registry for [hidden]" },
    { service: "registry", err: { message: "cannot connect to mongodb://[hidden]@db/registry for [hidden]" } },
  ]);
  expect(lines.join("")).not.toMatch(/hunter2|ada@/);
});
