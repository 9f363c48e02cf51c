import type { Answer } from "./asked-process.ts";

/** Makes this process answer the one that forked it, request by request, and end with it. */
export function answerParent(answer: (request: unknown) => Promise<unknown>): void {
  process.on("message", (request) => {
    answer(request)
      .then(
        (value): Answer => ({ value }),
        (error: unknown): Answer => ({ failure: textOf(error) }),
      )
      .then((reply) => process.send?.(reply));
  });
  process.once("disconnect", () => process.exit());
}

function textOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
