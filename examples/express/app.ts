import { rateLimit } from '@tickbucket/express'
import express, { type Express } from 'express'

/** Three requests at once, then one a second, for each client. */
export function createApp(): Express {
  const app = express()
  app.use(rateLimit({ capacity: 3, perMinute: 60 }))
  app.get('/', (_req, res) => {
    res.send('Hello!\n')
  })
  app.post('/echo', (req, res) => {
    req.pipe(res)
  })
  return app
}
