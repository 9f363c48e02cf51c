import type { PublicCertificate } from "#shared/certificates/public-certificate.ts";
import { formatEdition } from "../values/edition.ts";
import type { RenderSettings } from "../values/store.ts";
import { type Certificate, statusAt } from "./certificate.ts";
import { formatSerial } from "./serial.ts";

/**
 * Renders a certificate's public JSON: exactly these members, in this order (INTERFACE.md §2.1). No other code renders
 * it; the list and the webhooks embed these bytes.
 *
 * @param now the time that determines whether the status is `active` or `expired`
 */
export function renderCertificate(certificate: Certificate, settings: RenderSettings, now: Date): Buffer {
  const { product, edition, order, owner, originalBuyer } = certificate;
  const json: PublicCertificate = {
    id: certificate.id,
    serial: formatSerial(certificate.serial),
    status: statusAt(certificate, now),
    product: { id: product.id, title: product.title, variant: product.variant, sku: product.sku },
    edition: edition && {
      number: edition.number,
      total: edition.total,
      formatted: formatEdition(edition, settings.editionStyle),
    },
    order: { id: order?.id ?? null, name: order?.name ?? null },
    owner: { name: owner.name, email: owner.email },
    originalBuyer: { name: originalBuyer.name, email: originalBuyer.email },
    issuedAt: certificate.issuedAt.toISOString(),
    updatedAt: certificate.updatedAt.toISOString(),
    expiresAt: certificate.expiresAt?.toISOString() ?? null,
    revokedAt: certificate.revokedAt?.toISOString() ?? null,
    revokedReason: certificate.revokedReason,
    verifyUrl: verifyUrl(certificate.id, settings),
  };
  return Buffer.from(JSON.stringify(json));
}

/** Returns the URL of a certificate's public verification page. */
export function verifyUrl(certificateId: string, settings: RenderSettings): string {
  return `${settings.verifyBaseUrl}/${certificateId}?lang=${encodeURIComponent(settings.language)}`;
}
