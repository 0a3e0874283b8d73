import assert from 'node:assert/strict'
import { readdir, readFile, rm, symlink, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { answerCodes } from '../../../../src/adapters/outbound/modem/answer-codes.ts'
import { ModemState } from '../../../../src/adapters/outbound/modem/modem-state.ts'
import { askDaemon, reportOf, watchModem } from '../../../../src/adapters/outbound/modem/modem-watch.ts'
import { spoolAt } from '../../../../src/adapters/outbound/modem/spool.ts'
import { spooledText, spoolName } from '../../../../src/adapters/outbound/modem/spool-name.ts'
import { newSpool } from '../../../harness/spool.ts'
import { VirtualClock } from '../../../harness/virtual-clock.ts'

const DAY = 24 * 3_600_000
const silent = { info() {}, warn() {}, error() {} }
const named = (claimedAt: number, changes: object = {}) =>
  spoolName({ precedence: 'A', claimedAt, to: '+43660', attemptId: 'i.1', code: '47', ...changes })!

test('a name says all of it, and no other name is taken for one', () => {
  const text = {
    precedence: 'B',
    claimedAt: Date.UTC(2026, 1, 3, 4, 5, 6, 7),
    to: '+4366',
    attemptId: 'a-1.2',
    code: null,
  } as const
  for (const one of [text, { ...text, code: '47' }, { ...text, attemptId: 'verify-a_47' }]) {
    assert.deepEqual(spooledText(spoolName(one)!), one)
  }
  const others = [
    'OUTC20260203_040506_00_+4366_sms0.txt',
    'OUT+4366.txt',
    'x',
    `OUTA${'1'.repeat(200)}.txtd`,
    named(0).slice(1),
  ]
  for (const name of others) assert.equal(spooledText(name), null)
  for (const attemptId of ['', '../x', 'a/b', 'x'.repeat(70), 'ü'])
    assert.equal(spoolName({ ...text, attemptId }), null)
})

const nobody = async () => false

test('a clock that jumps ahead by years takes no code from an open incident', async (t) => {
  const spool = await newSpool(t)
  const clock = new VirtualClock()
  const sentAt = clock.now() - 900 * DAY
  for (const [folder, attemptId] of [
    ['sent', 'open.1'],
    ['sent', 'over.1'],
    ['error', 'open.2'],
    ['error', 'over.2'],
  ] as const) {
    await writeFile(join(spool.path, folder, named(sentAt, { attemptId })), 'x')
  }
  const isAwaited = async (attemptId: string) => attemptId.startsWith('open')
  const parts = { spool: spoolAt(spool.path), state: new ModemState(), report: null, isAwaited, clock, log: silent }
  t.after(await watchModem(parts))
  assert.deepEqual(await spool.names('sent'), [named(sentAt, { attemptId: 'open.1' })])
  const codes = await answerCodes(spoolAt(spool.path), () => 0).sentTo('+43660')
  assert.deepEqual(codes.map(({ attemptId }) => attemptId).toSorted(), ['open.1', 'open.2'])
})

test('a look proves that texts can leave, and removes only what is too old and our own', async (t) => {
  const spool = await newSpool(t)
  const clock = new VirtualClock()
  const now = clock.now()
  const state = new ModemState()
  const put = (folder: string, name: string) => writeFile(join(spool.path, folder, name), 'x')
  await put('sent', named(now - 9 * DAY))
  await put('sent', named(now - 7 * DAY))
  await put('sent', 'OUTC20200203_040506_00_+4366_sms0.txt')
  await put('error', named(now - 8 * DAY))
  await put('outbox', named(now - 1000))
  await put('outbox', named(now - 3_600_000, { precedence: 'D', attemptId: 'reply-1', code: null }))
  await put('outbox', `.${named(now)}`)
  await utimes(join(spool.path, 'outbox', `.${named(now)}`), 1, 1)
  const end = await watchModem({
    spool: spoolAt(spool.path),
    state,
    report: null,
    isAwaited: nobody,
    clock,
    log: silent,
  })
  t.after(end)
  assert.deepEqual(
    await spool.names('sent'),
    [named(now - 7 * DAY), 'OUTC20200203_040506_00_+4366_sms0.txt'].toSorted(),
  )
  assert.deepEqual(await spool.names('error'), [])
  assert.deepEqual(await readdir(join(spool.path, 'outbox')), [named(now - 1000)])
  assert.deepEqual([state.queued, state.trouble()], [2, null])
  await rm(join(spool.path, 'sent'), { recursive: true })
  const again = await watchModem({
    spool: spoolAt(spool.path),
    state,
    report: null,
    isAwaited: nobody,
    clock,
    log: silent,
  })
  t.after(again)
  assert.match(state.trouble() ?? '', /a folder of modem\.spool does not exist/)
})

test('nothing is written through a link that somebody put into the spool', async (t) => {
  const directory = await newSpool(t)
  const spool = spoolAt(directory.path)
  const ours = join(directory.path, 'tocsin.db')
  await writeFile(ours, 'alarms')
  const text = { precedence: 'A', claimedAt: 0, to: '+43660', attemptId: 'i.1', code: null } as const
  for (const name of ['.tocsin-probe', `.${spoolName(text)}`]) await symlink(ours, join(directory.path, 'outbox', name))
  await spool.prove()
  await spool.put(text, 'SOS')
  assert.equal(await readFile(ours, 'utf8'), 'alarms')
  assert.deepEqual(await directory.texts('outbox'), ['SOS'])
})

for (const [what, shown, report] of [
  ['signal', 'Gammu 1.42.0;;999;994;1;0;0;100;42\n', { isRunning: true, signal: 42 }],
  ['no signal', 'a\nGammu 1.42.0;;999;994;1;0;0;100;0\n', { isRunning: true, signal: 0 }],
  ['an unknown signal', 'Gammu 1.42.0;;999;994;1;0;0;100;-1', { isRunning: true, signal: null }],
  ['nothing', '', { isRunning: false, signal: null }],
  ['no daemon', null, { isRunning: false, signal: null }],
] as const) {
  test(`gammu-smsd tells ${what}`, () => assert.deepEqual(reportOf(shown), report))
}

test('without the program, nothing is known: it is not taken for a daemon that stopped', async () => {
  assert.deepEqual(await askDaemon('/etc/gammu-smsdrc', silent)('/nonexistent/gammu'), {
    isRunning: true,
    signal: null,
  })
})

test('state in words: the worst first', () => {
  const state = new ModemState()
  state.report = { isRunning: true, signal: 0 }
  assert.equal(state.trouble(), 'SMS modem: no signal')
  state.failed('modem error')
  assert.match(state.trouble()!, /not sent \(the network or the SIM refused it/)
  state.sent()
  state.report = null
  state.inboxFault = 'the folder inbox is missing'
  assert.equal(state.trouble(), 'SMS modem: answers cannot be read: the folder inbox is missing')
})

test('codes: four digits, none twice for a number, and national numbers are the same', async () => {
  const sent: string[] = []
  const spool = {
    list: async (folder: string) =>
      folder === 'sent' ? sent.map((name) => ({ ...spooledText(name)!, folder: 'sent' as const, name })) : [],
  }
  const codes = answerCodes(spool, (n) => n - 1)
  for (let nth = 0; nth < 70; nth++)
    sent.push(named(nth, { to: '+436601234567', attemptId: `i.${nth}`, code: await codes.codeFor('+436601234567') }))
  const given = sent.map((name) => spooledText(name)!.code!)
  assert.equal(new Set(given).size, 70)
  assert.deepEqual([given[0], given[59], given[60]], ['9999', '1058', '1059'])
  for (const from of ['+436601234567', '00436601234567', '06601234567', '0660 / 123 45 67', '6601234567']) {
    assert.equal((await codes.sentTo(from)).length, 70, from)
  }
  for (const from of ['+6601234567', '+43660123456', '4567', 'Vodafone', '', '006601234567']) {
    assert.equal((await codes.sentTo(from)).length, 0, from)
  }
})
