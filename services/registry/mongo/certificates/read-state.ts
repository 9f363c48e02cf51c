import type { ClientSession } from "mongodb";
import { hasLineId } from "../../certificates/imported-order.ts";
import type { Change, ChangeNeeds } from "../../certificates/ledger.ts";
import type { StoreState } from "../../certificates/store-draft.ts";
import type { Collections } from "../documents/collections.ts";
import { compoundKey, idIn } from "../documents/compound-key.ts";
import { certificateOf } from "../documents/convert-documents.ts";
import { limited } from "../driver/time-limits.ts";

type StateRead =
  | "answers"
  | "certificates"
  | "issued"
  | "products"
  | "resentAs"
  | "seriesIssued"
  | "storefront"
  | "waitingCount";

/**
 * Reads the state that one store's changes declare in `needs`. Skips queries that no change needs.
 *
 * @param session the transaction's session; undefined outside a transaction, where each query has a time limit
 */
export async function readState(
  collections: Collections,
  store: string,
  changes: readonly Change<unknown>[],
  session: ClientSession | undefined,
): Promise<Pick<StoreState, StateRead>> {
  const { certificates, deliveries, products, requests, editionSeries, outbox } = collections;
  const { storefronts, storefrontOrders, storefrontProducts } = collections;
  const options = session === undefined ? limited : { session };
  const read = async <T>(
    field: Exclude<keyof ChangeNeeds, "waitingMax">,
    find: (keys: string[]) => Promise<T[]>,
  ): Promise<T[]> => {
    const keys = [...new Set(changes.flatMap(({ needs }) => needs[field] ?? []))];
    return keys.length === 0 ? [] : find(keys);
  };
  // Sequential: a transaction does not support parallel operations.
  const answers = await read("idempotencyKeys", (keys) =>
    requests.find({ _id: { $in: keys.map((key) => compoundKey(store, key)) } }, options).toArray(),
  );
  const requested = await read("certificateIds", (ids) =>
    certificates.find({ _id: { $in: ids }, store }, options).toArray(),
  );
  const issued = await read("issueKeys", (keys) =>
    certificates.find({ store, issueKey: { $in: keys } }, options).toArray(),
  );
  const listed = await read("skus", (skus) =>
    products.find({ "_id.store": store, "variants.sku": { $in: skus } }, options).toArray(),
  );
  const ofOrders = await read("orderIds", (ids) =>
    certificates.find({ store, "order.id": { $in: ids } }, options).toArray(),
  );
  const withLineIds = await read("lineIdOrderIds", async (orderIds) => {
    // Of most certificates only the key. In short batches, so that other work gets its turn in between.
    const keysOnly = { ...options, projection: { issueKey: 1 }, batchSize: 1_000 };
    const ids: string[] = [];
    for await (const { _id, issueKey = "" } of certificates.find({ store, "order.id": { $in: orderIds } }, keysOnly))
      if (hasLineId(issueKey)) ids.push(_id);
    return ids.length === 0 ? [] : certificates.find({ _id: { $in: ids }, store }, options).toArray();
  });
  const numbered = await read("editionSeries", (names) =>
    editionSeries.find({ _id: { $in: names.map((name) => compoundKey(store, name)) } }, options).toArray(),
  );
  const versioned = await read("storefrontOrderIds", (ids) =>
    storefrontOrders
      .find({ _id: { $in: ids.map((id) => compoundKey(store, id)) } }, { ...options, projection: { version: 1 } })
      .toArray(),
  );
  const connection = versioned.length === 0 ? null : await storefronts.findOne({ _id: store }, options);
  const tagged = await read("storefrontProductIds", (ids) =>
    storefrontProducts.find({ _id: { $in: ids.map((id) => compoundKey(store, id)) } }, options).toArray(),
  );
  const resent = await read("resentEventIds", (ids) =>
    deliveries.find({ _id: { $in: ids }, store }, { ...options, projection: { resentAs: 1 } }).toArray(),
  );
  const waitingMax = Math.max(0, ...changes.map(({ needs }) => needs.waitingMax ?? 0));
  const waiting =
    waitingMax === 0
      ? []
      : await outbox.find({ store }, { ...options, projection: { _id: 1 }, limit: waitingMax }).toArray();
  return {
    waitingCount: waiting.length,
    resentAs: new Map(
      resent.flatMap(({ _id, resentAs }) => (resentAs === undefined ? [] : [[_id, resentAs] as const])),
    ),
    storefront: {
      rulesVersion: connection?.rulesVersion ?? 0,
      orderVersions: new Map(versioned.map(({ _id, version }) => [idIn(_id), version])),
      tags: new Map(tagged.map(({ _id, tags }) => [idIn(_id), tags])),
    },
    answers: new Map(answers.map(({ _id, at: _, ...answer }) => [idIn(_id), answer])),
    certificates: new Map(
      [...requested, ...ofOrders, ...withLineIds].map((document) => [document._id, certificateOf(document)]),
    ),
    issued: new Map([...issued, ...ofOrders].map((document) => [document.issueKey ?? "", certificateOf(document)])),
    seriesIssued: new Map(numbered.map(({ _id, issued: count }) => [idIn(_id), count])),
    products: new Map(
      listed.flatMap(({ _id, ...fields }) =>
        fields.variants.map(({ sku }) => [sku, { id: _id.product, ...fields }] as const),
      ),
    ),
  };
}
