{{/* The name of the Secret with the TLS certificate of the Ingress. */}}
{{- define "certificate-registry.edgeTlsSecret" -}}
{{- .Values.ingress.tls.secretName | default (printf "%s-tls" (include "certificate-registry.name" (dict "root" . "component" "edge"))) -}}
{{- end -}}
