import { lagSampleIntervalMs } from "#shared/http/operations-server.ts";
import { type Objective, objectives } from "../alerts/objectives.ts";
import { automationRow } from "./automation-row.ts";
import { type Panel, quantile, type Row, rate, redPanels, sumBy } from "./panels.ts";
import { storefrontRow } from "./storefront-row.ts";

const recorded = (name: Objective["name"], window: string) =>
  `certificate_registry:${name}_errors:ratio_rate${window}{}`;

const faults = "Internal|Unknown|DataLoss|Unavailable|DeadlineExceeded";
const processes = 'job!=""';
const idleLagSeconds = lagSampleIntervalMs / 1_000;

/** The rows of the dashboard, from top to bottom. */
export const rows: readonly Row[] = [
  { title: "Objectives", panels: objectives.flatMap(objectivePanels) },
  {
    title: "Edge",
    panels: [
      ...redPanels({
        histogram: "edge_http_request_duration_seconds",
        what: "HTTP requests",
        group: "route",
        result: "status",
        failures: "5..",
      }),
      {
        title: "Refusals",
        description:
          "Responses with a 4xx status per second, such as 401 for an invalid key, 403 without the Pro plan and 429 over a limit. Refusals for an unknown key or a missing Pro plan are also shown by how they were decided.",
        unit: "reqps",
        queries: [
          {
            expr: sumBy("status", rate("edge_http_request_duration_seconds_count", 'status=~"4.."')),
            legend: "{{status}}",
          },
          { expr: sumBy("how", rate("edge_bad_keys_total")), legend: "unknown key, {{how}}" },
          { expr: sumBy("how", rate("edge_plan_refusals_total")), legend: "no Pro plan, {{how}}" },
        ],
      },
      ...redPanels({
        histogram: "grpc_client_call_duration_seconds",
        what: "Calls to the registry",
        group: "method",
        result: "code",
        failures: faults,
      }),
      {
        title: "Connections and streams",
        description:
          "Client connections, and streams for list requests: each edge opens one stream to each registry replica.",
        unit: "short",
        queries: [
          { expr: "sum(edge_connections{})", legend: "connections" },
          { expr: "sum(edge_registry_streams{})", legend: "streams" },
        ],
      },
    ],
  },
  {
    title: "Registry",
    panels: [
      ...redPanels({
        histogram: "registry_grpc_call_duration_seconds",
        what: "Incoming gRPC calls",
        group: "method",
        result: "code",
        failures: faults,
      }),
      {
        title: "Feed lag",
        description: "Time from the assignment of a change's updatedAt until the change is visible in the list.",
        unit: "s",
        queries: [0.5, 0.99].map((share) => ({
          expr: quantile(share, "registry_feed_lag_seconds", ""),
          legend: `${share * 100} %`,
        })),
      },
    ],
  },
  {
    title: "Webhooks",
    panels: [
      {
        title: "Delay until a message is sent",
        description:
          "Time from the commit of a change until its message is sent or the attempt fails. A receiver is shown as slow when an attempt takes more than 2 s: it then delays its own store's messages.",
        unit: "s",
        limit: 30,
        queries: [0.5, 0.99].map((share) => ({
          expr: quantile(share, "webhook_arrival_delay_seconds", "receiver"),
          legend: `${share * 100} %, {{receiver}} receivers`,
        })),
      },
      {
        title: "Delivery outcomes",
        description: "Delivery outcomes recorded per second.",
        unit: "reqps",
        queries: [{ expr: sumBy("outcome", rate("registry_webhook_outcomes_total")), legend: "{{outcome}}" }],
      },
      {
        title: "Age of the oldest event in the outbox",
        description:
          "Time since the oldest event in the outbox occurred. An event leaves the outbox when its outcome is stored.",
        unit: "s",
        limit: 300,
        queries: [{ expr: "max(registry_outbox_oldest_age_seconds{})", legend: "age" }],
      },
      {
        title: "Backlog",
        description:
          "Messages in JetStream, events that are published but not settled, and stores with events waiting to be published.",
        unit: "short",
        queries: [
          { expr: "max by (state) (notifier_backlog_messages{})", legend: "messages, {{state}}" },
          { expr: "sum(registry_relay_events_out{})", legend: "published, not settled" },
          { expr: "sum(registry_relay_stores_waiting{})", legend: "stores waiting" },
        ],
      },
      {
        title: "Attempts in progress",
        description:
          "Delivery attempts in progress, and messages that notifiers have received but not yet acknowledged or returned.",
        unit: "short",
        queries: [
          { expr: "sum(webhook_attempts_in_flight{})", legend: "attempts" },
          { expr: "sum(notifier_messages_in_progress{})", legend: "messages" },
        ],
      },
      {
        title: "Attempt duration: 99th percentile",
        description:
          "Time from the start of a delivery attempt until the receiver's status line arrives or the attempt fails. The slowest 1 % take longer.",
        unit: "s",
        queries: [{ expr: quantile(0.99, "webhook_attempt_duration_seconds", ""), legend: "99 %" }],
      },
      {
        title: "Messages returned, quarantined or refused",
        description:
          "Messages per second that notifiers returned to JetStream or quarantined, and events per second that NATS refused.",
        unit: "reqps",
        queries: [
          { expr: sumBy("cause", rate("notifier_messages_nak_total")), legend: "returned: {{cause}}" },
          { expr: `sum(${rate("notifier_messages_quarantined_total")})`, legend: "quarantined" },
          { expr: sumBy("reason", rate("registry_publishes_refused_total")), legend: "refused: {{reason}}" },
        ],
      },
      {
        title: "Leading relays",
        description: "Registry replicas that lead the outbox relay. There should be exactly one.",
        unit: "short",
        queries: [{ expr: "sum(registry_relay_leading{})", legend: "relays" }],
      },
    ],
  },
  automationRow,
  storefrontRow,
  {
    title: "Load",
    panels: [
      {
        title: "Work in progress and waiting",
        description:
          "Units of work in progress and calls waiting to start, by kind of work. Compare the work in progress with the limits in OPERATIONS.md.",
        unit: "short",
        queries: [
          { expr: "sum by (work) (registry_load_in_flight{})", legend: "{{work}}, in progress" },
          { expr: "sum by (work) (registry_load_waiting{})", legend: "{{work}}, waiting" },
        ],
      },
      {
        title: "Shed requests",
        description:
          "Requests and calls per second that the edge or the registry refused or dropped because of load, and calls that the registry dropped because the caller had disconnected (caller_left).",
        unit: "reqps",
        queries: [
          { expr: sumBy("work, reason", rate("registry_load_shed_total")), legend: "registry: {{work}}, {{reason}}" },
          { expr: sumBy("why", rate("edge_shed_requests_total")), legend: "edge: lists, {{why}}" },
          { expr: sumBy("why", rate("edge_shed_pages_total")), legend: "edge: pages, {{why}}" },
        ],
      },
    ],
  },
  {
    title: "Processes",
    panels: [
      {
        title: "Event-loop delay: 99th percentile",
        description:
          "How late the event loop of each process runs. A delayed event loop delays everything that the process does.",
        unit: "s",
        queries: [
          {
            expr: `clamp_min(max by (job, instance) (nodejs_eventloop_lag_p99_seconds{${processes}}) - ${idleLagSeconds}, 0)`,
            legend: "{{job}} {{instance}}",
          },
        ],
      },
      {
        title: "CPU",
        description: "CPU cores in use by each process. A process rarely uses much more than one.",
        unit: "short",
        queries: [
          {
            expr: sumBy("job, instance", rate("process_cpu_seconds_total", processes)),
            legend: "{{job}} {{instance}}",
          },
        ],
      },
      {
        title: "Memory",
        description: "Resident memory of each process. Compare it with the memory limit of the pods.",
        unit: "bytes",
        queries: [
          {
            expr: `max by (job, instance) (process_resident_memory_bytes{${processes}})`,
            legend: "{{job}} {{instance}}",
          },
        ],
      },
      {
        title: "Days until a TLS certificate expires",
        description: "Days until the first of each service's TLS certificates expires, by use (gRPC or operator API).",
        unit: "short",
        queries: [
          {
            expr: "(min by (job, use) (tls_certificate_expiry_timestamp_seconds{}) - time()) / 86400",
            legend: "{{job}} {{use}}",
          },
        ],
      },
    ],
  },
];

function objectivePanels({ name, goal, bad }: Objective): readonly Panel[] {
  const title = name.replaceAll("_", " ");
  const capital = `${title.charAt(0).toUpperCase()}${title.slice(1)}`;
  return [
    {
      title: `${capital}, last day`,
      description: `Share of good events during the last day. The goal is ${goal * 100} % over 30 days.`,
      unit: "percentunit",
      limit: goal,
      isStat: true,
      queries: [{ expr: `1 - ${recorded(name, "1d")}`, legend: "good" }],
    },
    {
      title: `${capital}: error ratio`,
      description: `How often ${bad}. The line marks the share that uses up the error budget in exactly 30 days.`,
      unit: "percentunit",
      limit: Number((1 - goal).toPrecision(4)),
      queries: ["5m", "1h", "6h"].map((window) => ({ expr: recorded(name, window), legend: window })),
    },
  ];
}
