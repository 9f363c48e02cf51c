import { X509Certificate } from "node:crypto";
import { createSecureContext } from "node:tls";
import { checkEach } from "#shared/config/check-together.ts";
import { ConfigError } from "#shared/config/config-error.ts";
import { type NamedFile, readNamedFile } from "../config/named-file.ts";
import { hasName } from "./certificate-name.ts";
import { parseCertificates } from "./read-authorities.ts";

/** The files of a TLS server or client. */
export interface TlsIdentityFiles {
  /** The certificate, followed by the intermediate certificates. */
  readonly cert: NamedFile;
  readonly key: NamedFile;
  /** The authorities that may sign the peer's certificate; undefined if that certificate is not checked. */
  readonly ca?: NamedFile | undefined;
}

/** The contents of {@link TlsIdentityFiles}. */
export type TlsIdentityTexts = { readonly [File in keyof TlsIdentityFiles]: string };

/** A certificate with its validity, its private key and the trusted authorities. */
export interface TlsIdentity {
  readonly certPem: string;
  readonly keyPem: string;
  readonly caPem: string | undefined;
  /** The time from which the certificate is valid, in milliseconds since the epoch. */
  readonly validFrom: number;
  /** The time at which the certificate expires, in milliseconds since the epoch. */
  readonly validTo: number;
}

/** Reads the files. @throws ConfigError naming the variable and the file of each that cannot be read */
export function readTlsTexts({ cert, key, ca }: TlsIdentityFiles): TlsIdentityTexts {
  const [certText = "", keyText = "", caText] = checkEach([cert, key, ...(ca ? [ca] : [])], readNamedFile);
  return { cert: certText, key: keyText, ...(ca && { ca: caText }) };
}

/**
 * Parses the contents of the files of a TLS server or client.
 *
 * @param name a DNS name that the certificate's subjectAltName must contain; undefined if any name is accepted
 * @throws ConfigError naming the variable and the file that is incomplete or invalid, or that does not match the other
 * files or `name`
 */
export function parseTlsIdentity(
  { cert, key, ca }: TlsIdentityFiles,
  texts: TlsIdentityTexts,
  name: string | undefined,
): TlsIdentity {
  const named = [[cert, texts.cert] as const, ...(ca ? [[ca, texts.ca ?? ""] as const] : [])];
  const [certificates = [], authorities] = checkEach(named, ([file, text]) => parseCertificates(file, text));
  const leaf = new X509Certificate(certificates[0] ?? "");
  const certPem = certificates.join("\n");
  if (!isKeyOf(certPem, texts.key))
    throw new ConfigError(`${key.variable}: ${key.file} is not the private key of the certificate in ${cert.file}`);
  if (name !== undefined && !hasName(leaf, name))
    throw new ConfigError(`${cert.variable}: ${cert.file} does not contain the name ${name} in subjectAltName`);
  return {
    certPem,
    keyPem: texts.key,
    caPem: authorities?.join("\n"),
    validFrom: leaf.validFromDate.getTime(),
    validTo: leaf.validToDate.getTime(),
  };
}

/** Returns whether the text of a file contains the private key of the certificate in the text of another. */
export function isKeyOf(cert: string, key: string): boolean {
  try {
    // An empty text would count as no key, and not be compared.
    return createSecureContext({ cert, key: Buffer.from(key) }) !== undefined;
  } catch {
    return false;
  }
}
