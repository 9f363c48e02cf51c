import type { MessageInitShape } from "@bufbuild/protobuf";
import type {
  IssueItemSchema,
  OrderUnitSchema,
  PersonSchema,
  ProductSchema,
} from "#gen/registry/v1/issuing_service_pb.js";
import { inStore } from "./in-store.ts";
import type { TestRegistry } from "./registry-fixture.ts";
import { createTestStore } from "./test-stores.ts";
import { whenAvailable } from "./when-available.ts";

/** Overrides of the default item. `order: {}` adds the default order to the item. */
export interface IssueItemChanges {
  readonly product?: MessageInitShape<typeof ProductSchema>;
  readonly buyer?: MessageInitShape<typeof PersonSchema>;
  readonly order?: MessageInitShape<typeof OrderUnitSchema>;
  readonly expiresAt?: MessageInitShape<typeof IssueItemSchema>["expiresAt"];
}

/** Returns an item for `issueCertificates`. The item has no order unless `changes` contains one. */
export function issueItem(changes: IssueItemChanges = {}): MessageInitShape<typeof IssueItemSchema> {
  return {
    product: { id: "7001", title: "Alpine Jacket", variant: "M / Blue", ...changes.product },
    buyer: { name: "Ada Example", email: "ada@example.test", ...changes.buyer },
    ...(changes.order === undefined
      ? {}
      : { order: { id: "450789469", name: "#1001", line: "1", unit: 1, ...changes.order } }),
    ...(changes.expiresAt === undefined ? {} : { expiresAt: changes.expiresAt }),
  };
}

/** Issues one certificate. @returns its id */
export async function issueOne(
  { issuing }: Pick<TestRegistry, "issuing">,
  storeId: string,
  changes: IssueItemChanges = {},
): Promise<string> {
  const items = [issueItem(changes)];
  const { results } = await whenAvailable(() => issuing.issueCertificates({ items }, inStore(storeId)));
  const [result] = results;
  if (!result?.certificateId) throw new Error(`no certificate was issued: ${result?.reason?.text}`);
  return result.certificateId;
}

const itemsMax = 500;

/** Issues certificates that belong to no order, in calls of the largest permitted size. @returns their ids */
export async function issueMany(
  { issuing }: Pick<TestRegistry, "issuing">,
  storeId: string,
  count: number,
): Promise<string[]> {
  const certificateIds: string[] = [];
  for (let left = count; left > 0; left -= itemsMax) {
    const items = Array.from({ length: Math.min(left, itemsMax) }, () => issueItem());
    const { results } = await whenAvailable(() => issuing.issueCertificates({ items }, inStore(storeId)));
    certificateIds.push(...results.map(({ certificateId }) => certificateId));
  }
  return certificateIds;
}

/** Issues a certificate and sets its expiry, directly in the database, to a time in the past. @returns its id */
export async function issueExpired(
  registry: Pick<TestRegistry, "issuing" | "database">,
  storeId: string,
): Promise<string> {
  const certificateId = await issueOne(registry, storeId);
  await expire(registry, certificateId);
  return certificateId;
}

/** Sets a certificate's expiry, directly in the database, to a time in the past. */
export async function expire({ database }: Pick<TestRegistry, "database">, certificateId: string): Promise<void> {
  const { certificates } = database.collections;
  await certificates.updateOne({ _id: certificateId }, { $set: { expiresAt: new Date("2001-09-09T01:46:40.000Z") } });
}

/** Creates a store and issues its first certificate. */
export async function issueInNewStore(registry: Pick<TestRegistry, "admin" | "issuing">, changes?: IssueItemChanges) {
  const storeId = await createTestStore(registry);
  return { storeId, certificateId: await issueOne(registry, storeId, changes) };
}

/** Returns items for units 1 to `count` of one order line. */
export function orderItems(
  count: number,
  order: MessageInitShape<typeof OrderUnitSchema> = {},
): MessageInitShape<typeof IssueItemSchema>[] {
  return Array.from({ length: count }, (_, index) => issueItem({ order: { ...order, unit: index + 1 } }));
}
