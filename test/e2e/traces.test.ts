import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { eventually } from "../harness/eventually.ts";
import { inStore } from "../harness/in-store.ts";
import { issueItem } from "../harness/issue-items.ts";
import { pathOf } from "../harness/receiver/behaviour.ts";
import { openStack } from "../harness/stack/open-stack.ts";
import { partOf } from "../harness/stack/start-stack.ts";
import { createKeyedStore } from "../harness/test-stores.ts";
import { type ExportedSpan, startTraceCollector } from "../harness/trace-collector.ts";

const collector = await startTraceCollector();
const env = {
  OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint,
  OTEL_EXPORTER_OTLP_HEADERS: "x-tenant=registry%20test",
  OTEL_TRACES_SAMPLER_ARG: "1",
};
const stack = await openStack({
  name: "traces",
  registries: [{ env }],
  edges: [{ env }],
  notifiers: [{ env }],
  receiverSeed: 1,
});

const registry = partOf(stack.registries);
const edge = partOf(stack.edges);
const { storeId, apiKey } = await createKeyedStore(registry);
const list = (headers: Record<string, string> = {}) =>
  fetch(`${edge.url}/v1/certificates?limit=1`, { headers: { authorization: `Bearer ${apiKey}`, ...headers } });

/** Waits for a trace with all of these spans, written as `service: name`. The exporters send every five seconds. */
function traceWith(...names: string[]): Promise<ExportedSpan[]> {
  const find = () => {
    const traces = Map.groupBy(collector.spans, ({ traceId }) => traceId).values();
    const found = traces.find((spans) => {
      const present = spans.map(({ service, name }) => `${service}: ${name}`);
      return names.every((name) => present.includes(name));
    });
    if (found === undefined) throw new Error(`no trace has all of: ${names.join(", ")}`);
    return found;
  };
  return eventually(find);
}

/** Returns the path from the root to a span; each element is `service: name`. */
function pathTo(name: string, spans: readonly ExportedSpan[]): string[] {
  const path: string[] = [];
  let span = spans.find((candidate) => candidate.name === name);
  while (span !== undefined) {
    path.unshift(`${span.service}: ${span.name}`);
    const { parentId } = span;
    span = spans.find(({ spanId }) => spanId === parentId);
  }
  return path;
}

const exchange = "registry.v1.ListExchangeService/Exchange";

// Concurrent, because each waits up to five seconds for an export.
test.concurrent("one trace covers a list request from the edge through ListExchangeService to MongoDB, and the edge logs the trace id", async () => {
  const response = await list();
  expect(response.status).toBe(200);
  const spans = await traceWith("edge: GET /v1/certificates", "registry: find certificates");
  expect(pathTo("find certificates", spans)).toEqual([
    "edge: GET /v1/certificates",
    `edge: ${exchange}`,
    `registry: ${exchange}`,
    "registry: find certificates",
  ]);
  const root = spans.find(({ parentId }) => parentId === "");
  expect(root?.attributes).toMatchObject({ "http.response.status_code": 200, "http.route": "/v1/certificates" });
  const line = `"trace_id":"${root?.traceId}"`;
  await eventually(async () => expect(await readFile(stack.supervisor.path("edge.log"), "utf8")).toContain(line));
  expect(collector.lastHeaders()).toMatchObject({ "x-tenant": "registry test" });
});

test.concurrent("one trace covers the issuing of a certificate, its event in the outbox and in JetStream, the POST and the recorded outcome", async () => {
  const url = `${stack.receiver?.url}${pathOf("answers", "traces")}`;
  await registry.admin.setWebhook({ url, createSecret: true }, inStore(storeId));
  await registry.issuing.issueCertificates({ items: [issueItem()] }, inStore(storeId));
  const spans = await traceWith("registry: registry.v1.IssuingService/IssueCertificates", "notifier: record outcome");
  const toStream = ["registry: registry.v1.IssuingService/IssueCertificates", "registry: publish CERTIFICATES"];
  expect(pathTo("POST", spans)).toEqual([...toStream, "notifier: process CERTIFICATES", "notifier: POST"]);
  expect(pathTo("findAndModify stores", spans).at(1)).toBe("registry: commit changes");
  const claim = "registry.v1.NotifierService/ClaimDeliveries";
  expect(
    spans
      .filter(({ name }) => name === claim)
      .map(({ service }) => service)
      .sort(),
  ).toEqual(["notifier", "registry"]);
  expect(spans.find(({ name }) => name === "POST")?.attributes).toMatchObject({ "http.response.status_code": 204 });
  const messages = (await stack.receiver?.requests()) ?? [];
  expect(messages.map(({ headers }) => headers.has("traceparent"))).toEqual([false]);
});

test.concurrent("a request's span links to the client's trace without continuing it, and ignores the client's sampling decision", async () => {
  const [traceId, spanId] = ["0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"];
  await list({ traceparent: `00-${traceId}-${spanId}-00` });
  const isLinked = ({ links }: ExportedSpan) => links.includes(traceId);
  const span = await eventually(() => {
    const found = collector.spans.find(isLinked);
    if (found === undefined) throw new Error("no span has the link");
    return found;
  });
  expect(span).toMatchObject({ name: "GET /v1/certificates", parentId: "" });
  expect(collector.spans.some((other) => other.traceId === traceId)).toBe(false);
});

test("spans contain no API key, no e-mail address and no buyer's name", () => {
  const text = JSON.stringify(collector.spans);
  for (const secret of [apiKey, "@", "crk_", "Ada"]) expect(text).not.toContain(secret);
});
