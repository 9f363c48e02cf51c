import type { Certificate } from "./certificate.ts";
import type { StoreDraft } from "./store-draft.ts";

/** A request to change one certificate. */
export interface CertificateRequest {
  readonly storeId: string;
  readonly certificateId: string;
  /** Makes retries safe; empty: not idempotent. */
  readonly idempotencyKey: string;
  readonly actor: string;
}

/** Returns the result of most changes: the certificate's public JSON after the change. */
export function publicJson(certificate: Certificate, _isChanged: boolean, draft: StoreDraft): string {
  return draft.render(certificate).toString();
}
