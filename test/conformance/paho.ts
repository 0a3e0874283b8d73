import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { Ending } from '../harness/ending.ts'
import { until } from '../harness/wait.ts'
import type { Client, ConnectOrder, Library, Message } from './client.ts'

const SCRIPT = fileURLToPath(new URL('./paho_client.py', import.meta.url))
/** Debian's, for Debian's python3-paho-mqtt. */
const PYTHON = '/usr/bin/python3'

const UserProperty = [
  ['firmware', '1.4.0'],
  ['firmware', 'again'],
  ['', ''],
]
const everyPublishProperty = {
  PayloadFormatIndicator: 1,
  MessageExpiryInterval: 60,
  ContentType: 'application/json',
  ResponseTopic: 'somewhere/else',
  CorrelationData: '7',
  UserProperty,
}

/** `ReceiveMaximum` is MQTT.js's `receiveMaximum`; only one name differs in more than its first letter. */
const plainName = (name: string): string =>
  name === 'SubscriptionIdentifierAvailable'
    ? 'subscriptionIdentifiersAvailable'
    : name.charAt(0).toLowerCase() + name.slice(1)
const capitalName = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1)

const renamed = (properties: Readonly<Record<string, unknown>>, rename: (name: string) => string) =>
  Object.fromEntries(Object.entries(properties).map(([name, value]) => [rename(name), value]))

type Said = Readonly<Record<string, any>>

/** What the orders and events of one client go through. */
type Line = {
  /** Everything that was said about this client. */
  readonly said: readonly Said[]
  /** What went wrong with it, or with the process. */
  faults(): readonly string[]
  tell(order: Said): void
}

/** One Python process for all clients of a test: to start one costs more than most of them do. */
function startPython(t: Ending): (heard: (event: any) => void) => Line {
  const child: ChildProcess = spawn(PYTHON, [SCRIPT], { stdio: ['pipe', 'pipe', 'pipe'] })
  const errors: string[] = []
  const own: string[] = []
  const listeners: ((event: any) => void)[] = []
  child.stdin!.on('error', () => {})
  child.stderr!.setEncoding('utf8').on('data', (text: string) => errors.push(text))
  child.on('error', (error) => own.push(error.message))
  child.on('close', (code, signal) => own.push(`Python ended with ${code ?? signal}: ${errors.join('')}`))
  createInterface(child.stdout!).on('line', (line) => {
    const event = JSON.parse(line)
    listeners[event.client]!(event)
  })
  t.after(async () => {
    if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return
    const gone = once(child, 'exit')
    child.kill('SIGKILL')
    await gone
  })
  return (heard) => {
    const said: Said[] = []
    const failed: string[] = []
    const client = listeners.length
    listeners.push((event) => {
      said.push(event)
      if (event.kind === 'failed') failed.push(event.error)
      heard(event)
    })
    return {
      said,
      faults: () => [...own, ...failed],
      tell: (order) => void child.stdin!.write(`${JSON.stringify({ client, ...order })}\n`),
    }
  }
}

export const paho: Library = {
  name: 'Paho for Python',
  start: (t) => {
    const open = startPython(t)
    return () => clientOn(open)
  },
}

function clientOn(open: ReturnType<typeof startPython>): Client {
  const messages: Message[] = []
  let five = false
  let ended: { code: number | null } | null = null
  const { said, faults, tell } = open((event) => {
    if (event.kind === 'message') messages.push(event)
    if (event.kind === 'disconnected') ended = { code: event.code }
  })
  const answer = async (kinds: readonly string[], order: Said): Promise<Said> => {
    const before = said.length
    tell(order)
    const come = () => said.slice(before).find(({ kind }) => kinds.includes(kind))
    await until(`${kinds.join(' or ')}, or the end`, () => {
      if (faults().length > 0) throw new Error(faults().join('\n'))
      return come() ?? (kinds.includes('connack') ? null : ended)
    })
    const event = come()
    if (event === undefined) throw new Error('the connection ended')
    return event
  }

  return {
    messages,
    get ended() {
      // A client that failed will never say that its connection has ended.
      if (ended === null && faults().length > 0) throw new Error(faults().join('\n'))
      return ended
    },
    async connect({ way, asks, will, ...order }: ConnectOrder) {
      five = order.version === 5
      const { hostname, port } = new URL(way.url)
      const { code, sessionPresent, properties } = await answer(['connack'], {
        do: 'connect',
        ...order,
        host: hostname,
        port: Number(port),
        transport: way.transport.startsWith('ws') ? 'websockets' : 'tcp',
        ca: way.ca,
        ...(will && {
          will: { ...will, properties: { WillDelayInterval: 60, ContentType: 'application/json', UserProperty } },
        }),
        properties: {
          ...renamed(asks ?? {}, capitalName),
          RequestResponseInformation: 1,
          RequestProblemInformation: 1,
          TopicAliasMaximum: 5,
          UserProperty,
        },
      })
      return { code, sessionPresent, properties: renamed(properties, plainName) }
    },
    async subscribe(...topics) {
      const properties = { SubscriptionIdentifier: 7, UserProperty }
      return (await answer(['suback'], { do: 'subscribe', topics, properties })).codes
    },
    async unsubscribe(...topics) {
      return (await answer(['unsuback'], { do: 'unsubscribe', topics, properties: { UserProperty } })).codes
    },
    async publish(topic, payload, qos, retain = false) {
      const properties = five ? everyPublishProperty : {}
      const order = { do: 'publish', topic, payload, qos, retain, properties }
      return (await answer(qos === 0 ? ['published'] : ['puback', 'pubrec'], order)).code ?? 0
    },
    disconnect: (code) => tell({ do: 'disconnect', code }),
    drop: () => tell({ do: 'drop' }),
    async close() {
      tell({ do: 'close' })
      await until(
        'closed, or the end of Python',
        () => said.some(({ kind }) => kind === 'closed') || faults().length > 0,
      )
    },
  }
}
