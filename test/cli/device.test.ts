import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { suite, type TestContext, test } from 'node:test'
import { createPairingCodes } from '../../src/adapters/platform/system/pairing-codes.ts'
import { newPairingCodeField, pairingSchema } from '../../src/core/account/pairing-schema.ts'
import { openHere } from '../fixtures/store-place.ts'
import { commandLine } from './command-line.ts'

/** A data directory with one application, and a command line for it. */
async function newSite(t: TestContext) {
  const { dataDir, tocsin: run, answer } = await commandLine(t)
  const { appId } = await answer('app', 'create', '--name', 'Hut')
  return {
    appId: appId as string,
    dataDir,
    run,
    list: () => answer('device', 'list', appId),
    /** Runs `tocsin device import` on a file with this content. */
    async imports(content: string | Buffer, ...options: readonly string[]) {
      const file = join(dataDir, 'trackers.csv')
      await writeFile(file, content)
      return run('device', 'import', appId, file, ...options)
    },
    /** Whether the tracker can be paired with this code, checked as the service does. */
    async pairsWith(hardwareId: string, code: string): Promise<boolean> {
      const store = await openHere(t, dataDir, { leaveNotices: true })
      const begun = await store.beginPairing(appId, hardwareId, Date.now())
      await store.close()
      return 'registered' in begun && (await createPairingCodes().matches(code, begun.registered.codeHash))
    },
  }
}

const unpaired = (hardwareId: string, model: string | null) => ({
  hardwareId,
  model,
  externalUserId: null,
  pairedAt: null,
  lockedUntil: null,
  silentAfterMinutes: null,
  silentSince: null,
})

const HEADER = 'hardwareId,pairingCode,model'

suite('tocsin device register', () => {
  test('adds a tracker, or replaces its code, which is neither stored nor shown in clear', async (t) => {
    const site = await newSite(t)
    const register = (...args: readonly string[]) =>
      site.run('device', 'register', site.appId, '--hardware-id', '0042', ...args)
    const added = await register('--pairing-code', 'swordfish-1', '--model', 'T1000', '--json')
    assert.deepEqual([added.code, added.stderr], [0, ''])
    assert.deepEqual(JSON.parse(added.stdout), unpaired('0042', 'T1000'))
    assert.equal(await site.pairsWith('0042', 'swordfish-1'), true)

    assert.equal((await register('--pairing-code', 'swordfish-2')).code, 0)
    assert.deepEqual(await site.list(), [unpaired('0042', 'T1000')])
    assert.equal(await site.pairsWith('0042', 'swordfish-1'), false)
    assert.equal(await site.pairsWith('0042', 'swordfish-2'), true)

    // Without one, a code is made, shown this once.
    const { pairingCode, ...shown } = JSON.parse((await register('--json')).stdout)
    assert.match(pairingCode, /^[2-9A-HJ-NP-Z]{8}$/)
    assert.deepEqual(shown, unpaired('0042', 'T1000'))
    assert.equal(await site.pairsWith('0042', pairingCode), true)
    assert.deepEqual(await site.list(), [unpaired('0042', 'T1000')])
    for (const file of ['tocsin.db', 'tocsin.db-wal']) {
      const bytes = await readFile(join(site.dataDir, file)).catch(() => Buffer.alloc(0))
      assert.equal(bytes.includes('swordfish'), false, file)
    }
  })

  test('says what is wrong with its arguments', async (t) => {
    const { run, appId, list } = await newSite(t)
    const wrongUses = [
      [appId, '--pairing-code', '100001'],
      [appId, '--hardware-id', ' ', '--pairing-code', '100001'],
      [appId, '--hardware-id', 'A', '--pairing-code', 'x'.repeat(65)],
      [appId, '--hardware-id', 'A\u0007', '--pairing-code', '100001'],
    ]
    for (const args of wrongUses) {
      const { code, stderr } = await run('device', 'register', ...args)
      assert.deepEqual([code, stderr.trim().split('\n').length], [2, 1], args.join(' '))
    }
    const unknown = '01900000-0000-7000-8000-000000000000'
    const { code, stderr } = await run('device', 'register', unknown, '--hardware-id', 'A', '--pairing-code', '482913')
    assert.deepEqual(
      [code, stderr],
      [1, 'error: there is no application with this id; list them with: tocsin app list\n'],
    )
    assert.deepEqual(await list(), [])
  })
})

