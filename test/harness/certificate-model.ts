type Operation = "issue" | "issue expired" | "revoke" | "reactivate" | "transfer" | "verify" | "report";

/** One call of the model and of the registry. */
export interface ModelStep {
  readonly operation: Operation;
  /** Index of the certificate in order of issue; it may not exist. Ignored by issue. */
  readonly target: number;
  /** The buyer, reason, new owner or report. */
  readonly content: string;
  /** Empty: none, as for opening the verification page. */
  readonly idempotencyKey: string;
}

/** The expected state of a certificate. */
export interface ModelCertificate {
  readonly status: "active" | "revoked" | "expired";
  readonly owner: string;
  readonly originalBuyer: string;
  readonly revokedReason: string | null;
  readonly isVerified: boolean;
}

/** The expected answer to a call: a refusal, the answer of the step that it repeats, no change, or a change. */
export type ModelAnswer =
  | { readonly refused: "not_found" | "failed_precondition" | "conflict" }
  | { readonly repeats: ModelStep }
  | "nothing new"
  | "changed";

type Rule = (certificate: ModelCertificate, content: string) => Partial<ModelCertificate> | undefined;

// INTERFACE.md §3 and §6: the fields that an operation changes, or undefined when it is refused.
const rules: Readonly<Record<Exclude<Operation, "issue" | "issue expired">, Rule>> = {
  revoke: ({ status }, content) =>
    status === "active" ? { status: "revoked", revokedReason: content } : undefined,
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

/** The operations of the model. */
export const modelOperations: readonly string[] = Object.keys(eventTypes);

/** A reference model of a store's certificates: the rules of INTERFACE.md without storage or concurrency. */
export class CertificateModel {
  /** Their current states, in order of issue. */
  readonly certificates: ModelCertificate[] = [];
  /** The events in order, with the certificate's state after each. */
  readonly events: { readonly type: string; readonly target: number; readonly after: ModelCertificate }[] =
    [];
  readonly #first = new Map<string, ModelStep>();

  do(step: ModelStep): ModelAnswer {
    const { operation, target, content, idempotencyKey } = step;
    const before = this.certificates[target];
    // A report names no store, so that the certificate is looked up before the idempotency key.
    if (operation === "report" && before === undefined) return { refused: "not_found" };
    const first = this.#first.get(idempotencyKey);
    if (first !== undefined) return isSame(first, step) ? { repeats: first } : { refused: "conflict" };
    if (operation === "issue" || operation === "issue expired") {
      const status = operation === "issue" ? "active" : "expired";
      const people = { owner: content, originalBuyer: content };
      const certificate = { status, ...people, revokedReason: null, isVerified: false } as const;
      return this.#record(step, this.certificates.length, certificate);
    }
    if (before === undefined) return { refused: "not_found" };
    if (operation === "verify" && before.isVerified) return "nothing new";
    const changes = rules[operation](before, content);
    if (changes === undefined) return { refused: "failed_precondition" };
    return this.#record(step, target, { ...before, ...changes });
  }

  /** The indexes of all certificates, in the order of their last change. */
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
  const isIssue = a.operation.startsWith("issue");
  return (
    a.operation === b.operation &&
    (isIssue || a.target === b.target) &&
    (a.operation === "reactivate" || a.content === b.content)
  );
}
