/** The steps of an attempt: name look-up, TCP, the TLS handshake, handing over the message, waiting for the status. */
export const phaseNames = ["resolveMs", "connectMs", "tlsMs", "sendMs", "replyMs"] as const;

/** Milliseconds of each step of an attempt; a step that was not begun is absent. */
export type AttemptPhases = { readonly [name in (typeof phaseNames)[number]]?: number };

/** The phases of something that may hold more, or nothing. */
export function phasesOf(
  source: { readonly [name in keyof AttemptPhases]?: number | undefined } | undefined,
): AttemptPhases {
  const pairs = phaseNames.flatMap((name) => {
    const ms = source?.[name];
    return ms === undefined ? [] : [[name, ms] as const];
  });
  return Object.fromEntries(pairs);
}
