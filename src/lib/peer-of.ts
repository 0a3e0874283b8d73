import { Socket } from 'node:net'

/**
 * Names the TCP connection that a socket is, or that lies below a TLS socket: Node does not say which one that is. The
 * peer is the one of the connection itself, even where a load balancer names a different client.
 */
export function peerOf(socket: Socket): string {
  const own = (name: string): unknown => Reflect.get(Socket.prototype, name, socket)
  return `${own('remoteAddress')} ${own('remotePort')} ${socket.localAddress}`
}
