/**
 * The start of every take script: what the shapes between here and `takeLua` are defined over.
 *
 * ARGV[1] is the latest time of the server's clock at which to do anything (0: any); ARGV[2] a time
 * to use in place of the clock, or ''; ARGV[3] how many policies follow, each as its shape, capacity,
 * rate and periodMs. Then, for each take: its cost, how many buckets it asks, and the number of the
 * policy of each. KEYS are the buckets of all takes, one after another.
 */
export const headLua = `
local call, get, format, match, ceil = redis.call, redis.pcall, string.format, string.match, math.ceil
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
local function pair(value)
  local ticks, last = match(value, '^(-?%d+):(-?%d+)$')
  return tonumber(ticks), tonumber(last)
end
`

/**
 * Decides one take after another. What a take may not have it does not touch, and so a refusal
 * writes nothing; what it may have expires when its bucket is full, so that forgetting changes
 * nothing. Answers with the time and the microseconds above it, and for each take 1 or 0 and what its
 * buckets hold after it; or -1 alone for a take one of whose keys holds something that is no bucket,
 * which is left as it is.
 */
export const takeLua = `
local policies, arg = {}, 4
for i = 1, ARGV[3] + 0 do
  policies[i] = {shapes[ARGV[arg]], ARGV[arg + 1] + 0, ARGV[arg + 2] + 0, ARGV[arg + 3] + 0}
  arg = arg + 4
end
local out, size, key, last_arg = {now, micros}, 2, 0, #ARGV
local asked, ticks, last, log = {}, {}, {}, {}
while arg <= last_arg do
  local cost, count, allowed = ARGV[arg] + 0, ARGV[arg + 1] + 0, true
  arg = arg + 1
  for i = 1, count do
    local policy = policies[ARGV[arg + i] + 0]
    asked[i] = policy
    local value = get('GET', KEYS[key + i])
    ticks[i] = nil
    if type(value) ~= 'table' then
      ticks[i], last[i], log[i] = policy[1].refill(value, policy[2], policy[3], policy[4])
    end
    if not ticks[i] then
      allowed = nil
      break
    end
    if not policy[1].fits(ticks[i], cost, policy[4]) then allowed = false end
  end
  size = size + 1
  out[size] = allowed and 1 or allowed == false and 0 or -1
  for i = 1, allowed == nil and 0 or count do
    local shape, capacity, rate, periodMs = asked[i][1], asked[i][2], asked[i][3], asked[i][4]
    if allowed and cost > 0 then
      ticks[i] = shape.charge(ticks[i], cost, periodMs, last[i], log[i])
      local fullAt = shape.fullAt(ticks[i], last[i], capacity, rate, periodMs, log[i])
      -- Only a clock of a test's own is behind the server's, which expires keys.
      if fullAt > serverNow then call('SET', KEYS[key + i], shape.value(ticks[i], last[i], log[i]), 'PXAT', fullAt)
      else call('SET', KEYS[key + i], shape.value(ticks[i], last[i], log[i])) end
    end
    out[size + 1], out[size + 2] = whole(ticks[i]), whole(last[i])
    size = size + 2
    if shape.tell then size = shape.tell(out, size, cost, capacity, periodMs, ticks[i], last[i], log[i]) end
  end
  key, arg = key + count, arg + count + 1
end
return out
`

/** Forgets buckets. */
export const resetLua = `return redis.call('DEL', unpack(KEYS))`
