import cluster from 'node:cluster'
import { createServer } from 'node:http'
import { createLimiter } from '@tickbucket/core'

// Four workers behind one port, each with 10 tokens for its own idea of the one client there is.
if (cluster.isPrimary) {
  process.on('SIGTERM', () => process.exit())
  for (let count = 0; count < 4; count += 1) cluster.fork()
  let listening = 0
  cluster.on('listening', (_worker, address) => {
    listening += 1
    if (listening === 4) process.send?.(address.port)
  })
} else {
  const limiter = createLimiter({ capacity: 10, perHour: 10 })
  createServer((_req, res) => {
    res.statusCode = limiter.take('client').allowed ? 200 : 429
    res.end()
  }).listen(0)
}
