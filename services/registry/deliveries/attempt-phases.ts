/** The phases of an attempt: DNS query, TCP connect, TLS handshake, sending the message, waiting for the status line. */
export const phaseNames = ["resolveMs", "connectMs", "tlsMs", "sendMs", "replyMs"] as const;

/** Duration of each phase in milliseconds; phases that did not begin are absent. */
export type AttemptPhases = { readonly [name in (typeof phaseNames)[number]]?: number };

/** Returns the phases in an object that may have other fields. @param source undefined: no phases */
export function phasesOf(
  source: { readonly [name in keyof AttemptPhases]?: number | undefined } | undefined,
): AttemptPhases {
  const pairs = phaseNames.flatMap((name) => {
    const ms = source?.[name];
    return ms === undefined ? [] : [[name, ms] as const];
  });
  return Object.fromEntries(pairs);
}
