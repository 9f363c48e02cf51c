import { buffer } from "node:stream/consumers";
import { gunzipSync } from "node:zlib";
import { afterAll } from "vitest";
import { serveHttp } from "./listeners/serve-http.ts";
import { type Fields, fieldsOf, messages } from "./proto-fields.ts";

/** A span that a service exported. Ids are in hexadecimal; `parentId` is empty for a root span. */
export interface ExportedSpan {
  readonly service: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentId: string;
  readonly name: string;
  /** Span kind, as numbered in OTLP: 1 internal, 2 server, 3 client, 4 producer, 5 consumer. */
  readonly kind: number;
  readonly startMs: number;
  readonly endMs: number;
  /** Attribute values by key; a value that is neither a string nor an integer becomes the empty string. */
  readonly attributes: Readonly<Record<string, string | number>>;
  /** Trace ids of the linked spans. */
  readonly links: readonly string[];
}

/** Starts a collector on a free port of 127.0.0.1, and stops it after the tests of the file. */
export async function startTraceCollector() {
  const spans: ExportedSpan[] = [];
  let lastHeaders: Readonly<Record<string, unknown>> = {};
  const endpoint = await serveHttp(async (request, response) => {
    const body = await buffer(request);
    if (request.method !== "POST" || request.url !== "/v1/traces") return void response.writeHead(404).end();
    lastHeaders = request.headers;
    spans.push(...spansIn(request.headers["content-encoding"] === "gzip" ? gunzipSync(body) : body));
    response.writeHead(200, { "content-type": "application/x-protobuf" }).end();
  }, afterAll);
  return { endpoint, spans, lastHeaders: () => lastHeaders };
}

/** Parses an ExportTraceServiceRequest, using the field numbers of opentelemetry-proto 1.x. */
function spansIn(bytes: Uint8Array): ExportedSpan[] {
  return messages(bytes, 1).flatMap((resourceSpans) => {
    const service = messages(resourceSpans, 1).map((resource) => String(attributesIn(resource, 1)["service.name"]))[0];
    return messages(resourceSpans, 2).flatMap((scopeSpans) =>
      messages(scopeSpans, 2).map((span) => spanOf(span, service ?? "")),
    );
  });
}

function spanOf(bytes: Uint8Array, service: string): ExportedSpan {
  const fields = fieldsOf(bytes);
  const hex = (field: number) => Buffer.from(bytesIn(fields, field)).toString("hex");
  const ms = (field: number) => Number(numberIn(fields, field)) / 1_000_000;
  return {
    service,
    traceId: hex(1),
    spanId: hex(2),
    parentId: hex(4),
    name: textIn(fields, 5),
    kind: Number(numberIn(fields, 6)),
    startMs: ms(7),
    endMs: ms(8),
    attributes: attributesIn(bytes, 9),
    links: messages(bytes, 13).map((link) => Buffer.from(bytesIn(fieldsOf(link), 1)).toString("hex")),
  };
}

function attributesIn(bytes: Uint8Array, field: number): Record<string, string | number> {
  const entries = messages(bytes, field).map((attribute) => {
    const fields = fieldsOf(attribute);
    const value = fieldsOf(bytesIn(fields, 2));
    return [textIn(fields, 1), value.has(3) ? Number(numberIn(value, 3)) : textIn(value, 1)] as const;
  });
  return Object.fromEntries(entries);
}

const bytesIn = (fields: Fields, field: number) => {
  const value = fields.get(field)?.[0];
  return value === undefined || typeof value === "bigint" ? new Uint8Array() : value;
};
const textIn = (fields: Fields, field: number) => Buffer.from(bytesIn(fields, field)).toString();
const numberIn = (fields: Fields, field: number) => {
  const value = fields.get(field)?.[0];
  return typeof value === "bigint" ? value : 0n;
};
