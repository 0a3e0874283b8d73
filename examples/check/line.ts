// One file: the network of one phone, over MQTT and over HTTP; both obey the same weather and fill the same record.
import { once } from 'node:events'
import { request as ask, createServer as createHttp, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createHttps } from 'node:https'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { createServer as createTls } from 'node:tls'
import { createWebSocketStream, WebSocketServer } from 'ws'
import { codeOf, connectOf, Frames, PacketType, pubackIdOf, publishOf, unavailable } from './mqtt-frames.ts'
import type { Site } from './site.ts'

/** `refused`: every connection ends at once. `dark`: nothing ends, and nothing gets through. */
export type Weather = 'up' | 'refused' | 'dark'

type Alert = Readonly<Record<string, unknown>>
/** A press or an end that the client sent. `at`: ms since `begin`. `outcome`: what the client got for it. */
export type Sent = {
  readonly at: number
  readonly way: 'MQTT' | 'REST'
  readonly kind: 'press' | 'end'
  readonly body: Alert | null
  outcome: string
}

type HttpVerdict = 'forward' | 'lose' | { readonly status: number; readonly headers?: object; readonly body: object }

/** What goes wrong. Each is asked as it comes. */
export type Faults = {
  /** Whether the broker says that it is unavailable. */
  mqttIsOff: () => boolean
  /** `lose`: its PUBACK never comes. `cut`: the connection ends once the service has the PUBLISH. */
  onPublish: () => 'forward' | 'lose' | 'cut'
  onPress: (body: Alert | null) => HttpVerdict
}

/** More than the service takes: it has to refuse by itself. */
const MAX_BODY = 4 * 1024 * 1024

/** Between one phone and the service. Loopback only. */
export class Line {
  readonly sent: Sent[] = []
  readonly clientIds: string[] = []
  readonly faults: Faults = { mqttIsOff: () => false, onPublish: () => 'forward', onPress: () => 'forward' }
  /** Connections that the broker has admitted. */
  admitted = 0
  /** Connections that the phone has tried. */
  knocks = 0
  /** When the client could learn that its press is on the server: PUBACK, answer, event. */
  readonly acknowledged: number[] = []
  /** Refusals of the identity, over either way. */
  unauthorized = 0
  /** How often the client asked the app's backend for the user's hash. */
  hashesAsked = 0
  hash: () => string
  readonly #site: Site
  readonly #servers: Server[] = []
  readonly #sockets = new Set<Socket>()
  weather: Weather = 'up'
  #begun = performance.now()
  mqttPort = 0
  httpsPort = 0
  backendPort = 0

  constructor(site: Site, hash: () => string) {
    this.#site = site
    this.hash = hash
  }

