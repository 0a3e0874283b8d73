import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite, type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { signedHeaders } from '../../src/adapters/outbound/webhook/standard-webhook.ts'
import { userHash } from '../../src/core/account/user-hash.ts'
import { hasProgram, skipWithout } from '../fixtures/requires.ts'
import { runCommand } from '../harness/command-line.ts'
import { endsLastFirst } from '../harness/last-first.ts'
import { TocsinProcess } from '../harness/tocsin-process.ts'
import { type Block, blocksOf, expectedOf, printedOf, shown } from './page.ts'
import { inShell, takeCommands } from './shell-commands.ts'

const page = await readFile(new URL('../../docs/integrating.md', import.meta.url), 'utf8')
const blocks = blocksOf(page)
const run = promisify(execFile)

/** Whether a program is missing. If so, the test has been skipped or, under CI, failed. */
const lacks = (t: TestContext, ...programs: readonly string[]): boolean =>
  programs.some((name) => skipWithout(t, name, hasProgram(name)))

async function newDirectory(t: TestContext): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'tocsin-docs-'))
  endsLastFirst(t, () => rm(directory, { recursive: true, force: true }))
  return directory
}

const snippet = (info: string): string => {
  const found = blocks.find((block) => block.info === info)
  assert.ok(found, `the page has no block \`${info}\``)
  return found.text
}

/** Imports a JavaScript block of the page. */
async function imported(t: TestContext, info: string): Promise<Record<string, (...given: any[]) => any>> {
  const file = join(await newDirectory(t), 'snippet.mjs')
  await writeFile(file, snippet(info))
  return import(pathToFileURL(file).href)
}

const isCommands = ({ info }: Block): boolean => info === 'sh' || info === 'sh background'
const isOutput = ({ info }: Block): boolean => /^(json \d{3}|text)$/.test(info)

/** Each block of commands with its promised output: the output blocks up to the next one. */
const steps = blocks.flatMap((block, at) => {
  if (!isCommands(block)) return []
  const rest = blocks.slice(at + 1)
  const next = rest.findIndex(isCommands)
  return [{ block, printed: rest.slice(0, next < 0 ? rest.length : next).filter(isOutput) }]
})

const ADDRESSES = 'export BASE=http://127.0.0.1:8080 MQTT_HOST=127.0.0.1 MQTT_PORT=1883\n'
/**
 * The day of the presses on the page. Readers use today's, because an alert from 30 days ago counts as pressed on
 * arrival.
 */
const SAMPLE_DAY = '2026-07-04'
const YESTERDAY = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10)

/** `-d` reports the subscription; without stdbuf a file would get that line late. */
const START_OF_EVENTS = 'until grep -q Subscribed out.events; do sleep 0.05; done'

/** The page's last incident is acknowledged, then resolved. */
const LAST_EVENT = `until sed '1,/"type":"acknowledged"/d' out.events | grep -q '"type":"resolved"'; do sleep 0.05; done`

/**
 * All commands of the page as one script that leaves the output of block N in `out.N`, and the events in `out.events`.
 */
function scriptOf(site: TocsinProcess): string {
  const { port } = new URL(site.mqtt)
  const parts = steps.map(({ block }, at) => {
    const text = block.text.replace(ADDRESSES, `export BASE=${site.http} MQTT_HOST=127.0.0.1 MQTT_PORT=${port}\n`)
    if (block.info === 'sh') return `{\n${text}} > out.${at} 2>&1`
    return `{\n${text.replace('mosquitto_sub ', 'stdbuf -oL mosquitto_sub -d ')}} > out.events 2>&1\n${START_OF_EVENTS}`
  })
  return [inShell('tocsin'), 'bin/tocsin() { tocsin "$@"; }', "trap 'kill $(jobs -p)' EXIT", ...parts, LAST_EVENT]
    .join('\n')
    .replaceAll(SAMPLE_DAY, YESTERDAY)
}

async function runPage(t: TestContext) {
  const [dataDir, directory] = [await newDirectory(t), await newDirectory(t)]
  // With the TLS listeners of a default start, because tracking links lead there.
  const site = await TocsinProcess.start(dataDir, { TOCSIN_MQTTS_PORT: '0', TOCSIN_HTTPS_PORT: '0' })
  endsLastFirst(t, () => site.kill())
  const settings = { TOCSIN_DATA_DIR: dataDir, TOCSIN_CONFIG: '' }
  const commands = await takeCommands(t, { tocsin: (...args) => runCommand(settings, args) })
  const env = { ...process.env, ...commands }
  const child = spawn('bash', ['-c', scriptOf(site)], { cwd: directory, env, stdio: 'ignore', detached: true })
  endsLastFirst(t, () => {
    // The whole group: what the script runs must not outlive a test that timed out.
    if (child.exitCode === null && child.signalCode === null) process.kill(-child.pid!, 'SIGKILL')
  })
  const timer = setTimeout(() => process.kill(-child.pid!, 'SIGKILL'), 90_000)
  const [, signal] = await once(child, 'exit')
  clearTimeout(timer)
  assert.equal(signal, null, 'the script came to its end')
  const outputOf = async (name: string | number): Promise<string> => {
    const text = await readFile(join(directory, `out.${name}`), 'utf8').catch(() => '')
    return text.replaceAll(YESTERDAY, SAMPLE_DAY)
  }
  return { outputOf }
}

