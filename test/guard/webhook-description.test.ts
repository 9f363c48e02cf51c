import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { expect, test } from "vitest";
import { CertificateEventSchema, EventType } from "#gen/events/v1/certificate_event_pb.js";
import { SecretRole, SigningSecretSchema, WebhookFormat } from "#gen/registry/v1/notifier_service_pb.js";
import { eventName } from "#shared/events/event-name.ts";
import { buildMessageBody } from "#shared/webhook/message-body.ts";
import { signatureHeaders } from "#shared/webhook/message-headers.ts";
import { exampleCertificate } from "../../services/edge/openapi/certificate-schemas.ts";
import { messageHeaders } from "../../services/edge/openapi/webhook-messages.ts";
import { requestHead } from "../../services/notifier/webhook/request-head.ts";
import type { Certificate } from "../../services/registry/certificates/certificate.ts";
import { renderCertificate } from "../../services/registry/certificates/public-json.ts";
import { newId } from "../../services/registry/values/identifiers.ts";
import { expectValid, objectAt, schemaAt } from "../harness/api-document.ts";

const now = new Date("2026-07-01T08:09:10.020Z");
const person = { name: "Ada Example", email: "ada@example.test" };
const settings = {
  editionStyle: "number_total",
  verifyBaseUrl: "https://verify.example",
  language: "en",
} as const;

const byHand: Certificate = {
  id: "crt_1",
  linkToken: "0123456789abcdefghjkmnpqrs",
  storeId: "sto_1",
  serial: 42,
  status: "active",
  product: { id: "", title: "Poster", variant: "", sku: "" },
  edition: null,
  order: null,
  owner: person,
  originalBuyer: person,
  issuedAt: now,
  updatedAt: now,
  expiresAt: null,
  revokedAt: null,
  revokedReason: null,
  verifiedAt: null,
  issueKey: null,
  wasWithdrawn: false,
};
const revoked: Certificate = {
  ...byHand,
  status: "revoked",
  edition: { number: 7, total: 50 },
  order: { id: "1", name: "#1" },
  expiresAt: now,
  revokedAt: now,
  revokedReason: "Refund",
};

const types = Object.values(EventType).filter(
  (type): type is EventType => typeof type === "number" && type !== EventType.UNSPECIFIED,
);
const bodyOf = (name: string) => ["webhooks", name, "post", "requestBody", "content", "application/json", "schema"];

function message(type: EventType, certificate: Certificate, format: WebhookFormat): unknown {
  const event = create(CertificateEventSchema, {
    id: newId("evt"),
    shop: "shop.example",
    type,
    occurredAt: timestampFromDate(now),
    certificateId: certificate.id,
    serial: "000042",
    certificateJson: renderCertificate(certificate, settings, now),
  });
  const body = buildMessageBody(event, format);
  return body === undefined ? undefined : JSON.parse(body.toString());
}

test("the OpenAPI document describes one webhook per event type", () => {
  expect(Object.keys(objectAt(["webhooks"])).sort()).toEqual(types.map(eventName).sort());
});

test.each(types.map((type) => [eventName(type), type] as const))(
  "messages about %s match this event's schema in the OpenAPI document in each format, but not another event's schema",
  (name, type) => {
    const other = bodyOf(name === "issued" ? "verified" : "issued");
    for (const certificate of [byHand, revoked]) {
      for (const format of [WebhookFormat.V1, WebhookFormat.V2]) {
        const body = message(type, certificate, format);
        if (body === undefined) continue;
        expectValid(bodyOf(name), body);
        expect(schemaAt(other)(body)).toBe(false);
      }
    }
    const v1 = { version: 1, event: name, shop: "a", occurredAt: now.toISOString() };
    const hasV1 = schemaAt(bodyOf(name))({ ...v1, certificate: { id: "crt_1", serial: "000042" } });
    expect(hasV1).toBe(message(type, byHand, WebhookFormat.V1) !== undefined);
  },
);

test.each([
  { of: "an event", id: "evt", role: SecretRole.NEXT, headerCount: 3 },
  { of: "a redelivery", id: "agn", role: SecretRole.PREVIOUS, headerCount: 3 },
  { of: "a test message", id: "tst", role: SecretRole.NEXT, headerCount: 4 },
] as const)("the headers of $of match the OpenAPI document during a secret rotation", ({ id, role, headerCount }) => {
  const secret = Buffer.from("secret");
  const body = Buffer.from("{}");
  const otherSecret = create(SigningSecretSchema, { role, secret });
  const head = requestHead({
    url: new URL("https://receiver.example/hook"),
    bodyBytes: body.byteLength,
    deliveryId: newId(id),
    signatures: signatureHeaders({ secret, otherSecret }, body),
  });
  const sent = new Map(
    [...head.toString().matchAll(/^(X-Service-[\w-]+): (.*)\r$/gm)].map(([, name = "", value = ""]) => [name, value]),
  );
  expect(sent.size).toBe(headerCount);
  for (const [name, value] of sent) expectValid(["components", "parameters", name, "schema"], value);
  const required = Object.entries(messageHeaders).filter(([, header]) => Object(header).required);
  expect([...sent.keys()]).toEqual(expect.arrayContaining(required.map(([name]) => name)));
});

test.each(types.map(eventName))("the OpenAPI document describes the content of a redelivery of %s", (name) => {
  const { description } = objectAt(["webhooks", name, "post"]);
  expect(description).toMatch(/redelivery \(`agn_…`\).*`event` and `occurredAt` of the original.*current state/);
});

test.each(types.map(eventName))("the OpenAPI document describes test messages only under issued (case: %s)", (name) => {
  const { description } = objectAt(["webhooks", name, "post"]);
  if (name === "issued") expect(description).toMatch(/test message .*`X-Service-Test: true`.*sample.*`smp_…`/);
  else expect(description).not.toMatch(/test message/);
});

test("the example certificate in the OpenAPI document has exactly the members that the registry renders", () => {
  expectValid(["components", "schemas", "Certificate"], exampleCertificate);
  const rendered = JSON.parse(renderCertificate(revoked, settings, now).toString());
  expect(Object.keys(Object(exampleCertificate))).toEqual(Object.keys(rendered));
});
