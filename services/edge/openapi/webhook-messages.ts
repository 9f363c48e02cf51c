import { EventType } from "#gen/events/v1/certificate_event_pb.js";
import { SecretRole } from "#gen/registry/v1/notifier_service_pb.js";
import { eventName } from "#shared/events/event-name.ts";
import { v1Events } from "#shared/events/v1-events.ts";
import { signatureHeaderNames, signaturePrefix } from "#shared/webhook/signature.ts";
import { certificateSummary, exampleCertificate } from "./certificate-schemas.ts";
import { jsonContent } from "./error-responses.ts";
import recordedExamples from "./recorded-examples.json" with { type: "json" };
import { component, type Json, type JsonObject, objectSchema, reference, type Schema, text, time } from "./schema.ts";

const descriptions = {
  [EventType.ISSUED]: "A certificate was issued for an order, by hand, or by an import.",
  [EventType.VERIFIED]: "The verification page was opened for the first time.",
  [EventType.TRANSFERRED]: "A certificate was transferred to a new owner.",
  [EventType.REPORTED]: "A problem was reported from the verification page.",
  [EventType.REVOKED]: "A certificate was revoked because of a refund or an order cancellation, or by the store.",
  [EventType.REACTIVATED]: "A revoked certificate was made valid again.",
} as const satisfies Readonly<Record<Exclude<EventType, EventType.UNSPECIFIED>, string>>;

const allEvents = Object.entries(descriptions).map(([type, when]) => ({
  name: eventName(Number(type)),
  when,
  inV1: v1Events.includes(Number(type)),
  canBeTest: Number(type) === EventType.ISSUED,
}));

// Only a test message, whose event is `issued`, has this header.
const testHeader = "X-Service-Test";

const header = (name: string, description: string, pattern: string, required: boolean): JsonObject => ({
  name,
  in: "header",
  required,
  description,
  schema: { type: "string", pattern },
});

const signatures: readonly (readonly [role: SecretRole, description: string])[] = [
  [
    SecretRole.ACTIVE,
    "`sha256=` followed by the lowercase hexadecimal HMAC-SHA256 of the raw request body, keyed with the active signing secret exactly as displayed, including its prefix and without decoding it. Present if the store has a signing secret. Verify the signature in constant time before you parse the body.",
  ],
  [SecretRole.NEXT, "During a secret rotation, before the switch: the signature created with the next signing secret."],
  [
    SecretRole.PREVIOUS,
    "During a secret rotation, after the switch: the signature created with the previous signing secret.",
  ],
];

/** The headers of a message by name, as members of `components.parameters`. */
export const messageHeaders: JsonObject = {
  ...Object.fromEntries(
    signatures.map(([role, description]) => {
      const name = signatureHeaderNames[role] ?? "";
      return [name, header(name, description, `^${signaturePrefix}[0-9a-f]{64}$`, false)];
    }),
  ),
  "X-Service-Delivery": header(
    "X-Service-Delivery",
    "Identifies the delivery: `evt_…` for an event, `agn_…` for a redelivery requested by an operator or the merchant, `tst_…` for a test message.",
    "^(evt|agn|tst)_[0-9a-z]{24}$",
    true,
  ),
  [testHeader]: header(
    testHeader,
    "`true` in test messages; absent from all other messages. The signature does not cover headers, so identify a test message by its certificate's id, which begins with `smp_`.",
    "^true$",
    false,
  ),
};

function message(version: number, event: Schema, certificate: Schema, description: string): JsonObject {
  return objectSchema(description, {
    version: { const: version, description: "The format version.", examples: [version] },
    event,
    shop: text("The store's domain on the storefront platform.", "linden-press.example"),
    occurredAt: time("The time of the event.", "2026-04-05T06:07:08.009Z"),
    certificate,
  });
}

/** The schemas of message bodies (INTERFACE.md §4.2), as members of `components.schemas`. */
export const messageSchemas: JsonObject = {
  MessageV2: message(
    2,
    // Not an enum: later releases may add events.
    text(`The event: ${allEvents.map(({ name }) => `\`${name}\``).join(", ")}.`, "transferred", {
      pattern: "^[a-z_]+$",
    }),
    component("Certificate", exampleCertificate),
    "Format v2 (default): all events, with the full certificate in its new state.",
  ),
  MessageV1: message(
    1,
    text("The event.", "transferred", { enum: allEvents.filter(({ inV1 }) => inV1).map(({ name }) => name) }),
    certificateSummary,
    "Format v1: four events, with the certificate's id and serial number.",
  ),
};

function bodySchema({ name, inV1 }: (typeof allEvents)[number]): JsonObject {
  const event = { properties: { event: { const: name } } };
  const inFormat = (schema: string) => ({ allOf: [reference("schemas", schema), event] });
  return inV1 ? { oneOf: ["MessageV2", "MessageV1"].map(inFormat) } : inFormat("MessageV2");
}

const v1Examples: Readonly<Record<string, Json>> = recordedExamples.v1;
const v2Examples: Readonly<Record<string, Json>> = recordedExamples.v2;

/** Returns the recorded messages of an event as Example Objects by name. */
function examplesOf({ name, canBeTest }: (typeof allEvents)[number]): JsonObject {
  const { redelivery, test } = recordedExamples;
  const examples = [
    ["v2", "Format v2", v2Examples[name]],
    ["v1", "Format v1", v1Examples[name]],
    ["redelivery", "Redelivery of this event after a reactivation", redelivery.event === name ? redelivery : undefined],
    ["test", "Test message", canBeTest ? test : undefined],
  ] as const;
  return Object.fromEntries(
    examples.flatMap(([key, summary, value]) => (value === undefined ? [] : [[key, { summary, value }]])),
  );
}

const delivery =
  "Each message is sent at most once and is never retried automatically. Respond with a 2xx status within 8 seconds and process the message afterwards. Store the certificate by its id, unless your copy has the same or a later `updatedAt`. After downtime, catch up by reading the list with `updated_since`.";

const redelivery =
  "**Redelivery.** A redelivery (`agn_…`) repeats `event` and `occurredAt` of the original message, but contains the certificate in its current state. For example, a redelivered `revoked` can contain a certificate that is active again. Store the certificate, but do not repeat side effects such as an email.";

const testMessage =
  "**Test message.** A test message has the event `issued`, the header `X-Service-Test: true`, and a sample as its certificate: the id begins with `smp_…`. Respond with a 2xx status and store nothing.";

/** The document's `webhooks`: one entry per event (INTERFACE.md §6). */
export const webhooks: JsonObject = Object.fromEntries(
  allEvents.map((event) => [
    event.name,
    {
      post: {
        operationId: `on${event.name.charAt(0).toUpperCase()}${event.name.slice(1)}`,
        summary: event.when,
        description: [delivery, redelivery, ...(event.canBeTest ? [testMessage] : [])].join("\n\n"),
        security: [],
        parameters: Object.keys(messageHeaders)
          .filter((name) => event.canBeTest || name !== testHeader)
          .map((name) => reference("parameters", name)),
        requestBody: { required: true, content: jsonContent(bodySchema(event), examplesOf(event)) },
        responses: {
          "2XX": { description: "The message was received." },
          default: {
            description: "The delivery failed. The failure is recorded; the message is not retried.",
          },
        },
      },
    },
  ]),
);
