import { writeFile } from "node:fs/promises";
import path from "node:path";
import { issuePeerCertificate } from "../../../services/cli/commands/tls/peer-certificates.ts";
import { type Peer, peers } from "../../../services/shared/rpc/peer-names.ts";
import { CertificateAuthority } from "../../../services/shared/tls/certificate-authority.ts";

/** Paths of the PEM files for a peer's gRPC certificate. */
export interface GrpcFiles {
  readonly cert: string;
  readonly key: string;
  /** The authority that issued the certificates of all peers. */
  readonly ca: string;
}

/** The certificate files of each peer. */
export type GrpcCertificates = Readonly<Record<Peer, GrpcFiles>>;

/** Parent domain of the names in the certificates that `npm start` issues; equal to the services' default. */
export const localCertDomain = "certificate-registry.internal";

function grpcFilesIn(folder: string): GrpcCertificates {
  const ca = path.join(folder, "grpc-ca.pem");
  const filesOf = (peer: Peer): GrpcFiles => ({
    cert: path.join(folder, `grpc-${peer}-cert.pem`),
    key: path.join(folder, `grpc-${peer}-key.pem`),
    ca,
  });
  return {
    registry: filesOf("registry"),
    edge: filesOf("edge"),
    notifier: filesOf("notifier"),
    operator: filesOf("operator"),
  };
}

/**
 * Issues a certificate for each peer, and replaces the files of earlier certificates.
 *
 * @param authority the issuer; by default a new authority, whose private key is not stored
 */
export async function issueGrpcCertificates(
  folder: string,
  authority?: CertificateAuthority,
): Promise<GrpcCertificates> {
  const files = grpcFilesIn(folder);
  const issuer = authority ?? (await CertificateAuthority.create());
  await replaceGrpcCertificates(files, issuer);
  await writeSecret(files.registry.ca, issuer.caPem);
  return files;
}

/** Replaces the certificate and the key of each peer, but not the trusted authorities. */
export async function replaceGrpcCertificates(files: GrpcCertificates, issuer: CertificateAuthority): Promise<void> {
  for (const peer of peers) {
    const { certPem, keyPem } = await issuePeerCertificate(issuer, peer, localCertDomain);
    await writeSecret(files[peer].cert, certPem);
    await writeSecret(files[peer].key, keyPem);
  }
}

/** Writes a file that only the user can read. */
export function writeSecret(file: string, content: string | Uint8Array): Promise<void> {
  return writeFile(file, content, { mode: 0o600 });
}
