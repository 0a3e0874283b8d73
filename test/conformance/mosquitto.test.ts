import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { type TestContext, test } from 'node:test'
import { newMoment } from '../harness/moment.ts'
import type { PhoneUser } from '../harness/phone-user.ts'
import { until } from '../harness/wait.ts'
import type { Way } from './client.ts'
import { startEdgeSite } from './edge-site.ts'

// The clients of Debian's mosquitto 2.0 do not support WebSocket.
const transports = ['tcp', 'tls']
const VERSIONS = [4, 5] as const
const USAGE_OR_REFUSAL = 5

test('mosquitto_pub and mosquitto_sub get what MQTT promises, in both versions', async (t) => {
  const { site, ways } = await startEdgeSite(t)
  const other = await site.user('other')
  for (const way of ways.filter(({ transport }) => transports.includes(transport))) {
    for (const version of VERSIONS) {
      const five = version === 5
      const named = `${five ? 'MQTT 5' : 'MQTT 3.1.1'} over ${way.transport}`
      const user = await site.user(`${way.transport}-${version}`)
      const [alerts, telemetry, events] = [
        `sos/alerts/${user.userId}`,
        `tel/${user.userId}/data`,
        `sos/events/${user.userId}`,
      ]
      const alert = () => JSON.stringify({ timestamp: newMoment() })
      const publish = (topic: string, message: string, ...more: readonly string[]) =>
        run('mosquitto_pub', [...reach(user, way, version), '-d', '-t', topic, '-m', message, ...more])

      await t.test(`${named}: an alert is acknowledged and its event comes back`, async (u) => {
        const every = five
          ? ['connect session-expiry-interval 60', 'connect user-property a b', 'subscribe user-property a b'].flatMap(
              (property) => ['-D', ...property.split(' ')],
            )
          : []
        const subscriber = listening(u, [...reach(user, way, version), '-d', '-q', '1', '-t', events, ...every])
        await until('SUBACK', () => /Subscribed \(mid: \d+\): 1/.test(subscriber.output()))
        const properties = five
          ? ['message-expiry-interval 60', 'user-property a b', 'content-type json', 'response-topic r'].flatMap(
              (property) => ['-D', 'publish', ...property.split(' ')],
            )
          : []
        for (const qos of ['0', '1', '2']) {
          const { code, output } = await publish(alerts, alert(), '-q', qos, '-i', `pub-${qos}`, ...properties)
          assert.equal(code, 0, output)
          if (qos !== '0') assert.match(output, qos === '1' ? /PUBACK \(Mid: 1, RC:0\)/ : /PUBCOMP/)
          await until('processed', () => subscriber.output().includes('"type":"processed"'))
        }
        await user.ends('cancel')
        await until('cancelled', () => subscriber.output().includes('"type":"cancelled"'))
      })

      await t.test(`${named}: a wrong hash is refused`, async () => {
        const wrong = [...reach(user, way, version), '-P', 'wrong']
        const { code, output } = await run('mosquitto_pub', [...wrong, '-d', '-t', telemetry, '-m', alert()])
        assert.equal(code, five ? 0x87 : USAGE_OR_REFUSAL, output)
        assert.match(output, five ? /Not authorized/ : /not authorised/i)
      })

      await t.test(`${named}: a foreign topic is refused`, async (u) => {
        const foreign = await publish(`sos/alerts/${other.userId}`, alert(), '-q', '1')
        if (five) assert.match(foreign.output, /PUBACK \(Mid: 1, RC:135\)/)
        else assert.doesNotMatch(foreign.output, /received PUBACK/)
        assert.equal(await other.openIncident(), null)
        const subscriber = listening(u, [...reach(user, way, version), '-d', '-q', '1', '-t', '#', '-t', events])
        await until('SUBACK', () =>
          five ? /Subscribed \(mid: 1\): 135, 1/.test(subscriber.output()) : /: 128, 1/.test(subscriber.output()),
        )
      })

      await t.test(`${named}: an unusable publish is acknowledged as such`, async () => {
        const { output } = await publish(telemetry, 'no JSON', '-q', '1')
        assert.match(output, five ? /PUBACK \(Mid: 1, RC:153\)/ : /PUBACK \(Mid: 1, RC:0\)/)
      })

      await t.test(`${named}: a will alarms when its sender is killed`, async (u) => {
        const will = ['--will-topic', alerts, '--will-payload', alert(), '--will-qos', '1', '--will-retain']
        const falls = listening(u, [
          ...reach(user, way, version),
          '-d',
          '-i',
          'falls',
          '-t',
          events,
          '-q',
          '1',
          ...will,
        ])
        await until('SUBACK', () => falls.output().includes('Subscribed'))
        falls.kill()
        await until('the will has fired', () => user.openIncident())
        await user.ends('cancel')
      })
    }
  }
})

function reach(user: PhoneUser, way: Way, version: 4 | 5): readonly string[] {
  const { appId, externalUserId } = user.account
  const { hostname, port } = new URL(way.url)
  return [
    ...['-h', hostname, '-p', port, '-V', version === 5 ? '5' : '311'],
    ...['-u', `sdk:${appId}:${externalUserId}`, '-P', user.hash],
    ...(way.ca === null ? [] : ['--cafile', way.ca]),
  ]
}

/** Runs a program to its end. */
function run(program: string, args: readonly string[]): Promise<{ code: number | null; output: string }> {
  return new Promise((resolve) => {
    const child = execFile(program, args, { timeout: 20_000 }, (_error, stdout, stderr) =>
      resolve({ code: child.exitCode, output: stdout + stderr }),
    )
  })
}

/** A mosquitto_sub that runs until the end of the test. */
function listening(t: TestContext, args: readonly string[]) {
  const child = spawn('stdbuf', ['-oL', 'mosquitto_sub', ...args], { stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    output += text
  })
  t.after(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return
    const gone = once(child, 'exit')
    child.kill('SIGKILL')
    await gone
  })
  return { output: () => output, kill: () => child.kill('SIGKILL') }
}
