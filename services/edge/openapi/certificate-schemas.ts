import { exampleCertificate } from "./example-certificate.ts";
import { type JsonObject, reference } from "./json.ts";

/** What is always there, and nothing else. */
function closedObject(properties: JsonObject, description: string): JsonObject {
  const required = Object.keys(properties);
  return { type: "object", description, properties, required, additionalProperties: false };
}

const text = (description: string): JsonObject => ({ type: "string", description });
const textOrNull = (description: string): JsonObject => ({ type: ["string", "null"], description });
const count = (description: string): JsonObject => ({ type: "integer", minimum: 1, description });

// What `Date.prototype.toISOString` writes: always UTC, always three decimals.
const timePattern = "^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\\.[0-9]{3}Z$";

/** A time as every reply and message writes it: UTC, with milliseconds. */
export function time(description: string): JsonObject {
  return { type: "string", format: "date-time", pattern: timePattern, description };
}

const timeOrNull = (description: string): JsonObject => ({ ...time(description), type: ["string", "null"] });

const edition = {
  ...closedObject(
    {
      number: count("Edition number of this certificate."),
      total: count("Edition size."),
      formatted: text("Number and size in the style that the store chose, such as `7/50`."),
    },
    "Null when editions are switched off.",
  ),
  type: ["object", "null"],
};

/** The certificate and what it is made of (INTERFACE.md §2.1 to §2.6). */
export const certificateSchemas: JsonObject = {
  Certificate: {
    ...closedObject(
      {
        id: text("Stable unique identifier: the key under which to store the certificate."),
        serial: {
          type: "string",
          pattern: "^[0-9]{6,}$",
          description: "The number printed on the certificate, padded with zeros to at least six digits.",
        },
        status: {
          type: "string",
          enum: ["active", "revoked", "expired"],
          description: "Current state. Only an active certificate expires.",
        },
        product: reference("schemas", "Product"),
        edition,
        order: reference("schemas", "Order"),
        owner: reference("schemas", "Person"),
        originalBuyer: reference("schemas", "Person"),
        issuedAt: time("When the certificate was issued."),
        updatedAt: time(
          "When anything about it last changed: unique within the store, and the list's order.",
        ),
        expiresAt: timeOrNull("Valid until this time; null if it never expires."),
        revokedAt: timeOrNull("Set while the certificate is revoked."),
        revokedReason: textOrNull("Set while the certificate is revoked, such as a refund."),
        verifyUrl: { type: "string", format: "uri", description: "Public verification page." },
      },
      "The same object in the list and in webhook messages, byte for byte.",
    ),
    examples: [exampleCertificate],
  },
  Product: closedObject(
    {
      id: text("Product ID on the storefront platform; empty where it is not known."),
      title: text("Product title."),
      variant: text("Variant, such as size and colour; may be empty."),
      sku: text("Stock-keeping unit; may be empty."),
    },
    "Product data as it was when the certificate was issued.",
  ),
  Order: closedObject(
    {
      id: textOrNull("Order ID on the storefront platform."),
      name: textOrNull("Order name; begins with `#`."),
    },
    "Order reference. Both are null for certificates issued by hand.",
  ),
  Person: closedObject({ name: text("Name."), email: text("E-mail address.") }, "A person."),
  CertificatePage: closedObject(
    {
      certificates: {
        type: "array",
        items: reference("schemas", "Certificate"),
        description: "One page, ordered by `updatedAt`, oldest first.",
      },
      next_cursor: textOrNull("Send it as `cursor` for the next page; null when there are no further pages."),
    },
    "One page of the list.",
  ),
};
