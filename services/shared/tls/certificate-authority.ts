// Must be loaded before @peculiar/x509.
import "reflect-metadata";
import { webcrypto } from "node:crypto";
import {
  AuthorityKeyIdentifierExtension,
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  type JsonGeneralName,
  KeyUsageFlags,
  KeyUsagesExtension,
  PemConverter,
  SubjectAlternativeNameExtension,
  SubjectKeyIdentifierExtension,
  type X509Certificate,
  X509CertificateGenerator,
} from "@peculiar/x509";
import { dayMs } from "../time/day.ts";

/** A certificate with its private key, both as PEM. */
export interface IssuedCertificate {
  readonly certPem: string;
  /** The unencrypted PKCS #8 key. */
  readonly keyPem: string;
}

/** The names, the usages and the validity of a certificate to issue. */
export interface CertificateRequest {
  readonly commonName: string;
  /** The entries of subjectAltName; undefined omits the extension. */
  readonly alternativeNames?: readonly JsonGeneralName[] | undefined;
  /** Default: server only. */
  readonly usages?: readonly ("server" | "client")[];
  /** Validity in days from now. Default 3,650; a negative value produces an expired certificate. */
  readonly days?: number;
}

const keyAlgorithm = { name: "ECDSA", namedCurve: "P-256" };
const signingAlgorithm = { name: "ECDSA", hash: "SHA-256" };
const usageIds = { server: ExtendedKeyUsage.serverAuth, client: ExtendedKeyUsage.clientAuth };

/** A certificate authority in memory (ECDSA P-256). */
export class CertificateAuthority {
  /** The authority's certificate, with which TLS peers verify the issued certificates. */
  readonly caPem: string;
  readonly #certificate: X509Certificate;
  readonly #keys: webcrypto.CryptoKeyPair;

  private constructor(certificate: X509Certificate, keys: webcrypto.CryptoKeyPair) {
    this.#certificate = certificate;
    this.#keys = keys;
    this.caPem = certificate.toString("pem");
  }

  /** Generates an authority. @param days its validity in days from now; a value below 1 counts as 1; default 3,650 */
  static async create(days = 3_650): Promise<CertificateAuthority> {
    const keys = await makeKeys();
    const certificate = await X509CertificateGenerator.createSelfSigned({
      name: "CN=Certificate registry",
      ...validity(Math.max(1, days)),
      keys,
      signingAlgorithm,
      extensions: [
        new BasicConstraintsExtension(true, 0, true),
        new KeyUsagesExtension(KeyUsageFlags.keyCertSign, true),
        // A peer may trust several authorities with the same name; the key identifier distinguishes them.
        await SubjectKeyIdentifierExtension.create(keys.publicKey),
      ],
    });
    return new CertificateAuthority(certificate, keys);
  }

  /** Generates a key and issues a certificate for it. */
  async issue(request: CertificateRequest): Promise<IssuedCertificate> {
    const { commonName, alternativeNames, usages = ["server"], days = 3_650 } = request;
    const keys = await makeKeys();
    const certificate = await X509CertificateGenerator.create({
      subject: `CN=${commonName}`,
      issuer: this.#certificate.subject,
      ...validity(days),
      publicKey: keys.publicKey,
      signingKey: this.#keys.privateKey,
      signingAlgorithm,
      extensions: [
        new BasicConstraintsExtension(false, undefined, true),
        await AuthorityKeyIdentifierExtension.create(this.#keys.publicKey),
        new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
        new ExtendedKeyUsageExtension(usages.map((usage) => usageIds[usage])),
        ...(alternativeNames === undefined ? [] : [new SubjectAlternativeNameExtension([...alternativeNames])]),
      ],
    });
    const key = await webcrypto.subtle.exportKey("pkcs8", keys.privateKey);
    return { certPem: certificate.toString("pem"), keyPem: PemConverter.encode(key, "PRIVATE KEY") };
  }
}

function validity(days: number) {
  return { notBefore: new Date(Date.now() - 2 * dayMs), notAfter: new Date(Date.now() + days * dayMs) };
}

function makeKeys(): Promise<webcrypto.CryptoKeyPair> {
  return webcrypto.subtle.generateKey(keyAlgorithm, true, ["sign", "verify"]);
}
