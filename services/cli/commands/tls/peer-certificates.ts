import { access, mkdir, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { type Peer, peerName, peers } from "#shared/rpc/peer-names.ts";
import { CertificateAuthority, type IssuedCertificate } from "#shared/tls/certificate-authority.ts";

/** The options of {@link createPeerCertificates}. */
export interface PeerCertificateOptions {
  /** The `<domain>` of the names in the certificates, such as `edge.<domain>`. */
  readonly domain: string;
  /** Validity in days from now. */
  readonly days: number;
  /** Whether the group of the files may read the private keys. */
  readonly isGroupReadable: boolean;
}

// The names that cert-manager uses in its Secrets.
const fileNames = { cert: "tls.crt", key: "tls.key", ca: "ca.crt" };

/** Issues the gRPC certificate of a peer. @param days validity in days from now; default 3,650 */
export function issuePeerCertificate(
  issuer: CertificateAuthority,
  peer: Peer,
  domain: string,
  days?: number,
): Promise<IssuedCertificate> {
  const value = peerName(peer, domain);
  return issuer.issue({
    commonName: value,
    alternativeNames: [{ type: "dns", value }],
    usages: [peer === "registry" ? "server" : "client"],
    ...(days === undefined ? {} : { days }),
  });
}

/**
 * Issues the gRPC certificates of all peers with a new authority, whose private key is not stored. Writes `tls.crt`,
 * `tls.key` and `ca.crt` of each peer to a subfolder with the peer's name.
 *
 * @returns false if the folder already contains the certificates of all peers, valid or not; they are kept
 */
export async function createPeerCertificates(
  folder: string,
  { domain, days, isGroupReadable }: PeerCertificateOptions,
): Promise<boolean> {
  const fileOf = (peer: Peer, name: string) => path.join(folder, peer, name);
  const files = peers.flatMap((peer) => Object.values(fileNames).map((name) => fileOf(peer, name)));
  if ((await Promise.all(files.map(exists))).every(Boolean)) return false;
  const authority = await CertificateAuthority.create(days);
  // Removed first and written last, so that the folder of an interrupted run counts as incomplete, even if this run
  // replaces certificates of another authority.
  for (const peer of peers) await rm(fileOf(peer, fileNames.ca), { force: true });
  for (const peer of peers) {
    const { certPem, keyPem } = await issuePeerCertificate(authority, peer, domain, days);
    await mkdir(path.join(folder, peer), { recursive: true });
    // writeFile would not change the mode of an existing file.
    await rm(fileOf(peer, fileNames.key), { force: true });
    await writeFile(fileOf(peer, fileNames.key), keyPem, { mode: isGroupReadable ? 0o640 : 0o600 });
    await writeFile(fileOf(peer, fileNames.cert), certPem);
  }
  for (const peer of peers) await writeFile(fileOf(peer, fileNames.ca), authority.caPem);
  return true;
}

async function exists(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}
