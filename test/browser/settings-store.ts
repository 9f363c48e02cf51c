import sharp from "sharp";
import { EventType } from "#gen/events/v1/certificate_event_pb.js";
import { OutcomeKind } from "#gen/registry/v1/notifier_service_pb.js";
import { EditionStyle } from "#gen/registry/v1/store_admin_service_pb.js";
import { TriggerFormat } from "#gen/registry/v1/trigger_service_pb.js";
import { exportText, headRow } from "#shared/orders/csv-fixture.ts";
import { reason } from "#shared/reasons/reason.ts";
import { uploadOrders } from "../harness/import-orders.ts";
import { inStore } from "../harness/in-store.ts";
import { createPageStore, type PagesRig } from "../harness/pages-rig.ts";
import { openSettingsSession } from "../harness/settings-session.ts";
import { connectStorefront, type StorefrontTexts } from "../harness/storefront/connected-storefront.ts";

/** Strings that come from a store's merchant, its buyers and the receivers of its messages. */
export interface StoreTexts extends StorefrontTexts {
  readonly displayName: string;
  readonly variant: string;
  readonly owner: string;
  /** Default: a short address. */
  readonly ownerEmail?: string;
  readonly keyLabel: string;
  readonly report: string;
  readonly reply: string;
  readonly revokedReason: string;
  readonly fileName: string;
}

/** Realistic strings, for screenshots. */
export const lindenPress: StoreTexts = {
  displayName: "Linden Press",
  product: "Kite Season, No. 3",
  variant: "A2, hand-pulled screen print",
  owner: "Ada Lovelace",
  keyLabel: "Customer accounts",
  report: "The print that I received has no embossed seal.\nThe certificate says that it should have one.",
  reply: '{"error":"queue is full"}',
  revokedReason: "Returned by the buyer",
  fileName: "orders_export_march.csv",
  tag: "limited edition",
  orderName: "#1051",
};

const sku = "LP-KITE-A2";

const orders = exportText([
  headRow("#1043", "5612846809261", { "Lineitem quantity": "2" }),
  headRow("#1044", "5612846809262", { Email: "niamh.mcausland" }),
  headRow("#1045", "5612846809263", { "Financial Status": "refunded" }),
  headRow("#1046", "5.61285E+12"),
]);

/** Draws a logo of 360 × 120 pixels, and uploads it in a settings session. */
export async function setExampleLogo({ registry }: Pick<PagesRig, "registry">, storeId: string): Promise<void> {
  const drawing = `<svg xmlns="http://www.w3.org/2000/svg" width="360" height="120">
<path d="M60 14c30 18 38 50 0 92c-38-42-30-74 0-92z" fill="#1c6447"/><path d="M60 30v84" stroke="#fffdf7" stroke-width="4"/>
<text x="120" y="76" font-family="Inter, sans-serif" font-size="46" font-weight="600" fill="#241f18">linden</text></svg>`;
  // The edge, which runs in the same process, blocks SVG when it encodes a logo.
  sharp.unblock({ operation: ["VipsForeignLoadSvg"] });
  const content = await sharp(Buffer.from(drawing)).webp().toBuffer();
  const headers = await openSettingsSession(registry, storeId);
  await registry.settings.stores.setLogo({ content, width: 360, height: 120 }, { headers });
}

/**
 * Creates a store with products, certificates (one of them revoked), a report, deliveries, an API key, a webhook,
 * triggers, a storefront and an import.
 *
 * @param shop domain of the store. Default: a random domain
 */