suite('docs/integrating.md', () => {
  test('every command can be pasted, and prints what the page says', { timeout: 110_000 }, async (t) => {
    if (lacks(t, 'bash', 'curl', 'openssl', 'mosquitto_pub', 'mosquitto_sub')) return
    assert.ok(steps[0]?.block.text.includes(ADDRESSES), 'the first block sets the addresses')
    const { outputOf } = await runPage(t)
    for (const [at, { block, printed }] of steps.entries()) {
      if (block.info !== 'sh') continue
      assert.deepEqual(
        printedOf(await outputOf(at)),
        printed.flatMap(expectedOf),
        `the commands of line ${block.line} print something else`,
      )
    }

    const events = (await outputOf('events'))
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line))
    const expected = blocks.filter(({ info }) => info === 'json event').map(({ text }) => shown(JSON.parse(text)))
    assert.deepEqual(
      events.slice(0, expected.length).map((event) => shown(event)),
      expected,
    )
    const story = snippet('text events').trim().split('\n')
    const ids = [...new Set(events.map(({ incidentId }) => incidentId))]
    const told = ids.map((id) => events.filter(({ incidentId }) => incidentId === id))
    const acknowledged = told.find((its) => its.some(({ type }) => type === 'acknowledged')) ?? []
    assert.deepEqual(
      acknowledged.map(({ type, snapshotVersion }) => [type, snapshotVersion].filter(Boolean).join(' ')),
      story,
    )

    const { taken } = await imported(t, 'js keeping state')
    const inOrder = acknowledged.reduce((held, event) => taken!(held, event), undefined)
    assert.deepEqual([inOrder.status, inOrder.snapshotVersion, inOrder.type], ['resolved', 3, undefined])
    for (const order of permutations(acknowledged)) {
      assert.deepEqual(
        [...order, ...order].reduce((held, event) => taken!(held, event), undefined),
        inOrder,
      )
    }
  })

  test('an app without MQTT reads the stream in JavaScript, wherever it is cut', async (t) => {
    const { follow } = await imported(t, 'js event stream')
    const pieces = [
      ':\n\nevent: processed\nda',
      'ta: {"type":"processed"}\n',
      '\n:\n\nevent: resolved\ndata: {"type":"resolved"}\n\n',
    ]
    const server = createServer(async (request, response) => {
      assert.deepEqual([request.url, request.headers['x-user-id']], ['/v1/sdk/events', 'mia'])
      for (const piece of pieces) {
        response.write(piece)
        await sleep(20)
      }
      response.end()
    })
    t.after(() => server.close())
    await once(server.listen(0, '127.0.0.1'), 'listening')
    const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const told: object[] = []
    await follow!({ base, headers: { 'x-user-id': 'mia' } }, (message: object) => told.push(message))
    assert.deepEqual(told, [{ type: 'processed' }, { type: 'resolved' }])
  })

  test('the user hash in JavaScript and Python', async (t) => {
    const cases = [
      ['a secret', 'hiker-1'],
      ['sécrèt ☃', 'Jürgen:3'],
    ] as const
    const { userHash: inJavaScript } = await imported(t, 'js user hash')
    for (const [secret, id] of cases) assert.equal(inJavaScript!(secret, id), userHash(secret, id))
    if (lacks(t, 'python3')) return
    const python = `${snippet('python user hash')}\nimport sys\nprint(user_hash(*sys.argv[1:]))\n`
    for (const [secret, id] of cases) {
      const { stdout } = await run('python3', ['-X', 'utf8', '-c', python, secret, id])
      assert.equal(stdout.trim(), userHash(secret, id))
    }
  })

  test('the webhook check accepts what the service signs, and nothing else', async (t) => {
    const { isGenuine } = await imported(t, 'js webhook')
    const at = Date.now()
    const body = JSON.stringify(JSON.parse(snippet('json webhook')))
    for (const secret of [`whsec_${Buffer.from('a key of 24 bytes or so!').toString('base64')}`, 'plain text']) {
      const headers = signedHeaders({ id: 'msg_1', at, body, secret })
      const bytes = Buffer.from(body)
      assert.equal(isGenuine!(headers, bytes, secret), true)
      const two = { ...headers, 'webhook-signature': `v1,AAAA ${headers['webhook-signature']}` }
      assert.equal(isGenuine!(two, bytes, secret), true, 'one of several signatures')
      assert.equal(isGenuine!(headers, Buffer.from(`${body} `), secret), false, 'another body')
      assert.equal(isGenuine!(headers, bytes, 'another secret'), false)
      assert.equal(isGenuine!({ ...headers, 'webhook-id': 'msg_2' }, bytes, secret), false, 'another id')
      assert.equal(isGenuine!(headers, bytes, secret, at + 301_000), false, 'too old')
      for (const name of Object.keys(headers)) {
        assert.equal(isGenuine!({ ...headers, [name]: undefined }, bytes, secret), false, `without ${name}`)
      }
    }
  })
})

function permutations<T>(items: readonly T[]): readonly (readonly T[])[] {
  if (items.length === 0) return [[]]
  return items.flatMap((item, at) =>
    permutations([...items.slice(0, at), ...items.slice(at + 1)]).map((rest) => [item, ...rest]),
  )
}
