import { X509Certificate } from "node:crypto";
import { ConfigError } from "#shared/config/config-error.ts";
import { type NamedFile, readNamedFile } from "../config/named-file.ts";

const certificateBlock = /^-----BEGIN CERTIFICATE-----[ \t]*\r?$[^-]*^-----END CERTIFICATE-----[ \t]*\r?$/gm;

/**
 * Reads a PEM file of trusted authorities.
 *
 * @param variable the configuration variable with the file's name, for error messages
 * @returns the certificates as PEM, without any other text in the file
 * @throws ConfigError if the file cannot be read, or if {@link parseCertificates} rejects its content
 */
export function readAuthorities(variable: string, file: string): string {
  const named = { variable, file };
  return parseCertificates(named, readNamedFile(named)).join("\n");
}

/**
 * Returns the certificates of a PEM file. OpenSSL silently ignores everything after the first invalid certificate, so
 * every certificate is validated here.
 *
 * @throws ConfigError if the text contains an invalid certificate, a block that is not a complete certificate, or no
 * PEM block at all
 */
export function parseCertificates({ variable, file }: NamedFile, text: string): readonly string[] {
  const invalid = (problem: string) => new ConfigError(`${variable}: ${file} ${problem}`);
  const count = text.match(/-----BEGIN /g)?.length ?? 0;
  if (count === 0) throw invalid("contains no PEM certificate");
  const certificates = text.match(certificateBlock) ?? [];
  if (certificates.length < count) {
    throw invalid(`contains PEM blocks that are not complete certificates: ${count - certificates.length} of ${count}`);
  }
  const invalidAt = certificates.findIndex((certificate) => !isCertificate(certificate));
  if (invalidAt >= 0) throw invalid(`contains an invalid certificate, number ${invalidAt + 1} of ${count}`);
  return certificates;
}

function isCertificate(pem: string): boolean {
  try {
    return new X509Certificate(pem).raw.byteLength > 0;
  } catch {
    return false;
  }
}
