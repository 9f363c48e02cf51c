import { expect, test } from "vitest";
import { EventType } from "#gen/events/v1/certificate_event_pb.js";
import { inStore } from "../harness/in-store.ts";
import { createPageStore, eventsOf, sharedPagesRig } from "../harness/pages-rig.ts";
import { variants } from "../harness/variants.ts";
import { signIn } from "./merchant.ts";
import { openBrowser } from "./open-browser.ts";
import { accessibilityProblems, openPage, viewports } from "./pages-in-browser.ts";
import { screenshot } from "./screenshots.ts";

const rig = await sharedPagesRig();
const storeId = await createPageStore(rig);
const browser = await openBrowser();

const verified = [EventType.ISSUED, EventType.VERIFIED];

test.each([
  ["in a browser with scripts", true],
  ["in a browser without scripts", false],
])("records only the first opening of a page %s", async (_name, javaScriptEnabled) => {
  const certificate = await rig.issue(storeId);
  for (let opening = 0; opening < 2; opening++) {
    const { visit, problems } = await openPage(browser, { javaScriptEnabled });
    await visit(certificate.url);
    expect(problems).toEqual([]);
  }
  expect(await eventsOf(rig, certificate.certificateId)).toEqual(verified);
});

test.each(
  variants([
    ["phone", "de", true],
    ["desktop", "ja", true],
    ["phone", "ja", false],
    ["desktop", "de", false],
  ] as const),
)("a buyer on a %s reports a problem in %s (script: %s)", async (name, language, javaScriptEnabled) => {
  const certificate = await rig.issue(storeId);
  const { page, problems } = await openPage(browser, { ...viewports[name], javaScriptEnabled });
  await page.goto(`${certificate.url}?lang=${language}`);
  await page.locator(".actions a").click();
  await page.waitForURL(/\/report\?lang=/);
  if (javaScriptEnabled) {
    expect(await accessibilityProblems(page)).toEqual([]);
    await screenshot(page, `report-${name}-${language}`);
  }

  await page.locator("button[type=submit]").click();
  await page.locator(".mistakes").waitFor();
  expect(await page.locator(".mistake").count()).toBe(2);
  if (javaScriptEnabled) {
    expect(await accessibilityProblems(page)).toEqual([]);
    expect(await page.evaluate("document.activeElement.className")).toBe("mistakes");
    await screenshot(page, `report-mistakes-${name}-${language}`);
  }

  const content = `${'"><script>alert(1)</script>'} 縫い目が\nほどけています`;
  await page.locator("#kind-mismatch").check();
  await page.locator("textarea").fill(content);
  await page.locator("input[type=email]").fill("ada@example.test");
  // The edge refuses a form that is sent within 2 s of being opened, because no person could complete it so soon.
  await new Promise((resolve) => setTimeout(resolve, 2_100));
  await page.locator("button[type=submit]").click();
  await page.waitForURL(/report\?sent/);
  if (javaScriptEnabled) {
    expect(await accessibilityProblems(page)).toEqual([]);
    await screenshot(page, `report-sent-${name}-${language}`);
  }
  const reference = await page.locator(".reference dd").innerText();
  // The browser logs the response to the incomplete form above, status 422, as an error.
  expect(problems.filter((problem) => !problem.includes("422"))).toEqual([]);

  const { reports } = await rig.registry.inspection.listReports({}, inStore(storeId));
  const found = reports.filter(({ certificateId }) => certificateId === certificate.certificateId);
  expect(found).toMatchObject([{ content, reporterEmail: "ada@example.test" }]);
  const merchant = await signIn(rig, browser, storeId, { locale: language });
  await merchant.open("/reports");
  const row = merchant.page.locator(".rows li", { hasText: reference });
  expect(await row.locator(".message").allInnerTexts()).toEqual([content]);
});

test("a form reaches the edge from a browser that states only in the header Origin which site sent it", async () => {
  const { linkToken } = await rig.issue(storeId);
  // Without TLS, browsers do not send Sec-Fetch-Site, as older ones never do. The edge itself serves as the proxy.
  const { page } = await openPage(browser, { proxy: { server: `http://127.0.0.1:${rig.edge.port}` } });
  await page.goto(`http://certificates.example.test/verify/${linkToken}/report?lang=en`);
  await page.locator("button[type=submit]").click();
  await page.locator(".mistakes").waitFor();
});

const attacks = [
  "<script>document.title = 'attacked'</script>",
  `"><img src=x onerror="document.title = 'attacked'">`,
  "'-alert(1)-'",
  "</title><svg onload=document.title='attacked'>",
  "\u202eexe.txt",
  "{{constructor.constructor('alert(1)')()}}",
];

test.each(attacks)("shows %j as plain text on the verification and report pages", async (attack) => {
  const store = await createPageStore(rig, { displayName: attack.replaceAll(/\p{Cc}/gu, ""), ownerDisplay: 3 });
  const certificate = await rig.issue(store, {
    product: { title: attack, variant: attack },
    buyer: { name: attack },
  });
  const { certificateId } = certificate;
  await rig.registry.lifecycle.revokeCertificate({ certificateId, cause: 3, reason: attack }, inStore(store));
  const { page, visit, problems } = await openPage(browser);
  await visit(`${certificate.url}?lang=en`);
  for (const place of [".product", ".variant"]) expect(await page.locator(place).textContent()).toBe(attack);
  expect(await page.locator(".issuer").textContent()).toBe(`Issued by ${attack}`);
  expect(await page.locator("dd", { hasText: attack }).count()).toBe(2);
  expect(await page.title()).toBe(`Certificate of Authenticity · ${attack}`);
  await visit(`${certificate.url}/report?lang=en`);
  expect(await page.locator(".card > p").first().textContent()).toContain(attack);
  expect(problems).toEqual([]);
});
