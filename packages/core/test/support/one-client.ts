import type { Facts } from '@tickbucket/core'

/** What is told of requests that all come from one client. */
export const oneClient: Facts<object> = {
  method: () => 'GET',
  header: () => undefined,
  address: () => '192.0.2.1',
  socketAddress: () => '192.0.2.1',
}
