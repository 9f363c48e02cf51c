/** Thrown for an invalid configuration. The message names the variables at fault and never shows a secret. */
export class ConfigError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "ConfigError";
  }
}

const invalid = "The configuration is invalid. ";

/** Returns an error that lists invalid variables. @param problems each begins with the name of its variable */
export function invalidVariables(problems: readonly string[]): ConfigError {
  return new ConfigError(`${invalid}${problems.join("; ")}`);
}

/** Combines errors into one that states all of their faults. A single error remains as it is. */
export function combineFaults(errors: readonly [ConfigError, ...ConfigError[]]): ConfigError {
  const [first, ...others] = errors;
  if (others.length === 0) return first;
  return invalidVariables(errors.map(({ message }) => message.replace(invalid, "").replace(/\.$/, "")));
}
