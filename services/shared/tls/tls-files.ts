import type { Logger } from "#shared/observe/logger.ts";
import type { Clock } from "#shared/time/clock.ts";
import { PolledFiles } from "../files/polled-files.ts";
import {
  parseTlsIdentity,
  readTlsTexts,
  type TlsIdentity,
  type TlsIdentityFiles,
  type TlsIdentityTexts,
} from "./tls-identity.ts";

export interface TlsFilesDeps {
  readonly files: TlsIdentityFiles;
  /** A DNS name that the certificate must contain. Default: the certificate may contain any name. */
  readonly name?: string | undefined;
  /** The wall clock, because certificates contain wall-clock times. */
  readonly clock: Clock;
  readonly logger: Logger;
  /** Called after each check of the files, with the identity in use and whether the files are valid. */
  readonly onChecked: (identity: TlsIdentity, areValid: boolean) => void;
}

/** The files of a TLS server or client, which are read again every five seconds once `start` has been called. */
export type TlsFiles = PolledFiles<TlsIdentity, TlsIdentityTexts>;

/**
 * Reads the files for the first time. While they are incomplete, invalid, expired or not valid yet, the current
 * identity remains in use, and the problem is logged once.
 *
 * @throws ConfigError naming the variable and the file that is unreadable or invalid, or that does not match the others
 */
export function openTlsFiles({ files, name, clock, logger, onChecked }: TlsFilesDeps): TlsFiles {
  const { variable, file } = files.cert;
  const opened = new PolledFiles({
    read: () => readTlsTexts(files),
    parse: (texts) => parseTlsIdentity(files, texts, name),
    problemOf: ({ validFrom, validTo }) => {
      const now = clock.now();
      if (now > validTo) return `${variable}: the certificate in ${file} expired on ${new Date(validTo).toISOString()}`;
      if (now < validFrom)
        return `${variable}: the certificate in ${file} is not valid before ${new Date(validFrom).toISOString()}`;
      return undefined;
    },
    intervalMs: 5_000,
    clock,
    onChecked,
    onUnusable: (reason) => logger.error({ reason }, "TLS files are unusable; the current certificate remains in use"),
  });
  opened.onChange(({ validTo }) => logger.info({ file, expires: new Date(validTo) }, "reloaded changed TLS files"));
  return opened;
}
