/**
 * The twin of core's `shapes/sliding-window.ts`: the log is `last:time:tokens:time:tokens…`, oldest
 * run first. A log can be long, so what is told of it is three waits: for the run with whose end the
 * cost would fit, for the one with whose end there is a token more, and for the newest; 0 for none, and
 * -1 for never.
 */
export const slidingWindowLua = `
shapes['sliding-window'] = {
  refill = function(value, capacity, _, periodMs)
    local ticks, last, log = capacity, now, {}
    if not value then return ticks, last, log end
    if not match(value, '^-?%d+[-:%d]*$') then return nil end
    local numbers = string.gmatch(value, '[^:]+')
    last = exact(numbers())
    if not last then return nil end
    if now > last then last = now end
    for text in numbers do
      local time, tokens = exact(text), exact((numbers()))
      if not time or not tokens or tokens < 1 then return nil end
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
    local fits, more, newest, left, most = 0, 0, 0, ticks, ticks
    if most < 0 then most = 0 end
    if cost > capacity then fits = -1 end
    for i = 2, #log, 2 do
      left = left + log[i]
      local wait = periodMs - (last - log[i - 1])
      if more == 0 and left > most then more = wait end
      if fits == 0 and ticks < cost and left >= cost then fits = wait end
      newest = wait
    end
    out[size + 1], out[size + 2], out[size + 3] = whole(fits), whole(more), whole(newest)
    return size + 3
  end
}
`
