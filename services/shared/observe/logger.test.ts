import { expect, test } from "vitest";
import { recordTraces } from "../trace/recorded-traces-fixture.ts";
import { startSpan } from "../trace/spans.ts";
import { createLogger } from "./logger.ts";

test("hides secrets and e-mail addresses in the fields err and reason", () => {
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

function logLines() {
  const lines: Record<string, unknown>[] = [];
  const log = createLogger("test", "info", { write: (line) => void lines.push(JSON.parse(line)) });
  return { lines, log };
}

test("does not copy the fields of one line to the next", () => {
  const { lines, log } = logLines();
  log.info({ first: 1 }, "a");
  log.info({ second: 2 }, "b");
  expect(Object.keys(lines[1] ?? {})).toEqual(["level", "time", "service", "second", "msg"]);
});

test("adds the trace id to lines logged within a trace", () => {
  const { stop } = recordTraces();
  try {
    const { lines, log } = logLines();
    const span = startSpan("request", { parent: "" });
    span.run(() => log.info({ field: 1 }, "inside"));
    log.info("outside");
    expect(lines).toMatchObject([{ trace_id: span.traceId, field: 1, msg: "inside" }, { msg: "outside" }]);
    expect(Object.keys(lines[1] ?? {})).not.toContain("trace_id");
  } finally {
    stop();
  }
});
