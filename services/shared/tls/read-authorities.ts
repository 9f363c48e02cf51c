import { X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { ConfigError } from "#shared/config/config-error.ts";

const certificateBlock = /^-----BEGIN CERTIFICATE-----[ \t]*\r?$[^-]*^-----END CERTIFICATE-----[ \t]*\r?$/gm;

/**
 * Reads a PEM file of trusted authorities. OpenSSL silently ignores everything after the first invalid certificate, so
 * every certificate is validated here.
 *
 * @param variable the configuration variable with the file's name, for error messages
 * @returns only the certificates, as PEM
 * @throws ConfigError if the file is unreadable, contains no certificate, or contains anything else as a PEM block
 */
export function readAuthorities(variable: string, file: string): string {
  const invalid = (problem: string) => new ConfigError(`${variable}: ${file} ${problem}`);
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (cause) {
    const code = cause instanceof Error && "code" in cause ? ` (${cause.code})` : "";
    throw invalid(`cannot be read${code}`);
  }
  const count = text.match(/-----BEGIN /g)?.length ?? 0;
  if (count === 0) throw invalid("contains no PEM certificate");
  const certificates = text.match(certificateBlock) ?? [];
  if (certificates.length < count) {
    throw invalid(`contains PEM blocks that are not complete certificates: ${count - certificates.length} of ${count}`);
  }
  const invalidAt = certificates.findIndex((certificate) => !isCertificate(certificate));
  if (invalidAt >= 0) throw invalid(`contains an invalid certificate, number ${invalidAt + 1} of ${count}`);
  return certificates.join("\n");
}

function isCertificate(pem: string): boolean {
  try {
    return new X509Certificate(pem).raw.byteLength > 0;
  } catch {
    return false;
  }
}
