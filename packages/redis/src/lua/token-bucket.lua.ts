/**
 * The twin of core's `shapes/token-bucket.ts`, and of the leaky bucket, which only tells more of the
 * same state. Numbers are doubles here as there, so what is exact there is exact here. Only
 * `string.format('%.0f')` writes large ones whole.
 */
export const tokenBucketLua = `
local tokenBucket = {
  refill = function(b, value)
    local full = b.capacity * b.periodMs
    b.ticks, b.last = full, now
    if not value then return end
    local colon = string.find(value, ':', 1, true)
    b.ticks, b.last = tonumber(string.sub(value, 1, colon - 1)), tonumber(string.sub(value, colon + 1))
    local gain = 0
    if now > b.last then
      gain = (now - b.last) * b.rate
      b.last = now
    end
    if gain >= full - b.ticks then b.ticks = full else b.ticks = b.ticks + gain end
  end,
  fits = function(b, cost) return b.ticks >= cost * b.periodMs end,
  charge = function(b, cost) b.ticks = b.ticks - cost * b.periodMs end,
  value = function(b) return string.format('%.0f:%.0f', b.ticks, b.last) end,
  fullAt = function(b) return b.last + math.ceil((b.capacity * b.periodMs - b.ticks) / b.rate) end
}
shapes['token-bucket'] = tokenBucket
shapes['leaky-bucket'] = tokenBucket
`
