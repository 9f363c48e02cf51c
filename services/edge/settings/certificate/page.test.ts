import { expect, test } from "vitest";
import { settingsServices } from "../../registry-client/settings-services.ts";
import { visitFixture } from "../visit-fixture.ts";
import { certificatePage } from "./page.ts";

async function render(status: "active" | "revoked" | "expired", email: string): Promise<string> {
  const owner = { name: "Ada", email };
  const certificate = {
    id: "crt_1",
    serial: "AB12",
    status,
    product: { id: "", title: "Poster", variant: "", sku: "" },
    edition: null,
    order: { id: null, name: null },
    owner,
    originalBuyer: owner,
    issuedAt: "2026-11-22T10:00:00Z",
    updatedAt: "2026-11-22T10:00:00Z",
    expiresAt: null,
    revokedAt: status === "revoked" ? "2026-11-23T10:00:00Z" : null,
    revokedReason: null,
    verifyUrl: "https://verify.example.test/abc",
  };
  const visit = visitFixture(
    ({ service }) => {
      service(settingsServices.inspection, { getCertificate: () => ({ certificate }), getHistory: () => ({}) });
    },
    { params: { certificate: certificate.id } },
  );
  const view = await certificatePage.show?.(visit);
  return String(view?.content);
}

test.each([
  ["active", "ada@example.test", true],
  ["expired", "ada@example.test", true],
  ["revoked", "ada@example.test", false],
  ["active", "erased@erased.invalid", false],
  ["active", "ada@example", false],
] as const)("an email to the owner of a certificate is offered: %s, %s: %s", async (status, email, isOffered) => {
  const page = await render(status, email);
  expect(page.includes('href="mailto:')).toBe(isOffered);
  expect(page).toContain('id="owner-link"');
});

test.each([
  ["ada+shop@example.test", "mailto:ada%2Bshop@example.test?subject="],
  ['"a@b"@example.test', "mailto:%22a%40b%22@example.test?subject="],
])("the email to the owner is addressed to %s as programs for e-mail read it", async (email, url) => {
  expect(await render("active", email)).toContain(`href="${url}`);
});
