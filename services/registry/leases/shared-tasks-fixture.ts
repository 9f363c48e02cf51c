import { taskLeaseMs } from "./leased-queue.ts";
import type { NumberedClaim, SharedTasks } from "./shared-tasks.ts";

interface Lease {
  readonly claim: NumberedClaim;
  until: number;
}

/** Shared tasks in memory, with leases that end by a simulated clock of the database. */
export class MemoryTasks {
  readonly count: number;
  readonly #now: () => number;
  readonly #leases = new Map<string, Lease>();
  #claims = 0;

  /** @param now default: the time stands still, so that leases end only when they are released */
  constructor(count: number, now: () => number = () => 0) {
    this.count = count;
    this.#now = now;
  }

  /**
   * Returns the tasks as one replica sees them.
   *
   * @param isFree false while the leases are held by replicas that the test does not simulate
   */
  replica(isFree: () => boolean | Promise<boolean> = () => true): SharedTasks {
    const claim = async (kind: string, numbers: readonly number[]) =>
      (await isFree()) ? this.#claim(kind, numbers) : undefined;
    const release = (claims: readonly NumberedClaim[]) => {
      for (const { id, token } of claims) if (this.#leases.get(id)?.claim.token === token) this.#leases.delete(id);
    };
    return {
      lifeMs: taskLeaseMs,
      count: this.count,
      claimSeat: () => claim("seat", this.#numbers()),
      claimTask: (number) => claim("task", [number]),
      renew: async (claims) => {
        if (!(await isFree())) release(claims);
        return new Set(claims.filter((one) => this.#renew(one)));
      },
      release: async (claims) => release(claims),
      leased: async () => ({ seats: this.leased("seat"), tasks: this.leased("task") }),
    };
  }

  /** Returns the numbers of the seats or tasks that are leased. */
  leased(kind: "seat" | "task"): number[] {
    return this.#numbers().filter((number) => this.#isLeased(`${kind}/${number}`));
  }

  #numbers(): number[] {
    return Array.from({ length: this.count }, (_, number) => number);
  }

  #isLeased(id: string): boolean {
    const lease = this.#leases.get(id);
    return lease !== undefined && lease.until > this.#now();
  }

  #claim(kind: string, numbers: readonly number[]): NumberedClaim | undefined {
    const number = numbers.find((one) => !this.#isLeased(`${kind}/${one}`));
    if (number === undefined) return undefined;
    const claim = { id: `${kind}/${number}`, token: String(++this.#claims), number };
    this.#leases.set(claim.id, { claim, until: this.#now() + taskLeaseMs });
    return claim;
  }

  #renew({ id, token }: NumberedClaim): boolean {
    const lease = this.#leases.get(id);
    if (lease?.claim.token !== token) return false;
    lease.until = this.#now() + taskLeaseMs;
    return true;
  }
}
