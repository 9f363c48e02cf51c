import type { ClientSession } from "mongodb";
import type { Change, ChangeNeeds } from "../certificates/ledger.ts";
import type { StoreState } from "../certificates/store-draft.ts";
import { answerKey, idempotencyKeyOf } from "./answer-key.ts";
import { certificateOf } from "./certificate-documents.ts";
import type { Collections } from "./collections.ts";
import { productOf } from "./product-documents.ts";

/**
 * Reads what changes of one store must see before they decide; a kind that none of them asks for is not looked for.
 *
 * @param session the transaction; undefined outside of one
 */
export async function readState(
  collections: Collections,
  store: string,
  changes: readonly Change<unknown>[],
  session: ClientSession | undefined,
): Promise<Pick<StoreState, "answers" | "certificates" | "issued" | "products">> {
  const options = session === undefined ? {} : { session };
  const wanted = (field: keyof ChangeNeeds) => [
    ...new Set(changes.flatMap(({ needs }) => needs[field] ?? [])),
  ];
  const read = async <T>(keys: readonly string[], find: () => Promise<T[]>): Promise<T[]> =>
    keys.length === 0 ? [] : find();
  const idempotencyKeys = wanted("idempotencyKeys");
  const certificateIds = wanted("certificateIds");
  const issueKeys = wanted("issueKeys");
  const skus = wanted("skus");
  // One after the other: a transaction runs one statement at a time.
  const answers = await read(idempotencyKeys, () => {
    const ids = idempotencyKeys.map((request) => answerKey(store, request));
    return collections.requests.find({ _id: { $in: ids } }, options).toArray();
  });
  const certificates = await read(certificateIds, () =>
    collections.certificates.find({ _id: { $in: certificateIds }, store }, options).toArray(),
  );
  const issued = await read(issueKeys, () =>
    collections.certificates.find({ store, issueKey: { $in: issueKeys } }, options).toArray(),
  );
  const products = await read(skus, () =>
    collections.products.find({ "_id.store": store, "variants.sku": { $in: skus } }, options).toArray(),
  );
  return {
    answers: new Map(
      answers.map(({ _id, fingerprint, answer }) => [idempotencyKeyOf(_id), { fingerprint, answer }]),
    ),
    certificates: new Map(certificates.map((document) => [document._id, certificateOf(document)])),
    issued: new Map(issued.map((document) => [document.issueKey ?? "", certificateOf(document)])),
    products: new Map(
      products
        .map(productOf)
        .flatMap((product) => product.variants.map(({ sku }) => [sku, product] as const)),
    ),
  };
}
