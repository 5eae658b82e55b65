import type { Departure } from './departure.ts'
import type { SentHeaders } from './facts.ts'

/** How a framework's response is written to. Made once by an adapter. */
export interface Responder<Res> {
  /** Whether the response is under way, so that nothing more can be said in its head. */
  isSent(res: Res): boolean
  setHeader(res: Res, name: string, value: string): void
  removeHeader(res: Res, name: string): void
  setStatus(res: Res, status: number): void
  send(res: Res, body: string): void
  /**
   * Cuts a response off that is under way, unless it is whole or whoever began it goes on: nobody
   * behind will, and its client must not take what has come for all of it.
   */
  cutOff(res: Res): void
  /** Takes what a user's `onRefused` gave, in a framework where what a handler gives is the answer. */
  accept?(res: Res, given: unknown): void
  /** What tells that the client has gone, while a request of its waits. */
  departure(res: Res): Departure
}

/** What is used of Node's `ServerResponse`, which frameworks on Node hand through. */
export interface NodeResponse extends SentHeaders {
  readonly headersSent: boolean
  statusCode: number
  setHeader(name: string, value: string): unknown
  removeHeader(name: string): void
  end(body: string): unknown
  readonly writableEnded: boolean
  destroy(): unknown
  once(event: 'close', gone: () => void): unknown
  removeListener(event: 'close', gone: () => void): unknown
}

/** Writes to Node's own response. */
export const nodeResponder: Responder<NodeResponse> = {
  isSent: (res) => res.headersSent,
  setHeader: (res, name, value) => void res.setHeader(name, value),
  removeHeader: (res, name) => res.removeHeader(name),
  setStatus(res, status) {
    res.statusCode = status
  },
  send: (res, body) => void res.end(body),
  cutOff(res) {
    if (!res.writableEnded) res.destroy()
  },
  departure: (res) => res,
}
