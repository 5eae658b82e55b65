/**
 * The start of every take script: what the shapes between here and `takeLua` are defined over.
 *
 * ARGV[1] is the latest time of the server's clock at which to do anything (0: any); ARGV[2] a time
 * to use in place of the clock, or ''; ARGV[3] how many policies follow, each as its shape, capacity,
 * rate and periodMs. Then, for each take: its cost, or -1 to forget its buckets, how many buckets it
 * asks, and the number of the policy of each. KEYS are the buckets of all takes, one after another.
 */
export const headLua = `
local call, try, format, match, ceil = redis.call, redis.pcall, string.format, string.match, math.ceil
local time = call('TIME')
local micros = time[2] % 1000
local serverNow = time[1] * 1000 + (time[2] - micros) / 1000
local now = tonumber(ARGV[2]) or serverNow
local deadline = ARGV[1] + 0
if deadline > 0 and now > deadline then return {now} end
local shapes = {}
-- Some clients read an integer this near to 2^53 wrongly, and a text rightly.
local function whole(n)
  if n > 9e15 then return format('%.0f', n) end
  return n
end
-- A whole number that is exact; nil for any other text.
local function exact(text)
  local n = tonumber(text)
  if n and n <= 9007199254740992 then return n end
end
local function pair(value)
  local ticks, last = match(value, '^(%d+):(-?%d+)$')
  return exact(ticks), exact(last)
end
`

/**
 * Decides one take after another. What a take may not have it does not touch, and so a refusal
 * writes nothing; what it may have expires when its bucket is full, so that forgetting changes
 * nothing: also to a version of the service whose larger bucket fills later. Answers with the time
 * and the microseconds above it, and for each take 1 or 0 and what its buckets hold after it. A take
 * that cannot be decided is told alone: -1 if one of its keys holds what is no bucket, which is left
 * as it is; -2 and the reason if the server does not write.
 */
export const takeLua = `
local policies, arg = {}, 4
for i = 1, ARGV[3] + 0 do
  policies[i] = {shapes[ARGV[arg]], ARGV[arg + 1] + 0, ARGV[arg + 2] + 0, ARGV[arg + 3] + 0}
  arg = arg + 4
end
local out, size, key, last_arg = {now, micros}, 2, 0, #ARGV
local asked, ticks, last, log, value = {}, {}, {}, {}, {}

local function read(count, cost)
  local allowed = true
  for i = 1, count do
    local policy = policies[ARGV[arg + i] + 0]
    asked[i], ticks[i], value[i] = policy, nil, try('GET', KEYS[key + i])
    if type(value[i]) ~= 'table' then
      ticks[i], last[i], log[i] = policy[1].refill(value[i], policy[2], policy[3], policy[4])
    end
    if not ticks[i] then return nil end
    if not policy[1].fits(ticks[i], cost, policy[4]) then allowed = false end
  end
  return allowed
end

local function write(i, cost)
  local shape, capacity, rate, periodMs = asked[i][1], asked[i][2], asked[i][3], asked[i][4]
  ticks[i] = shape.charge(ticks[i], cost, periodMs, last[i], log[i])
  local fullAt = shape.fullAt(ticks[i], last[i], capacity, rate, periodMs, log[i])
  if value[i] and shape.fillsByRate then
    local ttl = call('PTTL', KEYS[key + i])
    if ttl > 0 and serverNow + ttl > fullAt then fullAt = serverNow + ttl end
  end
  local text = shape.value(ticks[i], last[i], log[i])
  -- Only a clock of a test's own is behind the server's, which expires keys.
  if fullAt > serverNow then return try('SET', KEYS[key + i], text, 'PXAT', format('%.0f', fullAt)) end
  return try('SET', KEYS[key + i], text)
end

local function failed(answer)
  if type(answer) ~= 'table' or not answer.err then return false end
  out[size + 1], out[size + 2] = -2, answer.err
  size = size + 2
  return true
end

local function take(count, cost)
  local allowed = read(count, cost)
  if allowed == nil then
    size = size + 1
    out[size] = -1
    return
  end
  if allowed and cost > 0 then
    for i = 1, count do
      if failed(write(i, cost)) then return end
    end
  end
  size = size + 1
  out[size] = allowed and 1 or 0
  for i = 1, count do
    out[size + 1], out[size + 2] = whole(ticks[i]), whole(last[i])
    size = size + 2
    local shape = asked[i][1]
    if shape.tell then size = shape.tell(out, size, cost, asked[i][2], asked[i][4], ticks[i], last[i], log[i]) end
  end
end

local function forget(count)
  for i = 1, count do
    if failed(try('DEL', KEYS[key + i])) then return end
  end
  size = size + 1
  out[size] = 1
end

while arg <= last_arg do
  local cost, count = ARGV[arg] + 0, ARGV[arg + 1] + 0
  arg = arg + 1
  if cost < 0 then forget(count) else take(count, cost) end
  key, arg = key + count, arg + count + 1
end
return out
`