export async function createSettingsStore(rig: Pick<PagesRig, "registry" | "issue">, texts: StoreTexts, shop?: string) {
  const { registry } = rig;
  const storeId = await createPageStore(rig, {
    displayName: texts.displayName,
    editionStyle: EditionStyle.ZERO_PADDED,
    ...(shop && { shop }),
  });
  await registry.admin.putProducts(
    {
      products: [{ id: "7001", title: texts.product, editionTotal: 50, variants: [{ sku, title: texts.variant }] }],
    },
    inStore(storeId),
  );
  await registry.admin.setWebhook(
    { url: "https://shop.example.test/hooks/certificates", createSecret: true },
    inStore(storeId),
  );
  await registry.admin.createApiKey({ label: texts.keyLabel }, inStore(storeId));
  await createTriggers(rig, storeId);
  const people = [texts.owner, "Grace Hopper", "Mary Somerville", "Émilie du Châtelet"];
  const issued = [];
  const { ownerEmail: email } = texts;
  for (const name of people)
    issued.push(await rig.issue(storeId, { product: { sku }, buyer: { name, ...(email && { email }) } }));
  const [first, second] = issued;
  if (first === undefined || second === undefined) throw new Error("no certificate was issued");
  const revocation = { certificateId: second.certificateId, cause: 3, reason: texts.revokedReason };
  await registry.lifecycle.revokeCertificate(revocation, inStore(storeId));
  const reporterEmail = "ada@example.test";
  await registry.verification.reportProblem({
    linkToken: first.linkToken,
    kind: 2,
    content: texts.report,
    reporterEmail,
  });
  await recordDeliveries(rig, storeId, [first.certificateId, second.certificateId], texts.reply);
  await recordTriggerAttempts(rig, texts.reply);
  const { ruleName } = await connectStorefront(rig, storeId, texts);
  const importId = await uploadOrders(rig, storeId, { text: orders, fileName: texts.fileName });
  return { storeId, certificateId: first.certificateId, revokedId: second.certificateId, importId, ruleName };
}

/** Records an accepted message about the first certificate and a refused message, with a reply, about the second. */
async function recordDeliveries(
  { registry }: Pick<PagesRig, "registry">,
  storeId: string,
  certificateIds: readonly string[],
  replyExcerpt: string,
): Promise<void> {
  const outcomes = [
    { kind: OutcomeKind.DELIVERED, httpStatus: 200, reason: reason("delivered", { status: 200 }) },
    { kind: OutcomeKind.REFUSED, httpStatus: 503, reason: reason("status_not_success", { status: 503 }), replyExcerpt },
  ];
  for (const [index, certificateId] of certificateIds.entries()) {
    const { entries } = await registry.inspection.getHistory({ certificateId }, inStore(storeId));
    const eventId = entries[0]?.eventId ?? "";
    const claims = [{ eventId, storeId, certificateId, type: 1 }];
    await registry.notifier.claimDeliveries({ notifierId: "notifier-1", claims });
    const outcome = { eventId, durationMs: 143, remoteAddress: "203.0.113.9", ...outcomes[index] };
    await registry.notifier.recordOutcomes({ outcomes: [outcome] });
  }
}

/** Creates a trigger of each format; the trigger for mailing tools receives only `issued` events. */
async function createTriggers({ registry }: Pick<PagesRig, "registry">, storeId: string): Promise<void> {
  const { CLOUDEVENTS, PROFILE } = TriggerFormat;
  await registry.triggers.createTrigger(
    {
      url: "https://flows.example.test/webhook/1f0c",
      format: CLOUDEVENTS,
    },
    inStore(storeId),
  );
  const events = [EventType.ISSUED];
  await registry.triggers.createTrigger(
    { url: "https://mail.example.test/hook", format: PROFILE, events },
    inStore(storeId),
  );
}

/** Records that the workflow tool accepts messages, and that the mailing tool no longer exists. */
async function recordTriggerAttempts({ registry }: Pick<PagesRig, "registry">, replyExcerpt: string): Promise<void> {
  const { leases } = await registry.triggerDeliveries.claimTriggerDeliveries({ notifierId: "notifier-1", limit: 100 });
  const accepted = { kind: OutcomeKind.DELIVERED, httpStatus: 200, reason: reason("delivered", { status: 200 }) };
  const gone = {
    kind: OutcomeKind.REFUSED,
    httpStatus: 410,
    reason: reason("status_not_success", { status: 410 }),
    replyExcerpt,
  };
  const attempts = leases.map(({ deliveryId, leaseToken, format }) => {
    return { deliveryId, leaseToken, outcome: format === TriggerFormat.PROFILE ? gone : accepted };
  });
  await registry.triggerDeliveries.recordTriggerAttempts({ attempts });
}
