import type { PublicCertificate } from "#shared/certificates/public-certificate.ts";
import { textLimits } from "#shared/text/text-limits.ts";
import recordedExamples from "./recorded-examples.json" with { type: "json" };
import {
  component,
  count,
  type Json,
  type JsonObject,
  objectSchema,
  orNull,
  type Schema,
  text,
  time,
} from "./schema.ts";

// The limits count UTF-16 code units, but `maxLength` counts code points. A string never has more code points than code
// units, so `maxLength` rejects no string that the limits allow.
const lengthOf = (text: keyof typeof textLimits) => ({ maxLength: textLimits[text].max });

const product = objectSchema("The product as it was when the certificate was issued.", {
  id: text("The product ID on the storefront platform; empty if unknown.", "7001", lengthOf("productId")),
  title: text("The product title.", "Alpine Jacket", lengthOf("productTitle")),
  variant: text("The variant, such as size and colour; may be empty.", "M / Blue", lengthOf("productVariant")),
  sku: text("The stock-keeping unit; may be empty.", "AJ-M-B", lengthOf("sku")),
});

const edition = objectSchema("The edition; null for a certificate without an edition.", {
  number: count("The edition number of this certificate.", 7),
  total: count("The edition size.", 50),
  formatted: text("The edition number and size in the style chosen in the store's settings.", "7/50"),
});

const order = objectSchema("The order. Both members are null for certificates issued without an order.", {
  id: orNull(text("The order ID on the storefront platform.", "4500001", lengthOf("orderId"))),
  name: orNull(text("The order name, which begins with `#`.", "#1001", lengthOf("orderName"))),
});

const person = objectSchema("A person.", {
  name: text("The person's name.", "Ada Example", lengthOf("personName")),
  email: text("The person's email address.", "ada@example.com", lengthOf("email")),
});

const id = text("The stable, unique identifier. Store the certificate under this key.", "crt_8k2m4n6p8q0r2s4t6v8w0x2y");
const serial = text("The number printed on the certificate, zero-padded to at least six digits.", "000042", {
  pattern: "^[0-9]{6,}$",
});

const certificate = objectSchema("A certificate. The list and webhook messages in format v2 use the same JSON.", {
  id,
  serial,
  status: text("The current state. Only an active certificate expires.", "active", {
    enum: ["active", "revoked", "expired"],
  }),
  product: component("Product", product.examples[0]),
  edition: orNull(edition),
  order: component("Order", order.examples[0]),
  owner: component("Person", { name: "Ben Example", email: "ben@example.com" }),
  originalBuyer: component("Person", person.examples[0]),
  issuedAt: time("The time of issue."),
  updatedAt: time(
    "The time of the last change. It is unique within the store and determines the order of the list.",
    "2026-04-05T06:07:08.009Z",
  ),
  expiresAt: orNull(
    time("The time at which the certificate expires; null if it never expires.", "2031-03-01T12:00:00.000Z"),
  ),
  revokedAt: orNull(time("The time of the revocation; null unless the certificate is revoked."), null),
  revokedReason: orNull(
    text(
      "The reason for the revocation, such as `Refund`; null unless the certificate is revoked.",
      "Refund",
      lengthOf("revokedReason"),
    ),
    null,
  ),
  verifyUrl: text("URL of the public verification page.", "https://verify.example/5x1q8d0m2k7v9c3h6t4n0b8r2p?lang=en", {
    format: "uri",
  }),
} satisfies Record<keyof PublicCertificate, Schema>);

/** The example certificate, composed of the examples in its schema. */
export const exampleCertificate: Json = certificate.examples[0];

/** The schema of the certificate in a v1 message: only its id and serial number. */
export const certificateSummary = objectSchema("The certificate's id and serial number.", { id, serial });

/** The schemas of the certificate, its parts and the list page (INTERFACE.md §2.1 to §2.6). */
export const certificateSchemas: JsonObject = {
  Certificate: certificate,
  Product: product,
  Order: order,
  Person: person,
  CertificatePage: objectSchema("One page of the list.", {
    certificates: {
      type: "array",
      items: component("Certificate", exampleCertificate),
      description: "The certificates, ordered by `updatedAt`, oldest first.",
      examples: [[exampleCertificate]],
    },
    next_cursor: orNull(
      text(
        "The cursor of the next page: send it as `cursor`. Null on the last page.",
        recordedExamples.page.next_cursor,
      ),
    ),
  }),
};
