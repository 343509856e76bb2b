{{/* Where the broker is, and who may talk to it. Credentials stand in one Secret with the keys username and password; with
     mode external the whole addresses stand in the user's own Secret. */}}

{{- define "mediaflow.rabbitmq.fullname" -}}
{{ include "mediaflow.fullname" . }}-rabbitmq
{{- end -}}

{{- define "mediaflow.rabbitmq.image" -}}
{{- with .Values.rabbitmq.image -}}
{{ .repository }}:{{ .tag }}{{ with .digest }}@{{ . }}{{ end }}
{{- end -}}
{{- end -}}

{{/* The Secret with `username` and `password`. */}}
{{- define "mediaflow.rabbitmq.secret" -}}
{{- if eq .Values.rabbitmq.mode "external" -}}
{{- required "rabbitmq.external.existingSecret: name the Secret with the keys amqp-url, management-url, username and password" .Values.rabbitmq.external.existingSecret -}}
{{- else if eq .Values.rabbitmq.mode "operator" -}}
{{ include "mediaflow.rabbitmq.fullname" . }}-default-user
{{- else -}}
{{- default (include "mediaflow.rabbitmq.fullname" .) .Values.rabbitmq.existingSecret -}}
{{- end -}}
{{- end -}}

{{- define "mediaflow.rabbitmq.vhost" -}}
{{- if eq .Values.rabbitmq.mode "external" }}{{ .Values.rabbitmq.external.vhost }}{{ else }}/{{ end -}}
{{- end -}}

{{/* Management API without login: http://host:15672 */}}
{{- define "mediaflow.rabbitmq.managementHost" -}}
{{- if eq .Values.rabbitmq.mode "external" -}}
{{- $host := required "rabbitmq.external.managementHost: where is the management API, without login? (http://host:15672)" .Values.rabbitmq.external.managementHost -}}
{{- if not (regexMatch "^https?://[^@/]+/?$" $host) -}}
{{- fail (printf "rabbitmq.external.managementHost: %s is not http(s)://host:port without a login; that stands in the Secret" $host) -}}
{{- end -}}
{{- trimSuffix "/" $host -}}
{{- else -}}
http://{{ include "mediaflow.rabbitmq.fullname" . }}.{{ .Release.Namespace }}.svc:15672
{{- end -}}
{{- end -}}

{{/* Environment of every process that talks to the broker. The kubelet puts the credentials into the addresses. */}}
{{- define "mediaflow.rabbitmq.env" -}}
{{- $secret := include "mediaflow.rabbitmq.secret" . -}}
{{- if eq .Values.rabbitmq.mode "external" }}
- name: AMQP_URL
  valueFrom: { secretKeyRef: { name: {{ $secret }}, key: amqp-url } }
- name: MEDIAFLOW_MANAGEMENT_URL
  valueFrom: { secretKeyRef: { name: {{ $secret }}, key: management-url } }
{{- else }}
- name: RABBITMQ_USERNAME
  valueFrom: { secretKeyRef: { name: {{ $secret }}, key: username } }
- name: RABBITMQ_PASSWORD
  valueFrom: { secretKeyRef: { name: {{ $secret }}, key: password } }
- name: AMQP_URL
  value: amqp://$(RABBITMQ_USERNAME):$(RABBITMQ_PASSWORD)@{{ include "mediaflow.rabbitmq.fullname" . }}:5672/%2F
- name: MEDIAFLOW_MANAGEMENT_URL
  value: http://$(RABBITMQ_USERNAME):$(RABBITMQ_PASSWORD)@{{ include "mediaflow.rabbitmq.fullname" . }}:15672
{{- end }}
{{- end -}}

{{/* What a broker of ours is told, in both modes: lines of rabbitmq.conf. */}}
{{- define "mediaflow.rabbitmq.limits" -}}
{{- $rabbitmq := .Values.rabbitmq -}}
{{- range $name, $channel := .Values.channels }}
{{- if le (int64 $rabbitmq.consumerTimeoutSeconds) (int64 $channel.jobTimeLimitSeconds) }}
{{- fail (printf "rabbitmq.consumerTimeoutSeconds: %d is not more than the time limit of the channel %s (%d): the broker would take a job back while it runs" (int64 $rabbitmq.consumerTimeoutSeconds) $name (int64 $channel.jobTimeLimitSeconds)) }}
{{- end }}
{{- end -}}
default_queue_type = quorum
queue_leader_locator = balanced
# The queues may be declared while the cluster still forms, and nodes may be added later: either way every quorum queue
# gets a member on each (up to 7), and loses the one on a node that was forgotten.
quorum_queue.continuous_membership_reconciliation.enabled = true
quorum_queue.continuous_membership_reconciliation.auto_remove = true
quorum_queue.continuous_membership_reconciliation.target_group_size = 7
quorum_queue.continuous_membership_reconciliation.interval = 30000
# KEDA and the console read the queues' depths from the management API, which is as fresh as its finest interval.
deprecated_features.permit.management_metrics_collection = true
collect_statistics_interval = 1000
management.sample_retention_policies.global.minute = 1
management.sample_retention_policies.global.hour = 60
management.sample_retention_policies.basic.minute = 1
management.sample_retention_policies.basic.hour = 60
management.sample_retention_policies.detailed.10 = 1
# Longer than the longest job: a worker holds its message until its job is done.
consumer_timeout = {{ mul (int64 $rabbitmq.consumerTimeoutSeconds) 1000 }}
# Below this publishers are held back; what is left must hold what the nodes still write to each other.
disk_free_limit.absolute = {{ $rabbitmq.diskFreeLimit }}
vm_memory_high_watermark.relative = {{ $rabbitmq.memoryHighWatermark }}
{{- end -}}

{{/* Put the nodes on different machines. Call with (dict "root" $ "labels" <map>). */}}
{{- define "mediaflow.rabbitmq.affinity" -}}
{{- $term := dict "topologyKey" "kubernetes.io/hostname" "labelSelector" (dict "matchLabels" .labels) -}}
{{- if eq .root.Values.rabbitmq.antiAffinity "required" -}}
podAntiAffinity:
  requiredDuringSchedulingIgnoredDuringExecution:
    {{- toYaml (list $term) | nindent 4 }}
{{- else if eq .root.Values.rabbitmq.antiAffinity "preferred" -}}
podAntiAffinity:
  preferredDuringSchedulingIgnoredDuringExecution:
    {{- toYaml (list (dict "weight" 100 "podAffinityTerm" $term)) | nindent 4 }}
{{- end -}}
{{- end -}}
