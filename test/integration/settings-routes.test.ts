import { describe, expect, test } from "vitest";
import { networkList } from "#shared/address-guard/network.ts";
import { pages } from "../../services/edge/settings/pages.ts";
import { expectAllChangeNothing } from "../harness/expect-nothing-changed.ts";
import { openPagesRig } from "../harness/pages-rig.ts";
import { type BrowserSession, openBrowserSession } from "../harness/settings-browser.ts";
import { createFullStore, type FullStore, rulesVersionOf, settingsRoutes } from "../harness/settings-routes.ts";

const rig = await openPagesRig({ trustedProxies: networkList.parse("127.0.0.1/32") });
const { registry } = rig;
const { database } = registry;

const routes = pages.flatMap(({ path, actions, guardedActions, keyedActions, checks, uploads }) => [
  `GET ${path}`,
  ...Object.keys({ ...actions, ...guardedActions, ...keyedActions, ...checks, ...uploads }).map(
    (action) => `POST ${path} ${action}`,
  ),
]);

test("settingsRoutes has an entry for every page and every form of the settings", () => {
  expect(Object.keys(settingsRoutes).sort()).toEqual(routes.sort());
});

const store = await createFullStore(rig);
const other = await createFullStore(rig);
const merchant = await openBrowserSession(rig, store.storeId);
const otherMerchant = await openBrowserSession(rig, other.storeId);
const ended = await openBrowserSession(rig, store.storeId);
await registry.settings.session.closeSession({ sessionToken: ended.sessionToken });
const unknown = merchant.withSession(`cst_${"A".repeat(43)}`);

/** Requests the route `name` with the path and the fields that identify the entries of `target`. */
async function request(browser: BrowserSession, name: string, target: FullStore, token = browser.formToken) {
  const [method = "", path = "", action = ""] = name.split(" ");
  const { path: pathOf = () => path, fields = () => ({}), file } = settingsRoutes[name] ?? {};
  if (method === "GET") return browser.get(pathOf(target));
  const version = await rulesVersionOf(rig, store.storeId);
  const entries = { ...fields(target, version), action, nonce: "nonce-1", ...(token !== "" && { token }) };
  return browser.submit(pathOf(target), entries, file?.());
}

describe("without a change", () => {
  expectAllChangeNothing(database);

  describe.each(Object.keys(settingsRoutes))("%s", (name) => {
    test("shows a sign-in page when the session is missing, unknown or ended, and leaves the browser's cookie", async () => {
      for (const browser of [ended, unknown, merchant.withSession("")]) {
        const response = await request(browser, name, store);
        expect(response.status).toBe(401);
        // The merchant may have signed in since the request was sent.
        expect(response.headers.get("set-cookie")).toBeNull();
        expect(await response.text()).toContain("You are not signed in");
      }
    });

    test.runIf(name.startsWith("POST"))(
      "refuses a form without the session's form token, and a form from another site",
      async () => {
        for (const token of ["", "x", otherMerchant.formToken])
          expect((await request(merchant, name, store, token)).status).toBe(400);
        expect((await request(merchant.fromSite("cross-site"), name, store)).status).toBe(400);
      },
    );

    test.runIf(settingsRoutes[name]?.namesEntry)("returns 404 for another store's entries", async () => {
      const response = await request(merchant, name, other);
      expect(response.status).toBe(404);
      expect(await response.text()).toContain("does not exist in your store");
    });
  });

  test.each(["", "destroy", "constructor"])("a form with the unknown action '%s' is refused", async (action) => {
    expect((await merchant.post("/plan", { action, token: merchant.formToken })).status).toBe(400);
  });
});

test.each(Object.keys(settingsRoutes))(
  "%s responds to the merchant, and prevents caches from storing the response",
  async (name) => {
    const response = await request(merchant, name, store);
    expect([200, 303]).toContain(response.status);
    expect(response.headers.get("cache-control")).toBe("no-store");
  },
);

test("a form that is sent twice takes effect once", async () => {
  const fields = {
    title: "Print",
    buyer: "Grace Hopper",
    email: "grace@example.test",
    action: "issue",
    nonce: "nonce-2",
  };
  const send = () => merchant.post("/certificates/issue", { ...fields, token: merchant.formToken });
  const [first, second] = [await send(), await send()];
  expect(second.headers.get("location")).toBe(first.headers.get("location"));
});

test.each(["/history", "/deliveries", "/storefront/problems", "/triggers/log"])(
  "%s with the position of no page answers as for a page that does not exist, and speaks of no form",
  async (path) => {
    const response = await merchant.get(`${path}?page=x`);
    expect(response.status).toBe(400);
    const page = await response.text();
    expect(page).toContain("Page not found");
    expect(page).not.toContain("The form has expired");
  },
);

test("the settings cannot be framed if no embedding origin is configured", async () => {
  const policy = (await merchant.get("")).headers.get("content-security-policy");
  expect(policy).toContain("frame-ancestors 'none'");
});
