/** Thrown for an invalid configuration. The message names the variables at fault and never shows a secret. */
export class ConfigError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "ConfigError";
  }
}
