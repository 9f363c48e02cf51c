import type { Clock } from "#shared/time/clock.ts";
import { describeExpiry, type Validity } from "#shared/tls/expiry.ts";
import type { TlsFilesDeps } from "#shared/tls/tls-files.ts";
import { type Check, failed, passed } from "./check.ts";
import { checksOf, type PartCheck } from "./diagnose.ts";

/** The TLS certificates that a registry uses, and whether their files were valid when they were last read. */
export class KnownCertificates {
  readonly #known = new Map<string, { readonly validity: Validity; readonly areValid: boolean }>();

  /** Returns an observer of the files for one use, such as `grpc`; it forwards each observation to `next`. */
  watch(use: string, next: Pick<TlsFilesDeps, "onChecked">): Pick<TlsFilesDeps, "onChecked"> {
    return {
      onChecked: (validity, areValid) => {
        this.#known.set(use, { validity, areValid });
        next.onChecked(validity, areValid);
      },
    };
  }

  /** Returns a check for each TLS certificate that has been observed so far. */
  checks(clock: Pick<Clock, "now">): readonly PartCheck[] {
    const check = (use: string): Check<void> => ({
      name: `the certificate for ${use} is valid, and not about to expire`,
      remedy:
        "If the certificate is about to expire, renew it. If its files are invalid, correct them; the registry's log states the problem.",
      run: async () => {
        const known = this.#known.get(use);
        if (known === undefined) return failed("no certificate");
        const { isDue, text } = describeExpiry(known.validity, clock.now());
        if (isDue) return failed(text);
        return known.areValid
          ? passed(text)
          : failed("the certificate's files are invalid; the last valid version is in use");
      },
    });
    return checksOf("registry", [...this.#known.keys()].map(check), () => undefined);
  }
}
