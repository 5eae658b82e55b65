/**
 * How one framework tells what the guard asks about a request. Made once by an adapter; each
 * method is called only when its answer is needed.
 */
export interface Facts<Ctx> {
  method(ctx: Ctx): string
  /** A request header by its lower-case name. */
  header(ctx: Ctx, name: string): string | readonly string[] | undefined
  /** The client's address by the framework's own trust-proxy setting. */
  address(ctx: Ctx): string | undefined
  /** The address at the other end of the socket. */
  socketAddress(ctx: Ctx): string | undefined
  /** Whether the framework believes whatever a client says of its own address. Asked with the first request. */
  trustsEverybody?(ctx: Ctx): boolean
}

/** Where the response headers set so far can be read, such as a `ServerResponse`. */
export interface SentHeaders {
  getHeader(name: string): unknown
}
