import { context, propagation, trace } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import { W3CTraceContextPropagator } from "@opentelemetry/core";
import { InMemorySpanExporter, SimpleSpanProcessor, TracerProvider } from "@opentelemetry/sdk-trace";
import { setTracing } from "./spans.ts";

// One provider for all tests: the tracer in spans.ts, which the test files of a worker share, keeps the first provider
// that it used.
const exporter = new InMemorySpanExporter();
const provider = new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] });

/**
 * Test fixture: records all traces until `stop` is called. Every caller must call `stop`, because test files share the
 * modules.
 *
 * @returns `exporter`, initially empty, which collects the ended spans
 */
export function recordTraces(): { readonly exporter: InMemorySpanExporter; readonly stop: () => void } {
  exporter.reset();
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  propagation.setGlobalPropagator(new W3CTraceContextPropagator());
  trace.setGlobalTracerProvider(provider);
  setTracing(true);
  const stop = () => {
    setTracing(false);
    for (const api of [context, propagation, trace]) api.disable();
  };
  return { exporter, stop };
}
