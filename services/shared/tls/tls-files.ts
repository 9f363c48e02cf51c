import { Loop } from "#shared/lifecycle/loop.ts";
import type { Logger } from "#shared/observe/logger.ts";
import type { Clock } from "#shared/time/clock.ts";
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

// Watching the files would miss the replacement of a mounted Kubernetes Secret, which swaps symbolic links.
const intervalMs = 5_000;

/**
 * The files of a TLS server or client, which are read again every five seconds once `start` has been called. While the
 * files are incomplete, invalid, expired or not valid yet, the current identity remains in use, and the problem is
 * logged once.
 */
export class TlsFiles {
  readonly #deps: TlsFilesDeps;
  readonly #loop: Loop;
  readonly #listeners = new Set<(identity: TlsIdentity) => void>();
  #identity: TlsIdentity;
  #texts: TlsIdentityTexts;
  #problem: string | undefined;

  /**
   * Reads the files for the first time. A certificate that has expired or is not valid yet is accepted, with an error
   * in the log, so that the service starts and can recover when the files are replaced.
   *
   * @throws ConfigError naming the variable and the file that is unreadable or invalid, or that does not match the
   * others
   */
  constructor(deps: TlsFilesDeps) {
    this.#deps = deps;
    this.#loop = new Loop({
      clock: deps.clock,
      firstPauseMs: intervalMs,
      step: () => {
        this.refresh();
        return intervalMs;
      },
    });
    this.#texts = readTlsTexts(deps.files);
    this.#identity = parseTlsIdentity(deps.files, this.#texts, deps.name);
    this.#report(this.#dateProblem(this.#identity));
  }

  /** The identity of the last valid version of the files; until there is one, that of the first version. */
  get identity(): TlsIdentity {
    return this.#identity;
  }

  /** Calls the listener with each new identity. @returns a function that removes the listener */
  onChange(listener: (identity: TlsIdentity) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Starts reading the files periodically. */
  start(): void {
    this.#loop.start();
  }

  stop(): Promise<void> {
    return this.#loop.stop();
  }

  /** Reads the files, and replaces the identity if they have changed and are valid. */
  refresh(): void {
    try {
      this.#report(this.#load());
    } catch (error) {
      this.#report(error instanceof Error ? error.message : String(error));
    }
  }

  /** @returns the reason why the files are unusable; undefined if the identity that they contain is valid and in use */
  #load(): string | undefined {
    const { files, name, logger } = this.#deps;
    const texts = readTlsTexts(files);
    if (isSame(texts, this.#texts)) return this.#dateProblem(this.#identity);
    const identity = parseTlsIdentity(files, texts, name);
    const problem = this.#dateProblem(identity);
    if (problem !== undefined) return problem;
    this.#texts = texts;
    this.#identity = identity;
    logger.info({ file: files.cert.file, expires: new Date(identity.validTo) }, "reloaded changed TLS files");
    for (const listener of this.#listeners) listener(identity);
    return undefined;
  }

  #dateProblem({ validFrom, validTo }: TlsIdentity): string | undefined {
    const { variable, file } = this.#deps.files.cert;
    const now = this.#deps.clock.now();
    if (now > validTo) return `${variable}: the certificate in ${file} expired on ${new Date(validTo).toISOString()}`;
    if (now < validFrom)
      return `${variable}: the certificate in ${file} is not valid before ${new Date(validFrom).toISOString()}`;
    return undefined;
  }

  #report(problem: string | undefined): void {
    const { logger, onChecked } = this.#deps;
    onChecked(this.#identity, problem === undefined);
    if (problem !== undefined && problem !== this.#problem)
      logger.error({ reason: problem }, "TLS files are unusable; the current certificate remains in use");
    this.#problem = problem;
  }
}

function isSame(one: TlsIdentityTexts, other: TlsIdentityTexts): boolean {
  return one.cert === other.cert && one.key === other.key && one.ca === other.ca;
}
