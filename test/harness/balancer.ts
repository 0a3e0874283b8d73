import { once } from 'node:events'
import { type AddressInfo, connect, createServer, isIPv6, type Socket } from 'node:net'
import type { Ending } from './ending.ts'

const SIGNATURE = Buffer.from('0d0a0d0a000d0a515549540a', 'hex')

/** A PROXY header, version 2, with fields that the test may override. */
export function proxyHeader({
  command = 1,
  family = 0x11,
  rest,
  length = rest.length,
}: {
  readonly command?: number
  readonly family?: number
  readonly rest: Buffer
  readonly length?: number
}): Buffer {
  const fields = Buffer.from([0x20 | command, family, length >> 8, length & 0xff])
  return Buffer.concat([SIGNATURE, fields, rest])
}

/** As a balancer writes it for this client. `extensions`: its TLVs. */
export function headerOf(address: string, port: number, extensions = Buffer.alloc(0)): Buffer {
  const ports = Buffer.from([port >> 8, port & 0xff, 0x1f, 0x90])
  if (!isIPv6(address)) {
    const addresses = Buffer.from([...address.split('.').map(Number), 10, 0, 0, 1])
    return proxyHeader({ rest: Buffer.concat([addresses, ports, extensions]) })
  }
  return proxyHeader({ family: 0x21, rest: Buffer.concat([groupsOf(address), Buffer.alloc(16), ports, extensions]) })
}

/** The 16 bytes of an IPv6 address. */
export function groupsOf(address: string): Buffer {
  // A URL has it in hexadecimal, whatever its end is written like.
  const hex = new URL(`http://[${address}]/`).hostname.slice(1, -1)
  const [front = [], back = []] = hex.split('::').map((part) => part.split(':').filter((group) => group !== ''))
  const zeros = Array<string>(8 - front.length - back.length).fill('0')
  return Buffer.concat([...front, ...zeros, ...back].map((group) => Buffer.from(group.padStart(4, '0'), 'hex')))
}

/** The address that a test's balancer calls from: another one of this machine. */
export const BALANCER = '127.0.0.2'

/** A TCP load balancer in front of `port`, whose connections begin with `header`. Gives its own port. */
export async function startBalancer(t: Ending, port: number, header: () => Buffer): Promise<number> {
  const open = new Set<Socket>()
  const server = createServer({ allowHalfOpen: true }, (client) => {
    const service = connect({ host: '127.0.0.1', port, localAddress: BALANCER, allowHalfOpen: true })
    for (const [one, other] of [
      [client, service],
      [service, client],
    ] as const) {
      open.add(one)
      one.on('error', () => other.destroy())
      one.on('close', () => {
        open.delete(one)
        other.destroy()
      })
    }
    service.write(header())
    client.pipe(service).pipe(client)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    for (const socket of open) socket.destroy()
    server.close()
  })
  return (server.address() as AddressInfo).port
}
