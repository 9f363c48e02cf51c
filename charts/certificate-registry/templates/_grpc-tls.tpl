{{/*
The Secret with the gRPC certificate of a peer. Argument: dict root peer (registry, edge, notifier or operator).
cert-manager has Secrets of its own, because it cannot write to the generated ones, which are immutable.
*/}}
{{- define "certificate-registry.grpcSecret" -}}
{{- $generated := include "certificate-registry.name" (dict "root" .root "component" (printf "grpc-%s" .peer)) -}}
{{- $own := ternary (printf "%s-issued" $generated) $generated .root.Values.grpcTls.certManager.enabled -}}
{{- get .root.Values.grpcTls.existingSecrets .peer | default $own -}}
{{- end -}}

{{/* The files of a service's gRPC certificate, as references. Argument: dict root component */}}
{{- define "certificate-registry.grpcFiles" -}}
{{- if .root.Values.grpcTls.enabled -}}
{{- $secret := include "certificate-registry.grpcSecret" (dict "root" .root "peer" .component) -}}
{{- dict "grpcCertFile" (dict "secretName" $secret "key" "tls.crt") "grpcKeyFile" (dict "secretName" $secret "key" "tls.key") "grpcCaFile" (dict "secretName" $secret "key" "ca.crt") | toYaml -}}
{{- else -}}
{}
{{- end -}}
{{- end -}}

{{/* The fields that switch gRPC to TLS. Argument: root */}}
{{- define "certificate-registry.grpcFields" -}}
grpcTls: {{ ternary "on" "off" .Values.grpcTls.enabled | quote }}
grpcCertDomain: {{ .Values.grpcTls.domain | quote }}
{{- end -}}
