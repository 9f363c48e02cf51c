{{/* The first lines of a component's NetworkPolicy, which denies everything else. Argument: dict root component */}}
{{- define "certificate-registry.networkPolicyHead" -}}
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: {{- include "certificate-registry.metadata" . | nindent 2 }}
spec:
  podSelector:
    matchLabels: {{- include "certificate-registry.selectorLabels" . | nindent 6 }}
  policyTypes: [Ingress, Egress]
{{- end -}}

{{/* A peer: the pods of a component of this release. Argument: dict root component */}}
{{- define "certificate-registry.componentPeer" -}}
- podSelector:
    matchLabels: {{- include "certificate-registry.selectorLabels" . | nindent 6 }}
{{- end -}}

{{/* An egress rule that allows DNS. Argument: root */}}
{{- define "certificate-registry.dnsEgress" -}}
- to: {{- toYaml .Values.networkPolicy.dns | nindent 4 }}
  ports: [{ protocol: UDP, port: 53 }, { protocol: TCP, port: 53 }]
{{- end -}}

{{/* An ingress rule that allows Prometheus to scrape the operations port. Argument: root */}}
{{- define "certificate-registry.prometheusIngress" -}}
{{- with .Values.networkPolicy.prometheus -}}
- from: {{- toYaml . | nindent 4 }}
  ports: [{ protocol: TCP, port: operations }]
{{- end -}}
{{- end -}}

{{/* An egress rule to the collector of traces, if there is one. Argument: root */}}
{{- define "certificate-registry.collectorEgress" -}}
{{- if .Values.tracing.endpoint -}}
- ports: [{ protocol: TCP, port: {{ .Values.networkPolicy.collector.port }} }]
  {{- with .Values.networkPolicy.collector.to }}
  to: {{- toYaml . | nindent 4 }}
  {{- end }}
{{- end -}}
{{- end -}}

{{/* An egress rule to the registry's gRPC port. Argument: root */}}
{{- define "certificate-registry.registryEgress" -}}
- to: {{- include "certificate-registry.componentPeer" (dict "root" . "component" "registry") | nindent 4 }}
  ports: [{ protocol: TCP, port: grpc }]
{{- end -}}

{{/* The peers of the public internet. Argument: root */}}
{{- define "certificate-registry.internetPeers" -}}
- ipBlock: { cidr: 0.0.0.0/0, except: {{ toJson .Values.networkPolicy.internet.exceptIPv4 }} }
- ipBlock: { cidr: "::/0", except: {{ toJson .Values.networkPolicy.internet.exceptIPv6 }} }
{{- end -}}

{{/* The port of a URL. Argument: dict value (the name of the chart's value) url scheme default */}}
{{- define "certificate-registry.urlPort" -}}
{{- $host := regexFind (printf "^%s://[^/?#]+" .scheme) (lower .url) -}}
{{- if or (not $host) (contains "@" $host) }}{{ fail (printf "%s must be an %s:// URL without credentials" .value .scheme) }}{{ end -}}
{{- regexFind ":[0-9]+$" $host | trimPrefix ":" | default .default -}}
{{- end -}}

{{/* An egress rule to the server with the storefront platform's keys, if there is one. Argument: root */}}
{{- define "certificate-registry.platformKeysEgress" -}}
{{- with .Values.registry.config.platformJwksUrl -}}
- to:
    {{- if $.Values.networkPolicy.platformKeys.to }}
    {{- toYaml $.Values.networkPolicy.platformKeys.to | nindent 4 }}
    {{- else }}
    {{- include "certificate-registry.internetPeers" $ | nindent 4 }}
    {{- end }}
  ports: [{ protocol: TCP, port: {{ include "certificate-registry.urlPort" (dict "value" "registry.config.platformJwksUrl" "url" . "scheme" "https" "default" 443) }} }]
{{- end -}}
{{- end -}}

{{/* An egress rule to a server outside the chart or its trial server. Argument: dict root component (mongodb or nats) */}}
{{- define "certificate-registry.serverEgress" -}}
{{- $server := get .root.Values.networkPolicy .component -}}
- ports: [{ protocol: TCP, port: {{ $server.port }} }]
  {{- if $server.to }}
  to: {{- toYaml $server.to | nindent 4 }}
  {{- else if (get .root.Values.trial .component).enabled }}
  to: {{- include "certificate-registry.componentPeer" . | nindent 4 }}
  {{- end }}
{{- end -}}
