import { createHash, timingSafeEqual } from "node:crypto";
import { z } from "zod";
import { ServiceError } from "#shared/errors/service-error.ts";
import { type Right, rights } from "./offered-service.ts";

const operatorsFile = z.array(
  z.strictObject({
    actor: z.string().min(1).max(100),
    token_sha256: z.string().regex(/^[0-9a-f]{64}$/, "must be a SHA-256 in hexadecimal digits"),
    rights: z.array(z.enum(rights)).min(1),
  }),
);

/** The callers of the operator API, each with a token hash and rights. */
export type Operators = z.output<typeof operatorsFile>;

/** Parses an operators file: a JSON array of {actor, token_sha256, rights}. @throws Error naming the invalid entries */
export function parseOperators(text: string): Operators {
  const parsed = operatorsFile.safeParse(JSON.parse(text));
  if (!parsed.success) throw new Error(`The operators file is invalid: ${z.prettifyError(parsed.error)}`);
  return parsed.data;
}

/**
 * Returns the name of the operator that sent a request.
 *
 * @param authorization the request's `Authorization` header
 * @throws ServiceError `unauthorized` for a token that is missing, is unknown or lacks the right
 */
export function authenticate(operators: Operators, authorization: string | null, right: Right): string {
  const token = /^Bearer +(\S+)$/i.exec(authorization ?? "")?.[1];
  if (token === undefined) throw new ServiceError("unauthorized", "Send a token as 'Authorization: Bearer <token>'.");
  const hash = createHash("sha256").update(token).digest();
  const operator = operators.find(({ token_sha256 }) => timingSafeEqual(Buffer.from(token_sha256, "hex"), hash));
  if (operator === undefined) throw new ServiceError("unauthorized", "The token is unknown. Check the token.");
  if (!operator.rights.includes(right))
    throw new ServiceError(
      "unauthorized",
      `The token does not have the right to ${right}. Use a token with this right.`,
    );
  return operator.actor;
}
