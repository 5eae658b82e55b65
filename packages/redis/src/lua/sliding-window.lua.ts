/**
 * The twin of core's `shapes/sliding-window.ts`: the log is `last:time:tokens:time:tokens…`, oldest
 * run first. A log can be long, so what is told of it is three waits: for the run with whose end the
 * cost would fit, for the oldest run, and for the newest; 0 for none, and -1 for never.
 */
export const slidingWindowLua = `
shapes['sliding-window'] = {
  refill = function(b, value)
    b.ticks, b.last, b.log = b.capacity, now, {}
    if not value then return end
    local numbers = string.gmatch(value, '[^:]+')
    local last = tonumber(numbers())
    if last > now then b.last = last end
    for time in numbers do
      local tokens = tonumber(numbers())
      time = tonumber(time)
      if b.last - time < b.periodMs then
        b.log[#b.log + 1], b.log[#b.log + 2] = time, tokens
        b.ticks = b.ticks - tokens
      end
    end
  end,
  fits = function(b, cost) return b.ticks >= cost end,
  charge = function(b, cost)
    local log = b.log
    b.ticks = b.ticks - cost
    if log[#log - 1] == b.last then log[#log] = log[#log] + cost
    else log[#log + 1], log[#log + 2] = b.last, cost end
  end,
  value = function(b)
    local words = {string.format('%.0f', b.last)}
    for i = 1, #b.log do words[i + 1] = string.format('%.0f', b.log[i]) end
    return table.concat(words, ':')
  end,
  fullAt = function(b) return b.log[#b.log - 1] + b.periodMs end,
  tell = function(b, cost, out)
    local log, fits, left = b.log, 0, b.ticks
    if cost > b.capacity then fits = -1
    elseif left < cost then
      for i = 2, #log, 2 do
        left = left + log[i]
        if left >= cost then
          fits = b.periodMs - (b.last - log[i - 1])
          break
        end
      end
    end
    local oldest, newest = 0, 0
    if log[1] then oldest, newest = b.periodMs - (b.last - log[1]), b.periodMs - (b.last - log[#log - 1]) end
    out[#out + 1], out[#out + 2], out[#out + 3] = whole(fits), whole(oldest), whole(newest)
  end
}
`
