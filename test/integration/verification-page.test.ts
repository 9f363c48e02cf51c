import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { describe, expect, test } from "vitest";
import { EventType } from "#gen/events/v1/certificate_event_pb.js";
import { RevocationCause } from "#gen/registry/v1/lifecycle_service_pb.js";
import { EditionStyle, OwnerDisplay } from "#gen/registry/v1/store_admin_service_pb.js";
import { request } from "../../services/edge/testing/raw-http.ts";
import { inStore } from "../harness/in-store.ts";
import { createPageStore, eventsOf, openPagesRig } from "../harness/pages-rig.ts";
import { listAll } from "../harness/public-certificate.ts";

const rig = await openPagesRig();
const { registry, issue } = rig;
const { certificates } = registry.database.collections;

const browser = {
  "user-agent": "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/153.0.0.0 Safari/537.36",
};

async function read(url: string, headers: Record<string, string> = browser) {
  const response = await fetch(url, { headers, redirect: "manual" });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

describe("the page", () => {
  test("opens at the certificate's verifyUrl, in the store's language", async () => {
    const storeId = await createPageStore(rig, { language: "fr" });
    await issue(storeId);
    const [listed] = await listAll(registry, storeId);
    const { status, headers, text } = await read(listed?.verifyUrl ?? "");
    expect(status).toBe(200);
    expect(headers.get("content-type")).toBe("text/html; charset=utf-8");
    expect(text).toContain('<html lang="fr" dir="ltr">');
    expect(text).toContain("Délivré par Linden Press");
  });

  test("is in the store's language, unless the lang parameter selects another supported language", async () => {
    const { url } = await issue(await createPageStore(rig, { language: "nl" }));
    expect((await read(url)).text).toContain('lang="nl" dir');
    expect((await read(`${url}?lang=ja`)).text).toContain('lang="ja" dir');
    expect((await read(`${url}?lang=xx`)).text).toContain('lang="nl" dir');
  });

  test("shows no e-mail address, order or id, and shows the owner only in the form that the store has chosen", async () => {
    const storeId = await createPageStore(rig);
    const buyer = { name: "Ada Lovelace", email: "ada@example.test" };
    const { certificateId, url } = await issue(storeId, { buyer, order: {} });
    const shown = async (ownerDisplay: OwnerDisplay) => {
      await registry.admin.updateSettings({ ownerDisplay }, inStore(storeId));
      // A new edge has not cached the page.
      const { text } = await read(url.replace(rig.verifyUrl, await rig.openEdge()));
      for (const secret of [buyer.email, "#1001", "450789469", certificateId, storeId])
        expect(text).not.toContain(secret);
      return /<bdi>(A[^<]*)<\/bdi><\/dd>/.exec(text)?.[1];
    };
    expect(await shown(OwnerDisplay.UNSPECIFIED)).toBeUndefined();
    expect(await shown(OwnerDisplay.INITIALS)).toBe("A. L.");
    expect(await shown(OwnerDisplay.NAME)).toBe("Ada Lovelace");
    expect(await shown(OwnerDisplay.NOTHING)).toBeUndefined();
  });

  test("describes itself to services that show links as cards, in the language of the page", async () => {
    const storeId = await createPageStore(rig, { editionStyle: EditionStyle.NO_OF });
    const products = [
      { id: "7001", title: 'Kite "Season"', editionTotal: 50, variants: [{ sku: "KITE", title: "A2" }] },
    ];
    await registry.admin.putProducts({ products }, inStore(storeId));
    const { url } = await issue(storeId, { product: { sku: "KITE" } });
    const tags = async (language: string) => {
      const { text } = await read(`${url}?lang=${language}`);
      const found = text.matchAll(/<meta property="og:(\w+)" content="([^"]*)">/g);
      return Object.fromEntries(Array.from(found, ([, name = "", content = ""]) => [name, content]));
    };
    expect(await tags("en")).toMatchObject({
      title: "Kite &quot;Season&quot; · No. 1 of 50",
      description: "Certificate of Authenticity: Valid · Issued by Linden Press · Certificate number 000001",
      url: `${url}?lang=en`,
    });
    expect(await tags("de")).toMatchObject({
      title: "Kite &quot;Season&quot; · Nr. 1 von 50",
      description: "Echtheitszertifikat: Gültig · Ausgestellt von Linden Press · Zertifikatsnummer 000001",
      url: `${url}?lang=de`,
    });
  });

  test("shows within five seconds that a certificate has been revoked, and why", async () => {
    const storeId = await createPageStore(rig);
    const { certificateId, url } = await issue(storeId);
    expect((await read(`${url}?lang=de`)).text).toContain("Dieses Zertifikat ist echt und gültig.");
    await registry.lifecycle.revokeCertificate({ certificateId, cause: RevocationCause.REFUND }, inStore(storeId));
    await expect.poll(async () => (await read(`${url}?lang=de`)).text).toContain("Widerrufen am");
    expect((await read(`${url}?lang=de`)).text).toContain("<bdi>Erstattung</bdi>");
  });

  test("shows that a certificate has expired, and marks a sample as such", async () => {
    const storeId = await createPageStore(rig);
    const { certificateId, url } = await issue(storeId);
    await certificates.updateOne({ _id: certificateId }, { $set: { expiresAt: new Date("2020-05-01T00:00:00Z") } });
    expect((await read(url)).text).toContain("is genuine, but it has expired");
    const { certificateIds } = await registry.issuing.createSamples(
      { products: [{ title: "Preview" }] },
      inStore(storeId),
    );
    const { text } = await read(`${rig.verifyUrl}/${certificateIds[0]}`);
    expect(text).toContain("This is a sample.");
    expect(text).not.toContain("/report");
  });

  test("is never stored by shared caches, and is not sent again while it is unchanged", async () => {
    const storeId = await createPageStore(rig);
    const { certificateId, url } = await issue(storeId, { expiresAt: timestampFromMs(Date.now() + 86_400_000) });
    const { headers } = await read(url);
    expect(headers.get("cache-control")).toBe("private, no-cache");
    const etag = headers.get("etag") ?? "";
    // Not with fetch, which adds `Cache-Control: no-cache` to a conditional request.
    const again = () =>
      request(rig.edge.port, `GET ${new URL(url).pathname}`, ["Accept-Encoding: gzip", `If-None-Match: ${etag}`]);
    const { status, body, headers: second } = await again();
    expect([status, body, second["cache-control"]]).toEqual([304, "", "private, no-cache"]);
    await registry.lifecycle.revokeCertificate({ certificateId, cause: RevocationCause.IN_APP }, inStore(storeId));
    await expect.poll(async () => (await again()).status).toBe(200);
  });

  test("forbids inline scripts and resources from other hosts, and cannot be framed", async () => {
    const { url } = await issue(await createPageStore(rig));
    const { headers, text } = await read(url);
    const policy = headers.get("content-security-policy") ?? "";
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toMatch(/unsafe|\*|https?:/);
    expect(text).not.toMatch(/<script(?![^>]* src="assets\/)|<style| style=| on[a-z]+="/);
  });
});

describe("links", () => {
  test("have distinct tokens of 26 characters, enough for 128 random bits", async () => {
    const storeId = await createPageStore(rig);
    const tokens = await Promise.all(Array.from({ length: 5 }, () => issue(storeId)));
    for (const { linkToken } of tokens) expect(linkToken).toMatch(/^[0-9a-z]{26}$/);
    expect(new Set(tokens.map(({ linkToken }) => linkToken)).size).toBe(5);
    // 26 characters from an alphabet of 32.
    expect(26 * Math.log2(32)).toBeGreaterThanOrEqual(128);
  });

  test("with the certificate's id instead of its token open nothing", async () => {
    const { certificateId } = await issue(await createPageStore(rig));
    expect((await read(`${rig.verifyUrl}/${certificateId}`)).status).toBe(404);
  });

  test("keep working after the store's verification address has changed", async () => {
    const storeId = await createPageStore(rig);
    const { url } = await issue(storeId);
    await registry.admin.updateSettings(
      { verifyBaseUrl: "https://shop.example.test/apps/certificates" },
      inStore(storeId),
    );
    const { status, text } = await read(url);
    expect(status).toBe(200);
    expect(text).toContain('content="https://shop.example.test/apps/certificates/');
    // Only relative links, so that the page also works under the store's own path.
    expect(text).not.toMatch(/(?:src|href|action)="\//);
  });

  test.each(["0".repeat(26), "crt_000000000000000000000000", "smp_000000000000000000000000", "x", "UPPER", "a%20b"])(
    "that are unknown lead to the same page: %s",
    async (link) => {
      const { status, headers, text } = await read(`${rig.verifyUrl}/${link}`, { ...browser, "accept-language": "it" });
      expect(status).toBe(404);
      expect(headers.get("content-type")).toBe("text/html; charset=utf-8");
      expect(headers.get("cache-control")).toBe("no-store");
      expect(text).toContain("Certificato non trovato");
      expect(text).not.toContain(link.length > 5 ? link : "impossible");
    },
  );
});

test("GET and HEAD requests for the page and HEAD requests for the image record no event", async () => {
  const { certificateId, url } = await issue(await createPageStore(rig));
  for (const method of ["GET", "HEAD"]) await fetch(url, { method, headers: browser });
  await fetch(`${url}/opened.gif`, { method: "HEAD", headers: browser });
  expect(await eventsOf(rig, certificateId)).toEqual([EventType.ISSUED]);
});
