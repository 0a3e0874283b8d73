import { Socket } from 'node:net'

/**
 * The peer of the connection itself, even where a load balancer names a different client: what Node's handles tell of
 * it, and nothing if its client has reset the connection before anyone asked.
 */
export function ownPeerOf(socket: Socket): {
  readonly address?: string
  readonly port?: number
  readonly family?: string
} {
  const own = (name: string) => Reflect.get(Socket.prototype, name, socket)
  return { address: own('remoteAddress'), port: own('remotePort'), family: own('remoteFamily') }
}

/**
 * Names the TCP connection that a socket is, or that lies below a TLS socket: Node does not say which one that is.
 */
export function peerOf(socket: Socket): string {
  const { address, port } = ownPeerOf(socket)
  return `${address} ${port} ${socket.localAddress}`
}
