import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { issueAuthority, issueServer, newKey } from '../../src/adapters/platform/tls/issue.ts'
import { startService } from '../../src/service.ts'
import { hasProgram, skipWithout } from '../fixtures/requires.ts'
import { freePort } from '../harness/free-port.ts'
import { endsLastFirst } from '../harness/last-first.ts'
import { openStoreHere } from '../harness/site.ts'
import { testConfig } from '../harness/test-config.ts'
import { until } from '../harness/wait.ts'

// docs/certificates.md, with the CA that Let's Encrypt offers to test clients with: it refuses a part of the nonces.

const NAMES = ['sos.example.org', 'mqtt.example.org']
/** The service tries each of an order's twenty requests with four: of 30 %, every seventh order would fail. */
const REFUSED_NONCES_PERCENT = '10'

async function directoryOf(t: TestContext): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'tocsin-pebble-'))
  endsLastFirst(t, () => rm(directory, { recursive: true, force: true }))
  return directory
}

/** Runs a program for as long as the test; resolves once it has said `ready`. */
async function running(t: TestContext, [program, ...args]: readonly [string, ...string[]], ready: RegExp) {
  const env = { ...process.env, PEBBLE_VA_NOSLEEP: '1', PEBBLE_WFE_NONCEREJECT: REFUSED_NONCES_PERCENT }
  const child = spawn(program, args, { env, stdio: ['ignore', 'pipe', 'pipe'] })
  const closed = once(child, 'close')
  endsLastFirst(t, async () => {
    child.kill('SIGKILL')
    await closed
  })
  let said = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (bytes) => (said += bytes))
  await until(`${program} runs: ${said}`, () => ready.test(said))
  return () => said
}

/** Pebble behind TLS that this process trusts, and a DNS in which every name leads to 127.0.0.1. */
async function startPebble(t: TestContext, port80: number) {
  const key = newKey()
  const authority = { key, cert: await issueAuthority(key, Date.now()) }
  const pair = await issueServer(authority, ['127.0.0.1'], Date.now())
  const directory = await directoryOf(t)
  const [certificate, privateKey, config] = ['cert.pem', 'key.pem', 'pebble.json'].map((name) => join(directory, name))
  const [listens, manages, dns] = [await freePort(), await freePort(), await freePort()]
  const pebble = {
    listenAddress: `127.0.0.1:${listens}`,
    managementListenAddress: `127.0.0.1:${manages}`,
    ...{ certificate, privateKey, httpPort: port80, tlsPort: await freePort() },
  }
  await Promise.all([
    writeFile(certificate!, pair.cert),
    writeFile(privateKey!, pair.key),
    writeFile(config!, JSON.stringify({ pebble })),
  ])
  const trusted = getCACertificates('default')
  setDefaultCACertificates([...trusted, authority.cert])
  endsLastFirst(t, () => setDefaultCACertificates(trusted))
  const off = ['-http01', '', '-https01', '', '-tlsalpn01', '']
  const addresses = ['-defaultIPv4', '127.0.0.1', '-defaultIPv6', '']
  const served = ['-dns01', `127.0.0.1:${dns}`, '-management', `127.0.0.1:${await freePort()}`]
  await running(t, ['pebble-challtestsrv', ...off, ...addresses, ...served], /management server/i)
  const said = await running(t, ['pebble', '-config', config!, '-dnsserver', `127.0.0.1:${dns}`], /ACME directory/)
  return { directory: `https://127.0.0.1:${listens}/dir`, said }
}

test('Pebble issues a certificate for two names, whatever nonces it refuses', async (t) => {
  if (skipWithout(t, 'pebble and pebble-challtestsrv', hasProgram('pebble') && hasProgram('pebble-challtestsrv')))
    return
  const acmePort = await freePort()
  const pebble = await startPebble(t, acmePort)
  const here = { host: '127.0.0.1', port: 0 }
  const lines: string[] = []
  const note = (fields: object, message: string): void => void lines.push(JSON.stringify({ ...fields, message }))
  const service = await startService(
    testConfig(await directoryOf(t), {
      ...{ mqtts: here, https: here, http: { ...here, acmePort }, publicUrl: `https://${NAMES[0]}` },
      acme: { enabled: true, directory: pebble.directory, domains: NAMES, email: 'ops@example.org' },
    }),
    {
      log: { info: note, warn: note, error: note },
      isSynchronised: async () => true,
      openStore: openStoreHere,
      certificates: { leadsTo: () => ({ address: '127.0.0.1', port: acmePort }) },
    },
  )
  endsLastFirst(t, () => service.stop())
  const got = await until('a certificate', () => lines.find((line) => /certificate from the CA/.test(line)), 60_000)
  assert.match(got, /got a certificate from the CA/, `${lines.join('\n')}\n${pebble.said()}`)
  for (const name of NAMES) assert.ok(got.includes(name))
})
