type Operation = "issue" | "issue expired" | "revoke" | "reactivate" | "transfer" | "verify" | "report";

/** One call. */
export interface ModelStep {
  readonly operation: Operation;
  /** Which certificate, from 0 in the order of issue; one that is not there is missing. Issuing has none. */
  readonly target: number;
  /** The buyer, reason, new owner or report. */
  readonly content: string;
  /** Empty: none. Opening the verification page has none. */
  readonly idempotencyKey: string;
}

/** What is expected of a certificate. */
export interface ModelCertificate {
  readonly status: "active" | "revoked" | "expired";
  readonly owner: string;
  readonly originalBuyer: string;
  readonly revokedReason: string | null;
  readonly isVerified: boolean;
}

/** What is expected of a call: a refusal, the answer of the step before it that it repeats, or a new change. */
export type ModelAnswer =
  | { readonly refused: "not_found" | "failed_precondition" | "conflict" }
  | { readonly repeats: ModelStep }
  | "nothing new"
  | "changed";

type Rule = (certificate: ModelCertificate, content: string) => Partial<ModelCertificate> | undefined;

// The INTERFACE.md §3 and §6: what an operation changes, or undefined where it is refused.
const rules: Readonly<Record<Exclude<Operation, "issue" | "issue expired">, Rule>> = {
  revoke: ({ status }, content) =>
    status === "active" ? { status: "revoked", revokedReason: content } : undefined,
  reactivate: ({ status }) => (status === "revoked" ? { status: "active", revokedReason: null } : undefined),
  transfer: ({ status }, content) => (status === "active" ? { owner: content } : undefined),
  verify: () => ({ isVerified: true }),
  report: () => ({}),
};

const told = {
  issue: "ISSUED",
  "issue expired": "ISSUED",
  revoke: "REVOKED",
  reactivate: "REACTIVATED",
  transfer: "TRANSFERRED",
  verify: "VERIFIED",
  report: "REPORTED",
} as const;

/** The operations that the model knows. */
export const modelOperations: readonly string[] = Object.keys(told);

/** A store's certificates as the interface specification has them: slow, plain and without a database. */
export class CertificateModel {
  /** As they are now, in the order of issue. */
  readonly certificates: ModelCertificate[] = [];
  /** What was told, in its order, with the certificate after it. */
  readonly events: { readonly type: string; readonly target: number; readonly after: ModelCertificate }[] =
    [];
  readonly #first = new Map<string, ModelStep>();

  do(step: ModelStep): ModelAnswer {
    const { operation, target, content, idempotencyKey } = step;
    const before = this.certificates[target];
    // The verification page knows no store: it looks for the certificate first.
    if (operation === "report" && before === undefined) return { refused: "not_found" };
    const first = this.#first.get(idempotencyKey);
    if (first !== undefined) return isSame(first, step) ? { repeats: first } : { refused: "conflict" };
    if (operation === "issue" || operation === "issue expired") {
      const status = operation === "issue" ? "active" : "expired";
      const people = { owner: content, originalBuyer: content };
      const certificate = { status, ...people, revokedReason: null, isVerified: false } as const;
      return this.#tell(step, this.certificates.length, certificate);
    }
    if (before === undefined) return { refused: "not_found" };
    if (operation === "verify" && before.isVerified) return "nothing new";
    const changes = rules[operation](before, content);
    if (changes === undefined) return { refused: "failed_precondition" };
    return this.#tell(step, target, { ...before, ...changes });
  }

  /** Which certificates there are, from 0 in the order of issue, the one that changed last at the end. */
  get order(): number[] {
    const lastChange = (target: number) => this.events.findLastIndex((event) => event.target === target);
    return [...this.certificates.keys()].sort((a, b) => lastChange(a) - lastChange(b));
  }

  #tell(step: ModelStep, target: number, after: ModelCertificate): "changed" {
    if (step.idempotencyKey !== "") this.#first.set(step.idempotencyKey, step);
    this.certificates[target] = after;
    this.events.push({ type: told[step.operation], target, after });
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
