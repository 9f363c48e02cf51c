import { EventType } from "#gen/events/v1/certificate_event_pb.js";
import { SecretRole } from "#gen/registry/v1/notifier_service_pb.js";
import { eventName } from "#shared/events/event-name.ts";
import { signatureHeaderNames, signaturePrefix } from "#shared/webhook/signature.ts";
import { time } from "./certificate-schemas.ts";
import { jsonContent } from "./error-replies.ts";
import { type JsonObject, reference } from "./json.ts";

interface EventText {
  readonly when: string;
  /** Whether format v1 has it. */
  readonly inV1: boolean;
}

const events = {
  [EventType.ISSUED]: { when: "A certificate was created, from an order, by hand or by import.", inV1: true },
  [EventType.VERIFIED]: { when: "The verification page was opened for the first time.", inV1: true },
  [EventType.TRANSFERRED]: { when: "Ownership moved to a new owner.", inV1: true },
  [EventType.REPORTED]: { when: "Someone reported a problem from the verification page.", inV1: true },
  [EventType.REVOKED]: { when: "A refund, a cancellation, or a revocation in the app.", inV1: false },
  [EventType.REACTIVATED]: { when: "A revoked certificate was made valid again.", inV1: false },
} as const satisfies Readonly<Record<Exclude<EventType, EventType.UNSPECIFIED>, EventText>>;

const all: readonly { readonly name: string; readonly text: EventText }[] = Object.entries(events).map(
  ([type, text]) => ({ name: eventName(Number(type)), text }),
);

const header = (name: string, description: string, schema: JsonObject, required = false): JsonObject => ({
  name,
  in: "header",
  required,
  description,
  schema,
});

const signatures: readonly (readonly [role: SecretRole, description: string])[] = [
  [
    SecretRole.ACTIVE,
    "`sha256=` and the lowercase hexadecimal HMAC-SHA256 of the raw body, keyed with the active signing secret. There when a secret is set. Compare in constant time, before parsing.",
  ],
  [
    SecretRole.NEXT,
    "While the secret is being replaced, before the switch: the same with the coming secret.",
  ],
  [
    SecretRole.PREVIOUS,
    "While the secret is being replaced, after the switch: the same with the former secret.",
  ],
];

const delivery = header(
  "X-Service-Delivery",
  "Names this delivery: `evt_…`; `agn_…` for an event that was sent again on request; `tst_…` for a test.",
  { type: "string", pattern: "^(evt|agn|tst)_[0-9a-z]{24}$" },
  true,
);

/** The headers of a message by their names, as the document's `components.parameters`. */
export const messageHeaders: JsonObject = {
  ...Object.fromEntries(
    signatures.map(([role, description]) => {
      const name = signatureHeaderNames[role] ?? "";
      return [
        name,
        header(name, description, { type: "string", pattern: `^${signaturePrefix}[0-9a-f]{64}$` }),
      ];
    }),
  ),
  "X-Service-Delivery": delivery,
};

function message(
  version: number,
  names: readonly string[],
  certificate: JsonObject,
  about: string,
): JsonObject {
  return {
    type: "object",
    description: about,
    properties: {
      version: { const: version, description: "Format version." },
      event: { type: "string", enum: names },
      shop: { type: "string", description: "The store's domain on the storefront platform." },
      occurredAt: time("When the event occurred."),
      certificate,
    },
    required: ["version", "event", "shop", "occurredAt", "certificate"],
    additionalProperties: false,
  };
}

const briefCertificate: JsonObject = {
  type: "object",
  properties: { id: { type: "string" }, serial: { type: "string", pattern: "^[0-9]{6,}$" } },
  required: ["id", "serial"],
  additionalProperties: false,
};

/** The bodies of messages (INTERFACE.md §4.2). */
export const messageSchemas: JsonObject = {
  MessageV2: message(
    2,
    all.map(({ name }) => name),
    reference("schemas", "Certificate"),
    "Format v2, with full details and all six events; the default.",
  ),
  MessageV1: message(
    1,
    all.filter(({ text }) => text.inV1).map(({ name }) => name),
    briefCertificate,
    "Format v1: four events, and of the certificate its id and serial number.",
  ),
};

function body({ name, text }: (typeof all)[number]): JsonObject {
  const event = { properties: { event: { const: name } } };
  const inFormat = (schema: string) => ({ allOf: [reference("schemas", schema), event] });
  const formats = text.inV1 ? ["MessageV2", "MessageV1"] : ["MessageV2"];
  return formats.length === 1 ? inFormat("MessageV2") : { oneOf: formats.map(inFormat) };
}

/** The document's `webhooks`: one entry for each event (INTERFACE.md §6). */
export const webhooks: JsonObject = Object.fromEntries(
  all.map((event) => [
    event.name,
    {
      post: {
        operationId: `on${event.name.charAt(0).toUpperCase()}${event.name.slice(1)}`,
        summary: event.text.when,
        description:
          "Sent once to the store's https URL and never retried: reply with any 2xx within 8 seconds, then work. Keep the certificate by its id, in place of any earlier copy; whoever was down catches up through the list.",
        security: [],
        parameters: Object.keys(messageHeaders).map((name) => reference("parameters", name)),
        requestBody: { required: true, content: jsonContent(body(event)) },
        responses: {
          "2XX": { description: "Received." },
          default: { description: "Not received: recorded so, and not sent again." },
        },
      },
    },
  ]),
);
