import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { suite, type TestContext, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { connect as connectTls } from 'node:tls'
import type { Way } from '../conformance/client.ts'
import { startEdgeSite } from '../conformance/edge-site.ts'
import { newMoment } from '../harness/moment.ts'
import { bytesOf, connectOf, WireClient } from '../harness/mqtt-wire.ts'
import { type ProcessSite, UNHURRIED } from '../harness/process-site.ts'
import { shared } from '../harness/shared.ts'
import { sharedProcessSite } from '../harness/shared-process-site.ts'
import { until } from '../harness/wait.ts'

const MB = 1024 * 1024
const pidOf = (site: ProcessSite): number => site.process.lines.find(({ msg }) => msg === 'ready')?.pid

/** The process's peak memory since `forgetPeak`, in bytes. */
const peakOf = (pid: number): number =>
  Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1024
/** proc(5), clear_refs: resets the peak to current usage. */
const forgetPeak = (pid: number): void => writeFileSync(`/proc/${pid}/clear_refs`, '5')

/**
 * A connection after its handshakes that ignores everything it receives. `wrap`: bytes as this transport carries them.
 */
async function dial(t: TestContext, { transport, url, ca }: Way): Promise<{ socket: Socket; wrap: Wrap }> {
  const { hostname, port } = new URL(url)
  const at = { host: hostname, port: Number(port), allowHalfOpen: true }
  const socket = ca === null ? connect(at) : connectTls({ ...at, ca: readFileSync(ca) })
  socket.on('error', () => {})
  t.after(() => socket.destroy())
  await once(socket, ca === null ? 'connect' : 'secureConnect')
  if (transport === 'tcp' || transport === 'tls') return { socket, wrap: (bytes) => bytes }
  socket.write(
    `GET /mqtt HTTP/1.1\r\nHost: hut\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${'A'.repeat(22)}==\r\nSec-WebSocket-Protocol: mqtt\r\n\r\n`,
  )
  await once(socket, 'data')
  return { socket, wrap: webSocketFrame }
}

type Wrap = (bytes: Buffer) => Buffer

/** One binary message with an all-zero mask. RFC 6455, 5.2. */
function webSocketFrame(bytes: Buffer): Buffer {
  const head = Buffer.alloc(14)
  head[0] = 0x82
  head[1] = 0x80 | 127
  head.writeBigUInt64BE(BigInt(bytes.length), 2)
  return Buffer.concat([head, bytes])
}

/** The last one only waits: it runs beside the others, on a service of its own. */
suite('hostile clients at the edge', { concurrency: true }, () => {
  const sites = shared((t) => Promise.all([startEdgeSite(t), startEdgeSite(t)]))

  suite('as fast as they can', () => {
    const application = sharedProcessSite({ settings: UNHURRIED })

    test('a CONNECT of 256 MB costs less than 5 MB, on every transport', async (t) => {
      const { site, ways } = sites()[0]
      const user = await site.user('mia')
      const pid = pidOf(site)
      const known = bytesOf({ cmd: 'publish', topic: `tel/${user.userId}/data`, payload: '', qos: 0 }, 5)
      assert.equal(known[0], 0x30)
      const length = Buffer.from([0xff, 0xff, 0xff, 0x7f])
      for (const way of ways) {
        for (const [what, before, first] of [
          ['a stranger', Buffer.alloc(0), 0x10],
          ['a user', connectOf(user, 5), 0x30],
        ] as const) {
          const pour = async () => {
            const { socket, wrap } = await dial(t, way)
            const closed = new Promise((resolve) => socket.once('close', resolve))
            socket.resume()
            if (before.length > 0) {
              socket.write(wrap(before))
              await once(socket, 'data')
            }
            socket.write(wrap(Buffer.concat([Buffer.from([first]), length])))
            const chunk = wrap(Buffer.alloc(64 * 1024))
            let poured = 0
            while (!socket.destroyed && poured < 256 * MB) {
              poured += chunk.length
              if (!socket.write(chunk))
                await Promise.race([new Promise((resolve) => socket.once('drain', resolve)), closed])
            }
            socket.destroy()
            return poured
          }
          await t.test(`${what} over ${way.transport}`, async (u) => {
            // The first one also pays for code that was not loaded before.
            for (let n = 0; n < 3; n++) await pour()
            // The least of some tries: what the service loads after its start falls into one, what it holds of a packet
            // into all.
            let cost = Number.POSITIVE_INFINITY
            for (let n = 0; n < 5 && cost >= 5 * MB; n++) {
              forgetPeak(pid)
              const held = peakOf(pid)
              const poured = await pour()
              cost = Math.min(cost, peakOf(pid) - held)
              u.diagnostic(`${(cost / MB).toFixed(1)} MB for ${(poured / MB).toFixed(1)} MB sent`)
            }
            assert.ok(cost < 5 * MB, `${(cost / MB).toFixed(1)} MB`)
          })
        }
      }
      await site.stillAlarms()
    })

    for (const version of [4, 5] as const) {
      test(`MQTT ${version}: 10,000 telemetry packets in front of an alert delay it by less than 2 s`, async (t) => {
        const site = await application()
        const user = await site.user('mia')
        await user.listen()
        const publish = (topic: string, messageId: number) => {
          const payload = JSON.stringify({ timestamp: newMoment(), latitude: 47.1, longitude: 12.7, mobileBattery: 64 })
          return bytesOf({ cmd: 'publish', topic, payload, qos: 1, messageId }, version)
        }
        // The best of three: a guard that delays an alert does so every time, a busy machine does not.
        const delays: number[] = []
        while (delays.length < 3 && !delays.some((delayMs) => delayMs < 2000)) {
          const client = await WireClient.open(site.mqtt, version)
          t.after(() => client.close())
          client.sends(connectOf(user, version))
          await client.receives('connack')
          user.events.length = 0
          const backlog = Array.from({ length: 10_000 }, (_, n) => publish(`tel/${user.userId}/data`, n + 1))
          const pressed = performance.now()
          client.sends(...backlog, publish(`sos/alerts/${user.userId}`, 20_000))
          await user.receives('processed')
          delays.push(performance.now() - pressed)
          await until('every PUBACK', () => client.packets.filter(({ cmd }) => cmd === 'puback').length === 10_001)
          client.close()
          await user.ends('cancel')
        }
        t.diagnostic(`${delays.map(Math.round)} ms`)
        assert.ok(delays.at(-1)! < 2000, `${delays.map(Math.round)} ms`)
      })
    }
  })

  test('a client without a complete CONNECT is cut off after 10 s, on every transport, and a slow one that completes it is let in', async (t) => {
    const { site, ways } = sites()[1]
    const user = await site.user('mia')
    const lasts = async (socket: Socket, began: number) => {
      if (!socket.closed) await new Promise((resolve) => socket.once('close', resolve))
      return performance.now() - began
    }
    const silent: Promise<number>[] = []
    for (const way of ways) {
      const began = performance.now()
      const { socket, wrap } = await dial(t, way)
      socket.resume()
      // A byte per second is not silence, but does not help.
      const connectBytes = connectOf(user, 4)
      let sent = 0
      const drip = setInterval(() => socket.write(wrap(connectBytes.subarray(sent, ++sent))), 1000)
      socket.once('close', () => clearInterval(drip))
      silent.push(lasts(socket, began))
    }
    // On the TLS port, without a handshake.
    const { hostname, port } = new URL(ways[1]!.url)
    const mute = connect({ host: hostname, port: Number(port) })
    mute.on('error', () => {})
    t.after(() => mute.destroy())
    silent.push(lasts(mute.resume(), performance.now()))

    const slow = await WireClient.open(ways[0]!.url, 4)
    t.after(() => slow.close())
    const bytes = connectOf(user, 4)
    slow.sends(bytes.subarray(0, 20))
    // Half of its time, so that the rest does not come too late when a process stalls.
    await wait(5000)
    slow.sends(bytes.subarray(20))
    await slow.receives('connack')

    for (const lastedMs of await Promise.all(silent)) {
      // To the millisecond in gate.test.ts. Here, on a busy machine, only that the service does it, and not at once.
      assert.ok(lastedMs > 9500 && lastedMs < 30_000, `${Math.round(lastedMs)} ms`)
    }
    assert.equal(slow.isClosed, false)
    await site.stillAlarms()
  })
})
