import { context, propagation, trace } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import { W3CTraceContextPropagator } from "@opentelemetry/core";
import { InMemorySpanExporter, SimpleSpanProcessor, TracerProvider } from "@opentelemetry/sdk-trace";
import { setTracing } from "./spans.ts";

/**
 * Test fixture: records all traces until the returned function is called. Every caller must call that function, because
 * test files share the modules.
 */
export function recordTraces(exporter = new InMemorySpanExporter()): () => void {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  propagation.setGlobalPropagator(new W3CTraceContextPropagator());
  trace.setGlobalTracerProvider(new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] }));
  setTracing(true);
  return () => {
    setTracing(false);
    for (const api of [context, propagation, trace]) api.disable();
  };
}
