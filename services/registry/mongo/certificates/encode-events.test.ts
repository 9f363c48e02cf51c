import { expect, test } from "vitest";
import { EventType } from "#gen/events/v1/certificate_event_pb.js";
import { type TextLimits, textLimits } from "#shared/text/text-limits.ts";
import { certificateFixture, draftFixture } from "../../certificates/draft-fixture.ts";
import { parseSettings } from "../../stores/settings.ts";
import { encodeEvents } from "./encode-events.ts";

// Euro signs: no character has more UTF-8 bytes per UTF-16 code unit, and JSON does not escape them.
const widest = ({ max }: TextLimits) => "\u20ac".repeat(max);
const ascii = ({ max }: TextLimits) => "x".repeat(max);

test("an event with every text field at its limit is smaller than 16 KiB, a sixty-fourth of NATS's default max_payload", () => {
  const product = {
    id: widest(textLimits.productId),
    title: widest(textLimits.productTitle),
    variant: widest(textLimits.productVariant),
    sku: widest(textLimits.sku),
  };
  const person = { name: widest(textLimits.personName), email: widest(textLimits.email) };
  const base = "https://shop.example.test/";
  const verifyBaseUrl = base + "x".repeat(textLimits.url.max - base.length);
  const parsed = parseSettings({
    editionStyle: "no_of",
    verifyBaseUrl,
    language: "en",
    displayName: widest(textLimits.displayName),
    ownerDisplay: "name",
  });
  // The limit is longer than the language tags that parseSettings accepts.
  const settings = { ...parsed, language: ascii(textLimits.language) };
  const draft = draftFixture({
    store: { id: `sto_${"x".repeat(24)}`, shop: ascii(textLimits.shop), settings, hasWebhook: true },
    settings: { ...settings, verifyBaseUrl: settings.verifyBaseUrl ?? "" },
  });
  const certificate = {
    ...certificateFixture,
    id: `crt_${"x".repeat(24)}`,
    serial: Number.MAX_SAFE_INTEGER,
    product,
    edition: { number: 4_294_967_295, total: 4_294_967_295 },
    order: { id: ascii(textLimits.orderId), name: widest(textLimits.orderName) },
    owner: person,
    originalBuyer: person,
    revokedReason: widest(textLimits.revokedReason),
  };
  draft.update({ ...certificate, updatedAt: draft.nextTimestamp() }, EventType.REVOKED, { cause: "refund", actor: "" });
  const requestedBy = widest(textLimits.actor);
  draft.send({ id: "agn_1", type: EventType.REVOKED, occurredAt: draft.now, certificate, requestedBy });
  const sizes = encodeEvents(draft, { maxEventBytes: 65_536, epoch: "123456789012" }).map(({ document }) =>
    document.event.length(),
  );
  expect(sizes).toHaveLength(2);
  for (const size of sizes) expect(size).toBeLessThan(16_384);
});
