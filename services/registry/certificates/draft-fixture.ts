import { settingsFixture } from "../values/store-settings-fixture.ts";
import type { Certificate } from "./certificate.ts";
import { StoreDraft, type StoreState } from "./store-draft.ts";

/** Test fixture: an active certificate with an issue key and no expiry. */
export const certificateFixture: Certificate = {
  id: "crt_1",
  linkToken: "0123456789abcdefghjkmnpqrs",
  storeId: "sto_1",
  serial: 1,
  status: "active",
  product: { id: "p1", title: "Alpine Jacket", variant: "M", sku: "AJ-M" },
  edition: null,
  order: null,
  owner: { name: "Ada", email: "ada@example.test" },
  originalBuyer: { name: "Ada", email: "ada@example.test" },
  issuedAt: new Date(0),
  updatedAt: new Date(0),
  expiresAt: null,
  revokedAt: null,
  revokedReason: null,
  verifiedAt: null,
  issueKey: "1/1/1",
  wasWithdrawn: false,
};

/** Test fixture: a draft for a store whose last serial number is 7, with the timestamps 1 and 2 reserved. */
export function draftFixture(changes: Partial<StoreState> = {}): StoreDraft {
  return new StoreDraft({
    store: {
      id: "sto_1",
      shop: "shop.example.test",
      settings: settingsFixture,
      hasWebhook: false,
    },
    settings: { editionStyle: "number_total", verifyBaseUrl: "https://verify.example.test", language: "en" },
    now: new Date(2),
    certificates: new Map(),
    answers: new Map(),
    lastSerial: 7,
    erasures: 0,
    timestamps: [new Date(1), new Date(2)],
    issued: new Map(),
    products: new Map(),
    seriesIssued: new Map(),
    storefront: { rulesVersion: 0, orderVersions: new Map(), tags: new Map() },
    resentAs: new Map(),
    waitingCount: 0,
    ...changes,
  });
}
