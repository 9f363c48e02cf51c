import { context, DiagLogLevel, diag, propagation, trace } from "@opentelemetry/api";
import { z } from "zod";
import type { Logger } from "../observe/logger.ts";
import { parseJson } from "../text/parse-json.ts";
import { systemClock } from "../time/clock.ts";
import { waitAtMost } from "../time/wait-at-most.ts";
import type { OtelSettings } from "../trace/otel-variables.ts";
import { setTracing } from "../trace/spans.ts";

/** The export of this process's traces. */
export interface Tracing {
  /** Exports the remaining spans, within {@link flushTimeoutMs}. */
  stop(): Promise<void>;
}

const flushTimeoutMs = 3_000;

/**
 * Starts exporting traces to an OTLP collector. Without an endpoint, does nothing and does not load the SDK. While the
 * collector is unavailable, spans are dropped and a warning is logged.
 *
 * @param service name of the service in traces
 */
export async function startTracing(settings: OtelSettings, service: string, logger: Logger): Promise<Tracing> {
  const { otelExporterOtlpEndpoint: endpoint, otelExporterOtlpHeaders: headers, otelTracesSamplerArg } = settings;
  if (endpoint === undefined) return { stop: async () => undefined };
  const { AsyncLocalStorageContextManager } = await import("@opentelemetry/context-async-hooks");
  const { parseKeyPairsIntoRecord, W3CTraceContextPropagator } = await import("@opentelemetry/core");
  const { OTLPTraceExporter } = await import("@opentelemetry/exporter-trace-otlp-proto");
  const { defaultResource, detectResources, envDetector, resourceFromAttributes } = await import(
    "@opentelemetry/resources"
  );
  const { BatchSpanProcessor, ParentBasedSampler, TraceIdRatioBasedSampler, TracerProvider } = await import(
    "@opentelemetry/sdk-trace"
  );
  diag.setLogger(diagnostics(logger), { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true });
  const exporter = new OTLPTraceExporter({
    url: `${endpoint.replace(/\/$/, "")}/v1/traces`,
    ...(headers !== undefined && { headers: parseKeyPairsIntoRecord(headers) }),
  });
  const own = { "service.name": service, "service.namespace": "certificate-registry" };
  const provider = new TracerProvider({
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(otelTracesSamplerArg) }),
    // OTEL_RESOURCE_ATTRIBUTES adds attributes, such as the environment's name.
    resource: defaultResource()
      .merge(resourceFromAttributes(own))
      .merge(detectResources({ detectors: [envDetector] })),
    spanProcessors: [new BatchSpanProcessor({ exporter })],
  });
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  propagation.setGlobalPropagator(new W3CTraceContextPropagator());
  trace.setGlobalTracerProvider(provider);
  setTracing(true);
  logger.info({ endpoint: new URL(endpoint).host, ratio: otelTracesSamplerArg }, "traces are exported");
  return {
    stop: () =>
      waitAtMost(
        provider.shutdown().catch(() => undefined),
        flushTimeoutMs,
        systemClock,
      ),
  };
}

/** Logs OpenTelemetry's warnings and errors, whose messages contain no span data. */
function diagnostics(logger: Logger) {
  // The exporter can run in the context of a request, whose trace has nothing to do with the failure.
  const warn = (text: string) => logger.warn({ reason: reasonOf(text), trace_id: undefined }, "cannot export traces");
  const ignore = () => undefined;
  return { error: warn, warn, info: ignore, debug: ignore, verbose: ignore };
}

/** Returns the message of an error that the SDK has converted to JSON, or any other text unchanged. */
function reasonOf(text: string): string {
  return z.object({ message: z.string() }).safeParse(parseJson(text)).data?.message ?? text;
}
