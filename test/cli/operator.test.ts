import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import Database from 'better-sqlite3'
import { openHere } from '../fixtures/store-place.ts'
import { commandLine, temporaryDirectory } from './command-line.ts'

suite('tocsin operator', () => {
  test('adds somebody and prints a link, of which only a hash is stored', async (t) => {
    const { answer, dataDir, tocsin } = await commandLine(t)
    const { appId } = await answer('app', 'create', '--name', 'Hut')
    const ana = await answer('operator', 'add', 'Ana@example.org', '--name', 'Ana', '--role', 'admin')
    const { link, expiresAt: _end, fingerprint, tunnel, ...shown } = ana
    assert.equal(fingerprint, null)
    assert.equal(tunnel.link.slice(-43), link.slice(-43))
    assert.match(link, /\/console\/#invitation=[\w-]{43}$/)
    const ben = await answer('operator', 'add', 'ben', '--role', 'viewer', '--app', 'hut', '--app', appId)
    assert.deepEqual([ben.name, ben.applications], ['ben', [appId]])
    assert.deepEqual([shown.login, shown.role, shown.applications], ['ana@example.org', 'admin', 'all'])
    assert.deepEqual((await answer('operator', 'list'))[0], shown)
    const secret = link.slice(-43)
    for (const file of ['tocsin.db', 'tocsin.db-wal']) {
      const bytes = await readFile(join(dataDir, file)).catch(() => Buffer.alloc(0))
      assert.equal(bytes.includes(secret), false, file)
    }
    const again = await tocsin('operator', 'add', 'ana@example.org')
    assert.match(again.stderr, /^error: this login is already taken/)
    const elsewhere = await tocsin('operator', 'add', 'eve', '--app', 'nowhere')
    assert.match(elsewhere.stderr, /^error: there is no application/)
    assert.equal((await answer('operator', 'list')).length, 2)
  })

  test('prints where the console is reached, with what to compare and the way over SSH', async (t) => {
    const { answer, tocsin } = await commandLine(t, { TOCSIN_HTTPS_HOST: '192.0.2.7' })
    const { fingerprint } = await answer('tls', 'show')
    const ana = await answer('operator', 'add', 'ana', '--role', 'admin')
    assert.match(ana.link, /^https:\/\/192\.0\.2\.7:8443\/console\/#invitation=[\w-]{43}$/)
    assert.equal(ana.fingerprint, fingerprint)
    assert.equal(ana.tunnel.command, 'ssh -L 8443:192.0.2.7:8443 192.0.2.7')
    const { stdout } = await tocsin('operator', 'invite', 'ana')
    assert.match(stdout, /^link +https:\/\/192\.0\.2\.7:8443\/console\/#invitation=/m)
    assert.ok(stdout.includes(`its SHA-256 fingerprint has to be ${fingerprint}`), stdout)
    assert.match(stdout, /first run: ssh -L 8443:192\.0\.2\.7:8443 192\.0\.2\.7\nThen open https:\/\/localhost:8443\//)
    const off = { TOCSIN_HTTPS_PORT: 'off' }
    const loopback = await (await commandLine(t, off)).answer('operator', 'add', 'ana', '--role', 'admin')
    assert.match(loopback.link, /^http:\/\/localhost:8080\//)
    assert.match(loopback.tunnel.command, /^ssh -L 8080:127\.0\.0\.1:8080 /)
    const none = { TOCSIN_HTTPS_PORT: 'off', TOCSIN_HTTP_PORT: 'off', TOCSIN_PUBLIC_URL: 'https://sos.example.org' }
    const proxied = await (await commandLine(t, none)).answer('operator', 'add', 'ana', '--role', 'admin')
    assert.match(proxied.link, /^https:\/\/sos\.example\.org\/console\//)
    assert.deepEqual([proxied.fingerprint, proxied.tunnel], [null, null])
  })

  test('invites again, disables and enables, and the audit log says so', async (t) => {
    const { answer, tocsin } = await commandLine(t)
    const { link } = await answer('operator', 'add', 'ana', '--role', 'admin')
    const invited = await answer('operator', 'invite', 'Ana')
    assert.notEqual(invited.link, link)
    assert.equal((await answer('operator', 'disable', 'ana')).disabled, true)
    assert.match((await tocsin('operator', 'invite', 'ana')).stderr, /^error: this operator is disabled/)
    assert.equal((await answer('operator', 'enable', 'ana')).disabled, false)
    for (const word of ['invite', 'disable', 'enable']) {
      assert.match((await tocsin('operator', word, 'eve')).stderr, /^error: there is no operator/)
    }
    const rows = await answer('audit', 'list')
    assert.deepEqual(
      rows.map(({ details }: any) => details.change),
      ['enabled', 'disabled', 'invited', 'invited', 'added'],
    )
    assert.deepEqual((await answer('audit', 'list', '--limit', '2')).length, 2)
    assert.equal((await tocsin('audit', 'list', '--limit', '0')).code, 2)
    assert.match((await tocsin('audit', 'list')).stdout, /command line +operator\.manage/)
    assert.doesNotMatch(JSON.stringify(rows), /invitation=/)
  })

  test('whatever a command changes has a row, which holds no secret, text, number or name, and nothing of an erased user', async (t) => {
    const { answer, dataDir, tocsin } = await commandLine(t)
    const { appId, secret } = await answer('app', 'create', '--name', 'Hut')
    const store = await openHere(t, dataDir, { leaveNotices: true })
    const { id } = await store.ensureUser({ appId, externalUserId: 'mia-7', id: randomUUID(), now: 1 })
    await store.close()
    const second = await answer('app', 'rotate-secret', appId)
    await answer('app', 'rotate-secret', appId, '--retire')
    await answer('app', 'update', appId, '--fallback-contact', '+4366012345678', '--fallback-name', 'Post')
    await answer('app', 'disable', appId)
    const webhook = ['--url', 'https://8.8.8.8/hook', '--secret', 'whsec_abc', '--http-attempts', '3']
    await answer('app', 'actuator', 'set', appId, 'webhook', ...webhook)
    await answer('app', 'actuator', 'remove', appId, 'webhook')
    const text = ['--language', 'en', '--key', 'confirm']
    await answer('app', 'text', 'set', appId, ...text, '--text', 'Please answer:')
    await answer('app', 'text', 'remove', appId, ...text)
    assert.notEqual((await tocsin('app', 'text', 'remove', appId, ...text)).code, 0)
    await answer('device', 'register', appId, '--hardware-id', 'T-1', '--pairing-code', 'swordfish-1')
    await answer('user', 'disable', appId, 'mia-7')
    assert.equal((await answer('audit', 'list'))[0].userId, id)
    await answer('user', 'erase', appId, 'mia-7')
    const rows = await answer('audit', 'list')
    assert.deepEqual(
      rows.toReversed().map(({ action, subject, details }: any) => [action, subject, details]),
      [
        ['application.create', null, {}],
        ['application.secret', null, { change: 'added' }],
        ['application.secret', null, { change: 'retired' }],
        ['application.change', null, { fields: ['fallbackContact'] }],
        ['application.change', null, { fields: ['disabled'], disabled: true }],
        ['actuator.change', 'webhook', { change: 'set', fields: ['url', 'secret', 'httpAttempts'] }],
        ['actuator.change', 'webhook', { change: 'removed' }],
        ['application.change', null, { change: 'text set', language: 'en', key: 'confirm' }],
        ['application.change', null, { change: 'text removed', language: 'en', key: 'confirm' }],
        ['device.change', 'T-1', { change: 'registered' }],
        // Of an erased user: keeping.md#erasure.
        ['user.change', null, {}],
        ['user.change', null, { change: 'erased' }],
      ],
    )
    const written = JSON.stringify(rows)
    const unsaid = [secret, second.secret, 'whsec', '8.8.8.8', 'Please', 'swordfish', '660123', 'Post', 'mia-7', id]
    for (const word of unsaid) assert.ok(!written.includes(word), word)
  })

  test('is asked to sign in again after a restore, and the links of then work no more', async (t) => {
    const { answer, dataDir } = await commandLine(t)
    await answer('operator', 'add', 'ana', '--role', 'admin')
    const rows = (table: string): unknown => db.prepare(`SELECT count(*) FROM ${table}`).pluck().get()
    let db = new Database(join(dataDir, 'tocsin.db'))
    db.exec("INSERT INTO setup_links VALUES ('h', NULL, 1, 2)")
    db.exec("INSERT INTO operator_sessions SELECT 's1', id, 'h', 1, 1, 2, '::1', '', 1 FROM operators")
    assert.deepEqual([rows('operator_sessions'), rows('operator_invitations')], [1, 1])
    db.close()
    const file = join(await temporaryDirectory(t), 'site.backup')
    await answer('backup', file)
    await answer('restore', file)
    db = new Database(join(dataDir, 'tocsin.db'))
    t.after(() => db.close())
    assert.deepEqual([rows('operator_sessions'), rows('operator_invitations'), rows('operators')], [0, 0, 1])
    assert.equal(rows('setup_links'), 0)
  })

  test('says what is wrong with its arguments', async (t) => {
    const { tocsin } = await commandLine(t)
    for (const args of [['two words'], ['<b>'], ['ana', '--role', 'god'], ['ana', '--name', ' ']]) {
      assert.equal((await tocsin('operator', 'add', ...args)).code, 2, args.join(' '))
    }
  })
})
