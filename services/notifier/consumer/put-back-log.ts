/**
 * Remembers which messages of a certificate were put back and are still out, so that a later one does not overtake them
 * in this process. It only ever delays: a message that it knows nothing of goes the usual way, by the registry's claim.
 * Messages that went to another replica are forgotten after their time. The next issue, order across replicas, has the
 * registry decide at the claim and can drop this.
 */
export class PutBackLog {
  /** By certificate: stream sequence → the time, in epoch milliseconds, until which the message is waited for. */
  readonly #certificates = new Map<string, Map<number, number>>();

  /** Certificates with a message that is out, or was until lately. */
  get size(): number {
    return this.#certificates.size;
  }

  /** The message was put back and is expected again before `until`. */
  add(certificateId: string, sequence: number, until: number, now: number): void {
    const out = this.#certificates.get(certificateId) ?? new Map<number, number>();
    out.set(sequence, until);
    // To the end: those that were touched longest ago come first, where sweeping begins.
    this.#certificates.delete(certificateId);
    this.#certificates.set(certificateId, out);
    this.#sweep(now);
  }

  /** The message is back. */
  remove(certificateId: string, sequence: number): void {
    const out = this.#certificates.get(certificateId);
    out?.delete(sequence);
    if (out?.size === 0) this.#certificates.delete(certificateId);
  }

  /** Until when the message has to wait for earlier ones; undefined when it may go. */
  blockedUntil(certificateId: string, sequence: number, now: number): number | undefined {
    let latest: number | undefined;
    for (const [earlier, until] of this.#certificates.get(certificateId) ?? []) {
      if (earlier < sequence && until > now && until > (latest ?? 0)) latest = until;
    }
    return latest;
  }

  #sweep(now: number): void {
    for (const [certificateId, out] of this.#certificates) {
      for (const [sequence, until] of out) if (until <= now) out.delete(sequence);
      if (out.size > 0) return;
      this.#certificates.delete(certificateId);
    }
  }
}
