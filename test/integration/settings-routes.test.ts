import sharp from "sharp";
import { describe, expect, test } from "vitest";
import { OutcomeKind } from "#gen/registry/v1/notifier_service_pb.js";
import { networkList } from "#shared/address-guard/network.ts";
import { exportText, headRow } from "#shared/orders/csv-fixture.ts";
import { pages } from "../../services/edge/settings/pages.ts";
import { uploadOrders } from "../harness/import-orders.ts";
import { createPageStore, openPagesRig } from "../harness/pages-rig.ts";
import { type BrowserSession, openBrowserSession } from "../harness/settings-browser.ts";
import { testWebhookUrl } from "../harness/test-stores.ts";

const rig = await openPagesRig({ trustedProxies: networkList.parse("127.0.0.1/32") });
const { registry } = rig;

/** A store with an entry of each kind. */
async function createFullStore() {
  const storeId = await createPageStore(rig);
  await registry.admin.setWebhook({ storeId, url: testWebhookUrl });
  const { keyId } = await registry.admin.createApiKey({ storeId, label: "shop" });
  const { keyId: rolledKeyId } = await registry.admin.createApiKey({ storeId, label: "old" });
  const { certificateId, linkToken } = await rig.issue(storeId);
  await registry.verification.reportProblem({ linkToken, content: "It differs." });
  const { reports } = await registry.inspection.listReports({ storeId });
  const { entries } = await registry.inspection.getHistory({ storeId, certificateId });
  const eventId = entries[0]?.eventId ?? "";
  const claim = { eventId, storeId, certificateId, type: 1 };
  await registry.notifier.claimDeliveries({ notifierId: "notifier-1", claims: [claim] });
  await registry.notifier.recordOutcomes({ outcomes: [{ eventId, kind: OutcomeKind.DELIVERED, httpStatus: 200 }] });
  const { trigger } = await registry.triggers.createTrigger({ storeId, url: testWebhookUrl });
  const triggerId = trigger?.triggerId ?? "";
  const importId = await uploadOrders(rig, storeId);
  const reportId = reports[0]?.id ?? "";
  return { storeId, triggerId, keyId, rolledKeyId, certificateId, importId, reportId, eventId };
}

type FullStore = Awaited<ReturnType<typeof createFullStore>>;

/** A form or a page: its parameters, its fields, and whether it names an entry of the store. */
interface RouteRow {
  readonly path?: (store: FullStore) => string;
  readonly fields?: (store: FullStore) => Readonly<Record<string, string>>;
  readonly namesEntry?: boolean;
  /** The file of the form. Default: the form has none. */
  readonly file?: () => File;
}

const pixels = { create: { width: 60, height: 20, channels: 3, background: "teal" } } as const;
const logo = await sharp(pixels).png().toBuffer();
const logoFile = new File([new Uint8Array(logo)], "logo.png");

const person = { name: "Grace Hopper", email: "grace@example.test" };
const ofCertificate = { path: ({ certificateId }: FullStore) => `/certificates/${certificateId}`, namesEntry: true };

const ofTrigger: RouteRow = { fields: ({ triggerId }) => ({ trigger: triggerId }), namesEntry: true };
const ofImport = { path: ({ importId }: FullStore) => `/certificates/import/${importId}`, namesEntry: true };
const ordersFile = new File([exportText([headRow("#1", "7000001")])], "orders.csv");

