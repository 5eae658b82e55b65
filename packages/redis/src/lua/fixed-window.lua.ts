/** The twin of core's `shapes/fixed-window.ts`: windows of the server's clock, one of which begins at the epoch. */
export const fixedWindowLua = `
shapes['fixed-window'] = {
  refill = function(value, capacity, _, periodMs)
    if not value then return capacity, now end
    local ticks, last = pair(value)
    if not last then return nil end
    if ticks > capacity or now - last >= periodMs - last % periodMs then ticks = capacity end
    if now > last then last = now end
    return ticks, last
  end,
  fits = function(ticks, cost) return ticks >= cost end,
  charge = function(ticks, cost) return ticks - cost end,
  value = function(ticks, last) return format('%.0f:%.0f', ticks, last) end,
  fullAt = function(_, last, _, _, periodMs) return last + periodMs - last % periodMs end
}
`
