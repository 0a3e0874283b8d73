import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { type ProbeFinding, worstOf } from '../../../src/app/doctor/finding.ts'
import { judgeClock, judgeDisk, judgeMemory, judgePorts } from '../../../src/app/doctor/judge-machine.ts'
import { judgeMap, judgeNodes, judgeProviders, judgeStore } from '../../../src/app/doctor/judge-parts.ts'
import {
  judgeAddress,
  judgeCertificate,
  judgeConfiguration,
  judgeService,
  judgeVersion,
} from '../../../src/app/doctor/judge-service.ts'
import {
  judgeAdministrators,
  judgeBackup,
  judgeCanary,
  judgeDrill,
  judgeRestore,
} from '../../../src/app/doctor/judge-upkeep.ts'
import { DAY, HOUR, MINUTE, SECOND } from '../../../src/lib/durations.ts'
import { keyConcern } from '../../../src/service/certificates.ts'

type Row = readonly [title: string, found: readonly ProbeFinding[], ...expected: readonly string[]]

/** `! the disk is nearly full: …`, as the start of each line. */
const marks = { fine: '✓', attention: '!', failed: '✗' } as const
const inLines = (found: readonly ProbeFinding[]): readonly string[] =>
  found.map(({ level, says }) => `${marks[level]} ${says}`)

/** Each finding begins like its expected line, and says what to do unless it is fine. */
function rows(...table: readonly Row[]): void {
  for (const [title, found, ...expected] of table) {
    test(title, () => {
      const lines = inLines(found)
      assert.equal(lines.length, expected.length, lines.join('\n'))
      expected.forEach((begins, place) => {
        assert.ok(lines[place]!.startsWith(begins), `${lines[place]}\ninstead of ${begins}`)
      })
      for (const { level, remedy } of found) assert.equal(remedy === null, level === 'fine')
    })
  }
}

const now = Date.UTC(2026, 4, 1)
const MB = 1024 * 1024
const GB = 1024 * MB

suite('version and service', () => {
  const files = { version: '0.2.0', commit: '1a2b3c4d5e6f' }
  const older = { version: '0.1.0', commit: null }
  rows(
    ['the service runs the files', judgeVersion({ files, running: files }), '✓ 0.2.0 (1a2b3c4d5e6f), which'],
    ['no service', judgeVersion({ files, running: null }), '✓ 0.2.0 (1a2b3c4d5e6f)'],
    [
      'an upgrade without a restart',
      judgeVersion({ files, running: older }),
      '! the files are 0.2.0 (1a2b3c4d5e6f), and the service is still running 0.1.0 (a checkout)',
    ],
    [
      'another commit of the same version',
      judgeVersion({ files, running: { ...files, commit: 'ffffffffffff' } }),
      '! the files are',
    ],
    ['ready', judgeService({ reasons: [], concerns: [] }), '✓ ready'],
    ['not running', judgeService('not running'), '✗ the service is not running'],
    [
      'it hangs',
      judgeService({ silent: 'connection timeout at http://127.0.0.1:8080', pid: 7 }),
      '✗ process 7 runs, but does not answer: connection timeout',
    ],
    ['nothing to ask at', judgeService({ silent: 'no port', pid: null }), '! the service cannot be asked: no port'],
    [
      'reasons and concerns; what has a line of its own is not said twice',
      judgeService({
        reasons: ['the MQTT broker does not answer'],
        concerns: [
          'ends_unnamed: an application sent ends',
          'public_url_private: links at http://10.0.0.1 open in this network only',
          'SMS modem: no signal',
          "the canary's synthetic SOS failed 2 times in a row",
          'the clock is not trusted',
          'no synchronous standby protects acknowledged alerts',
        ],
      }),
      '✗ not ready: the MQTT broker does not answer',
      '! ends_unnamed: an application sent ends',
    ],
    [
      'a configuration with gaps; the public address has its own line',
      judgeConfiguration({
        from: '/etc/tocsin/tocsin.yaml',
        warnings: ['publicUrl is not set', 'twilio.from is a name'],
      }),
      '✓ valid: /etc/tocsin/tocsin.yaml',
      '! twilio.from is a name',
    ],
    ['mistakes', judgeConfiguration({ problems: ['line 3: https.port must be'] }), '✗ line 3: https.port must be'],
  )
})

