import { randomUUID } from "node:crypto";
import { writeFile } from "node:fs/promises";
import path from "node:path";
import type { GrpcFiles } from "../../deploy/local/stack/grpc-certificates.ts";
import type { CertificateAuthority, CertificateRequest } from "../../services/shared/tls/certificate-authority.ts";

/**
 * Issues a client certificate with the given DNS names, and writes the certificate, its key and the authority's
 * certificate to new files.
 *
 * @param more replaces properties of the request
 */
export async function issueFiles(
  folder: string,
  authority: CertificateAuthority,
  names: readonly string[],
  more: Partial<CertificateRequest> = {},
): Promise<GrpcFiles> {
  const alternativeNames = names.map((value) => ({ type: "dns" as const, value }));
  const request: CertificateRequest = { commonName: "test", alternativeNames, usages: ["client"], ...more };
  const { certPem, keyPem } = await authority.issue(request);
  const fileOf = (name: string) => path.join(folder, `${randomUUID()}-${name}.pem`);
  const files: GrpcFiles = { cert: fileOf("cert"), key: fileOf("key"), ca: fileOf("ca") };
  await writeFile(files.cert, certPem);
  await writeFile(files.key, keyPem);
  await writeFile(files.ca, authority.caPem);
  return files;
}
