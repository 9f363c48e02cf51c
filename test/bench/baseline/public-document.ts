import type { CertificateDocument } from "../../../services/registry/mongo/documents/documents.ts";

/** Returns the public members of a stored certificate, as a plain program would build them. */
export function publicDocument({ _id, serial, order, ...certificate }: CertificateDocument) {
  return {
    id: _id,
    serial: String(serial).padStart(6, "0"),
    status: certificate.status,
    product: certificate.product,
    edition: certificate.edition,
    order: { id: order?.id ?? null, name: order?.name ?? null },
    owner: certificate.owner,
    originalBuyer: certificate.originalBuyer,
    issuedAt: certificate.issuedAt,
    updatedAt: certificate.updatedAt,
    expiresAt: certificate.expiresAt,
    revokedAt: certificate.revokedAt,
    revokedReason: certificate.revokedReason,
    verifyUrl: `https://verify.example.test/c/${_id}?lang=en`,
  };
}
