import { type EditionNumber, formatEdition } from "#shared/certificates/edition.ts";
import type { PublicCertificate } from "#shared/certificates/public-certificate.ts";
import type { RenderSettings } from "../values/store.ts";
import { type Certificate, statusAt } from "./certificate.ts";
import { formatSerial } from "./serial.ts";

/**
 * The parts of a certificate's public JSON around three values that can change although the certificate itself does
 * not: the status, which follows the first part; the formatted edition number, if any, after the second; and the link,
 * composed of the link token and its {@link linkAffixes}, after the third.
 */
export type JsonParts = readonly [beforeStatus: string, beforeEdition: string, beforeLink: string];

/**
 * The version of {@link renderParts}, stored with its result. Increase it with every change of the result: during an
 * upgrade, each release then renders what the other has stored, so that its list and its messages agree.
 */
export const rendererVersion = 1;

/**
 * Renders the parts of a certificate's public JSON that depend only on the certificate. INTERFACE.md §2.1 specifies the
 * members and their order. No other code renders these parts; they are stored with the certificate.
 */
export function renderParts(certificate: Certificate): JsonParts {
  const { product, edition, order, owner, originalBuyer } = certificate;
  const identity: Pick<PublicCertificate, "id" | "serial"> = {
    id: certificate.id,
    serial: formatSerial(certificate.serial),
  };
  const snapshot: PublicCertificate["product"] = {
    id: product.id,
    title: product.title,
    variant: product.variant,
    sku: product.sku,
  };
  const rest: Omit<PublicCertificate, "id" | "serial" | "status" | "product" | "edition" | "verifyUrl"> = {
    order: { id: order?.id ?? null, name: order?.name ?? null },
    owner: { name: owner.name, email: owner.email },
    originalBuyer: { name: originalBuyer.name, email: originalBuyer.email },
    issuedAt: certificate.issuedAt.toISOString(),
    updatedAt: certificate.updatedAt.toISOString(),
    expiresAt: certificate.expiresAt?.toISOString() ?? null,
    revokedAt: certificate.revokedAt?.toISOString() ?? null,
    revokedReason: certificate.revokedReason,
  };
  const [beforeEdition, afterEdition] = aroundFormatted(edition);
  return [
    `{${members(identity)},"status":`,
    `,"product":${JSON.stringify(snapshot)},"edition":${beforeEdition}`,
    `${afterEdition},${members(rest)},"verifyUrl":`,
  ];
}

function aroundFormatted(edition: EditionNumber | null): [before: string, after: string] {
  if (edition === null) return ["null", ""];
  const { number, total } = edition;
  return [`{${members({ number, total })},"formatted":`, "}"];
}

/** Returns an object's members as JSON, without the braces. */
function members(object: object): string {
  return JSON.stringify(object).slice(1, -1);
}

/**
 * Renders a certificate's public JSON.
 *
 * @param now the time that determines whether the status is `active` or `expired`
 */
export function renderCertificate(certificate: Certificate, settings: RenderSettings, now: Date): Buffer {
  const [beforeStatus, beforeEdition, beforeLink] = renderParts(certificate);
  const status = JSON.stringify(statusAt(certificate, now));
  const edition = formattedJson(certificate.edition, settings);
  const { prefix, suffix } = linkAffixes(settings);
  return Buffer.from(
    `${beforeStatus}${status}${beforeEdition}${edition}${beforeLink}${prefix}${certificate.linkToken}${suffix}`,
  );
}

/** Returns the formatted edition number as a JSON string, or the empty string if there is no edition number. */
export function formattedJson(edition: EditionNumber | null, { editionStyle }: RenderSettings): string {
  return edition === null ? "" : JSON.stringify(formatEdition(edition, editionStyle));
}

/**
 * Returns the text before and after the link token at the end of a certificate's public JSON: the other parts of the
 * link, and the closing brace.
 */
export function linkAffixes(settings: RenderSettings): { readonly prefix: string; readonly suffix: string } {
  const [prefix = "", suffix = ""] = JSON.stringify(verifyUrl(tokenPlaceholder, settings)).split(tokenPlaceholder);
  return { prefix, suffix: `${suffix}}` };
}

// Occurs nowhere else in the URL: a base URL contains no spaces, and the language is percent-encoded.
const tokenPlaceholder = " ";

/** Returns the URL of the public verification page that a link token identifies. */
export function verifyUrl(linkToken: string, settings: RenderSettings): string {
  return `${settings.verifyBaseUrl}/${linkToken}?lang=${encodeURIComponent(settings.language)}`;
}
