import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { createIds } from '../../src/adapters/platform/system/ids.ts'
import { addOperator } from '../../src/app/operator/operators.ts'
import { COMMAND } from '../../src/core/operator/audit.ts'
import { SETUP_MS } from '../../src/core/operator/setup.ts'
import { bytesOfBase32, stepAt, totpCode } from '../../src/core/operator/totp.ts'
import { type Service, startService } from '../../src/service.ts'
import { freshDatabase, withoutPostgres } from '../fixtures/postgres-place.ts'
import { endsLastFirst } from '../harness/last-first.ts'
import { startSite } from '../harness/site.ts'
import { testConfig } from '../harness/test-config.ts'
import { VirtualClock } from '../harness/virtual-clock.ts'
import { until } from '../harness/wait.ts'

const secretIn = (text: string): string => /#setup=([\w-]{43})/.exec(text)?.[1] ?? assert.fail(text)

/** The page of the console at one service. */
function pageOf({ listeners: { http = '' } }: Pick<Service, 'listeners'>, now: () => number) {
  const ask = async (path: string, body: object) => {
    const response = await fetch(`${http}/v1/operator/session/setup${path}`, {
      method: 'POST',
      headers: { origin: http, 'x-tocsin-console': '1', 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    return { status: response.status, json: (await response.json()) as any, cookie: response.headers.get('set-cookie') }
  }
  return {
    look: (setup: string) => ask('/look', { setup }),
    async uses(setup: string, login: string) {
      const { json } = await ask('/look', { setup, login })
      const totpSecret: string = json.totpSecret ?? 'A'.repeat(32)
      const code = totpCode(bytesOfBase32(totpSecret), stepAt(now()))
      return ask('', { setup, login, name: login, password: 'three wet marmots', totpSecret, code })
    },
  }
}

suite('the address for the first administrator', () => {
  test('is in a file of the owner alone, works once, and the file goes', async (t) => {
    const site = await startSite(t)
    const file = join(site.dataDir, 'setup-link')
    await site.service.offerSetup(null)
    const text = await readFile(file, 'utf8')
    const secret = secretIn(text)
    assert.match(text.split('\n')[0]!, /^https:\/\/sos\.example\.org\/console\/#setup=[\w-]{43}$/)
    assert.match(text, /^If your machine does not reach it, first run: ssh -L /m)
    assert.equal((await stat(file)).mode & 0o777, 0o600)
    assert.equal(site.logged(/the file has the address for the first administrator/).length, 1)
    assert.equal(site.logged(/setup-link/).length, 1)

    const page = pageOf(site.service, () => site.clock.now())
    assert.equal((await page.look(secret)).status, 200)
    assert.equal((await page.look('x'.repeat(43))).json.error.reason, 'setup_not_found')
    const results = await Promise.all(['ana', 'ben'].map((login) => page.uses(secret, login)))
    assert.deepEqual(results.map(({ status }) => status).sort(), [200, 404])
    const { json, cookie } = results.find(({ status }) => status === 200)!
    assert.deepEqual([json.role, json.applications, json.recoveryCodes.length], ['admin', null, 8])
    const session = await fetch(`${site.service.listeners.http}/v1/operator/session`, {
      headers: { cookie: cookie!.split(';')[0]! },
    })
    assert.equal(session.status, 200)
    await site.advance('6 s')
    await until('the file is gone', () => !existsSync(file))
    assert.equal((await page.look(secret)).status, 404)
    assert.equal((await site.service.store.operators()).length, 1)

    await site.service.offerSetup(null)
    assert.equal(existsSync(file), false, 'a site with an operator has no address')
    assert.deepEqual(site.logged(new RegExp(secret)), [], 'the log never has the secret')
  })

  test('is on the terminal where there is one, and no earlier file stays', async (t) => {
    const site = await startSite(t)
    const file = join(site.dataDir, 'setup-link')
    await writeFile(file, 'of an earlier start')
    const said: string[] = []
    await site.service.offerSetup((text) => void said.push(text))
    assert.match(
      said.join(''),
      /Open https:\/\/sos\.example\.org\/console\/#setup=[\w-]{43}\n.*It works once, for 24 hours/,
    )
    assert.equal(existsSync(file), false)
    assert.deepEqual(site.logged(new RegExp(secretIn(said.join('')))), [])
  })

  test('is a new one at each start, and the older one works no more', async (t) => {
    const site = await startSite(t)
    const page = pageOf(site.service, () => site.clock.now())
    const offered = async () => {
      await site.service.offerSetup(null)
      return secretIn(await readFile(join(site.dataDir, 'setup-link'), 'utf8'))
    }
    const [older, newer] = [await offered(), await offered()]
    assert.deepEqual([(await page.look(older)).status, (await page.look(newer)).status], [404, 200])
  })

  test('ends after a day, which the log says with what to do', async (t) => {
    const site = await startSite(t)
    await site.service.offerSetup(null)
    const file = join(site.dataDir, 'setup-link')
    const secret = secretIn(await readFile(file, 'utf8'))
    const page = pageOf(site.service, () => site.clock.now())
    site.clock.set(SETUP_MS)
    await site.advance('6 s')
    await until('the file is gone', () => !existsSync(file))
    const { status, json } = await page.look(secret)
    assert.equal(status, 404)
    assert.match(json.error.message, /restart Tocsin, or run on the server: tocsin operator add LOGIN --role admin/)
    assert.equal(site.logged(/has expired: restart for a new one, or run: tocsin operator add/).length, 1)
  })

  test('ends when an operator is added on the command line', async (t) => {
    const site = await startSite(t)
    await site.service.offerSetup(null)
    const file = join(site.dataDir, 'setup-link')
    const secret = secretIn(await readFile(file, 'utf8'))
    const given = { login: 'eva', name: 'Eva', role: 'admin', applications: null } as const
    const by = { actor: COMMAND, address: null, now: site.clock.now() }
    await site.beside((store) => addOperator({ store, ids: createIds() }, given, by))
    const page = pageOf(site.service, () => site.clock.now())
    assert.equal((await page.uses(secret, 'ana')).status, 404)
    await site.advance('6 s')
    await until('the file is gone', () => !existsSync(file))
    assert.deepEqual(site.logged(/has expired/), [])
  })

  test('is made nowhere without the console, and a store that fails keeps no site from starting', async (t) => {
    const off = await startSite(t, { config: { console: { enabled: false } } })
    await off.service.offerSetup(null)
    assert.equal(existsSync(join(off.dataDir, 'setup-link')), false)
    assert.equal(await off.service.store.setupLink(), null)

    const site = await startSite(t)
    t.mock.method(site.service.store, 'offerSetup', () => Promise.reject(new Error('the disk is full')))
    await site.service.offerSetup(null)
    assert.equal(site.logged(/is unavailable; add one with: tocsin operator add LOGIN --role admin/).length, 1)
  })

  test('is one for all nodes, works on each, and goes where it was made', { skip: withoutPostgres }, async (t) => {
    const url = await freshDatabase(t)
    const start = async (id: string) => {
      const dataDir = await mkdtemp(join(tmpdir(), 'tocsin-node-'))
      endsLastFirst(t, () => rm(dataDir, { recursive: true, force: true }))
      const lines: string[] = []
      const note = (fields: object, message: string) => void lines.push(JSON.stringify({ ...fields, message }))
      const publicUrl = 'https://sos.example.org'
      const config = testConfig(dataDir, { store: { url }, node: { id }, publicUrl })
      const clock = new VirtualClock()
      const service = await startService(config, { clock, log: { info: note, warn: note, error: note } })
      endsLastFirst(t, () => service.stop())
      await service.offerSetup(null)
      return { service, clock, lines, file: join(dataDir, 'setup-link') }
    }
    const [north, south] = [await start('north'), await start('south')]
    const secret = secretIn(await readFile(north.file, 'utf8'))
    assert.equal(existsSync(south.file), false)
    assert.match(south.lines.join('\n'), /"node":"north".*another node has the address for the first administrator/)
    const page = pageOf(south.service, () => south.clock.now())
    assert.equal((await page.uses(secret, 'ana')).status, 200)
    await north.clock.advance('6 s', async () => {})
    await until('the file is gone', () => !existsSync(north.file))
    assert.equal((await pageOf(north.service, () => north.clock.now()).uses(secret, 'ben')).status, 404)
  })
})
