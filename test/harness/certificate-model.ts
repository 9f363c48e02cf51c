type Operation = "issue" | "issue expired" | "revoke" | "reactivate" | "transfer" | "verify" | "report";

/** One request to the model. */
export interface ModelStep {
  readonly operation: Operation;
  /** Index of the certificate in the order of issue, from 0; may be out of range. Ignored when issuing. */
  readonly target: number;
  /** Buyer, revocation reason, new owner or report, depending on the operation. */
  readonly content: string;
  /** The empty string when the request has no key. A `verify` request never has one. */
  readonly idempotencyKey: string;
}

/** Expected state of a certificate. */
export interface ModelCertificate {
  readonly status: "active" | "revoked" | "expired";
  readonly owner: string;
  readonly originalBuyer: string;
  readonly revokedReason: string | null;
  readonly isVerified: boolean;
}

/** Expected result of a request: a refusal, the response to the identical earlier request, no effect, or a change. */
type ModelAnswer =
  | { readonly refused: "not_found" | "failed_precondition" | "conflict" }
  | { readonly repeats: ModelStep }
  | "nothing new"
  | "changed";

type Rule = (certificate: ModelCertificate, content: string) => Partial<ModelCertificate> | undefined;

// INTERFACE.md §3: the fields that an operation changes; undefined if the operation is refused.
const rules: Readonly<Record<Exclude<Operation, "issue" | "issue expired">, Rule>> = {
  revoke: ({ status }, content) => (status === "active" ? { status: "revoked", revokedReason: content } : undefined),
  reactivate: ({ status }) => (status === "revoked" ? { status: "active", revokedReason: null } : undefined),
  transfer: ({ status }, content) => (status === "active" ? { owner: content } : undefined),
  verify: () => ({ isVerified: true }),
  report: () => ({}),
};

const eventTypes = {
  issue: "ISSUED",
  "issue expired": "ISSUED",
  revoke: "REVOKED",
  reactivate: "REACTIVATED",
  transfer: "TRANSFERRED",
  verify: "VERIFIED",
  report: "REPORTED",
} as const;

export const modelOperations: readonly string[] = Object.keys(eventTypes);

/** Reference model of a store's certificates (INTERFACE.md §2 to §6), in memory. */
export class CertificateModel {
  /** Current states, in the order of issue. */
  readonly certificates: ModelCertificate[] = [];
  /** Events in order, each with the resulting state of the certificate. */
  readonly events: { readonly type: string; readonly target: number; readonly after: ModelCertificate }[] = [];
  readonly #first = new Map<string, ModelStep>();

  do(step: ModelStep): ModelAnswer {
    const { operation, target, content, idempotencyKey } = step;
    const before = this.certificates[target];
    // A report request does not state the store, so the certificate is looked up before the idempotency key.
    if (operation === "report" && before === undefined) return { refused: "not_found" };
    const first = this.#first.get(idempotencyKey);
    if (first !== undefined) return isSame(first, step) ? { repeats: first } : { refused: "conflict" };
    if (operation === "issue" || operation === "issue expired") {
      const people = { owner: content, originalBuyer: content };
      const issued = { status: "active", ...people, revokedReason: null, isVerified: false } as const;
      const index = this.certificates.length;
      const answer = this.#record(step, index, issued);
      // The certificate expires after its event has been written.
      if (operation === "issue expired") this.certificates[index] = { ...issued, status: "expired" };
      return answer;
    }
    if (before === undefined) return { refused: "not_found" };
    if (operation === "verify" && before.isVerified) return "nothing new";
    const changes = rules[operation](before, content);
    if (changes === undefined) return { refused: "failed_precondition" };
    if (operation === "transfer" && before.owner === content) return "nothing new";
    return this.#record(step, target, { ...before, ...changes });
  }

  /** Indexes of the certificates, least recently changed first. */
  get order(): number[] {
    const lastChange = (target: number) => this.events.findLastIndex((event) => event.target === target);
    return [...this.certificates.keys()].sort((a, b) => lastChange(a) - lastChange(b));
  }

  #record(step: ModelStep, target: number, after: ModelCertificate): "changed" {
    if (step.idempotencyKey !== "") this.#first.set(step.idempotencyKey, step);
    this.certificates[target] = after;
    this.events.push({ type: eventTypes[step.operation], target, after });
    return "changed";
  }
}

function isSame(a: ModelStep, b: ModelStep): boolean {
  const isSameTarget = a.operation.startsWith("issue") || a.target === b.target;
  return a.operation === b.operation && isSameTarget && (a.operation === "reactivate" || a.content === b.content);
}
