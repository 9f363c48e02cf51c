import { type Certificate, statusAt } from "./certificate.ts";
import { type EditionStyle, formatEdition } from "./edition.ts";
import { formatSerial } from "./serial.ts";

/** The settings of a store that show in its certificates. */
export interface RenderSettings {
  readonly editionStyle: EditionStyle;
  /** The address under which the store's verification pages stand, without a trailing slash. */
  readonly verifyBaseUrl: string;
  /** The language of the verification pages, an RFC 5646 tag. */
  readonly language: string;
}

/**
 * A certificate's public JSON: these members, in this order, no others (INTERFACE.md §2.1). It is rendered
 * here alone; the list and the webhooks carry these bytes.
 *
 * @param now decides between `active` and `expired`
 */
export function renderCertificate(certificate: Certificate, settings: RenderSettings, now: Date): Buffer {
  const { product, edition, order, owner, originalBuyer } = certificate;
  return Buffer.from(
    JSON.stringify({
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
      issuedAt: certificate.issuedAt,
      updatedAt: certificate.updatedAt,
      expiresAt: certificate.expiresAt,
      revokedAt: certificate.revokedAt,
      revokedReason: certificate.revokedReason,
      verifyUrl: verifyUrl(certificate.id, settings),
    }),
  );
}

/** The public verification page of a certificate. */
export function verifyUrl(certificateId: string, settings: RenderSettings): string {
  return `${settings.verifyBaseUrl}/${certificateId}?lang=${encodeURIComponent(settings.language)}`;
}
