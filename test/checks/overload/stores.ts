import { randomUUID } from "node:crypto";
import type { Collections } from "../../../services/registry/mongo/documents/collections.ts";
import { newLinkToken } from "../../../services/registry/values/identifiers.ts";
import { inStore } from "../../harness/in-store.ts";
import { issueItem } from "../../harness/issue-items.ts";
import { pathOf } from "../../harness/receiver/behaviour.ts";
import { partOf, type withReceiver } from "../../harness/stack/start-stack.ts";
import { createStoreWithKey, createWorkloadStore, type StoreWithKey } from "../runner/workload-store.ts";
import type { OverloadOptions } from "./options.ts";

/** The stores of the check, by their role. */
export type OverloadStores = Awaited<ReturnType<typeof createStores>>;

const certificatesPerStore = 50;
const leavingCount = 5;

/** Creates the stores. Each store that sends requests has one page of certificates. */
export async function createStores(
  { registries, collections, receiver }: ReturnType<typeof withReceiver>,
  options: Pick<OverloadOptions, "stores" | "others">,
) {
  const registry = partOf(registries);
  const create = async (count: number) => {
    const stores: StoreWithKey[] = [];
    for (let index = 0; index < count; index++) stores.push(await createStoreWithKey(registry));
    return stores;
  };
  const [first, ...more] = await create(options.stores);
  if (first === undefined) throw new RangeError("the check needs a store");
  const [leaving, others] = [await create(leavingCount), await create(options.others)];
  const items = Array.from({ length: certificatesPerStore }, () => issueItem());
  await registry.issuing.issueCertificates({ items }, inStore(first.id));
  await copyCertificates(collections, first.id, [...more, ...leaving, ...others]);

  const changing = await createWorkloadStore(registry);
  const url = `${receiver.url}${pathOf("answers", "changes")}`;
  await registry.admin.setWebhook({ url }, inStore(changing.id));
  return { flooding: [first, ...more], leaving, others, changing };
}

/**
 * Copies one store's certificates to other stores, directly in the database. Issuing them would add thousands of events
 * to the outbox.
 */
async function copyCertificates(
  { certificates }: Pick<Collections, "certificates">,
  from: string,
  stores: readonly StoreWithKey[],
): Promise<void> {
  const originals = await certificates.find({ store: from }).toArray();
  for (const { id } of stores) {
    const copies = originals.map((original) => ({
      ...original,
      _id: randomUUID(),
      linkToken: newLinkToken(),
      store: id,
    }));
    await certificates.insertMany(copies);
  }
}
