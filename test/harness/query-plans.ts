import type { Db, Document } from "mongodb";
import type { ListFilter } from "../../services/registry/certificates/list-certificates.ts";
import type { DeliveryDocument } from "../../services/registry/mongo/documents/documents.ts";

/** Returns the names of a query plan's stages, such as `IXSCAN`, from the result down to its sources. */
export function stagesOf(plan: Document | undefined): string[] {
  if (plan === undefined) return [];
  const inputs = [plan.inputStage, ...(plan.inputStages ?? [])].filter(Boolean);
  return [String(plan.stage), ...inputs.flatMap(stagesOf)];
}

/**
 * Returns whether the database uses an index to sort. Tests of plans are skipped on a stand-in for MongoDB that sorts
 * in memory even when an index exists.
 */
export async function walksIndexes(db: Db): Promise<boolean> {
  const probe = db.collection("probe");
  await probe.createIndex({ a: 1, b: 1 });
  await probe.insertMany([1, 2, 3].map((b) => ({ a: 1, b })));
  const plan = await probe.find({ a: 1 }).sort({ b: 1 }).limit(1).explain("queryPlanner");
  return !stagesOf(plan.queryPlanner.winningPlan).includes("SORT");
}

/** Named filters that together use every index of the certificate list. Buyer and orders match {@link planValues}. */
export const plannedFilters: readonly (readonly [name: string, filter: ListFilter])[] = [
  ["no filter", {}],
  ["status=active", { status: "active" }],
  ["status=expired", { status: "expired" }],
  ["status=revoked", { status: "revoked" }],
  ["email", { email: "buyer7@example.test" }],
  ["an order's name", { order: { case: "orderName", value: "#1007" } }],
  ["an order's id", { order: { case: "orderId", value: "1007" } }],
  ["serial", { serial: 17 }],
];

/** Returns the e-mail address and order id for the certificate with this index; repeats 20 buyers and 40 orders. */
export function planValues(index: number): { readonly email: string; readonly orderId: string } {
  return { email: `buyer${index % 20}@example.test`, orderId: String(1_000 + (index % 40)) };
}

/**
 * Returns settled deliveries of a store, one in each millisecond before `at`: of all events, a third of them delivered,
 * and of a hundred all but one sent again.
 */
export function plannedDeliveries(store: string, at: Date, count: number): DeliveryDocument[] {
  const settled = { httpStatus: 0, durationMs: 0, reason: null, at, phases: {}, remoteAddress: "", replyExcerpt: "" };
  const kinds = ["delivered", "refused", "timeout"];
  return Array.from({ length: count }, (_, index) => ({
    _id: `evt_${store}${index}`,
    store,
    certificate: "crt_1",
    type: 1 + (index % 6),
    claimedBy: "",
    claimedAt: new Date(at.getTime() - index),
    outcome: { ...settled, kind: kinds[Math.floor(index / 6) % 3] ?? "" },
    ...(index % 100 !== 0 && { resent: true }),
  }));
}
