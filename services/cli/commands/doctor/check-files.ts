import { X509Certificate } from "node:crypto";
import { peerName } from "#shared/rpc/peer-names.ts";
import { describeExpiry } from "#shared/tls/expiry.ts";
import { parseCertificates } from "#shared/tls/read-authorities.ts";
import { parseTlsIdentity, readTlsTexts } from "#shared/tls/tls-identity.ts";
import { chooseFiles, type SecuritySettings } from "../../registry-client/choose-security.ts";
import { type Finding, ownFinding } from "./finding.ts";

/**
 * Checks that certctl's certificate contains the operator's name and matches the private key, and that neither the
 * certificate nor an authority has expired or will expire soon.
 *
 * @param now milliseconds since the epoch
 */
export function checkFiles(settings: SecuritySettings, address: string, now: number): readonly Finding[] {
  const condition = "certctl has a valid operator certificate";
  try {
    const files = chooseFiles(settings, address);
    if (files === undefined) return [{ ...ownFinding(condition, "the connection is plaintext"), state: "skipped" }];
    const texts = readTlsTexts(files);
    const identity = parseTlsIdentity(files, texts, peerName("operator", settings.certDomain));
    const authorities = parseCertificates(files.ca, texts.ca ?? "").map((pem) => new X509Certificate(pem));
    return [
      expiryFinding(condition, identity, now, "Renew the certificate."),
      ...authorities.map(({ validFromDate, validToDate, subject }) =>
        expiryFinding(
          `the certificate authority ${subject.replaceAll("\n", ", ")} is valid`,
          { validFrom: validFromDate.getTime(), validTo: validToDate.getTime() },
          now,
          "Replace the authority as described in deploy/operations/replace-authority.md.",
        ),
      ),
    ];
  } catch (error) {
    const seen = error instanceof Error ? error.message : String(error);
    return [ownFinding(condition, seen, "Correct --cert-file, --key-file and --ca-file, or the context's TLS files.")];
  }
}

function expiryFinding(condition: string, validity: Parameters<typeof describeExpiry>[0], now: number, remedy: string) {
  const { isDue, text } = describeExpiry(validity, now);
  return ownFinding(condition, text, isDue ? remedy : undefined);
}
