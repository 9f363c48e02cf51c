import { inStore } from "../../harness/in-store.ts";
import { type Behaviour, pathOf } from "../../harness/receiver/behaviour.ts";
import type { RegistryClients } from "../../harness/stack/registry-clients.ts";

/** A workflow trigger that receives all events of its store. */
export interface StoreTrigger {
  readonly id: string;
  readonly storeId: string;
  /** Path of the trigger's URL; unique. */
  readonly path: string;
  /** Whether its receiver accepts every event sooner or later. */
  readonly accepts: boolean;
}

// Assigned to the stores in turn; `undefined` stands for no trigger. A receiver that never accepts an event must slow
// neither the webhooks nor the other triggers.
const receivers: readonly (Behaviour | undefined)[] = ["wavers", undefined, "answers", undefined, "refuses", undefined];

/** Creates triggers for some of the stores. @param receiverUrl `https://host:port` */
export async function createStoreTriggers(
  stores: readonly { readonly id: string }[],
  receiverUrl: string,
  registry: Pick<RegistryClients, "triggers">,
): Promise<StoreTrigger[]> {
  const created: StoreTrigger[] = [];
  for (const [number, { id: storeId }] of stores.entries()) {
    const receiver = receivers[number % receivers.length];
    if (receiver === undefined) continue;
    const path = pathOf(receiver, `trigger-${number + 1}`);
    const { trigger } = await registry.triggers.createTrigger({ url: `${receiverUrl}${path}` }, inStore(storeId));
    created.push({ id: trigger?.triggerId ?? "", storeId, path, accepts: receiver !== "refuses" });
  }
  return created;
}
