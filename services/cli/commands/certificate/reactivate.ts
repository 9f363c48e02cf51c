import { defineCertificateChange } from "./define-certificate-change.ts";

export const certificateReactivate = defineCertificateChange({
  name: "certificate reactivate",
  description: "make a revoked certificate valid again, unless it has expired",
  changes: "a revoked certificate",
  preview: (certificate) => `reactivate ${certificate}`,
  apply: ({ lifecycle }, target) => lifecycle.reactivateCertificate(target),
});
