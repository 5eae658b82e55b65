import type { AddressInfo } from 'node:net'
import { type AdapterHarness, adapterCases } from '@tickbucket/conformance'
import { rateLimit } from '@tickbucket/fastify'
import fastify, { type FastifyReply, type FastifyRequest } from 'fastify'
import { test } from 'vitest'

const harness: AdapterHarness = {
  canTrust: true,
  async serve({ limiters, before, trust, handled }) {
    const app = fastify({
      trustProxy: trust ? '127.0.0.1' : false,
      bodyLimit: 2 ** 27,
      http: { maxHeaderSize: 32_768 },
      forceCloseConnections: true,
    })
    app.addHook('onRequest', async (_request, reply) => void reply.headers(before))
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
    app.setErrorHandler((error: Error, _request, reply) => reply.code(500).send(error.message))
    await app.listen({ port: 0, host: '::' })
    const { port } = app.server.address() as AddressInfo
    return { port, close: () => app.close() }
  },
  header: (ctx, name) => (ctx as FastifyRequest).headers[name] as string | undefined,
  answer: (_ctx, response, status, text) => (response as FastifyReply).code(status).send(text),
}

for (const { name, run } of adapterCases(harness)) test(name, () => run(harness))
