{{/* Pieces of NetworkPolicies. Ports are those of the pods: a policy looks at a packet after the Service's port is gone. */}}

{{/* Head of the policy of one component. Call with (dict "root" $ "component" "ingest"). */}}
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

{{/* Pods of one or more components. Call with (dict "root" $ "components" (list …)). */}}
{{- define "mediaflow.peers" -}}
- podSelector:
    matchLabels:
      app.kubernetes.io/name: {{ include "mediaflow.name" .root }}
      app.kubernetes.io/instance: {{ .root.Release.Name }}
    matchExpressions:
      - { key: app.kubernetes.io/component, operator: In, values: [{{ join ", " .components }}] }
{{- end -}}

{{- define "mediaflow.namespaces" -}}
- namespaceSelector: { matchLabels: {{ toJson . }} }
{{- end -}}

{{/* The broker's nodes: of this chart, or of the operator, which labels its pods itself. */}}
{{- define "mediaflow.brokerPods" -}}
{{- if eq .Values.rabbitmq.mode "operator" -}}
app.kubernetes.io/name: {{ include "mediaflow.rabbitmq.fullname" . }}
app.kubernetes.io/component: rabbitmq
{{- else -}}
{{ include "mediaflow.selector" (dict "root" . "component" "rabbitmq") }}
{{- end -}}
{{- end -}}

{{/* Ports at the addresses of something outside; without addresses, at any. Call with (dict "cidrs" … "ports" …). */}}
{{- define "mediaflow.toOutside" -}}
- ports:
    {{- range .ports }}
    - { port: {{ int . }}, protocol: TCP }
    {{- end }}
  {{- with .cidrs }}
  to:
    {{- range . }}
    - ipBlock: { cidr: {{ . | quote }} }
    {{- end }}
  {{- end }}
{{- end -}}

{{- define "mediaflow.toDns" -}}
- to:
    {{- include "mediaflow.namespaces" .Values.networkPolicy.dnsNamespaceLabels | nindent 4 }}
    {{- range .Values.networkPolicy.dnsCidrs }}
    - ipBlock: { cidr: {{ . | quote }} }
    {{- end }}
  ports:
    {{- range .Values.networkPolicy.dnsPorts }}
    - { port: {{ int . }}, protocol: UDP }
    - { port: {{ int . }}, protocol: TCP }
    {{- end }}
{{- end -}}

{{- define "mediaflow.toBroker" -}}
{{- if eq .Values.rabbitmq.mode "external" -}}
{{ include "mediaflow.toOutside" (dict "cidrs" .Values.networkPolicy.brokerCidrs "ports" .Values.networkPolicy.brokerPorts) }}
{{- else -}}
- to:
    - podSelector:
        matchLabels:
          {{- include "mediaflow.brokerPods" . | nindent 10 }}
  ports: [{ port: 5672 }, { port: 15672 }]
{{- end -}}
{{- end -}}

{{/* The port of an address: what stands in it, or its scheme's. */}}
{{- define "mediaflow.urlPort" -}}
{{- $url := urlParse . -}}
{{- default (ternary 80 443 (eq $url.scheme "http")) (regexFind "[0-9]+$" (regexFind ":[0-9]+$" $url.host)) -}}
{{- end -}}

{{- define "mediaflow.storePorts" -}}
{{- $port := include "mediaflow.urlPort" (default "https://aws" .Values.store.s3.endpoint) | int -}}
{{- toJson (default (list $port) .Values.networkPolicy.storePorts) -}}
{{- end -}}

{{/* Nothing for a volume: that is the kubelet's business. */}}
{{- define "mediaflow.toStore" -}}
{{- if eq .Values.store.mode "builtin" -}}
- to:
    {{- include "mediaflow.peers" (dict "root" . "components" (list "store")) | nindent 4 }}
  ports: [{ port: 7070 }]
{{- else if eq .Values.store.mode "s3" -}}
{{ include "mediaflow.toOutside" (dict "cidrs" .Values.networkPolicy.storeCidrs "ports" (include "mediaflow.storePorts" . | fromJsonArray)) }}
{{- end -}}
{{- end -}}

{{- define "mediaflow.fromMonitoring" -}}
- from:
    {{- include "mediaflow.namespaces" .Values.networkPolicy.monitoringNamespaceLabels | nindent 4 }}
{{- end -}}

{{/* Who may reach a front: everybody where it is a Service that is open to the outside; else what stands in `own`, and the
     ingress controller where there is an Ingress. Call with (dict "root" $ "component" "console" "port" 8090 "own" (list …)). */}}
{{- define "mediaflow.fromClients" -}}
{{- $front := index .root.Values .component -}}
{{- if or .open (ne $front.service.type "ClusterIP") -}}
- ports: [{ port: {{ .port }} }]
{{- else -}}
- from:
    {{- include "mediaflow.peers" (dict "root" .root "components" .own) | nindent 4 }}
    {{- if $front.ingress.enabled }}
    {{- include "mediaflow.namespaces" .root.Values.networkPolicy.ingressNamespaceLabels | nindent 4 }}
    {{- end }}
  ports: [{ port: {{ .port }} }]
{{- end -}}
{{- end -}}

{{/* The port on every node, of a Service (its values) that has one: Kubernetes refuses it on another. */}}
{{- define "mediaflow.nodePort" -}}
{{- if and .nodePort (ne .type "ClusterIP") -}}
nodePort: {{ int .nodePort }}
{{- end -}}
{{- end }}
