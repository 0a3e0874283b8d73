import { type AddressInfo, connect, createServer } from 'node:net'
import { delimiter } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { connectAsync } from 'mqtt'

/** Debian installs brokers where only root's PATH looks. */
export const PATH = [process.env.PATH, '/usr/sbin', '/usr/local/sbin'].join(delimiter)
/** RabbitMQ takes some ten seconds. */
const READY_MS = 60_000

/** The peers cannot pick a free port and report it. */
export async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}

/** Throws an error if nothing accepts connections there within a minute. */
export async function untilListening(port: number): Promise<void> {
  const deadline = performance.now() + READY_MS
  while (!(await canConnect(port))) {
    if (performance.now() > deadline) throw new Error(`no broker has started on port ${port}`)
    await wait(50)
  }
}

const canConnect = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1' })
    socket.on('connect', () => resolve(true))
    socket.on('error', () => resolve(false))
    socket.on('close', () => resolve(false))
    socket.on('connect', () => socket.destroy())
  })

/** Leaves a session with a subscription: without one, these brokers keep nothing, whatever they acknowledge. */
export async function keepForSubscriber(port: number, topics: string): Promise<void> {
  const client = await connectAsync({ host: '127.0.0.1', port, clientId: 'bench-subscriber', clean: false })
  await client.subscribeAsync(topics, { qos: 1 })
  await client.endAsync()
}
