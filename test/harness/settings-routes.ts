import sharp from "sharp";
import { OutcomeKind } from "#gen/registry/v1/notifier_service_pb.js";
import { exportText, headRow } from "#shared/orders/csv-fixture.ts";
import { uploadOrders } from "./import-orders.ts";
import { inStore } from "./in-store.ts";
import { createPageStore, type PagesRig } from "./pages-rig.ts";
import { connectStorefront } from "./storefront/connected-storefront.ts";
import { testWebhookUrl } from "./test-stores.ts";

/** Creates a store with at least one entry of each kind that a page or form of the settings can concern. */
export async function createFullStore(rig: Pick<PagesRig, "registry" | "issue">) {
  const { registry } = rig;
  const storeId = await createPageStore(rig);
  await registry.admin.setWebhook({ url: testWebhookUrl }, inStore(storeId));
  const { keyId } = await registry.admin.createApiKey({ label: "shop" }, inStore(storeId));
  const { keyId: rolledKeyId } = await registry.admin.createApiKey({ label: "old" }, inStore(storeId));
  await registry.admin.createListenToken({}, inStore(storeId));
  const { tokens } = await registry.admin.listListenTokens({}, inStore(storeId));
  const listenTokenId = tokens[0]?.tokenId ?? "";
  const { certificateId, linkToken } = await rig.issue(storeId);
  await registry.verification.reportProblem({ linkToken, content: "It differs." });
  const { reports } = await registry.inspection.listReports({}, inStore(storeId));
  const { entries } = await registry.inspection.getHistory({ certificateId }, inStore(storeId));
  const eventId = entries[0]?.eventId ?? "";
  const claim = { eventId, storeId, certificateId, type: 1 };
  await registry.notifier.claimDeliveries({ notifierId: "notifier-1", claims: [claim] });
  await registry.notifier.recordOutcomes({ outcomes: [{ eventId, kind: OutcomeKind.DELIVERED, httpStatus: 200 }] });
  const storefront = { tag: "limited", orderName: "#1051", product: "Poster" };
  const { ruleName, requestId } = await connectStorefront(rig, storeId, storefront, `rule-${storeId.slice(-8)}`);
  const { trigger } = await registry.triggers.createTrigger({ url: testWebhookUrl }, inStore(storeId));
  const triggerId = trigger?.triggerId ?? "";
  const importId = await uploadOrders(rig, storeId);
  const reportId = reports[0]?.id ?? "";
  const ofStorefront = { ruleName, requestId };
  return {
    storeId,
    ...ofStorefront,
    listenTokenId,
    triggerId,
    keyId,
    rolledKeyId,
    certificateId,
    importId,
    reportId,
    eventId,
  };
}

/** A store created by {@link createFullStore}. */
export type FullStore = Awaited<ReturnType<typeof createFullStore>>;

/** Returns the version of a store's storefront rules. */
export async function rulesVersionOf({ registry }: Pick<PagesRig, "registry">, storeId: string): Promise<string> {
  return String((await registry.storefront.getStorefront({}, inStore(storeId))).rulesVersion);
}

/** How tests request a page or a form of the settings. */
export interface RouteRow {
  readonly path?: (store: FullStore) => string;
  /**
   * @param store the store whose entries the fields identify; may be another merchant's
   * @param version version of the sender's own storefront rules; a form about a rule is refused without it
   */
  readonly fields?: (store: FullStore, version: string) => Readonly<Record<string, string>>;
  /** Whether the path or the fields identify an entry of the store, such as an API key. Default: false. */
  readonly namesEntry?: boolean;
  /** The file of the form. Default: the form has none. */
  readonly file?: () => File;
  /** Whether a script sends the form and receives text. Default: false; the browser sends it and shows the response. */
  readonly isForScript?: boolean;
}

const pixels = { create: { width: 60, height: 20, channels: 3, background: "teal" } } as const;
const logo = await sharp(pixels).png().toBuffer();
const logoFile = new File([new Uint8Array(logo)], "logo.png");

const person = { name: "Grace Hopper", email: "grace@example.test" };
const ofCertificate = { path: ({ certificateId }: FullStore) => `/certificates/${certificateId}`, namesEntry: true };

const ofRule: RouteRow = { fields: ({ ruleName }, version) => ({ rule: ruleName, version }), namesEntry: true };
const rulePath = { path: ({ ruleName }: FullStore) => `/storefront/rules/${ruleName}`, namesEntry: true };
const ofTrigger: RouteRow = { fields: ({ triggerId }) => ({ trigger: triggerId }), namesEntry: true };
const ofImport = { path: ({ importId }: FullStore) => `/certificates/import/${importId}`, namesEntry: true };
const ofProduct = {
  path: ({ certificateId }: FullStore) => `/products/product?certificate=${certificateId}`,
  namesEntry: true,
};
const ordersFile = new File([exportText([headRow("#1", "7000001")])], "orders.csv");

