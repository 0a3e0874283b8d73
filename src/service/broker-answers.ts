import { connect } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { isAmong } from '../adapters/inbound/http/client-address.ts'
import { SECOND } from '../lib/durations.ts'
import { LOCAL_HEADER } from '../lib/proxy-header.ts'
import type { Listeners } from './listeners.ts'

const PATIENCE_MS = 5 * SECOND
/**
 * A CONNECT of an unknown protocol level: the broker has to answer it (MQTT 3.1.1, 3.1.2.2), and
 * asks nobody who this is.
 */
const KNOCK = Buffer.from([0x10, 0x0c, 0, 4, 0x4d, 0x51, 0x54, 0x54, 9, 2, 0, 10, 0, 0])

/** Where a listener that may be on every address is reached from here. */
const hereOf = (hostname: string): string => {
  const bare = hostname.replace(/^\[|\]$/g, '')
  return bare === '0.0.0.0' ? '127.0.0.1' : bare === '::' ? '::1' : bare
}

/**
 * For how long an answer counts for whoever asks next: monitors may ask every second, and each knock is a connection.
 */
const FRESH_MS = 10 * SECOND

/** `brokerAnswers`, asked no more often than it takes to know. */
export function brokerAnswering(
  listeners: () => Listeners,
  proxyProtocol: readonly string[] | null,
): () => Promise<void> {
  let answeredAt = Number.NEGATIVE_INFINITY
  return async () => {
    if (performance.now() - answeredAt < FRESH_MS) return
    await brokerAnswers(listeners(), proxyProtocol)
    answeredAt = performance.now()
  }
}

/**
 * Knocks at the broker's own listener, and resolves when it answers; at once where it has none but the WebSocket.
 * Accepting, reading and writing have to work for that, which they do not where file descriptors have run out.
 * `proxyProtocol`: the load balancers; where this machine is one of them, the knock begins as theirs do.
 */
export async function brokerAnswers(
  { mqtt, mqtts }: Listeners,
  proxyProtocol: readonly string[] | null = null,
): Promise<void> {
  const url = mqtt ?? mqtts
  if (url === undefined) return
  const { hostname, port } = new URL(url)
  const at = { host: hereOf(hostname), port: Number(port) }
  const raw = connect(at)
  raw.once('connect', () => {
    if (proxyProtocol !== null && isAmong(proxyProtocol)(raw.localAddress ?? '')) raw.write(LOCAL_HEADER)
  })
  // Whose certificate it is, is not the question here.
  const socket = mqtt === undefined ? connectTls({ socket: raw, rejectUnauthorized: false }) : raw
  try {
    await new Promise<void>((resolve, reject) => {
      socket.setTimeout(PATIENCE_MS, () => reject(new Error('does not answer on its own listener')))
      raw.once('error', reject)
      socket.once('error', reject)
      socket.once('close', () => reject(new Error('closed the connection without an answer')))
      socket.once('data', () => resolve())
      raw.once('connect', () => socket.write(KNOCK))
    })
  } finally {
    socket.destroy()
    raw.destroy()
  }
}
