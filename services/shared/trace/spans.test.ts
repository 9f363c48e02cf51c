import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ServiceError } from "../errors/service-error.ts";
import { recordTraces } from "./recorded-traces-fixture.ts";
import {
  activeTraceId,
  activeTraceparent,
  captureTrace,
  inChildSpan,
  recordedTraceparent,
  startChildSpan,
  startSpan,
} from "./spans.ts";

const sampled = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
const notSampled = sampled.replace(/01$/, "00");

test("spans do nothing while tracing is off", async () => {
  const span = startSpan("request");
  expect([span.traceId, span.run(activeTraceparent), activeTraceId()]).toEqual([undefined, "", undefined]);
  expect(await inChildSpan("work", { parent: sampled }, async () => recordedTraceparent())).toBe("");
});

describe("while traces are recorded", () => {
  let recorded: ReturnType<typeof recordTraces>;
  beforeEach(() => {
    recorded = recordTraces();
  });
  afterEach(() => recorded.stop());

  const finished = () => recorded.exporter.getFinishedSpans().map(({ name }) => name);

  test("a span is active while its work runs, including after an await", async () => {
    const span = startSpan("request", { parent: "" });
    await span.run(async () => {
      await new Promise(setImmediate);
      expect(activeTraceId()).toBe(span.traceId);
    });
    expect(activeTraceId()).toBeUndefined();
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

  test("a failed span contains the type of the error, not its message", async () => {
    const failing = inChildSpan("work", { parent: sampled }, async () => {
      throw new ServiceError("not_found", "ada@example.test is unknown");
    });
    await expect(failing).rejects.toThrow("unknown");
    const [span] = recorded.exporter.getFinishedSpans();
    expect(span?.attributes).toEqual({ "error.type": "not_found" });
    expect(JSON.stringify([span?.attributes, span?.events, span?.status])).not.toContain("ada");
  });
});
