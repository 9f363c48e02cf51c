import { ConfigError } from "#shared/config/config-error.ts";
import { readNamedFile } from "#shared/config/named-file.ts";
import { PolledFiles } from "#shared/files/polled-files.ts";
import type { Logger } from "#shared/observe/logger.ts";
import type { Clock } from "#shared/time/clock.ts";
import { type Operators, parseOperators } from "./operators.ts";

interface OperatorsFileDeps {
  readonly path: string;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Called after each check of the file. */
  readonly onChecked: (isValid: boolean) => void;
}

const variable = "REGISTRY_OPERATORS_FILE";

/**
 * Reads the operators' file, which is read again every two seconds once `start` has been called. While it is unusable,
 * the operators of its last usable version remain; the problem is logged once.
 *
 * @throws ConfigError with the reason why the file is unusable
 */
export function openOperatorsFile(deps: OperatorsFileDeps) {
  try {
    return pollOperators(deps);
  } catch (error) {
    if (error instanceof ConfigError || !(error instanceof Error)) throw error;
    throw new ConfigError(`${variable}: ${deps.path} ${error.message}`);
  }
}

function pollOperators({ path: file, clock, logger, onChecked }: OperatorsFileDeps) {
  const opened = new PolledFiles<Operators, string>({
    read: () => readNamedFile({ variable, file }),
    parse: parseOperators,
    intervalMs: 2_000,
    clock,
    onChecked: (_operators, isValid) => onChecked(isValid),
    onUnusable: (reason) =>
      logger.error({ path: file, reason }, "the operators' file is unusable; the previous operators remain valid"),
  });
  opened.onChange(({ size }) => logger.info({ path: file, operators: size }, "reloaded the changed operators' file"));
  return opened;
}
