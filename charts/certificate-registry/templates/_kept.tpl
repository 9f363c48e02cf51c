{{/*
The object of this release that the cluster has under a name, as YAML; empty if there is none, or without access to a
cluster. Argument: dict root kind component
- Objects that survive `helm uninstall` (`helm.sh/resource-policy: keep`) are rendered as long as the cluster has them,
  even if the values no longer ask for them: Helm cannot roll back to a revision with an object that a later revision
  left out and kept.
*/}}
{{- define "certificate-registry.kept" -}}
{{- $object := lookup "v1" .kind .root.Release.Namespace (include "certificate-registry.name" .) -}}
{{- if $object -}}
{{- if eq .root.Release.Name (get ($object.metadata.annotations | default dict) "meta.helm.sh/release-name") -}}
{{- toYaml $object -}}
{{- end -}}
{{- end -}}
{{- end -}}
