import { context, propagation, trace } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import { W3CTraceContextPropagator } from "@opentelemetry/core";
import { InMemorySpanExporter, SimpleSpanProcessor, TracerProvider } from "@opentelemetry/sdk-trace";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { ServiceError } from "../errors/service-error.ts";
import { createLogger } from "../observe/logger.ts";
import {
  activeTraceId,
  activeTraceparent,
  captureTrace,
  inChildSpan,
  recordedTraceparent,
  setTracing,
  startChildSpan,
  startSpan,
} from "./spans.ts";

const exporter = new InMemorySpanExporter();
const sampled = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
const notSampled = sampled.replace(/01$/, "00");

function logLines(): { readonly lines: Record<string, unknown>[]; readonly log: ReturnType<typeof createLogger> } {
  const lines: Record<string, unknown>[] = [];
  return { lines, log: createLogger("test", "info", { write: (line) => void lines.push(JSON.parse(line)) }) };
}

test("does nothing while tracing is off", async () => {
  const span = startSpan("request");
  expect([span.traceId, span.run(activeTraceparent), activeTraceId()]).toEqual([undefined, "", undefined]);
  expect(await inChildSpan("work", { parent: sampled }, async () => recordedTraceparent())).toBe("");
  const { lines, log } = logLines();
  log.info({ first: 1 }, "a");
  log.info({ second: 2 }, "b");
  expect(lines[1]).toMatchObject({ second: 2 });
  expect(Object.keys(lines[1] ?? {})).not.toContain("first");
});

describe("while traces are recorded", () => {
  beforeAll(() => {
    context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
    propagation.setGlobalPropagator(new W3CTraceContextPropagator());
    trace.setGlobalTracerProvider(new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] }));
    setTracing(true);
  });
  // Test files share the modules.
  afterAll(() => {
    setTracing(false);
    for (const api of [context, propagation, trace]) api.disable();
  });
  beforeEach(() => exporter.reset());

  const finished = () => exporter.getFinishedSpans().map(({ name }) => name);

  test("a span is active in its work, also after an await, and its log lines name its trace", async () => {
    const { lines, log } = logLines();
    const span = startSpan("request", { parent: "" });
    await span.run(async () => {
      await new Promise(setImmediate);
      expect(activeTraceId()).toBe(span.traceId);
      log.info({ field: 1 }, "inside");
    });
    log.info("outside");
    expect(lines).toMatchObject([{ trace_id: span.traceId, field: 1, msg: "inside" }, { msg: "outside" }]);
    expect(Object.keys(lines[1] ?? {})).not.toContain("trace_id");
  });

  test("child spans are recorded only inside a recorded trace", async () => {
    await inChildSpan("without a parent", {}, async () => undefined);
    await inChildSpan("in a trace that is not sampled", { parent: notSampled }, async () => undefined);
    await inChildSpan("with an invalid parent", { parent: "00-x" }, async () => undefined);
    await inChildSpan("in a sampled trace", { parent: sampled }, async () => {
      startChildSpan("inside").end();
      expect(recordedTraceparent()).toMatch(/^00-0af7651916cd43dd8448eb211c80319c-\w{16}-01$/);
    });
    expect(finished()).toEqual(["inside", "in a sampled trace"]);
  });

  test("work that outlives its span adds nothing to the trace", async () => {
    const span = startSpan("request", { parent: "" });
    const captured = span.run(captureTrace);
    expect(captured.isRecorded).toBe(true);
    span.end();
    captured.run(() => startChildSpan("later").end());
    expect(finished()).toEqual(["request"]);
  });

  test("a failed span names the type of the error, not its message", async () => {
    const failing = inChildSpan("work", { parent: sampled }, async () => {
      throw new ServiceError("not_found", "ada@example.test is unknown");
    });
    await expect(failing).rejects.toThrow("unknown");
    const [span] = exporter.getFinishedSpans();
    expect(span?.attributes).toEqual({ "error.type": "not_found" });
    expect(JSON.stringify([span?.attributes, span?.events, span?.status])).not.toContain("ada");
  });
});
