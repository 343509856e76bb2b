{{/* What Prometheus is told about the fleet's pods. */}}

{{/* Head of a monitor. Call with (dict "root" $ "kind" "PodMonitor" "component" "worker"). */}}
{{- define "mediaflow.monitor" }}
---
apiVersion: monitoring.coreos.com/v1
kind: {{ .kind }}
metadata:
  name: {{ include "mediaflow.fullname" .root }}-{{ .component }}
  labels:
    {{- include "mediaflow.monitoringLabels" . | nindent 4 }}
spec:
  namespaceSelector:
    matchNames: [{{ .root.Release.Namespace }}]
{{- end }}

{{/* By `monitoring.labels` your Prometheus finds monitors and rules. */}}
{{- define "mediaflow.monitoringLabels" -}}
{{- toYaml (merge (dict) .root.Values.monitoring.labels (include "mediaflow.labels" . | fromYaml)) -}}
{{- end -}}

{{/* How an endpoint is read; the release's name is on every sample, so that two of them never mix. */}}
{{- define "mediaflow.scrape" -}}
interval: {{ .Values.monitoring.scrapeInterval }}
relabelings:
  - { targetLabel: release, replacement: {{ .Release.Name | quote }} }
{{- end -}}

{{/* The rules file with this release written into it. */}}
{{- define "mediaflow.rules" -}}
{{- $own := printf "namespace=%q, release=%q" .Release.Namespace .Release.Name -}}
{{- $named := printf "=~\"%s-.+\"" (include "mediaflow.fullname" .) -}}
{{- $rules := .Files.Get "rules/alerts.yaml" -}}
{{- $rules = $rules | replace "release=~\".*\"" $own | replace "namespace=~\".+\"" (printf "namespace=%q" .Release.Namespace) -}}
{{- $rules = $rules | replace "scaledObject=~\".+\"" (print "scaledObject" $named) | replace "pod=~\".+\"" (print "pod" $named) -}}
{{- $rules = $rules | replace "deployment=~\".+\"" (print "deployment" $named) -}}
{{- $rules = $rules | replace "keda-hpa-.+" (printf "keda-hpa-%s-.+" (include "mediaflow.fullname" .)) -}}
{{- $lag := int64 .Values.monitoring.lagTargetSeconds -}}
{{- $rules = $rules | replace "> 1800" (printf "> %d" $lag) | replace "1800 s" (printf "%d s" $lag) -}}
{{- with .Values.monitoring.runbookUrl -}}
{{- $rules = $rules | replace "runbook: OPERATIONS.md" (printf "runbook_url: %s" (trimSuffix "#" .)) -}}
{{- end -}}
{{- toYaml ($rules | fromYaml) -}}
{{- end -}}
