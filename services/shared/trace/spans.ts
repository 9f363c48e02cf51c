import { Code, ConnectError } from "@connectrpc/connect";
import {
  type Attributes,
  type Context,
  context,
  type Link,
  propagation,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  trace,
} from "@opentelemetry/api";
import { ServiceError } from "../errors/service-error.ts";

// While this is false, the functions of this file record nothing.
let isOn = false;
const tracer = trace.getTracer("certificate-registry");

export function isTracing(): boolean {
  return isOn;
}

/** Switches the recording of traces on or off. Register a tracer provider before switching recording on. */
export function setTracing(on: boolean): void {
  isOn = on;
}

export { SpanKind };

/** Options of a new span. Attributes must not contain personal data, keys, cursors or the text of errors. */
interface SpanOptions {
  /** Default: internal. */
  readonly kind?: SpanKind;
  readonly attributes?: Attributes;
  /** A W3C `traceparent`; empty for no parent. Default: the active span. */
  readonly parent?: string | undefined;
  /** The `traceparent` values of the spans to link to; empty ones are skipped. */
  readonly links?: readonly string[];
}

/**
 * A span that has been started, or a placeholder that records nothing: its `run` only runs the work, and its other
 * methods do nothing.
 */
export interface OpenSpan {
  /** Undefined for a placeholder. */
  readonly traceId: string | undefined;
  /** Runs work with this span as the active span, including after every `await`. */
  run<T>(work: () => T): T;
  set(attributes: Attributes): void;
  rename(name: string): void;
  /** @param error marks the span as failed; of an Error, only its code or name is recorded; a string is kept as is */
  end(error?: unknown): void;
}

const noSpan: OpenSpan = {
  traceId: undefined,
  run: (work) => work(),
  set: () => undefined,
  rename: () => undefined,
  end: () => undefined,
};

/** Starts a span that begins a new trace unless it has a parent. The sampler decides whether the trace is recorded. */
export function startSpan(name: string, options: SpanOptions = {}): OpenSpan {
  return isOn ? open(name, options, parentOf(options)) : noSpan;
}

/** Starts a span if its parent is recorded; otherwise, for example in background work, returns a placeholder. */
export function startChildSpan(name: string, options: SpanOptions = {}): OpenSpan {
  if (!isOn) return noSpan;
  const parent = parentOf(options);
  return isRecorded(parent) ? open(name, options, parent) : noSpan;
}

/** Runs asynchronous work in a child span, which ends with the work. */
export async function inChildSpan<T>(
  name: string,
  options: SpanOptions,
  work: (span: OpenSpan) => Promise<T>,
): Promise<T> {
  const span = startChildSpan(name, options);
  try {
    const result = await span.run(() => work(span));
    span.end();
    return result;
  } catch (error) {
    span.end(error);
    throw error;
  }
}

/**
 * Returns the active span as a W3C `traceparent` (https://www.w3.org/TR/trace-context/); the empty string if there is
 * none.
 */
export function activeTraceparent(): string {
  return isOn ? traceparentOf(context.active()) : "";
}

/**
 * Like {@link activeTraceparent}, but returns the empty string for a trace that is not recorded. Use it for events that
 * are stored.
 */
export function recordedTraceparent(): string {
  return isOn && isRecorded(context.active()) ? traceparentOf(context.active()) : "";
}

export function activeTraceId(): string | undefined {
  return isOn ? trace.getSpanContext(context.active())?.traceId : undefined;
}

/** The trace of a caller, captured for work that runs later in a batch with the work of other callers. */
export interface CapturedTrace {
  readonly isRecorded: boolean;
  /** Runs work as part of the trace. */
  run<T>(work: () => T): T;
}

/** Stands for the absence of a trace: `run` only runs the work. */
export const noTrace: CapturedTrace = { isRecorded: false, run: (work) => work() };

/** Captures the active trace. */
export function captureTrace(): CapturedTrace {
  if (!isOn) return noTrace;
  const captured = context.active();
  return { isRecorded: isRecorded(captured), run: (work) => context.with(captured, work) };
}

function parentOf({ parent }: SpanOptions): Context {
  return parent === undefined ? context.active() : contextOf(parent);
}

function contextOf(traceparent: string): Context {
  return propagation.extract(ROOT_CONTEXT, { traceparent });
}

function traceparentOf(from: Context): string {
  const carrier: { traceparent?: string } = {};
  propagation.inject(from, carrier);
  return carrier.traceparent ?? "";
}

/** Returns whether new children of the context's span are recorded. Those of a local span that has ended are not. */
function isRecorded(parent: Context): boolean {
  const span = trace.getSpan(parent);
  if (span === undefined) return false;
  const { isRemote = false, traceFlags } = span.spanContext();
  return isRemote ? (traceFlags & TraceFlags.SAMPLED) !== 0 : span.isRecording();
}

function open(name: string, { kind = SpanKind.INTERNAL, attributes, links }: SpanOptions, parent: Context): OpenSpan {
  const options = { kind, ...(attributes && { attributes }), ...(links && { links: links.flatMap(linkTo) }) };
  const span = tracer.startSpan(name, options, parent);
  const active = trace.setSpan(parent, span);
  return {
    traceId: span.spanContext().traceId,
    run: (work) => context.with(active, work),
    set: (added) => void span.setAttributes(added),
    rename: (newName) => void span.updateName(newName),
    end: (error) => {
      if (error !== undefined) markFailed(span, error);
      span.end();
    },
  };
}

function linkTo(traceparent: string): Link[] {
  const linked = trace.getSpanContext(contextOf(traceparent));
  return linked === undefined ? [] : [{ context: linked }];
}

function markFailed(span: Span, error: unknown): void {
  span.setAttribute("error.type", errorType(error));
  span.setStatus({ code: SpanStatusCode.ERROR });
}

function errorType(error: unknown): string {
  if (error instanceof ServiceError) return error.code;
  if (error instanceof ConnectError) return Code[error.code];
  return error instanceof Error ? error.name : String(error);
}
