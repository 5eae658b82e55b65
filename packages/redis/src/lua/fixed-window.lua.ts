/** The twin of core's `shapes/fixed-window.ts`: windows of the server's clock, one of which begins at the epoch. */
export const fixedWindowLua = `
shapes['fixed-window'] = {
  refill = function(b, value)
    b.ticks, b.last = b.capacity, now
    if not value then return end
    local colon = string.find(value, ':', 1, true)
    local ticks, last = tonumber(string.sub(value, 1, colon - 1)), tonumber(string.sub(value, colon + 1))
    if now - last < b.periodMs - last % b.periodMs then b.ticks = math.min(ticks, b.capacity) end
    if now < last then b.last = last end
  end,
  fits = function(b, cost) return b.ticks >= cost end,
  charge = function(b, cost) b.ticks = b.ticks - cost end,
  value = function(b) return string.format('%.0f:%.0f', b.ticks, b.last) end,
  fullAt = function(b) return b.last + b.periodMs - b.last % b.periodMs end
}
`
