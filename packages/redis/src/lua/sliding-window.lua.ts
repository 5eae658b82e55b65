/**
 * The twin of core's `shapes/sliding-window.ts`: the log is `last:time:tokens:time:tokens…`, oldest
 * run first. A log can be long, so what is told of it is three waits: for the run with whose end the
 * cost would fit, for the oldest run, and for the newest; 0 for none, and -1 for never.
 */
export const slidingWindowLua = `
shapes['sliding-window'] = {
  refill = function(value, capacity, _, periodMs)
    local ticks, last, log = capacity, now, {}
    if not value then return ticks, last, log end
    local numbers = string.gmatch(value, '[^:]+')
    last = tonumber((numbers()))
    if not last then return nil end
    if now > last then last = now end
    for time in numbers do
      local tokens = tonumber((numbers()))
      time = tonumber(time)
      if not time or not tokens then return nil end
      if last - time < periodMs then
        log[#log + 1], log[#log + 2] = time, tokens
        ticks = ticks - tokens
      end
    end
    return ticks, last, log
  end,
  fits = function(ticks, cost) return ticks >= cost end,
  charge = function(ticks, cost, _, last, log)
    if log[#log - 1] == last then log[#log] = log[#log] + cost
    else log[#log + 1], log[#log + 2] = last, cost end
    return ticks - cost
  end,
  value = function(_, last, log)
    local words = {format('%.0f', last)}
    for i = 1, #log do words[i + 1] = format('%.0f', log[i]) end
    return table.concat(words, ':')
  end,
  fullAt = function(_, _, _, _, periodMs, log) return log[#log - 1] + periodMs end,
  tell = function(out, size, cost, capacity, periodMs, ticks, last, log)
    local fits, oldest, newest = 0, 0, 0
    if cost > capacity then fits = -1
    elseif ticks < cost then
      local left = ticks
      for i = 2, #log, 2 do
        left = left + log[i]
        if left >= cost then
          fits = periodMs - (last - log[i - 1])
          break
        end
      end
    end
    if log[1] then oldest, newest = periodMs - (last - log[1]), periodMs - (last - log[#log - 1]) end
    out[size + 1], out[size + 2], out[size + 3] = whole(fits), whole(oldest), whole(newest)
    return size + 3
  end
}
`
