import type { Certificate } from "./certificate.ts";
import type { StoreDraft } from "./store-draft.ts";

/** Asks for a change of one certificate. */
export interface CertificateRequest {
  readonly storeId: string;
  readonly certificateId: string;
  /** Makes a repetition harmless; empty: none. */
  readonly idempotencyKey: string;
  readonly actor: string;
}

/** The answer to most changes: the certificate's public JSON after it. */
export function publicJson(certificate: Certificate, _isChanged: boolean, draft: StoreDraft): string {
  return draft.render(certificate).toString();
}
