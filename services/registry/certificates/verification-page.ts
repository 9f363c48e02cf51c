import { type EditionNumber, type EditionStyle, formatEdition } from "#shared/certificates/edition.ts";
import { ownerText } from "#shared/certificates/owner-text.ts";
import type { ImageReference } from "#shared/images/image.ts";
import { renderSettingsOf } from "../values/store.ts";
import { type Status, statusAt } from "./certificate.ts";
import { verifyUrl } from "./public-json.ts";
import { formatSerial } from "./serial.ts";
import type { LinkedPage, PageChange } from "./verification-links.ts";

/** What a verification page shows, and whether its first opening is recorded. Contains no other certificate data. */
interface VerificationPage {
  readonly state: Status | "sample";
  readonly storeName: string;
  /** The store's domain. */
  readonly shop: string;
  /** Null if the store has no logo. */
  readonly logo: ImageReference | null;
  readonly verifyUrl: string;
  readonly language: string;
  readonly productTitle: string;
  readonly productVariant: string;
  /** May be empty. */
  readonly maker: string;
  /** Null if the product has no image. */
  readonly image: ImageReference | null;
  /** The empty string for a sample. */
  readonly serial: string;
  /** The edition number in the store's style; the empty string if there is no edition number. */
  readonly edition: string;
  /** Null if there is no edition number. */
  readonly editionParts: (EditionNumber & { readonly style: EditionStyle }) | null;
  readonly issuedAt: Date;
  readonly expiresAt: Date | null;
  readonly revokedAt: Date | null;
  readonly revokedReason: string;
  /** The part of the owner's name that the store shows; may be the empty string. */
  readonly owner: string;
  /** Whether the first opening has been recorded; true for a sample, which needs no record. */
  readonly isVerified: boolean;
  /** Oldest first; see {@link LinkedPage}. */
  readonly changes: readonly PageChange[];
}

/**
 * Returns the content of the verification page to which a link leads.
 *
 * @param serviceVerifyUrl base URL of the service's own verification pages
 */
export function verificationPage(linked: LinkedPage, serviceVerifyUrl: string): VerificationPage {
  const { store, now, display } = linked;
  const { settings } = store;
  const linkTo = (token: string) => verifyUrl(token, renderSettingsOf(store, serviceVerifyUrl));
  const ofStore = {
    storeName: settings.displayName ?? store.shop,
    shop: store.shop,
    language: settings.language,
    logo: settings.logo ?? null,
    maker: display?.maker ?? "",
    image: display?.image ?? null,
  };
  if ("sample" in linked) {
    const { id, product, createdAt } = linked.sample;
    return {
      ...ofStore,
      state: "sample",
      verifyUrl: linkTo(id),
      isVerified: true,
      productTitle: product.title,
      productVariant: product.variant,
      serial: "",
      edition: "",
      editionParts: null,
      changes: [],
      owner: "",
      issuedAt: createdAt,
      expiresAt: null,
      revokedAt: null,
      revokedReason: "",
    };
  }
  const { certificate, changes } = linked;
  const { product, edition, issuedAt, expiresAt, revokedAt, revokedReason, verifiedAt } = certificate;
  return {
    ...ofStore,
    state: statusAt(certificate, now),
    verifyUrl: linkTo(certificate.linkToken),
    productTitle: product.title,
    productVariant: product.variant,
    serial: formatSerial(certificate.serial),
    edition: edition === null ? "" : formatEdition(edition, settings.editionStyle),
    editionParts: edition && { number: edition.number, total: edition.total, style: settings.editionStyle },
    changes,
    issuedAt,
    expiresAt,
    revokedAt,
    revokedReason: revokedReason ?? "",
    owner: ownerText(certificate.owner.name, settings.ownerDisplay),
    isVerified: verifiedAt !== null,
  };
}
