-- wrk: JSON uploads, each of another asset. Argument: a tag that no other run has.
-- Requests are numbered per thread, so wrk has to run with one thread (-t 1).

local number = 0

function init(arguments)
  tag = arguments[1]
  wrk.headers["Content-Type"] = "application/json"
end

function request()
  number = number + 1
  local body = string.format('{"assetId":"%s-%d","ownerId":"u-1","durationSec":120}', tag, number)
  return wrk.format("POST", "/media/upload", nil, body)
end

function done(summary, latency, requests)
  local errors = summary.errors
  local failed = errors.status + errors.connect + errors.read + errors.write + errors.timeout
  io.write(string.format(
    '{"requests":%d,"failed":%d,"seconds":%.6f,"ms":{"p50":%.3f,"p95":%.3f,"p99":%.3f}}\n',
    summary.requests, failed, summary.duration / 1e6,
    latency:percentile(50) / 1e3, latency:percentile(95) / 1e3, latency:percentile(99) / 1e3
  ))
end
