import { createRouterTransport } from "@connectrpc/connect";
import { expect, test } from "vitest";
import { createClients } from "#shared/rpc/create-clients.ts";
import { settingsServices } from "../../registry-client/settings-services.ts";
import { certificatePage } from "./page.ts";

/** Renders the page of a certificate. */
async function render(status: "active" | "revoked" | "expired", email: string): Promise<string> {
  const owner = { name: "Ada", email };
  const certificate = {
    id: "crt_1",
    serial: "AB12",
    status,
    product: { id: "", title: "Poster", variant: "", sku: "" },
    edition: null,
    order: { name: null },
    owner,
    originalBuyer: owner,
    issuedAt: "2026-11-22T10:00:00Z",
    updatedAt: "2026-11-22T10:00:00Z",
    expiresAt: null,
    revokedAt: status === "revoked" ? "2026-11-23T10:00:00Z" : null,
    revokedReason: null,
    verifyUrl: "https://verify.example.test/abc",
  };
  const transport = createRouterTransport(({ service }) => {
    service(settingsServices.inspection, { getCertificate: () => ({ certificate }), getHistory: () => ({}) });
  });
  const view = await certificatePage.show?.({
    language: "en",
    now: new Date("2026-11-24T10:00:00Z"),
    params: { certificate: certificate.id },
    query: new URLSearchParams(),
    formToken: "",
    session: { shop: "shop.example.test", storeName: "Shop", storeLanguage: "en", actor: "Ada" },
    registry: createClients(settingsServices, transport),
  });
  return String(view?.content);
}

test.each([
  ["active", "ada@example.test", true],
  ["expired", "ada@example.test", true],
  ["revoked", "ada@example.test", false],
  ["active", "erased@erased.invalid", false],
] as const)("an email to the owner of a certificate is offered: %s, %s: %s", async (status, email, isOffered) => {
  const page = await render(status, email);
  expect(page.includes('href="mailto:')).toBe(isOffered);
  expect(page).toContain('id="owner-link"');
});
