import { Counter, type Registry } from "prom-client";
import type { BucketPolicy } from "#shared/limits/token-bucket.ts";
import { TokenBuckets } from "#shared/limits/token-buckets.ts";
import type { Clock } from "#shared/time/clock.ts";
import type { Route } from "../http/route.ts";
import type { ConnectorClient } from "../registry-client/connector-client.ts";
import { adapters, webhookPath } from "./adapters.ts";
import { receiveWebhook, webhookOutcomes } from "./receive-webhook.ts";

export interface ConnectorRouteDeps {
  readonly connector: ConnectorClient;
  /** The secrets of each platform's app, by the platform's name; a platform without a secret has no route. */
  readonly platformSecrets: Readonly<Record<string, readonly Uint8Array[]>>;
  readonly metrics: Registry;
  /** Monotonic clock. */
  readonly clock: Clock;
  /** Default: {@link messagesPerDayMax}. */
  readonly storeMessagesPerDay?: number | undefined;
}

/**
 * Maximum number of new messages of a store per day, in this process. Large stores send some 50,000. Stored messages
 * are kept for months, so their number must be bounded.
 */
export const messagesPerDayMax = 100_000;

/** Returns the routes for webhooks from storefront platforms: `/storefront/<platform>/webhooks`. */
export function connectorRoutes(deps: ConnectorRouteDeps): Route[] {
  const { connector, platformSecrets, metrics, clock, storeMessagesPerDay: perDay = messagesPerDayMax } = deps;
  const quotaPolicy: BucketPolicy = { capacity: perDay, tokensPerSecond: perDay / 86_400 };
  const counter = new Counter({
    name: "edge_storefront_messages_total",
    help: "Messages from storefront platforms, by platform and outcome.",
    labelNames: ["platform", "outcome"],
    registers: [metrics],
  });
  return adapters.flatMap((adapter) => {
    const { name: platform } = adapter;
    const secrets = platformSecrets[platform] ?? [];
    if (secrets.length === 0) return [];
    for (const outcome of webhookOutcomes) counter.inc({ platform, outcome }, 0);
    const quota = new TokenBuckets(clock, [quotaPolicy]);
    const count = (outcome: string) => counter.inc({ platform, outcome });
    return [{ path: webhookPath(adapter), post: [receiveWebhook({ adapter, secrets, connector, quota, count })] }];
  });
}
