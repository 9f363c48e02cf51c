import { readFileSync } from "node:fs";
import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { describe, expect, test } from "vitest";
import { type CertificateEvent, CertificateEventSchema, EventType } from "#gen/events/v1/certificate_event_pb.js";
import { eventName, eventTypes } from "../events/event-name.ts";
import { cloudEvent } from "./cloud-event.ts";
import { marketingProfile } from "./marketing-profile.ts";

const at = new Date("2026-11-22T10:00:00.123Z");
const person = { name: "Zoë", email: "zoe@example.test" };
const certificate = {
  id: "crt_1",
  serial: "000001",
  status: "active",
  product: { id: "7", title: 'A "print" 🎨', variant: "A2", sku: "LP" },
  edition: { number: 1, total: 50, formatted: "1/50" },
  order: { id: null, name: null },
  owner: person,
  originalBuyer: { name: "Bob", email: "bob@example.test" },
  issuedAt: at.toISOString(),
  updatedAt: at.toISOString(),
  expiresAt: null,
  revokedAt: null,
  revokedReason: null,
  verifyUrl: "https://verify.example.test/c/t?lang=en",
};

function event(change: { readonly id?: string; readonly type?: EventType } = {}, json: object = certificate) {
  return create(CertificateEventSchema, {
    id: "evt_1",
    storeId: "sto_1",
    shop: "linden.example",
    type: EventType.ISSUED,
    certificateId: "crt_1",
    occurredAt: timestampFromDate(at),
    certificateJson: Buffer.from(JSON.stringify(json)),
    ...change,
  });
}

const schema = JSON.parse(
  readFileSync(new URL("../../../deploy/automation/certificate-event.schema.json", import.meta.url), "utf8"),
);
const ajv = new Ajv2020({ allErrors: true, strict: true, allowUnionTypes: true });
addFormats.default(ajv);
const validate = ajv.compile(schema);
const parsed = (one: CertificateEvent) => JSON.parse(cloudEvent(one).toString());

describe("cloudEvent", () => {
  test("renders the attributes and embeds the certificate", () => {
    const time = at.toISOString();
    expect(parsed(event())).toEqual({
      specversion: "1.0",
      id: "evt_1",
      source: "https://linden.example",
      subject: "crt_1",
      time,
      type: "certificate-registry.certificate.issued",
      datacontenttype: "application/json",
      data: { event: "issued", shop: "linden.example", occurredAt: time, certificate },
    });
  });

  test.each(Object.values(EventType).filter((type) => typeof type === "number" && type !== 0))(
    "matches the published schema for the event type %i",
    (type) => {
      validate(parsed(event({ type: Number(type) })));
      expect(validate.errors).toBeNull();
    },
  );

  test("adds the attribute test to a test event", () => {
    const sent = parsed(event({ id: "tst_1" }));
    expect(sent.test).toBe(true);
    expect(validate(sent)).toBe(true);
  });

  test("uses exactly the types that the published schema lists", () => {
    const types = eventTypes.map((type) => `certificate-registry.certificate.${eventName(type)}`);
    expect(schema.properties.type.enum).toEqual(types);
  });

  test.each([
    ["another version of CloudEvents", { specversion: "0.3" }],
    ["an empty certificate", { data: { event: "issued", shop: "a", occurredAt: at.toISOString(), certificate: {} } }],
  ])("has a published schema that rejects %s", (_name, change) => {
    expect(validate({ ...parsed(event()), ...change })).toBe(false);
  });
});

describe("marketingProfile", () => {
  const profileOf = (one: CertificateEvent) => JSON.parse(String(marketingProfile(one)));

  test("returns a profile keyed by the owner's e-mail address, with the verification link in flat properties", () => {
    expect(profileOf(event({ type: EventType.TRANSFERRED }))).toEqual({
      email: person.email,
      name: person.name,
      event: "certificate_transferred",
      eventId: "evt_1",
      occurredAt: at.toISOString(),
      shop: "linden.example",
      consent: { marketing: "unknown" },
      properties: {
        verify_url: certificate.verifyUrl,
        product_title: certificate.product.title,
        product_variant: "A2",
        product_sku: "LP",
        certificate_id: "crt_1",
        certificate_serial: "000001",
        certificate_status: "active",
        certificate_edition: "1/50",
        order_name: null,
        issued_at: at.toISOString(),
        expires_at: null,
      },
    });
  });

  test.each(["erased@erased.invalid", "erased@erased.INVALID", "zoe@example"])(
    "returns undefined for an owner who cannot receive mail: %s",
    (email) => {
      const owner = { name: "Erased person", email };
      expect(marketingProfile(event({}, { ...certificate, owner }))).toBeUndefined();
    },
  );
});
