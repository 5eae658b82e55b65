/**
 * The start of every take script: what the shapes between here and `takeLua` are defined over.
 *
 * ARGV[1] is the latest time of the server's clock at which to do anything (0: any); ARGV[2] a time
 * to use in place of the clock, or ''. Then, for each take, its cost and the number of its buckets,
 * and for each bucket its shape, capacity, rate and periodMs. KEYS are the buckets of all takes.
 */
export const headLua = `
local time = redis.call('TIME')
local serverNow = time[1] * 1000 + math.floor(time[2] / 1000)
local now = tonumber(ARGV[2]) or serverNow
local deadline = tonumber(ARGV[1])
if deadline > 0 and now > deadline then return {now} end
local shapes = {}
-- Some clients read an integer this near to 2^53 wrongly, and a text rightly.
local function whole(n)
  if n > 9e15 then return string.format('%.0f', n) end
  return n
end
`

/**
 * Decides one take after another. What a take may not have it does not touch, and so a refusal
 * writes nothing; what it may have expires when its bucket is full, so that forgetting changes
 * nothing. Answers with the time, and for each take 1 or 0 and what its buckets hold after it.
 */
export const takeLua = `
local out, key, arg = {now}, 1, 3
while arg <= #ARGV do
  local cost, count, buckets, allowed = tonumber(ARGV[arg]), tonumber(ARGV[arg + 1]), {}, true
  arg = arg + 2
  for i = 1, count do
    local b = {
      key = KEYS[key], shape = shapes[ARGV[arg]],
      capacity = tonumber(ARGV[arg + 1]), rate = tonumber(ARGV[arg + 2]), periodMs = tonumber(ARGV[arg + 3])
    }
    key, arg = key + 1, arg + 4
    b.shape.refill(b, redis.call('GET', b.key))
    if not b.shape.fits(b, cost) then allowed = false end
    buckets[i] = b
  end
  out[#out + 1] = allowed and 1 or 0
  for i = 1, count do
    local b = buckets[i]
    if allowed and cost > 0 then
      b.shape.charge(b, cost)
      local fullAt = b.shape.fullAt(b)
      -- Only a clock of a test's own is behind the server's, which expires keys.
      if fullAt > serverNow then redis.call('SET', b.key, b.shape.value(b), 'PXAT', string.format('%.0f', fullAt))
      else redis.call('SET', b.key, b.shape.value(b)) end
    end
    out[#out + 1], out[#out + 2] = whole(b.ticks), whole(b.last)
    if b.shape.tell then b.shape.tell(b, cost, out) end
  end
end
return out
`

/** Forgets buckets. */
export const resetLua = `return redis.call('DEL', unpack(KEYS))`
