/** The fields of a certificate that a {@link FollowingReader} needs. */
export interface ReadCertificate {
  readonly id: string;
  readonly updatedAt: string;
}

/**
 * Maintains an integrator's copy of a store with the procedure of INTERFACE.md §4.1: saves certificates by id,
 * remembers the newest `updatedAt` and requests the certificates that changed after it.
 */
export class FollowingReader<Certificate extends ReadCertificate> {
  readonly #read: (changedAfter: string | undefined) => Promise<readonly Certificate[]>;
  readonly #copy = new Map<string, Certificate>();
  #newest: string | undefined;

  /** @param read returns the certificates that changed after a time (all if undefined), oldest change first */
  constructor(read: (changedAfter: string | undefined) => Promise<readonly Certificate[]>) {
    this.#read = read;
  }

  /** Number of certificates in the copy. */
  get size(): number {
    return this.#copy.size;
  }

  async catchUp(): Promise<void> {
    for (const certificate of await this.#read(this.#newest)) {
      this.#copy.set(certificate.id, certificate);
      // All times have the same ISO 8601 format, so string order is time order.
      if (this.#newest === undefined || certificate.updatedAt > this.#newest) this.#newest = certificate.updatedAt;
    }
  }

  /** Returns the expected certificates that are missing from the copy or stale in it. */
  staleAgainst(expected: readonly Certificate[]): Certificate[] {
    return expected.filter((one) => JSON.stringify(this.#copy.get(one.id)) !== JSON.stringify(one));
  }
}
