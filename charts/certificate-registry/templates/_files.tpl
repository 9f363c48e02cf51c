{{/* The mounts of a service's files. Argument: as for certificate-registry.fileVolumes */}}
{{- define "certificate-registry.fileMounts" -}}
{{- if .keysSecret }}
- { name: keys, mountPath: /etc/certificate-registry/keys, readOnly: true }
{{- end }}
{{- if .files }}
- { name: files, mountPath: /etc/certificate-registry/files, readOnly: true }
{{- end }}
{{- if and (eq .component "registry") .root.Values.mongodb.tlsSecret }}
- { name: mongodb-tls, mountPath: /etc/certificate-registry/mongodb, readOnly: true }
{{- end }}
{{- end -}}

{{/*
The volumes with a service's files. Arguments in a dict:
- root, component
- files: references by field name, as certificate-registry.settings returns them
- keysSecret: Secret with the service's key files, or empty
*/}}
{{- define "certificate-registry.fileVolumes" -}}
{{- if .keysSecret }}
- name: keys
  secret: { secretName: {{ .keysSecret | quote }}, defaultMode: 0440 }
{{- end }}
{{- if .files }}
- name: files
  projected:
    defaultMode: 0440
    sources:
      {{- range $field, $reference := .files }}
      {{- $item := dict "key" $reference.key "path" (printf "%s/%s" $field $reference.key) }}
      {{- if $reference.secretName }}
      - secret: { name: {{ $reference.secretName | quote }}, items: [{{ toJson $item }}] }
      {{- else }}
      - configMap: { name: {{ $reference.configMapName | quote }}, items: [{{ toJson $item }}] }
      {{- end }}
      {{- end }}
{{- end }}
{{- if eq .component "registry" }}
{{- with .root.Values.mongodb.tlsSecret }}
- name: mongodb-tls
  secret: { secretName: {{ . | quote }}, defaultMode: 0440 }
{{- end }}
{{- end }}
{{- end -}}