  async open(): Promise<void> {
    const { cert, key } = this.#site.tls
    const tls = createTls({ cert, key }, (socket) => this.#mqtt(socket))
    const https = createHttps({ cert, key }, (request, response) => void this.#http(request, response))
    const sockets = new WebSocketServer({ noServer: true, handleProtocols: (names) => [...names][0] ?? false })
    https.on('upgrade', (request, socket, head) =>
      sockets.handleUpgrade(request, socket, head, (webSocket) => this.#mqtt(createWebSocketStream(webSocket))),
    )
    const backend = createHttp((_request, response) => {
      this.hashesAsked += 1
      response.end(this.hash())
    })
    // A client that gives up in the middle of a handshake is no fault of this program.
    for (const server of [tls, https]) server.on('tlsClientError', () => {})
    this.mqttPort = await this.#front(tls)
    this.httpsPort = await this.#front(https)
    this.backendPort = await this.#front(backend)
  }

  /** `server` gets the connections that the weather lets through. */
  async #front(server: Server): Promise<number> {
    const front = createServer((socket) => {
      this.knocks += 1
      socket.on('error', () => {})
      if (this.weather === 'refused') return void socket.destroy()
      this.#sockets.add(socket)
      socket.once('close', () => this.#sockets.delete(socket))
      if (this.weather === 'up') server.emit('connection', socket)
    })
    this.#servers.push(front)
    front.listen(0, '127.0.0.1')
    await once(front, 'listening')
    return (front.address() as AddressInfo).port
  }

  /** From now on, times count from here. */
  begin(): void {
    this.#begun = performance.now()
  }

  get elapsed(): number {
    return performance.now() - this.#begun
  }

  set(weather: Weather): void {
    // A connection that has lost bytes is of no use any more.
    if (weather === 'refused' || this.weather === 'dark') this.drop()
    this.weather = weather
  }

  /** Ends every connection. */
  drop(): void {
    for (const socket of this.#sockets) socket.destroy()
  }

  async close(): Promise<void> {
    this.set('refused')
    await Promise.all(this.#servers.map((server) => new Promise((resolve) => server.close(resolve))))
  }

  #takes(way: Sent['way'], kind: Sent['kind'], payload: Buffer): Sent {
    const sent: Sent = { at: this.elapsed, way, kind, body: jsonIn(payload), outcome: 'no answer yet' }
    this.sent.push(sent)
    return sent
  }

  #mqtt(near: Duplex): void {
    const { hostname, port } = new URL(this.#site.mqtt)
    const far = connect(Number(port), hostname)
    const waiting = new Map<number, Sent>()
    let version = 4
    const end = () => {
      near.destroy()
      far.destroy()
    }
    for (const side of [near, far]) side.on('error', end).on('close', end)
    const each = (side: Duplex, take: (packet: Parameters<typeof codeOf>[0]) => void) => {
      const frames = new Frames()
      side.on('data', (chunk: Buffer) => {
        try {
          for (const packet of frames.packetsOf(chunk)) if (this.weather !== 'dark') take(packet)
        } catch {
          end()
        }
      })
    }
    each(near, (packet) => {
      if (packet.type === PacketType.connect) {
        const asked = connectOf(packet)
        version = asked.version
        this.clientIds.push(asked.clientId)
        if (this.faults.mqttIsOff()) return void near.end(unavailable(version))
      }
      if (packet.type !== PacketType.publish) return void far.write(packet.bytes)
      const { topic, id, payload } = publishOf(packet, version)
      if (!topic.startsWith('sos/alerts/')) return void far.write(packet.bytes)
      const sent = this.#takes('MQTT', 'press', payload)
      const verdict = this.faults.onPublish()
      if (verdict === 'forward' && id !== null) waiting.set(id, sent)
      if (id === null) sent.outcome = 'QoS 0, no answer'
      else if (verdict !== 'forward') sent.outcome = verdict === 'lose' ? 'PUBACK lost' : 'connection cut'
      if (verdict === 'lose' && id !== null) waiting.set(id, sent)
      far.write(packet.bytes, () => {
        if (verdict === 'cut') end()
      })
    })
    each(far, (packet) => {
      const isRefusal = packet.type === PacketType.connack && [5, 0x86, 0x87].includes(codeOf(packet))
      if (isRefusal) this.unauthorized += 1
      if (packet.type === PacketType.connack && codeOf(packet) === 0) this.admitted += 1
      if (packet.type === PacketType.puback) {
        const sent = waiting.get(pubackIdOf(packet))
        waiting.delete(pubackIdOf(packet))
        if (sent?.outcome === 'PUBACK lost') return
        if (sent !== undefined && codeOf(packet) < 0x80) this.acknowledged.push(this.elapsed)
        if (sent !== undefined)
          sent.outcome = codeOf(packet) < 0x80 ? 'PUBACK' : `PUBACK 0x${codeOf(packet).toString(16)}`
      }
      if (packet.type === PacketType.publish) this.#tells(packet.body)
      near.write(packet.bytes)
    })
  }

  #tells(bytes: Buffer): void {
    if (this.sent.length > 0 && bytes.includes('"incidentId":"')) this.acknowledged.push(this.elapsed)
  }

  async #http(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const parts: Buffer[] = []
    let size = 0
    try {
      for await (const part of request) {
        size += part.length
        if (size > MAX_BODY) return void request.destroy()
        parts.push(part)
      }
    } catch {
      return
    }
    if (this.weather === 'dark') return
    const body = Buffer.concat(parts)
    const path = request.url ?? '/'
    const isPress = request.method === 'POST' && path === '/v1/sdk/sos'
    const isEnd = request.method === 'POST' && /^\/v1\/sdk\/sos\/(?:cancel|resolve)$/.test(path)
    const sent = isPress || isEnd ? this.#takes('REST', isPress ? 'press' : 'end', body) : null
    const verdict = isPress ? this.faults.onPress(sent!.body) : 'forward'
    if (typeof verdict === 'object') {
      sent!.outcome = `${verdict.status}`
      response.writeHead(verdict.status, { 'content-type': 'application/json', ...verdict.headers })
      return void response.end(JSON.stringify(verdict.body))
    }
    const headers = { ...request.headers, host: new URL(this.#site.http).host }
    const far = ask(this.#site.http + path, { method: request.method!, headers }, (answer) => {
      const status = answer.statusCode ?? 502
      if (status === 401) this.unauthorized += 1
      if (verdict === 'lose') {
        sent!.outcome = 'answer lost'
        return void response.destroy()
      }
      if (sent !== null) sent.outcome = `${status}`
      if (isPress && status < 300) this.acknowledged.push(this.elapsed)
      response.writeHead(status, { ...answer.headers, date: new Date(this.#site.now()).toUTCString() })
      if (!isPress) answer.on('data', (chunk: Buffer) => this.#tells(chunk))
      answer.pipe(response)
    })
    far.on('error', () => response.destroy())
    response.on('close', () => far.destroy())
    far.end(body)
  }
}

function jsonIn(payload: Buffer): Alert | null {
  try {
    const value = JSON.parse(payload.toString())
    return typeof value === 'object' && value !== null ? value : null
  } catch {
    return null
  }
}
