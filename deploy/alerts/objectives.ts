/** A service level objective over 30 days. */
export interface Objective {
  /** Name in alerts and recorded metrics. */
  readonly name: "list_availability" | "list_latency" | "webhook_freshness";
  /** Prefix of the alerts' names. */
  readonly alert: string;
  /** Target share of good events, such as 0.999. */
  readonly goal: number;
  /** Clause about bad events that follows "Too many" or "How often", such as "list requests fail". */
  readonly bad: string;
  /** Page in deploy/runbooks, with an anchor. */
  readonly runbook: string;
  /** Returns the PromQL expression for the share of bad events within a window, such as `5m`. */
  readonly errorRatio: (window: string) => string;
}

// The label `installation` keeps the installations of a cluster apart. The chart replaces the empty value, which
// selects series without the label.
const selector = 'installation=""';
const requests = (labels: string) => `edge_http_request_duration_seconds${labels}`;
const rate = (metric: string, labels: string, window: string) =>
  `sum by (installation) (rate(${metric}{${selector}${labels === "" ? "" : `,${labels}`}}[${window}]))`;

const list = 'route="/v1/certificates"';
const latencyLimit = "0.25";
// Prometheus 3 stores whole-number bounds as `30.0`, earlier versions as `30`.
const freshnessLimit = "30(.0)?";

/** The service level objectives. A time limit must be a bucket bound of the histogram that the objective queries. */
export const objectives: readonly Objective[] = [
  {
    name: "list_availability",
    alert: "ListAvailability",
    goal: 0.999,
    bad: "list requests fail with a 5xx status",
    runbook: "list.md#listavailability",
    // Refusals (4xx) and aborted requests are not counted at all: a client that is refused often must not hide the
    // failures of other clients' requests.
    errorRatio: (window) => {
      const counted = rate(requests("_count"), `${list},status!~"4..|aborted"`, window);
      // Without any series of a 5xx status, the ratio is 0.
      return `(${rate(requests("_count"), `${list},status=~"5.."`, window)} or 0 * ${counted})
/
${counted}`;
    },
  },
  {
    name: "list_latency",
    alert: "ListLatency",
    goal: 0.99,
    bad: "list requests take longer than 250 ms",
    runbook: "list.md#listlatency",
    errorRatio: (window) =>
      `1 -
${rate(requests("_bucket"), `${list},status="200",le="${latencyLimit}"`, window)}
/
${rate(requests("_count"), `${list},status="200"`, window)}`,
  },
  {
    name: "webhook_freshness",
    alert: "WebhookFreshness",
    goal: 0.99,
    bad: "messages are sent more than 30 s after the change or are interrupted",
    runbook: "webhooks.md#webhookfreshness",
    // An attempt of more than 2 s does not count unless it is interrupted: a slow receiver delays its own messages.
    errorRatio: (window) => {
      const arrivals = rate("webhook_arrival_delay_seconds_count", 'receiver="fast"', window);
      const inTime = rate("webhook_arrival_delay_seconds_bucket", `receiver="fast",le=~"${freshnessLimit}"`, window);
      const interrupted = rate("registry_webhook_outcomes_total", 'outcome="interrupted"', window);
      return `(${arrivals} - ${inTime} + ${interrupted})
/
(${arrivals} + ${interrupted})`;
    },
  },
];
