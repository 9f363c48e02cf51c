import { Gauge, type Registry } from "prom-client";
import type { ListExchange } from "../rpc/list-exchange/list-exchange.ts";

/** Registers `registry_list_streams`, the number of open streams on which edges send list requests. */
export function observeExchange(exchange: Pick<ListExchange, "size">, metrics: Registry): void {
  new Gauge({
    name: "registry_list_streams",
    help: "Open streams on which edges send list requests",
    registers: [metrics],
    collect() {
      this.set(exchange.size);
    },
  });
}
