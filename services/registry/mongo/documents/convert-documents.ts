import { emailKey } from "#shared/email/email-address.ts";
import type { Certificate } from "../../certificates/certificate.ts";
import { rendererVersion, renderParts } from "../../certificates/public-json.ts";
import { searchWordsOf } from "../../certificates/search-words.ts";
import type { Store } from "../../values/store.ts";
import type { CertificateDocument, StoreDocument } from "./documents.ts";

/** Converts a certificate to the document that stores it, including its rendered public JSON and its search words. */
export function documentOf(certificate: Certificate): CertificateDocument {
  const { id, storeId, issueKey, wasWithdrawn, ...fields } = certificate;
  return {
    _id: id,
    store: storeId,
    ...fields,
    ownerEmailKey: emailKey(certificate.owner.email),
    words: searchWordsOf(certificate),
    json: [rendererVersion, certificate.updatedAt, ...renderParts(certificate)],
    ...(issueKey === null ? {} : { issueKey }),
    ...(wasWithdrawn && { wasWithdrawn }),
  };
}

/** Converts a stored document to a certificate, with defaults for fields that the document lacks. */
export function certificateOf(document: CertificateDocument): Certificate {
  const { _id, store, ownerEmailKey: _key, words: _words, json: _json, ...rest } = document;
  const { issueKey, wasWithdrawn, ...fields } = rest;
  return {
    id: _id,
    storeId: store,
    issueKey: issueKey ?? null,
    wasWithdrawn: wasWithdrawn ?? false,
    ...fields,
  };
}

/** Converts a stored document to a store. */
export function storeOf(document: StoreDocument): Store {
  const { _id: id, shop, settings, webhook } = document;
  return { id, shop, settings, hasWebhook: webhook !== null };
}