test('a node that renews for all and has another key says so, with the command that gives it the right one', () => {
  const trouble = 'this node has another TOCSIN_SECRETS_KEY than the site'
  assert.equal(keyConcern(null, { isHousekeeper: true }), null)
  assert.equal(keyConcern(trouble, { isHousekeeper: false }), trouble)
  assert.equal(keyConcern('secrets.key is damaged', null), 'NO CERTIFICATE IS RENEWED: secrets.key is damaged')
  const concern = keyConcern(trouble, { isHousekeeper: true })!
  assert.equal(concern, `NO CERTIFICATE IS RENEWED on any node: ${trouble}`)
  const found = judgeService({ reasons: [trouble], concerns: [concern, 'another'] })
  assert.deepEqual(
    found.map(({ remedy }) =>
      /^with the key of a node that is ready: ssh NODE sudo cat \S+KEY \|.* && sudo systemctl restart tocsin$/.test(
        remedy ?? '',
      ),
    ),
    [true, true, false],
  )
})

suite('address and certificate', () => {
  const url = 'https://sos.example'
  const at = (link: Parameters<typeof judgeAddress>[0]['link'], isSent = true, concern: string | null = null) =>
    judgeAddress({ url, isSent, concern, link })
  const valid = {
    source: 'local',
    names: ['hut'],
    validFrom: now - DAY,
    validTo: now + DAY,
    now,
    concerns: [],
  } as const
  rows(
    ['a link opens', at({ status: 404, isOurs: true }), '✓ https://sos.example: a tracking link opens'],
    ['another program answers', at({ status: 502, isOurs: false }), '✗ https://sos.example is answered by another'],
    [
      'the same, and nobody gets a link',
      at({ status: 502, isOurs: false }, false),
      '! https://sos.example is answered',
    ],
    [
      'http, led to https',
      judgeAddress({
        url: 'http://sos.example',
        isSent: true,
        concern: null,
        link: { status: 301, isOurs: false, securedAt: url },
      }),
      '! http://sos.example leads to https://sos.example, where a tracking link opens',
    ],
    ['led elsewhere', at({ status: 302, isOurs: false }), '✗ https://sos.example is answered by another'],
    ['no such name', at({ failed: 'name not found' }), '✗ https://sos.example: the name cannot be resolved'],
    [
      'a certificate of the local CA',
      at({ failed: 'certificate not accepted' }),
      '✗ https://sos.example: this machine,',
    ],
    ['behind a router', at({ failed: 'connection timeout' }), '! https://sos.example cannot be reached from this'],
    ['on this machine only', at(null, true, 'public_url_loopback: links'), '! public_url_loopback: links'],
    [
      'a concern, and still it opens',
      at({ status: 404, isOurs: true }, true, 'public_url_private: links'),
      '! public_url_private: links',
      '✓ https://sos.example: a tracking link',
    ],
    [
      'a good certificate',
      judgeCertificate(valid),
      '✓ of the local CA, renewed automatically, until 2026-05-02, for hut',
    ],
    [
      'many names, one of your own',
      judgeCertificate({ ...valid, source: 'operator', names: ['a', 'b', 'c', 'd', 'e', 'f'] }),
      '✓ your own (tls.cert), until 2026-05-02, for a, b, c, d and 2 more',
    ],
    [
      'a concern',
      judgeCertificate({ ...valid, concerns: ['the certificate x expires on'] }),
      '✓ of the local CA',
      '! the certificate x expires on',
    ],
    [
      'expired',
      judgeCertificate({ ...valid, validTo: now - 1 }),
      '✗ the certificate expired on 2026-04-30T23:59:59.999Z',
    ],
    ['not yet valid', judgeCertificate({ ...valid, validFrom: now + 1 }), '✗ the certificate is not valid before'],
    ['none yet', judgeCertificate({ missing: 'the certificate x does not exist' }), '! the certificate x does not'],
  )
})

