import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import type { MqttClient } from 'mqtt'
import mqtt, { type IConnectPacket, type Packet } from 'mqtt-packet'
import type { PhoneUser } from './phone-user.ts'
import { until } from './wait.ts'

export type Received = Readonly<Record<string, any>>

/** Every packet that an MQTT.js client receives from now on. */
export function packetsOf(client: MqttClient): readonly Received[] {
  const packets: Received[] = []
  client.on('packetreceive', (packet) => packets.push({ ...packet }))
  return packets
}

/** The next packet of this kind that the client receives. Call this before sending the packet that it answers. */
export async function nextPacket(client: MqttClient, cmd: string): Promise<Received> {
  let packet: Received | null = null
  const listener = (received: Packet) => {
    if (received.cmd === cmd) packet ??= { ...received }
  }
  client.on('packetreceive', listener)
  try {
    return await until(`a ${cmd}`, () => packet)
  } finally {
    client.off('packetreceive', listener)
  }
}

/** The bytes of a packet. */
export const bytesOf = (packet: Record<string, unknown>, protocolVersion: number): Buffer =>
  mqtt.generate(packet as unknown as Packet, { protocolVersion })

/** The CONNECT of this user. */
export const connectOf = (user: PhoneUser, protocolVersion: number, more: Partial<IConnectPacket> = {}): Buffer =>
  bytesOf(
    {
      cmd: 'connect',
      protocolId: 'MQTT',
      protocolVersion,
      clean: true,
      clientId: 'wire',
      keepalive: 30,
      username: `sdk:${user.account.appId}:${user.account.externalUserId}`,
      password: Buffer.from(user.hash),
      ...more,
    },
    protocolVersion,
  )

/** A client that sends arbitrary bytes and keeps what comes back. */
export class WireClient {
  readonly packets: Received[] = []
  readonly #socket: Socket

  private constructor(socket: Socket, protocolVersion: number) {
    this.#socket = socket
    const parser = mqtt.parser({ protocolVersion })
    parser.on('packet', (packet) => this.packets.push({ ...packet }))
    parser.on('error', () => {})
    // A broker that closes while bytes are in flight resets the connection.
    socket.on('error', () => {})
    socket.on('data', (chunk) => parser.parse(chunk))
  }

  static async open(url: string, protocolVersion: number): Promise<WireClient> {
    const { hostname, port } = new URL(url)
    const socket = connect(Number(port), hostname)
    const client = new WireClient(socket, protocolVersion)
    await once(socket, 'connect')
    return client
  }

  get isClosed(): boolean {
    return this.#socket.closed
  }

  sends(...bytes: readonly Buffer[]): void {
    this.#socket.write(Buffer.concat(bytes))
  }

  receives(cmd: string): Promise<Received> {
    return until(`a ${cmd}`, () => this.packets.find((packet) => packet.cmd === cmd))
  }

  async isCutOff(): Promise<void> {
    await until('the connection is closed', () => this.#socket.closed)
  }

  close(): void {
    this.#socket.destroy()
  }
}
