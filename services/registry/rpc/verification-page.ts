import type { MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { type GetPageResponseSchema, PageChangeKind, PageState } from "#gen/registry/v1/verification_service_pb.js";
import { formatEdition } from "#shared/certificates/edition.ts";
import { ownerText } from "#shared/certificates/owner-text.ts";
import { type ProductSnapshot, statusAt } from "../certificates/certificate.ts";
import { verifyUrl } from "../certificates/public-json.ts";
import { formatSerial } from "../certificates/serial.ts";
import type { LinkedPage } from "../certificates/verification-links.ts";
import { renderSettingsOf } from "../values/store.ts";
import { enumNames } from "./enum-names.ts";
import { editionStyleNames } from "./enum-tables.ts";

const pageStateNames = enumNames(PageState);

const changeKindNames = enumNames(PageChangeKind);

/**
 * Returns what the verification page to which a link leads shows, and no other certificate data.
 *
 * @param serviceVerifyUrl base URL of the service's own verification pages
 */
export function verificationPage(
  linked: LinkedPage,
  serviceVerifyUrl: string,
): MessageInitShape<typeof GetPageResponseSchema> {
  const { store, now, display } = linked;
  const { displayName, language, logo, editionStyle, ownerDisplay } = store.settings;
  const linkTo = (token: string) => verifyUrl(token, renderSettingsOf(store, serviceVerifyUrl));
  const pageOf = ({ title, variant }: ProductSnapshot) => ({
    storeName: displayName ?? store.shop,
    shop: store.shop,
    language,
    ...(logo && { logo }),
    maker: display?.maker ?? "",
    ...(display?.image && { image: display.image }),
    productTitle: title,
    productVariant: variant,
  });
  if ("sample" in linked) {
    const { id, product, createdAt } = linked.sample;
    return {
      ...pageOf(product),
      state: PageState.SAMPLE,
      verifyUrl: linkTo(id),
      issuedAt: timestampFromDate(createdAt),
      // A sample needs no record of its first opening.
      isVerified: true,
    };
  }
  const { certificate, changes } = linked;
  const { linkToken, product, serial, edition, issuedAt, expiresAt, revokedAt, revokedReason, owner } = certificate;
  return {
    ...pageOf(product),
    state: pageStateNames.valueOf(statusAt(certificate, now)),
    verifyUrl: linkTo(linkToken),
    serial: formatSerial(serial),
    ...(edition && {
      edition: formatEdition(edition, editionStyle),
      editionParts: { number: edition.number, total: edition.total, style: editionStyleNames.valueOf(editionStyle) },
    }),
    changes: changes.map(({ kind, at }) => ({ kind: changeKindNames.valueOf(kind), at: timestampFromDate(at) })),
    issuedAt: timestampFromDate(issuedAt),
    ...(expiresAt && { expiresAt: timestampFromDate(expiresAt) }),
    ...(revokedAt && { revokedAt: timestampFromDate(revokedAt) }),
    revokedReason: revokedReason ?? "",
    owner: ownerText(owner.name, ownerDisplay),
    isVerified: certificate.verifiedAt !== null,
  };
}
