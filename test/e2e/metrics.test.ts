import { expect, test } from "vitest";
import { dashboardRows } from "../../deploy/dashboards/read-dashboard.ts";
import { files, textOf } from "../guard/repository.ts";
import { eventually } from "../harness/eventually.ts";
import { inStore } from "../harness/in-store.ts";
import { issueItem } from "../harness/issue-items.ts";
import { pathOf } from "../harness/receiver/behaviour.ts";
import { openStack } from "../harness/stack/open-stack.ts";
import { partOf } from "../harness/stack/start-stack.ts";
import { sum } from "../harness/statistics.ts";
import { createKeyedStore } from "../harness/test-stores.ts";

const replicas = { registries: [{}], edges: [{}], notifiers: [{}] };
const stack = await openStack({ name: "metrics", ...replicas, receiverSeed: 1 });

const registry = partOf(stack.registries);
const edge = partOf(stack.edges);
const scrape = async (url: string) => (await fetch(url)).text();
const scrapeAll = async () => {
  const urls = [registry.metricsUrl, edge.metricsUrl, ...stack.notifierMetricsUrls];
  return (await Promise.all(urls.map(scrape))).join("\n");
};
const valueIn = (text: string, series: string) =>
  Number(
    text
      .split("\n")
      .find((line) => line.startsWith(`${series} `))
      ?.split(" ")[1],
  );

/** Returns the sum of the series whose labels begin with these, whatever their further labels are. */
const sumIn = (text: string, series: string) =>
  sum(text.split("\n").flatMap((line) => (line.startsWith(series) ? Number(line.split(" ").at(-1)) : [])));

const { storeId, apiKey } = await createKeyedStore(registry);
const url = `${stack.receiver?.url}${pathOf("answers", "metrics")}`;
await registry.admin.setWebhook({ url, createSecret: true }, inStore(storeId));
await registry.issuing.issueCertificates({ items: [issueItem()] }, inStore(storeId));
await fetch(`${edge.url}/v1/certificates`, { headers: { authorization: `Bearer ${apiKey}` } });

test("counts one change, one message arrival, and one list call on both the edge and the registry", async () => {
  await eventually(async () => {
    const text = await scrapeAll();
    const counts = {
      changes: valueIn(text, "registry_feed_lag_seconds_count"),
      // On a busy machine, the receiver can be a slow one.
      arrivals: sumIn(text, "webhook_arrival_delay_seconds_count{"),
      inTime: sumIn(text, 'webhook_arrival_delay_seconds_bucket{le="30",'),
      waiting: valueIn(text, 'notifier_backlog_messages{state="waiting"}'),
      unacknowledged: valueIn(text, 'notifier_backlog_messages{state="unacknowledged"}'),
    };
    expect(counts).toEqual({ changes: 1, arrivals: 1, inTime: 1, waiting: 0, unacknowledged: 0 });
  });
  const text = await scrapeAll();
  const method = 'method="registry.v1.ListExchangeService/Exchange",code="OK"';
  expect(valueIn(text, `grpc_client_call_duration_seconds_count{${method}}`)).toBe(1);
  expect(valueIn(text, `registry_grpc_call_duration_seconds_count{${method}}`)).toBe(1);
  const claims = 'method="registry.v1.NotifierService/ClaimDeliveries",code="OK"';
  expect(valueIn(text, `grpc_client_call_duration_seconds_count{${claims}}`)).toBe(1);
});

const expressions = [
  ...dashboardRows.flatMap(({ panels }) => panels.flatMap(({ queries }) => queries.map(({ expr }) => expr))),
  ...files.filter((file) => file.endsWith(".rules.yaml")).map(textOf),
];
const described = ["metrics", "storefront"].flatMap(
  (page) => textOf(`deploy/operations/${page}.md`).match(/(?<=^\| `)\w+(?=` \|)/gm) ?? [],
);
const queried = expressions.flatMap((text) => text.match(/\b[a-z][a-z0-9_]+(?=\{)/g) ?? []);

// Not exported: the results of recording rules, metrics of kube-state-metrics and, in this stack, metrics of the
// operator API and automation events.
const isExported = (name: string) =>
  !/ratio_rate|^kube_|^registry_(?:operators_file_valid|operator_call_duration_seconds|automation_.*)$/.test(name);

test.each([...new Set([...queried, ...described])].filter(isExported))(
  "the services export %s, which the dashboard or an alert queries or a document describes",
  async (name) => {
    const base = name.replace(/_(?:bucket|count|sum)$/, "");
    expect(await scrapeAll()).toMatch(new RegExp(`^# TYPE (?:${name}|${base}) `, "m"));
  },
);

test("each objective's time limit is the upper bound of a bucket in its histogram", async () => {
  const text = await scrapeAll();
  expect(text).toMatch(/edge_http_request_duration_seconds_bucket\{le="0.25",route="\/v1\/certificates"/);
  expect(text).toMatch(/webhook_arrival_delay_seconds_bucket\{le="30",/);
});
