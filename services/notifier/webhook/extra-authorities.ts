import { X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { ConfigError } from "#shared/config/config-error.ts";

const wholeBlock = /^-----BEGIN CERTIFICATE-----[ \t]*\r?$[^-]*^-----END CERTIFICATE-----[ \t]*\r?$/gm;

/**
 * Reads a file of authorities to trust. OpenSSL stops in silence at the first certificate that it cannot read and trusts
 * those before it alone, so all are looked at here.
 *
 * @param variable the configuration variable that names the file, for messages
 * @returns PEM: the certificates alone, each on lines of its own
 * @throws ConfigError when the file cannot be read, holds no certificate, or anything in PEM that is no whole one
 */
export function readAuthorities(variable: string, file: string): string {
  const refusal = (what: string) => new ConfigError(`${variable}: ${file} ${what}`);
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (cause) {
    const code = cause instanceof Error && "code" in cause ? ` (${cause.code})` : "";
    throw refusal(`cannot be read${code}`);
  }
  const count = text.match(/-----BEGIN /g)?.length ?? 0;
  if (count === 0) throw refusal("holds no PEM certificate");
  const certificates = text.match(wholeBlock) ?? [];
  if (certificates.length < count) {
    const whole = `${certificates.length} whole certificates on lines of their own`;
    throw refusal(`has ${count} PEM blocks, but ${whole}`);
  }
  const damaged = certificates.findIndex((certificate) => !isCertificate(certificate));
  if (damaged >= 0) throw refusal(`holds a damaged certificate, number ${damaged + 1} of ${count}`);
  return certificates.join("\n");
}

function isCertificate(pem: string): boolean {
  try {
    return new X509Certificate(pem).raw.byteLength > 0;
  } catch {
    return false;
  }
}
