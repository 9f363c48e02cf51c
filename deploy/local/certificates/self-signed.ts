// Must be loaded before @peculiar/x509.
import "reflect-metadata";
import { webcrypto } from "node:crypto";
import {
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  type JsonGeneralName,
  KeyUsageFlags,
  KeyUsagesExtension,
  PemConverter,
  SubjectAlternativeNameExtension,
  X509CertificateGenerator,
} from "@peculiar/x509";

/** A server certificate and the certificate authority that issued it, all PEM. */
export interface ServerCertificate {
  /** Certificate of the authority; clients must trust it. The authority's private key is discarded. */
  readonly caPem: string;
  readonly certPem: string;
  /** Private key of the server, PKCS #8. */
  readonly keyPem: string;
}

/** Options of {@link makeServerCertificate}. By default the certificate is for `localhost`, `127.0.0.1` and `::1`. */
export interface ServerCertificateOptions {
  readonly hostnames?: readonly string[];
  readonly addresses?: readonly string[];
  /** The subject's common name. Default: the first of the host names, or `server` without host names. */
  readonly commonName?: string;
  /** The entries of subjectAltName instead of host names and addresses; undefined omits the extension. */
  readonly alternativeNames?: readonly JsonGeneralName[] | undefined;
  /** Validity in days from now. Default 3,650; a negative value produces an expired certificate. */
  readonly days?: number;
}

const keyAlgorithm = { name: "ECDSA", namedCurve: "P-256" };
const signingAlgorithm = { name: "ECDSA", hash: "SHA-256" };
const dayMs = 24 * 60 * 60_000;

/** Generates a certificate authority and a server certificate issued by it (ECDSA P-256), in memory. */
export async function makeServerCertificate(options: ServerCertificateOptions = {}): Promise<ServerCertificate> {
  const { hostnames = ["localhost"], addresses = ["127.0.0.1", "::1"], days = 3_650 } = options;
  const names: readonly JsonGeneralName[] | undefined =
    "alternativeNames" in options
      ? options.alternativeNames
      : [
          ...hostnames.map((value) => ({ type: "dns" as const, value })),
          ...addresses.map((value) => ({ type: "ip" as const, value })),
        ];
  const notBefore = new Date(Date.now() - 2 * dayMs);
  const notAfter = new Date(Date.now() + days * dayMs);
  const caKeys = await makeKeys();
  const keys = await makeKeys();
  const ca = await X509CertificateGenerator.createSelfSigned({
    name: "CN=Local test authority",
    notBefore,
    notAfter: new Date(Date.now() + Math.max(1, days) * dayMs),
    keys: caKeys,
    signingAlgorithm,
    extensions: [new BasicConstraintsExtension(true, 0, true), new KeyUsagesExtension(KeyUsageFlags.keyCertSign, true)],
  });
  const certificate = await X509CertificateGenerator.create({
    subject: `CN=${options.commonName ?? hostnames[0] ?? "server"}`,
    issuer: ca.subject,
    notBefore,
    notAfter,
    publicKey: keys.publicKey,
    signingKey: caKeys.privateKey,
    signingAlgorithm,
    extensions: [
      new BasicConstraintsExtension(false, undefined, true),
      new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
      new ExtendedKeyUsageExtension([ExtendedKeyUsage.serverAuth]),
      ...(names === undefined ? [] : [new SubjectAlternativeNameExtension([...names])]),
    ],
  });
  const key = await webcrypto.subtle.exportKey("pkcs8", keys.privateKey);
  return {
    caPem: ca.toString("pem"),
    certPem: certificate.toString("pem"),
    keyPem: PemConverter.encode(key, "PRIVATE KEY"),
  };
}

function makeKeys(): Promise<webcrypto.CryptoKeyPair> {
  return webcrypto.subtle.generateKey(keyAlgorithm, true, ["sign", "verify"]);
}
