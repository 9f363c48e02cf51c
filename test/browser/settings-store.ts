import { OutcomeKind } from "#gen/registry/v1/notifier_service_pb.js";
import { EditionStyle } from "#gen/registry/v1/store_admin_service_pb.js";
import { createPageStore, type PagesRig } from "../harness/pages-rig.ts";

/** The texts that people choose for a store. */
export interface StoreTexts {
  readonly displayName: string;
  readonly product: string;
  readonly variant: string;
  readonly owner: string;
  readonly keyLabel: string;
  readonly report: string;
  readonly reply: string;
  readonly revokedReason: string;
}

/** A merchant's store, as on a product site. */
export const lindenPress: StoreTexts = {
  displayName: "Linden Press",
  product: "Kite Season, No. 3",
  variant: "A2, hand-pulled screen print",
  owner: "Ada Lovelace",
  keyLabel: "Customer accounts",
  report: "The print that I received has no embossed seal.\nThe certificate says that it should have one.",
  reply: '{"error":"queue is full"}',
  revokedReason: "Returned by the buyer",
};

const sku = "LP-KITE-A2";

/**
 * Creates a store with certificates in several states, a report, deliveries, an API key and a webhook.
 *
 * @param shop domain of the store. Default: a new one
 */
export async function createSettingsStore(rig: Pick<PagesRig, "registry" | "issue">, texts: StoreTexts, shop?: string) {
  const { registry } = rig;
  const storeId = await createPageStore(rig, {
    ...{ displayName: texts.displayName, editionStyle: EditionStyle.ZERO_PADDED, ...(shop && { shop }) },
  });
  await registry.admin.putProducts({
    storeId,
    products: [{ id: "7001", title: texts.product, editionTotal: 50, variants: [{ sku, title: texts.variant }] }],
  });
  await registry.admin.setWebhook({ storeId, url: "https://shop.example.test/hooks/certificates", createSecret: true });
  await registry.admin.createApiKey({ storeId, label: texts.keyLabel });
  const people = [texts.owner, "Grace Hopper", "Mary Somerville", "Émilie du Châtelet"];
  const issued = [];
  for (const name of people) issued.push(await rig.issue(storeId, { product: { sku }, buyer: { name } }));
  const [first, second] = issued;
  if (first === undefined || second === undefined) throw new Error("no certificate was issued");
  const revocation = { certificateId: second.certificateId, cause: 3, reason: texts.revokedReason };
  await registry.lifecycle.revokeCertificate({ storeId, ...revocation });
  const reporterEmail = "ada@example.test";
  await registry.verification.reportProblem({
    linkToken: first.linkToken,
    kind: 2,
    content: texts.report,
    reporterEmail,
  });
  await recordDeliveries(rig, storeId, [first.certificateId, second.certificateId], texts.reply);
  return { storeId, certificateId: first.certificateId, revokedId: second.certificateId };
}

/** Records that the first certificate's message was accepted, and the second one's refused with a reply. */
async function recordDeliveries(
  { registry }: Pick<PagesRig, "registry">,
  storeId: string,
  certificateIds: readonly string[],
  replyExcerpt: string,
): Promise<void> {
  const outcomes = [
    { kind: OutcomeKind.DELIVERED, httpStatus: 200, reason: "The receiver answered 200." },
    { kind: OutcomeKind.REFUSED, httpStatus: 503, reason: "The receiver answered 503.", replyExcerpt },
  ];
  for (const [index, certificateId] of certificateIds.entries()) {
    const { entries } = await registry.inspection.getHistory({ storeId, certificateId });
    const eventId = entries[0]?.eventId ?? "";
    const claims = [{ eventId, storeId, certificateId, type: 1 }];
    await registry.notifier.claimDeliveries({ notifierId: "notifier-1", claims });
    const outcome = { eventId, durationMs: 143, remoteAddress: "203.0.113.9", ...outcomes[index] };
    await registry.notifier.recordOutcomes({ outcomes: [outcome] });
  }
}
