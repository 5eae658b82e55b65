/**
 * The twin of core's `shapes/token-bucket.ts`, and of the leaky bucket, which only tells more of the
 * same state. Numbers are doubles here as there, so what is exact there is exact here. Only
 * `string.format('%.0f')` writes large ones whole.
 */
export const tokenBucketLua = `
local tokenBucket = {
  fillsByRate = true,
  refill = function(value, capacity, rate, periodMs)
    local full = capacity * periodMs
    if not value then return full, now end
    local ticks, last = pair(value)
    if not last then return nil end
    local gain = 0
    if now > last then
      gain = (now - last) * rate
      last = now
    end
    if gain >= full - ticks then return full, last end
    return ticks + gain, last
  end,
  fits = function(ticks, cost, periodMs) return ticks >= cost * periodMs end,
  charge = function(ticks, cost, periodMs) return ticks - cost * periodMs end,
  value = function(ticks, last) return format('%.0f:%.0f', ticks, last) end,
  fullAt = function(ticks, last, capacity, rate, periodMs) return last + ceil((capacity * periodMs - ticks) / rate) end
}
shapes['token-bucket'] = tokenBucket
shapes['leaky-bucket'] = tokenBucket
`
