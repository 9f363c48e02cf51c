import type { JsonGeneralName } from "@peculiar/x509";
import { CertificateAuthority } from "../../../services/shared/tls/certificate-authority.ts";

/** A server certificate with its private key and the certificate of the authority that issued it, all as PEM. */
export type ServerCertificate = Awaited<ReturnType<typeof makeServerCertificate>>;

/** Options of {@link makeServerCertificate}. By default the certificate is for `localhost`, `127.0.0.1` and `::1`. */
export interface ServerCertificateOptions {
  readonly hostnames?: readonly string[];
  readonly addresses?: readonly string[];
  /** The subject's common name. Default: the first host name, or `server` if there is none. */
  readonly commonName?: string;
  /** The entries of subjectAltName, in place of host names and addresses; an explicit undefined omits the extension. */
  readonly alternativeNames?: readonly JsonGeneralName[] | undefined;
  /** Validity in days from now. Default 3,650; a negative value produces an expired certificate. */
  readonly days?: number;
}

/** Generates a certificate authority and a server certificate issued by it (ECDSA P-256), in memory. */
export async function makeServerCertificate(options: ServerCertificateOptions = {}) {
  const { hostnames = ["localhost"], addresses = ["127.0.0.1", "::1"], days = 3_650 } = options;
  const commonName = options.commonName ?? hostnames[0] ?? "server";
  const alternativeNames = "alternativeNames" in options ? options.alternativeNames : namesOf(hostnames, addresses);
  const authority = await CertificateAuthority.create(days);
  return { caPem: authority.caPem, ...(await authority.issue({ commonName, alternativeNames, days })) };
}

/** Returns the entries of subjectAltName for host names and IP addresses. */
export function namesOf(hostnames: readonly string[], addresses: readonly string[]): readonly JsonGeneralName[] {
  return [
    ...hostnames.map((value) => ({ type: "dns" as const, value })),
    ...addresses.map((value) => ({ type: "ip" as const, value })),
  ];
}
