import { createHash, timingSafeEqual } from "node:crypto";
import { z } from "zod";
import { ServiceError } from "#shared/errors/service-error.ts";
import { type Right, rights } from "./offered-service.ts";

const operatorsFile = z.array(
  z.strictObject({
    actor: z.string().min(1).max(100),
    token_sha256: z.string().regex(/^[0-9a-f]{64}$/, "is not a SHA-256 in hexadecimal digits"),
    rights: z.array(z.enum(rights)).min(1),
  }),
);

/** Who may call over HTTP, and what. Only hashes of tokens are kept. */
export type Operators = z.output<typeof operatorsFile>;

/** Reads a file of operators: a JSON array of {actor, token_sha256, rights}. @throws Error naming what is wrong with it */
export function parseOperators(text: string): Operators {
  const parsed = operatorsFile.safeParse(JSON.parse(text));
  if (!parsed.success)
    throw new Error(`The file of operators cannot be used: ${z.prettifyError(parsed.error)}`);
  return parsed.data;
}

/**
 * The name of the operator whose token a request carries.
 *
 * @param authorization the request's `Authorization` header
 * @throws ServiceError `unauthorized` for a token that is missing, unknown or without the right
 */
export function authenticate(operators: Operators, authorization: string | null, right: Right): string {
  const token = /^Bearer +(\S+)$/i.exec(authorization ?? "")?.[1];
  if (token === undefined)
    throw new ServiceError("unauthorized", "Send a token as 'Authorization: Bearer <token>'.");
  const hash = createHash("sha256").update(token).digest();
  const operator = operators.find(({ token_sha256 }) =>
    timingSafeEqual(Buffer.from(token_sha256, "hex"), hash),
  );
  if (operator === undefined) throw new ServiceError("unauthorized", "The token is not known.");
  if (!operator.rights.includes(right))
    throw new ServiceError("unauthorized", `The token has no right to ${right}.`);
  return operator.actor;
}