suite('the machine', () => {
  const port = (holder: Parameters<typeof judgePorts>[0]['ports'][number]['holder'], name = 'mqtts') => ({
    name,
    address: '0.0.0.0:8883',
    holder,
  })
  const clock = { now, isBelieved: true, isSynchronised: true, aheadMs: null }
  const disk = {
    directory: '/d',
    freeBytes: 9 * GB,
    syncMs: 2.34,
    reserve: { wantedBytes: 64 * MB, heldBytes: 64 * MB },
  }
  const memory = { limitBytes: GB, usedBytes: 200 * MB, mqttConnections: 5000, httpConnections: 2500 }
  rows(
    [
      'all listen',
      judgePorts({ ports: [port('service'), port('service', 'https')], serviceRuns: true }),
      '✓ mqtts 0.0.0.0:8883, https 0.0.0.0:8883',
    ],
    [
      'taken, before the start',
      judgePorts({ ports: [port({ pid: 812, program: 'mosquitto' })], serviceRuns: false }),
      '✗ 0.0.0.0:8883 (mqtts) is taken by mosquitto, process 812',
    ],
    [
      'taken by a process of another user',
      judgePorts({ ports: [port('unknown')], serviceRuns: false }),
      '✗ 0.0.0.0:8883 (mqtts) is taken by a program that only root can name',
    ],
    [
      'the same, of the service',
      judgePorts({ ports: [port('unknown')], serviceRuns: true }),
      '✓ mqtts 0.0.0.0:8883 is listening',
    ],
    ['free', judgePorts({ ports: [port('nobody')], serviceRuns: false }), '✓ mqtts 0.0.0.0:8883 is free'],
    [
      'closed while it runs',
      judgePorts({ ports: [port('nobody')], serviceRuns: true }),
      '✗ nothing listens at 0.0.0.0:8883',
    ],
    ['every listener off', judgePorts({ ports: [], serviceRuns: true }), '✗ every listener is off'],

    ['a synchronised clock', judgeClock(clock), '✓ 2026-05-01T00:00:00.000Z, synchronised'],
    [
      'everything wrong with it',
      judgeClock({ now, isBelieved: false, isSynchronised: false, aheadMs: -61_000 }),
      '! the service does not trust the clock, which shows 2026-05-01T00:00:00.000Z',
      "! the clock of this machine is 61 s behind the database's",
      '! the system does not report that its clock is synchronised',
    ],
    ['ahead', judgeClock({ ...clock, aheadMs: 3000 }), "! the clock of this machine is 3 s ahead of the database's"],
    ['near enough', judgeClock({ ...clock, aheadMs: -1999 }), '✓'],

    ['a good disk', judgeDisk(disk), '✓ 9,216 MB free in /d, fsync 2.3 ms'],
    ['of a database elsewhere', judgeDisk({ ...disk, syncMs: null, reserve: null }), '✓ 9,216 MB free in /d'],
    ['nearly full', judgeDisk({ ...disk, freeBytes: 900e6 }), '! the disk is nearly full: 858 MB free in /d'],
    ['full', judgeDisk({ ...disk, freeBytes: 31 * MB }), '✗ the disk is full: 31 MB free in /d'],
    [
      'slow, and without its reserve',
      judgeDisk({ ...disk, syncMs: 900, reserve: { wantedBytes: 64 * MB, heldBytes: 8 * MB } }),
      '! only 8 MB of the 64 MB for alarms are set aside',
      '! the disk is slow: one fsync takes 900 ms',
      '✓ 9,216 MB free',
    ],

    [
      'enough memory',
      judgeMemory({ ...memory, boundBy: 'memory', isOfService: true }),
      '✓ 1,024 MB, 200 MB used; room for 5,000 MQTT and 2,500 HTTP connections',
    ],
    [
      'few connections',
      judgeMemory({ ...memory, mqttConnections: 128, boundBy: 'descriptors', isOfService: false }),
      '! 1,024 MB, 200 MB used; room for 128 MQTT and 2,500 HTTP connections by the limits of this shell',
    ],
    [
      'tight',
      judgeMemory({ ...memory, usedBytes: 0.9 * GB, boundBy: 'memory', isOfService: true }),
      '✓ 1,024 MB, 922 MB used',
      '! almost all of the memory is used',
    ],
  )

  test('the remedy for few connections names what bounds them', () => {
    const few = { ...memory, mqttConnections: 10, isOfService: true }
    assert.match(judgeMemory({ ...few, boundBy: 'descriptors' })[0]!.remedy!, /LimitNOFILE/)
    assert.match(judgeMemory({ ...few, boundBy: 'memory' })[0]!.remedy!, /MemoryMax/)
  })
})

