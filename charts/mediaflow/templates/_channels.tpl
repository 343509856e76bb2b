{{/* The channels as the fleet reads them, in the shape of the packaged channels.toml. */}}

{{- define "mediaflow.channels.toml" -}}
{{- range $name, $channel := .Values.channels }}
{{- if not (hasKey $channel.profiles $.Values.profile) }}
{{- fail (printf "channels.%s.profiles has no %s, which is the profile" $name $.Values.profile) }}
{{- end }}
{{- include "mediaflow.channels.check" (dict "name" $name "channel" $channel) }}
[channels.{{ $name }}]
delivery_limit = {{ int $channel.deliveryLimit }}
job_time_limit_s = {{ int64 $channel.jobTimeLimitSeconds }}
{{- with $channel.maxLength }}
max_length = {{ int64 . }}
{{- end }}
{{- range $profile, $work := $channel.profiles }}

[profiles.{{ $profile }}.{{ $name }}]
prefetch = {{ int $work.prefetch }}
concurrency = {{ int $work.concurrency }}
retries = { count = {{ int $work.retries.count }}, initial_ms = {{ int64 $work.retries.initialMs }}, multiplier = {{ printf "%.3f" (float64 $work.retries.multiplier) }}, max_ms = {{ int64 $work.retries.maxMs }} }
workers = { min = {{ int $work.workers.min }}, max = {{ int $work.workers.max }} }
messages_per_worker = {{ int $work.messagesPerWorker }}
simulated = { latency_ms = {{ int64 $work.simulated.latencyMs }}, failure_rate = {{ printf "%.4f" (float64 $work.simulated.failureRate) }} }
{{- end }}
{{ end }}
{{- end -}}

{{/* What contradicts itself is refused here, with its name, and not by pods that don't start. What the schema sees is not
     looked at again. Call with (dict "name" … "channel" …). */}}
{{- define "mediaflow.channels.check" -}}
{{- $name := .name }}
{{- range $profile, $work := .channel.profiles }}
{{- if gt (int $work.workers.min) (int $work.workers.max) }}
{{- fail (printf "channels.%s.profiles.%s.workers: min %d is above max %d" $name $profile (int $work.workers.min) (int $work.workers.max)) }}
{{- end }}
{{- if gt (int $work.concurrency) (int $work.prefetch) }}
{{- fail (printf "channels.%s.profiles.%s: concurrency %d is above prefetch %d: the surplus could never run" $name $profile (int $work.concurrency) (int $work.prefetch)) }}
{{- end }}
{{- end }}
{{- end -}}

{{/* Changes when a running worker of the channel has to be started anew, and at no other time: not for another channel, the
     other profile, or what only KEDA reads. A worker in the middle of a long job is not disturbed for nothing. Call with
     (dict "root" $ "channel" …). */}}
{{- define "mediaflow.channels.checksum" -}}
{{- $work := index .channel.profiles .root.Values.profile -}}
{{- $queue := pick .channel "deliveryLimit" "jobTimeLimitSeconds" "maxLength" -}}
{{- list $queue (omit $work "workers" "messagesPerWorker") | toJson | sha256sum -}}
{{- end -}}
