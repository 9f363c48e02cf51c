import { emailKey } from "#shared/email/email-address.ts";
import type { Certificate } from "../certificates/certificate.ts";
import { renderParts } from "../certificates/public-json.ts";
import type { Store } from "../values/store.ts";
import type { CertificateDocument, StoreDocument } from "./documents.ts";

/** Converts a certificate to the document that stores it, including its rendered public JSON. */
export function documentOf(certificate: Certificate): CertificateDocument {
  const { id, linkToken, storeId, issueKey, wasWithdrawn, ...fields } = certificate;
  return {
    _id: id,
    ...(linkToken === id ? {} : { linkToken }),
    store: storeId,
    ...fields,
    ownerEmailKey: emailKey(certificate.owner.email),
    json: renderParts(certificate),
    ...(issueKey === null ? {} : { issueKey }),
    ...(wasWithdrawn && { wasWithdrawn }),
  };
}

/**
 * Converts a stored document to a certificate, with defaults for fields that the document lacks. Names each field: a
 * field that only a later version derives must not be written back unchanged with a changed certificate.
 */
export function certificateOf(document: CertificateDocument): Certificate {
  const { _id, linkToken, store, serial, status, product, edition, order, owner, originalBuyer } = document;
  const { issuedAt, updatedAt, expiresAt, revokedAt, revokedReason, verifiedAt, issueKey, wasWithdrawn } = document;
  return {
    id: _id,
    linkToken: linkToken ?? _id,
    storeId: store,
    serial,
    status,
    product,
    edition,
    order,
    owner,
    originalBuyer,
    issuedAt,
    updatedAt,
    expiresAt,
    revokedAt,
    revokedReason,
    verifiedAt: verifiedAt ?? null,
    issueKey: issueKey ?? null,
    wasWithdrawn: wasWithdrawn ?? false,
  };
}

/** Converts a stored document to a store. */
export function storeOf(document: StoreDocument): Store {
  const { _id: id, shop, settings, webhook } = document;
  return { id, shop, settings, hasWebhook: webhook !== null };
}
