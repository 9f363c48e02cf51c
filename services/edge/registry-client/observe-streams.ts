import type { Registry } from "prom-client";
import { computedGauge } from "#shared/observe/computed-gauge.ts";
import { createLabelledCounter } from "#shared/observe/labelled-counter.ts";
import type { Logger } from "#shared/observe/logger.ts";
import type { ListExchange, ListExchangeOptions } from "./list-exchange/list-exchange.ts";

/**
 * Logs and counts the ends of the streams to the registry's replicas, and registers a gauge of the open streams. The
 * end of a broken stream is logged at level warn. Drained streams are logged at level debug, because they are normal;
 * refused ones too, because attempts to open a stream fail repeatedly while a replica is down.
 */
export function observeStreams(
  logger: Logger,
  metrics: Registry,
  exchange: () => Pick<ListExchange, "streams">,
): Pick<ListExchangeOptions, "onEnded"> {
  computedGauge(
    metrics,
    "edge_registry_streams",
    "Open streams on which list requests can be sent to registry replicas; while the value is 0, list requests wait for a stream or receive 503.",
    () => exchange().streams,
  );
  const countEnd = createLabelledCounter(metrics, {
    name: "edge_registry_stream_ends_total",
    help: "Ended streams to registry replicas: refused (could not be opened), broken (ended while accepting requests), or drained (had stopped accepting requests).",
    label: "how",
    values: ["refused", "broken", "drained"],
  });
  return {
    onEnded: ({ address, how, reason }) => {
      countEnd(how);
      const line = { registry: address, how, reason };
      if (how === "broken") logger.warn(line, "stream to the registry ended");
      else if (how === "refused") logger.debug(line, "cannot open a stream to the registry");
      else logger.debug(line, "stream to the registry ended");
    },
  };
}
