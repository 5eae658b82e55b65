import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'
import { createAdmin } from '../admin/admin.ts'
import { createLedger } from '../ledger.ts'
import { createTraffic } from '../traffic.ts'
import { setup, type Setup, type SetupOptions } from './support.ts'

/** A balancer with its page, on a port of its own. */
export async function setupPage(
  options: SetupOptions = {},
): Promise<Setup & { page: string; pagePort: number }> {
  const ledger = createLedger()
  const all = await setup({ ...options, onDecision: (event) => ledger.note(event) })
  const traffic = createTraffic(all.url)
  const admin = createAdmin({ balancer: all.balancer, ledger, traffic, servers: all.backends })
  admin.listen(0, '127.0.0.1')
  await once(admin, 'listening')
  onTestFinished(() => {
    traffic.stop()
    admin.close()
    admin.closeAllConnections()
  })
  const { port: pagePort } = admin.address() as AddressInfo
  return { ...all, pagePort, page: `http://localhost:${pagePort}` }
}
