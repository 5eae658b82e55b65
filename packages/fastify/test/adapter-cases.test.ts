import { type AdapterHarness, adapterCases } from '@tickbucket/conformance'
import { rateLimit } from '@tickbucket/fastify'
import fastify, { type FastifyReply, type FastifyRequest } from 'fastify'
import { test } from 'vitest'

const harness: AdapterHarness = {
  canTrust: true,
  canHttp2: true,
  canBegin: true,
  async serve({ limiters, before, trust, http2, socketPath, handled, failed }) {
    const app = fastify({
      // The one proxy in front, whatever it comes from.
      trustProxy: trust && ((_address, hop) => hop === 0),
      bodyLimit: 2 ** 27,
      http: { maxHeaderSize: 32_768 },
      forceCloseConnections: !http2,
      ...(http2 && ({ http2 } as object)),
    })
    app.addHook('onRequest', async (request, reply) => {
      reply.headers(before)
      if (request.url === '/begun') reply.raw.write('begun')
    })
    for (const options of limiters) await app.register(rateLimit, options)
    app.removeAllContentTypeParsers()
    app.addContentTypeParser('*', (_request, payload, done) => done(null, payload))
    app.all('/*', (request, reply) => {
      const path = request.url.replace(/\?.*/, '')
      if (path === '/missing') return reply.callNotFound()
      handled(path, request.rateLimit)
      if (path === '/throw') throw new Error('thrown')
      return reply.send(path === '/echo' ? request.body : 'hello')
    })
    app.setErrorHandler((error: Error, _request, reply) => {
      failed(error)
      return reply.code(500).send(error.message)
    })
    app.server.on('checkContinue', (req, res) => app.server.emit('request', req, res))
    await app.listen(socketPath === undefined ? { port: 0, host: '::' } : { path: socketPath })
    const address = app.server.address()
    return { port: typeof address === 'object' ? address!.port : 0, close: () => app.close() }
  },
  header: (ctx, name) => (ctx as FastifyRequest).headers[name] as string | undefined,
  answer: (_ctx, response, status, text) => (response as FastifyReply).code(status).send(text),
}

for (const { name, run } of adapterCases(harness)) test(name, () => run(harness))
