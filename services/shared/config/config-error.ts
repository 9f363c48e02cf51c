/** An invalid configuration. The message names every variable at fault and never shows a value. */
export class ConfigError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "ConfigError";
  }
}