suite('store, providers, nodes, map', () => {
  const sqlite = {
    kind: 'sqlite',
    bytes: 5 * MB,
    logBytes: MB,
    schema: 40,
    known: 40,
    checked: 'whole',
    flaw: null,
  } as const
  const postgres = {
    kind: 'postgres',
    schema: 37,
    known: 37,
    standbys: 1,
    synchronousStandbys: 1,
    lagMs: 3,
    roundTripMs: 0.42,
    concerns: [],
  } as const
  const modem = { name: 'modem', trouble: null, signal: 60, isRunning: true } as const
  const node = (id: string, state: string, version = '0.2.0') => ({ id, state, version })
  rows(
    ['a sound database', judgeStore(sqlite), '✓ SQLite, 5.0 MB, its log 1.0 MB, checked: sound'],
    [
      'a large one',
      judgeStore({ ...sqlite, bytes: GB, checked: 'alarms' }),
      '✓ SQLite, 1024 MB, its log 1.0 MB, checked: what alarms need',
    ],
    [
      'damaged',
      judgeStore({ ...sqlite, flaw: 'incidents: row 3 missing' }),
      '✗ the database is damaged (incidents: row 3',
    ],
    [
      'a long log',
      judgeStore({ ...sqlite, logBytes: GB }),
      '✓ SQLite',
      '! the write-ahead log of the database has grown',
    ],
    [
      'before an upgrade',
      judgeStore({ ...sqlite, schema: 39 }),
      '✓ SQLite',
      '! the schema of the database is 39, these files bring 40',
    ],
    [
      'after a downgrade',
      judgeStore({ ...sqlite, schema: 41 }),
      '✓ SQLite',
      '✗ a newer version of Tocsin wrote the database',
    ],
    ['none', judgeStore({ kind: 'none', directory: '/d' }), '! there is no database in /d yet'],
    [
      'unusable',
      judgeStore({ kind: 'unusable', why: 'no PostgreSQL primary can be reached' }),
      '✗ no PostgreSQL primary',
    ],
    [
      'PostgreSQL',
      judgeStore(postgres),
      '✓ PostgreSQL answers within 0.4 ms; standbys: 1 (synchronous: 1), the slowest 3 ms behind',
    ],
    [
      'PostgreSQL in trouble',
      judgeStore({ ...postgres, lagMs: 60_000, roundTripMs: 300, concerns: ['fsync is off'] }),
      '✓ PostgreSQL answers',
      '! fsync is off',
      '! a standby is far behind',
      '! the database answers slowly',
    ],

    [
      'mail beside the outbox',
      judgeProviders([{ name: 'outbox' }, { name: 'smtp', failure: null }]),
      '! outbox: no SMS or call leaves this machine',
      '✓ smtp: the mail server accepts the login',
    ],
    [
      'a mail server that refuses',
      judgeProviders([{ name: 'smtp', failure: 'login refused' }]),
      '✗ smtp: the mail server cannot be used (login refused)',
    ],
    ['only the outbox', judgeProviders([{ name: 'outbox' }]), '! outbox: no SMS or call leaves this machine'],
    [
      'all that work',
      judgeProviders([
        { name: 'twilio', status: 'active' },
        { name: 'http', failure: null },
        modem,
        { name: 'outbox' },
      ]),
      '✓ twilio: the account is active',
      '✓ http: the gateway answers',
      '✓ SMS modem: gammu-smsd is running, signal 60 %',
      '✓ outbox: a message that no other provider accepts',
    ],
    [
      'all that do not',
      judgeProviders([
        { name: 'twilio', failure: 'the credentials are not accepted' },
        { name: 'twilio', status: 'suspended' },
        { name: 'http', failure: 'connection refused' },
        { ...modem, trouble: 'SMS modem: no signal' },
        { ...modem, isRunning: false },
        { ...modem, signal: 5 },
        { ...modem, isRunning: null, signal: null },
      ]),
      '✗ twilio: the account cannot be read (the credentials are not accepted)',
      '✗ twilio: the account is suspended',
      '✗ http: the gateway cannot be reached (connection refused)',
      '✗ SMS modem: no signal',
      '✗ SMS modem: gammu-smsd is not running',
      '! SMS modem: the signal is weak (5 %)',
      '! SMS modem: its state and signal are unknown',
    ],

    ['two nodes', judgeNodes([node('a', 'sending'), node('b', 'stopped')]), '✓ a 0.2.0 sending, b 0.2.0 stopped'],
    [
      'one gone, one old',
      judgeNodes([node('a', 'sending'), node('b', 'gone'), node('c', 'draining', '0.1.0')]),
      '✓ a 0.2.0 sending',
      '! gone: b',
      '! the nodes run different versions',
    ],
    ['none sends', judgeNodes([node('a', 'draining')]), '✗ no node is sending: a 0.2.0 draining'],
    ['never started', judgeNodes([]), '✗ no node has been started yet'],

    ['a plain map', judgeMap({ problems: [], parts: [] }), '✓ an outline of the world only'],
    [
      'a broken overlay',
      judgeMap({ problems: ['map.overlays: /x does not exist'], parts: ['overlays'] }),
      '! map.overlays: /x',
    ],
    ['your own parts', judgeMap({ problems: [], parts: ['overlays', 'base map'] }), '✓ with your overlays, base map'],
  )
})

