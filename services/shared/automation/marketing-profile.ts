import { z } from "zod";
import type { CertificateEvent } from "#gen/events/v1/certificate_event_pb.js";
import { canReceiveMail } from "../email/email-address.ts";
import { isTestId, occurredAt } from "../events/event-fields.ts";
import { eventName } from "../events/event-name.ts";

const certificateSchema = z.object({
  id: z.string(),
  serial: z.string(),
  status: z.string(),
  product: z.object({ title: z.string(), variant: z.string(), sku: z.string() }),
  edition: z.object({ formatted: z.string() }).nullable(),
  order: z.object({ name: z.string().nullable() }),
  owner: z.object({ name: z.string(), email: z.string() }),
  issuedAt: z.string(),
  expiresAt: z.string().nullable(),
  verifyUrl: z.string(),
});

/**
 * Renders an event as a marketing profile, the format in which mailing tools accept an event about a person: the
 * owner's e-mail address is the key, and `properties` are flat, so that a template can use the verification link
 * directly. The registry does not record marketing consent, so `consent.marketing` is always `unknown`.
 *
 * @returns undefined if the owner's address cannot receive mail
 * @throws Error if the event's certificate is not the JSON of a public certificate
 */
export function marketingProfile(event: CertificateEvent): Buffer | undefined {
  const json: unknown = JSON.parse(Buffer.from(event.certificateJson).toString());
  const { owner, product, edition, order, verifyUrl, ...certificate } = certificateSchema.parse(json);
  if (!canReceiveMail(owner.email)) return undefined;
  const profile = {
    email: owner.email,
    name: owner.name,
    event: `certificate_${eventName(event.type)}`,
    eventId: event.id,
    occurredAt: occurredAt(event).toISOString(),
    shop: event.shop,
    consent: { marketing: "unknown" },
    properties: {
      verify_url: verifyUrl,
      product_title: product.title,
      product_variant: product.variant,
      product_sku: product.sku,
      certificate_id: certificate.id,
      certificate_serial: certificate.serial,
      certificate_status: certificate.status,
      certificate_edition: edition?.formatted ?? null,
      order_name: order.name,
      issued_at: certificate.issuedAt,
      expires_at: certificate.expiresAt,
    },
    ...(isTestId(event.id) && { test: true }),
  };
  return Buffer.from(JSON.stringify(profile));
}