/** Every page (`GET path`) and every form (`POST path action`). A page or a form without a row fails the test below. */
const rows: Readonly<Record<string, RouteRow>> = {
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
  "GET /reports": {},
  "POST /reports close": { fields: ({ reportId }) => ({ report: reportId }), namesEntry: true },
  "GET /webhook": {},
  "POST /webhook save": { fields: () => ({ url: "https://other.example.test/hook", format: "v1" }) },
  "POST /webhook check": { fields: () => ({ url: "https://other.example.test/hook" }) },
  "POST /webhook test": {},
  "POST /webhook remove": {},
  "POST /webhook create": {},
  "POST /webhook begin": {},
  "POST /webhook switch": {},
  "POST /webhook cancel": {},
  "POST /webhook finish": {},
  "POST /webhook removeSecret": {},
  "GET /deliveries": {},
  "POST /deliveries again": { fields: ({ eventId }) => ({ event: eventId }), namesEntry: true },
  "GET /triggers": {},
  "GET /triggers/log": {},
  "POST /triggers create": { fields: () => ({ url: "https://tool.example.test/hook", format: "profile" }) },
  "POST /triggers check": { fields: () => ({ url: "https://tool.example.test/hook" }) },
  "POST /triggers test": ofTrigger,
  "POST /triggers rotate": ofTrigger,
  "POST /triggers disable": ofTrigger,
  "POST /triggers enable": ofTrigger,
  "POST /triggers remove": ofTrigger,
  "GET /keys": {},
  "POST /keys create": { fields: () => ({ label: "other" }) },
  "POST /keys roll": { fields: ({ rolledKeyId }) => ({ key: rolledKeyId, grace: "0" }), namesEntry: true },
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

const routes = pages.flatMap(({ path, actions = {}, uploads = {} }) => [
  `GET ${path}`,
  ...Object.keys({ ...actions, ...uploads }).map((action) => `POST ${path} ${action}`),
]);

test("the table has a row for every page and every form of the settings", () => {
  expect(Object.keys(rows).sort()).toEqual(routes.sort());
});

const store = await createFullStore();
const other = await createFullStore();
const merchant = await openBrowserSession(rig, store.storeId);
const otherMerchant = await openBrowserSession(rig, other.storeId);

/** Requests the route as it is used for the entries of `target`. */
function request(browser: BrowserSession, name: string, target: FullStore, token = browser.formToken) {
  const [method = "", path = "", action = ""] = name.split(" ");
  const { path: pathOf = () => path, fields = () => ({}), file } = rows[name] ?? {};
  if (method === "GET") return browser.get(pathOf(target));
  const entries = { ...fields(target), action, nonce: "nonce-1", ...(token !== "" && { token }) };
  return browser.post(pathOf(target), entries, file?.());
}

async function expectNothingChanged<T>(call: () => Promise<T>): Promise<T> {
  const before = await registry.database.contents();
  const result = await call();
  expect(await registry.database.contents()).toEqual(before);
  return result;
}

describe.each(Object.keys(rows))("%s", (name) => {
  const isForm = name.startsWith("POST");

  test("shows a sign-in page without a session, with an unknown one, and with an ended one", async () => {
    const ended = await openBrowserSession(rig, store.storeId);
    await registry.settings.session.closeSession({}, { headers: { "x-session": ended.sessionToken } });
    const unknown = merchant.withSession(`cst_${"A".repeat(43)}`);
    await expectNothingChanged(async () => {
      for (const browser of [ended, unknown, merchant.withSession("")]) {
        const response = await request(browser, name, store);
        expect(response.status).toBe(401);
        expect(await response.text()).toContain("You are not signed in");
      }
    });
  });

  test.runIf(isForm)("refuses a form without a token, with that of another session, and of another site", async () => {
    await expectNothingChanged(async () => {
      for (const token of ["", "x", otherMerchant.formToken])
        expect((await request(merchant, name, store, token)).status).toBe(400);
      expect((await request(merchant.fromSite("cross-site"), name, store)).status).toBe(400);
    });
  });

  test.runIf(rows[name]?.namesEntry)("does not find another store's entries", async () => {
    const response = await expectNothingChanged(() => request(merchant, name, other));
    expect(response.status).toBe(404);
    expect(await response.text()).toContain("does not exist in your store");
  });

  test("is served to the merchant, and not stored by caches", async () => {
    const response = await request(merchant, name, store);
    // A form whose step is out of order is shown again with an explanation.
    expect([200, 303, 422]).toContain(response.status);
    expect(response.headers.get("cache-control")).toBe("no-store");
  });
});

test("a form with an unknown action changes nothing", async () => {
  for (const action of ["", "destroy", "constructor"]) {
    const fields = { action, token: merchant.formToken };
    expect((await expectNothingChanged(() => merchant.post("/plan", fields))).status).toBe(400);
  }
});

test("a form that is sent twice takes effect once", async () => {
  const fields = { title: "Print", buyer: person.name, email: person.email, action: "issue", nonce: "nonce-2" };
  const send = () => merchant.post("/certificates/issue", { ...fields, token: merchant.formToken });
  const [first, second] = [await send(), await send()];
  expect(second.headers.get("location")).toBe(first.headers.get("location"));
});

test("the settings cannot be framed, unless an origin is configured", async () => {
  const policy = (await merchant.get("")).headers.get("content-security-policy");
  expect(policy).toContain("frame-ancestors 'none'");
});
