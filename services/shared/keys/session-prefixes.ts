/** The prefix of every session token of the settings, by which secret scanners can recognize it. */
export const sessionTokenPrefix = "cst_";

/** The prefix of the secret in every sign-in link of the settings. */
export const linkSecretPrefix = "csl_";
