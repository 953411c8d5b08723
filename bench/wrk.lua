-- The wrk script: sends requests from a file, where they are stored as sent and separated by NUL, and prints the results as JSON.

local requests, last = {}, 0

function init(arguments)
  local file = io.open(arguments[1], 'rb')
  for one in file:read('*a'):gmatch('%Z+') do requests[#requests + 1] = one end
  file:close()
end

function request()
  last = last % #requests + 1
  return requests[last]
end

function done(summary, latency)
  local errors = summary.errors
  print(string.format(
    '{"requests":%d,"rate":%.1f,"p50":%.3f,"p99":%.3f,"failed":%d}',
    summary.requests, summary.requests / summary.duration * 1e6,
    latency:percentile(50) / 1e3, latency:percentile(99) / 1e3,
    errors.connect + errors.read + errors.write + errors.status + errors.timeout
  ))
end
