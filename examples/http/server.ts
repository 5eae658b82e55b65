import { limited } from '@tickbucket/http'
import { listen } from '../listen.ts'

// Three requests at once, then one a second, for each client.
const { url } = await listen(
  limited({ capacity: 3, perMinute: 60 }, (req, res) => {
    if (req.url === '/' && req.method === 'GET') res.end('Hello!\n')
    else if (req.url === '/echo' && req.method === 'POST') req.pipe(res)
    else {
      res.statusCode = 404
      res.end('Not found\n')
    }
  }),
)
console.log(`Listening on ${url} (3 requests at once, then 60 per minute)`)