suite('upkeep', () => {
  const backup = { isOwn: true, lastAt: now - HOUR, isOld: false, now }
  rows(
    [
      'a backup of last night',
      judgeBackup({ ...backup, lastAt: now - 8 * HOUR }),
      '✓ the last backup was made 8 h ago',
    ],
    [
      'an old one',
      judgeBackup({ ...backup, lastAt: now - 9 * DAY, isOld: true }),
      '! the last backup was made 9 days ago',
    ],
    [
      'of tomorrow: the clock was set back',
      judgeBackup({ ...backup, lastAt: now + DAY }),
      '! the last backup is of 2026-05-02, which is in the future: the clock was ahead then',
    ],
    ['clocks that agree', judgeBackup({ ...backup, lastAt: now + SECOND }), '✓ the last backup was made 0 min ago'],
    ['without a date', judgeBackup({ ...backup, lastAt: Number.NaN }), '! the last backup is without a readable date'],
    [
      'old, whatever else says',
      judgeBackup({ ...backup, lastAt: now - 3 * DAY }),
      '! the last backup was made 3 days ago',
    ],
    ['none', judgeBackup({ ...backup, lastAt: null, isOld: true }), '! no backup has been made yet'],
    ['PostgreSQL', judgeBackup({ ...backup, isOwn: false, lastAt: null }), "✓ PostgreSQL's own tools make the backups"],

    [
      'a backup that opens',
      judgeRestore({ file: '/b/x.age', madeAt: now, files: 12, tookMs: 1200 }),
      '✓ /b/x.age of 2026-05-01 opens: 12 files, and the database is sound (2 s)',
    ],
    ['one that does not', judgeRestore({ file: '/b/x.age', failure: '/b/x.age is cut off' }), '✗ /b/x.age is cut off'],
    ['none to open', judgeRestore({ file: '/b', failure: 'there is no backup' }), '✗ /b: there is no backup'],

    [
      'a canary that sings',
      judgeCanary({ failuresInARow: 0, passedAgoMs: 12 * MINUTE, everyMs: HOUR }),
      '✓ the last got through 12 min ago',
    ],
    [
      'just started',
      judgeCanary({ failuresInARow: 0, passedAgoMs: null, everyMs: HOUR }),
      '✓ the first synthetic SOS follows',
    ],
    [
      'one failure',
      judgeCanary({ failuresInARow: 1, passedAgoMs: 3 * HOUR, everyMs: HOUR }),
      '! the synthetic SOS has just failed; the last got through 3 h ago',
    ],
    [
      'two',
      judgeCanary({ failuresInARow: 2, passedAgoMs: null, everyMs: HOUR }),
      '✗ the synthetic SOS failed 2 times in a row; none has got through',
    ],
    [
      'the clock was set back',
      judgeCanary({ failuresInARow: 0, passedAgoMs: -HOUR, everyMs: HOUR }),
      '! the last one is dated in the future: the clock was ahead then, or has been set back since',
    ],
    [
      'set back, and it fails',
      judgeCanary({ failuresInARow: 2, passedAgoMs: -HOUR, everyMs: HOUR }),
      '✗ the synthetic SOS failed 2 times in a row; the last one is dated in the future',
    ],
    [
      'none for long: it slept, or the clock was set ahead',
      judgeCanary({ failuresInARow: 0, passedAgoMs: 5 * HOUR, everyMs: HOUR }),
      '! the last got through 5 h ago, and one is due every 60 min',
    ],
    ['clocks that agree', judgeCanary({ failuresInARow: 0, passedAgoMs: -SECOND, everyMs: HOUR }), '✓ the last got'],
    [
      'without a time',
      judgeCanary({ failuresInARow: 0, passedAgoMs: Number.NaN, everyMs: HOUR }),
      '! the last one is dated in the future',
    ],
    ['switched off', judgeCanary('off'), '! off: nothing proves'],

    ['an exercise this spring', judgeDrill({ lastAt: now - 80 * DAY, now }), '✓ the last exercise was on 2026-02-10'],
    ['one long ago', judgeDrill({ lastAt: now - 91 * DAY, now }), '! the last exercise was on 2026-01-30'],
    ['none', judgeDrill({ lastAt: null, now }), '! no exercise has been held'],

    ['two administrators', judgeAdministrators({ signedIn: 2, invited: 1 }), '✓ 2 can sign in'],
    ['one', judgeAdministrators({ signedIn: 1, invited: 0 }), '✓ one can sign in'],
    ['only invited', judgeAdministrators({ signedIn: 0, invited: 1 }), '! invited, but nobody has signed in yet'],
    ['nobody', judgeAdministrators({ signedIn: 0, invited: 0 }), '! nobody can sign in to the console'],
  )
})

test('the worst finding counts', () => {
  const of = (...levels: readonly ProbeFinding['level'][]) => worstOf(levels.map((level) => ({ level })))
  assert.deepEqual(
    [of(), of('fine'), of('attention', 'fine'), of('fine', 'failed', 'attention')],
    ['fine', 'fine', 'attention', 'failed'],
  )
})