suite('a pairing code', () => {
  const refusals: Readonly<Record<string, boolean>> = {
    '4711': true,
    '47-11': true,
    '12345': true,
    code: true,
    '----------': true,
    AB1: true,
    '123456': false,
    '482913': false,
    AB12: false,
    right: false,
    'PAIR-1234': false,
    '7481-2236': false,
    ключи: false,
  }
  test('that can be guessed is refused at registration, and still pairs if it was registered earlier', async (t) => {
    for (const [code, isRefused] of Object.entries(refusals)) {
      assert.equal(newPairingCodeField.safeParse(code).success, !isRefused, code)
      const request = { hardwareId: 'A', pairingCode: code }
      assert.equal(pairingSchema.safeParse(request).success, true, code)
    }
    const site = await newSite(t)
    const { code, stderr } = await site.run(
      ...['device', 'register', site.appId, '--hardware-id', 'A', '--pairing-code', '4711'],
    )
    assert.equal(code, 2)
    assert.match(
      stderr,
      /^error: option '--pairing-code <code>'[^\n]+ is too easy to guess: use at least six digits[^\n]+\n$/,
    )
    assert.deepEqual(await site.list(), [])
  })
})

suite('tocsin device import', () => {
  test('registers every line of a file, with byte order mark, CRLF and quotes', async (t) => {
    const site = await newSite(t)
    const lines = [HEADER, 'B,twenty,', '"A, old","say ""one""","T""1000"""', '', 'C,three,T2']
    const { code, stdout, stderr } = await site.imports(`\uFEFF${lines.join('\r\n')}\r\n`, '--json')
    assert.deepEqual([code, JSON.parse(stdout), stderr], [0, { imported: 3, rejected: [] }, ''])
    assert.deepEqual(await site.list(), [unpaired('A, old', 'T"1000"'), unpaired('B', null), unpaired('C', 'T2')])
    assert.equal(await site.pairsWith('A, old', 'say "one"'), true)
    assert.equal(await site.pairsWith('B', 'twenty'), true)
  })

  const bad = [
    HEADER,
    'A,100001,T1',
    ',100002,T1',
    'B,,T1',
    `C,100003,${'x'.repeat(101)}`,
    'A,100004,T1',
    'D,100005',
    'E,100006"7,T1',
    'F,100008,T1',
    'G,4711,T1',
  ].join('\n')
  const rejected = [
    { line: 3, field: 'hardwareId', message: 'must not be empty' },
    { line: 4, field: 'pairingCode', message: 'must not be empty' },
    { line: 5, field: 'model', message: 'must be at most 100 characters long' },
    { line: 6, field: 'hardwareId', message: 'repeats the one in line 2' },
    { line: 7, field: null, message: 'has 2 fields instead of 3' },
    { line: 8, field: null, message: 'has an unclosed quote, or a quote that is not doubled' },
    {
      line: 10,
      field: 'pairingCode',
      message: 'is too easy to guess: use at least six digits, five letters, or four characters that mix both',
    },
  ]

  test('stores nothing if a line is bad, and lists every bad line', async (t) => {
    const site = await newSite(t)
    const { code, stdout, stderr } = await site.imports(bad, '--json')
    assert.deepEqual([code, JSON.parse(stdout)], [1, { imported: 0, rejected }])
    for (const { line, message } of rejected) {
      assert.match(stderr, new RegExp(`line ${line}: [^;]*${message}`))
    }
    assert.equal(stderr.trim().split('\n').length, 1)
    assert.deepEqual(await site.list(), [])
  })

  test('--partial stores the good lines, and still fails', async (t) => {
    const site = await newSite(t)
    const { code, stdout } = await site.imports(bad, '--partial', '--json')
    assert.deepEqual([code, JSON.parse(stdout)], [1, { imported: 2, rejected }])
    assert.deepEqual(await site.list(), [unpaired('A', 'T1'), unpaired('F', 'T1')])
    assert.equal(await site.pairsWith('A', '100001'), true)
  })

  test('refuses a file of another kind, in one line', async (t) => {
    const site = await newSite(t)
    const latin1 = Buffer.from(`${HEADER}\nM\u00fcller,1,`, 'latin1')
    for (const content of ['', 'A,1,T1', 'hardwareId;pairingCode;model\nA;1;T1', latin1]) {
      const { code, stdout, stderr } = await site.imports(content, '--partial', '--json')
      assert.deepEqual([code, stdout, stderr.trim().split('\n').length], [1, '', 1], String(content))
    }
    const missing = await site.run('device', 'import', site.appId, join(site.dataDir, 'none.csv'))
    assert.equal(missing.code, 1)
    assert.match(missing.stderr, /^error: .*none\.csv could not be read: /)
    assert.deepEqual(await site.list(), [])
  })
})

