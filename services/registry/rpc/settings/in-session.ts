import {
  create,
  type DescMessage,
  type DescMethodUnary,
  type MessageInitShape,
  type MessageShape,
} from "@bufbuild/protobuf";
import type { HandlerContext } from "@connectrpc/connect";
import { secretHash } from "../../sessions/session-secrets.ts";
import { type Session, type Sessions, signedOut } from "../../sessions/sessions.ts";
import { authenticatedActor } from "../actor.ts";

/** The header with the session's token. */
export const sessionHeader = "x-session";

type Fields<M> = Omit<M, "$typeName" | "$unknown">;

/**
 * Returns the session of a call, and sets the call's authenticated actor to the session's actor.
 *
 * @throws ServiceError `unauthorized` without a valid session
 */
export async function sessionOf(sessions: Pick<Sessions, "find">, context: HandlerContext): Promise<Session> {
  const token = context.requestHeader.get(sessionHeader) ?? "";
  const session = token === "" ? undefined : await sessions.find(secretHash(token));
  if (session === undefined) throw signedOut();
  context.values.set(authenticatedActor, session.actor);
  return session;
}

/** Adapts an operators' method for merchants; see {@link inSessions}. */
export type InSession = ReturnType<typeof inSessions>;

/**
 * Returns a function that adapts a method of the operators' services for merchants: the store and the actor are those
 * of the session. The merchant's request has the fields of the operator's request except `store_id`.
 */
export function inSessions(sessions: Pick<Sessions, "find">) {
  return <I extends DescMessage, O extends DescMessage>(
    method: DescMethodUnary<I, O>,
    call: (request: MessageShape<I>, context: HandlerContext) => Promise<MessageInitShape<O>> | MessageInitShape<O>,
  ) =>
    async (
      request: Omit<Fields<MessageShape<I>>, "storeId">,
      context: HandlerContext,
    ): Promise<Fields<MessageShape<O>>> => {
      const { storeId } = await sessionOf(sessions, context);
      // The cast is sound, because the callers' types require all fields but storeId; TypeScript cannot derive this for
      // an arbitrary I.
      const init = { ...request, storeId } as unknown as MessageInitShape<I>;
      return create(method.output, await call(create(method.input, init), context));
    };
}
