{{/* Pieces of NetworkPolicies. */}}

{{- define "mediaflow.peer" -}}
- podSelector:
    matchLabels:
      app.kubernetes.io/name: {{ include "mediaflow.name" .root }}
      app.kubernetes.io/instance: {{ .root.Release.Name }}
      {{- with .component }}
      app.kubernetes.io/component: {{ . }}
      {{- end }}
{{- end -}}
{{- define "mediaflow.toDns" -}}
- to:
    - namespaceSelector: { matchLabels: { kubernetes.io/metadata.name: kube-system } }
  ports:
    - { port: 53, protocol: UDP }
    - { port: 53, protocol: TCP }
{{- end -}}
{{- define "mediaflow.toBroker" -}}
{{- if eq .Values.rabbitmq.mode "builtin" -}}
- to:
    {{- include "mediaflow.peer" (dict "root" . "component" "rabbitmq") | nindent 4 }}
  ports: [{ port: 5672 }, { port: 15672 }]
{{- else if eq .Values.rabbitmq.mode "operator" -}}
- to:
    - podSelector: { matchLabels: { app.kubernetes.io/name: {{ include "mediaflow.rabbitmq.fullname" . }} } }
  ports: [{ port: 5672 }, { port: 15672 }]
{{- else -}}
# A broker outside: its address is the user's.
- ports: [{ port: 5672 }, { port: 5671 }, { port: 15672 }, { port: 15671 }, { port: 443 }]
{{- end -}}
{{- end -}}
{{- define "mediaflow.toStore" -}}
{{- if eq .Values.store.mode "builtin" -}}
- to:
    {{- include "mediaflow.peer" (dict "root" . "component" "store") | nindent 4 }}
  ports: [{ port: 7070 }]
{{- else if eq .Values.store.mode "s3" -}}
- ports: [{ port: 443 }, { port: 9000 }]
{{- end -}}
{{- end -}}
{{- define "mediaflow.fromMonitoring" -}}
- from:
    - namespaceSelector: { matchLabels: {{ toJson .Values.networkPolicy.monitoringNamespaceLabels }} }
{{- end -}}
{{- define "mediaflow.policy" }}
---
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata:
  name: {{ include "mediaflow.fullname" .root }}-{{ .component }}
  labels:
    {{- include "mediaflow.labels" . | nindent 4 }}
spec:
  podSelector:
    matchLabels:
      {{- include "mediaflow.selector" . | nindent 6 }}
  policyTypes: [Ingress, Egress]
{{- end }}
