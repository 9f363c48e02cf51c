import { z } from "zod";

/** The rights that an operator can have; each grants access to some of the services in `proto/registry/v1`. */
export const operatorRights = ["issue", "change", "inspect", "administer"] as const;

/** One of {@link operatorRights}. */
export type OperatorRight = (typeof operatorRights)[number];

/** In {@link OperatorEntry.stores}, stands for all stores, including those created later. */
export const allStores = "*";

/** The schema of an entry in the operators' file. */
export const operatorEntry = z.strictObject({
  actor: z
    .string()
    .regex(/^[^\p{Cc}]{1,100}$/u, "must have 1 to 100 characters, without control characters")
    .refine((name) => name.trim() === name, "must not begin or end with a space"),
  token_sha256: z.string().regex(/^[0-9a-f]{64}$/, "must be a SHA-256 hash: 64 hexadecimal digits in lower case"),
  rights: z
    .array(z.enum(operatorRights, `must be one of ${operatorRights.join(", ")}`))
    .min(1, "must name at least one right"),
  stores: z
    .array(z.string().regex(/^(\*|[a-z0-9-]+(\.[a-z0-9-]+)+)$/, "must be a store's domain in lower case, or *"))
    .min(1, "must name at least one store, or *"),
});

/** An operator's name, the SHA-256 of a token, rights, and the domains of the stores to which the rights apply. */
export type OperatorEntry = Readonly<z.output<typeof operatorEntry>>;
