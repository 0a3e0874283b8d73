import { SECOND } from '../lib/durations.ts'
import type { Listeners } from './listeners.ts'
import { connectToOwn } from './own-listener.ts'

const PATIENCE_MS = 5 * SECOND
/**
 * A CONNECT of an unknown protocol level: the broker has to answer it (MQTT 3.1.1, 3.1.2.2), and
 * asks nobody who this is.
 */
const KNOCK = Buffer.from([0x10, 0x0c, 0, 4, 0x4d, 0x51, 0x54, 0x54, 9, 2, 0, 10, 0, 0])

/** How long an answer is reused: monitors may ask every second, and each check is a connection. */
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
  listeners: Listeners,
  proxyProtocol: readonly string[] | null = null,
): Promise<void> {
  const own = connectToOwn(listeners, proxyProtocol)
  if (own === null) return
  const { socket } = own
  try {
    await new Promise<void>((resolve, reject) => {
      socket.setTimeout(PATIENCE_MS, () => reject(new Error('does not answer on its own listener')))
      own.onError(reject)
      socket.once('close', () => reject(new Error('closed the connection without an answer')))
      socket.once('data', () => resolve())
      own.onOpen(() => socket.write(KNOCK))
    })
  } finally {
    own.destroy()
  }
}