/** Every page (`GET path`) and every form (`POST path action`). A test fails for a page or a form without a row. */
export const settingsRoutes: Readonly<Record<string, RouteRow>> = {
  "GET ": {},
  "GET /certificates": {},
  "GET /certificates.csv": {},
  "GET /certificates/issue": {},
  "GET /certificates/print": {},
  "GET /certificates/sheets": {},
  "POST /certificates/issue issue": {
    fields: () => ({ title: "Poster", buyer: person.name, email: person.email }),
  },
  "GET /certificates/import": {},
  "POST /certificates/import upload": { file: () => ordersFile },
  "GET /certificates/import/:import": ofImport,
  "POST /certificates/import/:import stop": ofImport,
  "POST /certificates/import/:import start": ofImport,
  "GET /certificates/import/:import/rejected.csv": {
    path: (store) => `${ofImport.path(store)}/rejected.csv`,
    namesEntry: true,
  },
  "GET /certificates/:certificate": ofCertificate,
  "POST /certificates/:certificate revoke": ofCertificate,
  "POST /certificates/:certificate reactivate": ofCertificate,
  "POST /certificates/:certificate replaceLink": ofCertificate,
  "POST /certificates/:certificate transfer": { ...ofCertificate, fields: () => person },
  "GET /products": {},
  "GET /products/product": ofProduct,
  "POST /products/product setImage": { ...ofProduct, file: () => logoFile },
  "POST /products/product removeImage": ofProduct,
  "POST /products/product takeImage": ofProduct,
  "POST /products/product setMaker": { ...ofProduct, fields: () => ({ maker: "Other" }) },
  "GET /reports": {},
  "POST /reports close": { fields: ({ reportId }) => ({ report: reportId }), namesEntry: true },
  "GET /storefront": {},
  "POST /storefront add": { fields: (_store, version) => ({ selector: "tag", value: "limited", version }) },
  "POST /storefront raise": ofRule,
  "POST /storefront up": ofRule,
  "POST /storefront down": ofRule,
  "GET /storefront/rules/:rule": rulePath,
  "POST /storefront/rules/:rule change": { ...rulePath, fields: (_store, version) => ({ version }) },
  "POST /storefront remove": ofRule,
  "GET /storefront/problems": {},
  "POST /storefront/problems retry": {},
  "GET /storefront/requests": {},
  "GET /storefront/requests/:request/report.json": {
    path: ({ requestId }) => `/storefront/requests/${encodeURIComponent(requestId)}/report.json`,
    namesEntry: true,
  },
  "GET /webhook": {},
  "POST /webhook save": { fields: () => ({ url: "https://other.example.test/hook", format: "v1" }) },
  "POST /webhook check": { fields: () => ({ url: "https://other.example.test/hook" }), isForScript: true },
  "POST /webhook test": {},
  "POST /webhook remove": {},
  "POST /webhook create": {},
  "POST /webhook begin": {},
  "POST /webhook switch": {},
  "POST /webhook cancel": {},
  "POST /webhook finish": {},
  "POST /webhook removeSecret": {},
  "POST /webhook createToken": {},
  "POST /webhook revokeToken": { fields: ({ listenTokenId }) => ({ listenToken: listenTokenId }), namesEntry: true },
  "GET /deliveries": {},
  "POST /deliveries again": { fields: ({ eventId }) => ({ event: eventId }), namesEntry: true },
  "POST /deliveries range": {
    fields: () => ({ event: "issued", before: String(Date.now() + 60_000), continues: "on" }),
  },
  "GET /triggers": {},
  "GET /triggers/log": {},
  "POST /triggers create": { fields: () => ({ url: "https://tool.example.test/hook", format: "profile" }) },
  "POST /triggers check": { fields: () => ({ url: "https://tool.example.test/hook" }), isForScript: true },
  "POST /triggers test": ofTrigger,
  "POST /triggers rotate": ofTrigger,
  "POST /triggers disable": ofTrigger,
  "POST /triggers enable": ofTrigger,
  "POST /triggers remove": ofTrigger,
  "GET /keys": {},
  "POST /keys create": { fields: () => ({ label: "other" }) },
  "POST /keys roll": { fields: ({ rolledKeyId }) => ({ key: rolledKeyId, grace: "0" }), namesEntry: true },
  "POST /keys rename": { fields: ({ keyId }) => ({ key: keyId, label: "renamed" }), namesEntry: true },
  "POST /keys revoke": { fields: ({ keyId }) => ({ key: keyId }), namesEntry: true },
  "GET /store": {},
  "POST /store save": { fields: () => ({ name: "Other", links: "", language: "de" }) },
  "POST /store setLogo": { file: () => logoFile },
  "POST /store removeLogo": {},
  "POST /store sample": { fields: () => ({ title: "Poster" }) },
  "GET /plan": {},
  "POST /plan toPro": {},
  "POST /plan toBasic": {},
  "GET /history": {},
};
