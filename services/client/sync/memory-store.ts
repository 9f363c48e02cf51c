import type { Certificate } from "../certificate.ts";
import { type CertificateStore, replaces, requireLatestRound, type SyncPosition } from "./certificate-store.ts";

/** Keeps the copy of the list in memory: for tests, for small numbers of certificates, and as an example. */
export class MemoryStore implements CertificateStore {
  readonly #rows = new Map<string, { readonly round: number; readonly certificate: Certificate }>();
  #position: SyncPosition | undefined;

  /** All certificates in the copy, in no particular order. */
  get certificates(): readonly Certificate[] {
    return Array.from(this.#rows.values(), ({ certificate }) => certificate);
  }

  /** Returns the certificate with this id; undefined if the copy does not contain it. */
  get(id: string): Certificate | undefined {
    return this.#rows.get(id)?.certificate;
  }

  async loadPosition(): Promise<SyncPosition | undefined> {
    return this.#position;
  }

  async save(certificates: readonly Certificate[], position?: SyncPosition): Promise<void> {
    requireLatestRound(position, this.#position);
    const { round } = position ?? this.#position ?? { round: 0 };
    const isFromList = position !== undefined;
    for (const certificate of certificates) {
      const { id, updatedAt } = certificate;
      const stored = this.#rows.get(id);
      const isNewer =
        stored === undefined ||
        replaces({ round, updatedAt, isFromList }, { round: stored.round, updatedAt: stored.certificate.updatedAt });
      if (isNewer) this.#rows.set(id, { round, certificate });
    }
    this.#position = position ?? this.#position;
  }

  async removeBefore(round: number): Promise<number> {
    const earlier = [...this.#rows].filter(([, row]) => row.round < round);
    for (const [id] of earlier) this.#rows.delete(id);
    return earlier.length;
  }
}
