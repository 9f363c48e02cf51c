import { type Command, Option } from "commander";
import { ServiceError } from "#shared/errors/service-error.ts";
import { ApiError, ConnectionError } from "../../../client/errors.ts";
import type { ListenTarget } from "../../../client/listen/listen-api.ts";
import { UsageError } from "../../output/usage-error.ts";

/** The option of commands that call the public API with a listen token instead of the registry. */
export interface ListenTargetOptions {
  readonly url: string;
}

/** The variable that contains the listen token; not an option, because other users see the command lines. */
const tokenVariable = "REGISTRY_LISTEN_TOKEN";

/** Adds the option of {@link ListenTargetOptions}. */
export function withListenTarget(command: Command): Command {
  return command
    .addOption(new Option("--url <url>", "public URL of the service").env("REGISTRY_URL").makeOptionMandatory())
    .addHelpText("after", `\nThe variable ${tokenVariable} contains the listen token.`);
}

/**
 * Calls the public API with the listen token.
 *
 * @throws UsageError if the token is missing or a value is invalid; ServiceError if the token is refused, or if the
 * service cannot be reached
 */
export async function withListenToken<T>(
  { url: baseUrl }: ListenTargetOptions,
  call: (target: ListenTarget) => Promise<T>,
): Promise<T> {
  const { [tokenVariable]: token = "" } = process.env;
  if (token === "")
    throw new UsageError(
      `Set ${tokenVariable} to a listen token. Create one in the store's settings, or with: certctl webhook token`,
    );
  try {
    return await call({ baseUrl, token });
  } catch (error) {
    if (error instanceof TypeError) throw new UsageError(error.message, { cause: error });
    if (error instanceof ConnectionError) throw new ServiceError("unavailable", error.message, { cause: error });
    if (!(error instanceof ApiError)) throw error;
    if (error.code === "bad_request") throw new UsageError(error.message, { cause: error });
    if (error.code === "unauthorized") throw new ServiceError("unauthorized", error.message, { cause: error });
    throw error;
  }
}