suite('tocsin device token', () => {
  test('pairs a tracker, shows its token once with the links, and takes it back', async (t) => {
    const site = await newSite(t)
    const { appId, run } = site
    const store = await openHere(t, site.dataDir, { leaveNotices: true })
    await store.ensureUser({ appId, externalUserId: 'hiker-1', id: 'u1', now: 0 })
    await store.close()
    const token = (...more: readonly string[]) => run('device', 'token', appId, 'phone', ...more)

    assert.match((await token('--user', 'hiker-1')).stderr, /no tracker with this hardware id/)
    await run('device', 'register', appId, '--hardware-id', 'phone', '--pairing-code', 'swordfish-1')
    assert.match((await token()).stderr, /no user has paired this tracker/)
    assert.match((await token('--user', 'nobody')).stderr, /no user with this external id/)
    const made = JSON.parse((await token('--user', 'hiker-1', '--json')).stdout)
    const register = (id: string) =>
      run('device', 'register', appId, '--hardware-id', id, '--pairing-code', 'swordfish-1')
    assert.equal((await register('A8:40:41:FF:FF:18:51:23')).code, 0)
    assert.match((await register('a84041ffff185123')).stdout, /A8:40:41:FF:FF:18:51:23/)
    assert.ok(made.traccar.endsWith(`/v1/trackers/osmand?id=${made.token}`))

    const again = await token()
    assert.equal(again.code, 0)
    assert.match(again.stdout, /[█▀▄]{10}/)
    assert.ok(!again.stdout.includes(made.token))
    const shown = JSON.parse((await run('device', 'show', appId, 'phone', '--json')).stdout)
    assert.deepEqual([shown.hardwareId, shown.heardAt, typeof shown.tokenMadeAt], ['phone', null, 'string'])
    assert.equal(JSON.parse((await token('--revoke', '--json')).stdout).tokenMadeAt, null)
  })
})

suite('tocsin device watch', () => {
  test('says how long a tracker may be silent, like its application unless it says otherwise', async (t) => {
    const site = await newSite(t)
    const register = ['--hardware-id', 'T-1', '--pairing-code', 'swordfish-1'] as const
    assert.equal((await site.run('device', 'register', site.appId, ...register)).code, 0)
    const watch = (silentAfter: string, hardwareId = 'T-1') =>
      site.run('device', 'watch', site.appId, hardwareId, '--silent-after', silentAfter)
    for (const [given, minutes] of [
      ['6h', 360],
      ['off', 0],
      ['default', null],
    ] as const) {
      assert.equal((await watch(given)).code, 0)
      assert.equal((await site.list())[0].silentAfterMinutes, minutes)
    }
    assert.match((await watch('5m')).stderr, /must be off, or from 15m to 30d/)
    assert.match((await watch('6h', 'nothing')).stderr, /there is no tracker with this hardware id/)
  })
})
