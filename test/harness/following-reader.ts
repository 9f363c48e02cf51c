/** What a reader keeps of a certificate. */
export interface ReadCertificate {
  readonly id: string;
  readonly updatedAt: string;
}

/** Everything changed after this time, oldest change first; undefined: everything. */
export type ReadChanges<Certificate> = (changedAfter: string | undefined) => Promise<readonly Certificate[]>;

/**
 * An integrator's copy of a store, kept current by the procedure of the interface specification, §4.1: save by id, keep
 * the newest `updatedAt` seen, ask for what changed after it.
 */
export class FollowingReader<Certificate extends ReadCertificate> {
  readonly #read: ReadChanges<Certificate>;
  readonly #copy = new Map<string, Certificate>();
  #newest: string | undefined;

  constructor(read: ReadChanges<Certificate>) {
    this.#read = read;
  }

  /** How many certificates the copy has. */
  get size(): number {
    return this.#copy.size;
  }

  async catchUp(): Promise<void> {
    for (const certificate of await this.#read(this.#newest)) {
      this.#copy.set(certificate.id, certificate);
      // ISO 8601 in one format: the order of the texts is that of the times.
      if (this.#newest === undefined || certificate.updatedAt > this.#newest)
        this.#newest = certificate.updatedAt;
    }
  }

  /** The certificates of the truth that the copy does not have, or has in an older state. */
  staleAgainst(truth: readonly Certificate[]): Certificate[] {
    return truth.filter(
      (certificate) => JSON.stringify(this.#copy.get(certificate.id)) !== JSON.stringify(certificate),
    );
  }
}
