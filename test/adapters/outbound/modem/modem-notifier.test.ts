import assert from 'node:assert/strict'
import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { answerCodes } from '../../../../src/adapters/outbound/modem/answer-codes.ts'
import { createModemNotifier } from '../../../../src/adapters/outbound/modem/modem-notifier.ts'
import { ModemState } from '../../../../src/adapters/outbound/modem/modem-state.ts'
import { spoolAt, spoolFault } from '../../../../src/adapters/outbound/modem/spool.ts'
import { newSpool } from '../../../harness/spool.ts'
import { textNotification } from '../../../harness/text-notification.ts'
import { mountSmallDisk } from '../../../harness/tmpfs.ts'

// rules.md#providers: modem.

const INCIDENT = '0190aaaa-0000-7000-8000-00000000000f'
const NOW = Date.UTC(2026, 10, 23, 12)
const sms = (changes: Parameters<typeof textNotification>[0] = {}) =>
  textNotification({ attemptId: `${INCIDENT}.1`, incidentId: INCIDENT, claimedAt: NOW, ...changes })

const SENT = { kind: 'sent', provider: 'modem', providerRef: null }

/** A notifier whose time passes only while it waits: each wait is a few real milliseconds. */
async function modem(t: TestContext, { patienceMs = 60_000, path = '' } = {}) {
  const spool = await newSpool(t)
  const lines: string[] = []
  const note = (fields: object, message: string) => void lines.push(`${message} ${JSON.stringify(fields)}`)
  const state = new ModemState()
  let at = 0
  const build = () =>
    createModemNotifier({
      spool: spoolAt(path || spool.path),
      state,
      codes: answerCodes(spoolAt(path || spool.path), () => 0),
      patienceMs,
      perSecond: 1,
      account: 'hut',
      log: { info: note, warn: note, error: note },
      monotonicMs: () => at,
      pause: async (ms) => {
        at += ms
        await new Promise((resolve) => setImmediate(resolve))
        await whileWaiting()
      },
    })
  let whileWaiting: () => Promise<unknown> | unknown = () => {}
  return {
    ...build(),
    /** Another process on the same spool. */
    again: build,
    spool,
    state,
    lines,
    passes(ms: number) {
      at += ms
    },
    /** What happens each time the notifier has looked in vain. */
    meanwhile(work: () => Promise<unknown> | unknown) {
      whileWaiting = work
    },
  }
}

test('a text is handed over complete, with precedence, number and attempt in its name, and sent once the daemon says so', async (t) => {
  const { send, spool, meanwhile, state } = await modem(t)
  meanwhile(async () => {
    const [name] = await spool.names('outbox')
    assert.equal(name, `OUTA20261123_120000_000_+4366012345678_${INCIDENT}.1.txtd`)
    assert.equal(await spool.text('outbox', name!), 'SOS: Änna € 😀 Мария')
    await spool.moves(name!)
  })
  assert.deepEqual(await send(sms({ text: 'SOS: Änna € 😀 Мария' })), SENT)
  assert.equal(state.trouble(), null)
})

for (const [what, precedence, changes] of [
  ['the first alarm', 'A', {}],
  ['a repeat', 'B', { first: false }],
  ['a check-in', 'B', { purpose: 'check_in' }],
  ['an all-clear', 'C', { purpose: 'all_clear' }],
  ['a test', 'C', { purpose: 'test' }],
  ['a request to confirm', 'E', { purpose: 'verification' }],
  ['the first text of a drill', 'E', { drill: { toContacts: true } }],
] as const) {
  test(`${what} is of precedence ${precedence}`, async (t) => {
    const { send, spool, meanwhile } = await modem(t)
    meanwhile(async () => {
      const [name] = await spool.names('outbox')
      assert.equal(name?.slice(0, 4), `OUT${precedence}`)
      await spool.moves(name!)
    })
    assert.deepEqual(await send(sms(changes)), SENT)
  })
}

test('what the daemon moves to the folder of errors has failed and may be tried again, whatever lies there from before', async (t) => {
  const { send, spool, meanwhile, state } = await modem(t)
  meanwhile(async () => spool.moves((await spool.names('outbox'))[0]!, 'error'))
  const failure = { kind: 'failed', error: 'modem error', retryable: true }
  assert.deepEqual(await send(sms()), failure)
  assert.match(state.trouble() ?? '', /credit, PIN, signal/)
  meanwhile(async () => spool.moves((await spool.names('outbox'))[0]!))
  assert.deepEqual(await send(sms({ claimedAt: NOW + 1000 })), SENT)
  assert.deepEqual([(await spool.names('error')).length, state.trouble()], [0, null])
})

test('a text that the daemon has not begun with is taken back after the time and has failed', async (t) => {
  const { send, lookUp, spool, state } = await modem(t)
  assert.deepEqual(await send(sms()), { kind: 'failed', error: 'modem timeout', retryable: true })
  assert.deepEqual(await spool.names('outbox'), [])
  assert.deepEqual(await lookUp(sms()), { kind: 'not_found' })
  assert.match(state.trouble() ?? '', /is gammu-smsd running/)
})

test('one that it has begun with is taken back too, but may have been sent: unknown, and the next provider its turn', async (t) => {
  const { send, lookUp, spool, meanwhile } = await modem(t)
  let isRead = false
  meanwhile(async () => {
    if (isRead) return
    isRead = true
    const [name] = await spool.names('outbox')
    await readFile(join(spool.path, 'outbox', name!))
  })
  assert.deepEqual(await send(sms()), { kind: 'unknown', refused: 'modem timeout' })
  assert.deepEqual(await spool.names('outbox'), [])
  assert.deepEqual(await lookUp(sms()), { kind: 'not_found', error: 'modem timeout' })
})

test('a text that was taken back may have arrived all the same: its code is still understood', async (t) => {
  const { send, spool, meanwhile } = await modem(t)
  meanwhile(async () => {
    for (const name of await spool.names('outbox')) await readFile(join(spool.path, 'outbox', name))
  })
  const answerable = (code: string) => `OK ${code}`
  assert.deepEqual(await send(sms({ answerable })), { kind: 'unknown', refused: 'modem timeout' })
  const [text] = await answerCodes(spoolAt(spool.path), () => 0).sentTo('+4366012345678')
  assert.equal(text?.code, '1000')
})

test('a modem that hangs holds up nothing else: for a minute it is passed over at once, then tried again', async (t) => {
  const { send, passes, spool, meanwhile } = await modem(t)
  await send(sms())
  meanwhile(() => assert.fail('it waits'))
  const busy = { kind: 'failed', error: 'modem timeout', retryable: true }
  assert.deepEqual(await send(sms({ attemptId: `${INCIDENT}.2` })), busy)
  passes(60_000)
  meanwhile(async () => spool.moves((await spool.names('outbox'))[0]!))
  assert.deepEqual(await send(sms({ attemptId: `${INCIDENT}.2` })), SENT)
  assert.deepEqual(await send(sms({ attemptId: `${INCIDENT}.3` })), SENT)
})

test('a daemon that is known not to run gets no text', async (t) => {
  const { send, state, spool } = await modem(t)
  state.report = { isRunning: false, signal: null }
  assert.deepEqual(await send(sms()), { kind: 'failed', error: 'modem down', retryable: true })
  assert.deepEqual([await spool.names('outbox'), state.trouble()], [[], 'SMS modem: gammu-smsd is not running'])
})

test('the end of the lease, or of the time of all providers, takes a text back', async (t) => {
  const { send, spool } = await modem(t)
  assert.equal((await send(sms({ leftMs: () => 0 }))).kind, 'failed')
  assert.deepEqual(await spool.names('outbox'), [])
})

test('after a crash a text in the outbox is found by its attempt, watched, and never written again', async (t) => {
  const { send, again, close, spool, meanwhile } = await modem(t)
  meanwhile(close)
  assert.deepEqual(await send(sms()), { kind: 'unknown' })
  const [name] = await spool.names('outbox')
  const next = again()
  assert.deepEqual(await next.lookUp(sms()), { kind: 'unknown' })
  meanwhile(async () => {
    assert.deepEqual(await spool.names('outbox'), [name])
    await spool.moves(name!)
  })
  // The repeat of an unknown outcome is a claim of its own.
  assert.deepEqual(await next.send(sms({ claimedAt: NOW + 10_000 })), SENT)
  assert.deepEqual(await spool.names('sent'), [name])
})

test('what was sent while the service was down is not sent again, and looked up as sent or failed', async (t) => {
  const { send, again, close, spool, meanwhile } = await modem(t)
  meanwhile(close)
  await send(sms())
  await send(sms({ attemptId: `${INCIDENT}.12` }))
  const [first = '', second = ''] = await spool.names('outbox')
  await spool.moves(first)
  await spool.moves(second, 'error')
  const next = again()
  meanwhile(() => assert.fail('it waits'))
  assert.deepEqual(await next.lookUp(sms()), SENT)
  assert.deepEqual(await next.send(sms({ claimedAt: NOW + 10_000 })), SENT)
  const failed = { kind: 'failed', error: 'modem error', retryable: true }
  assert.deepEqual(await next.lookUp(sms({ attemptId: `${INCIDENT}.12` })), failed)
  assert.deepEqual(await next.lookUp(sms({ attemptId: `${INCIDENT}.2` })), { kind: 'not_found' })
  assert.deepEqual(await next.lookUp(sms({ provider: 'twilio' })), { kind: 'not_found' })
})

test('a text that vanishes says that nobody keeps what was sent, and may have been sent', async (t) => {
  const { send, spool, meanwhile, lines } = await modem(t)
  meanwhile(async () => {
    for (const name of await spool.names('outbox')) await rm(join(spool.path, 'outbox', name))
  })
  assert.deepEqual(await send(sms()), { kind: 'not_found', error: 'modem error' })
  assert.match(lines.join(), /is SentSMSPath set\?/)
})

test('a spool that is missing is a failure with its reason', async (t) => {
  const { send, spool, state } = await modem(t)
  await rm(join(spool.path, 'outbox'), { recursive: true })
  assert.deepEqual(await send(sms()), { kind: 'failed', error: 'spool missing', retryable: true })
  assert.match(state.trouble() ?? '', /does not exist/)
  await writeFile(join(spool.path, 'outbox'), '')
  assert.deepEqual(await send(sms()), { kind: 'failed', error: 'spool missing', retryable: true })
})

test('a full disk is a failure with its reason, and leaves nothing half written', async (t) => {
  const disk = mountSmallDisk(t, 1)
  if (disk === null) return
  for (const folder of ['inbox', 'outbox', 'sent', 'error']) await mkdir(join(disk.path, folder))
  const { send, state } = await modem(t, { path: disk.path })
  await disk.fill()
  assert.deepEqual(await send(sms()), { kind: 'failed', error: 'spool full', retryable: true })
  assert.match(state.trouble() ?? '', /disk of modem\.spool is full/)
  assert.deepEqual(await readdir(join(disk.path, 'outbox')), [])
})

test('a spool that is not ours to write is a failure with its reason', () => {
  for (const code of ['EACCES', 'EPERM', 'EROFS']) {
    assert.equal(spoolFault(Object.assign(new Error(code), { code })), 'spool not writable')
  }
})

for (const to of ['+49170/../x', '0170123456', '+', '+4917012345678901', '+49170 123']) {
  test(`${to} is no number to write into a name`, async (t) => {
    const { send, spool } = await modem(t)
    assert.deepEqual(await send(sms({ to })), { kind: 'failed', error: 'invalid number', retryable: false })
    assert.deepEqual(await spool.names('outbox'), [])
  })
}

test('the longest name fits into the 100 bytes of the daemon', async (t) => {
  const { send, spool, meanwhile } = await modem(t)
  meanwhile(async () => spool.moves((await spool.names('outbox'))[0]!))
  const attemptId = `${INCIDENT}.999999`
  assert.deepEqual(await send(sms({ to: '+123456789012345', attemptId, answerable: () => 'x' })), SENT)
  const [name = ''] = await spool.names('sent')
  assert.ok(name.length < 100, name)
  assert.match(name, /=1000\.txtd$/)
})

test('each text to a number has a code of its own, which another provider never sees', async (t) => {
  const { send, spool, meanwhile } = await modem(t)
  meanwhile(async () => spool.moves((await spool.names('outbox'))[0]!))
  const answerable = (code: string) => `answer ${code}`
  await send(sms({ answerable }))
  await send(sms({ answerable, attemptId: `${INCIDENT}.2`, claimedAt: NOW + 1 }))
  await send(sms({ answerable, attemptId: `${INCIDENT}.3`, claimedAt: NOW + 2, to: '+4366012345679' }))
  await send(sms({ attemptId: `${INCIDENT}.4`, claimedAt: NOW + 3 }))
  assert.deepEqual(await spool.texts('sent'), ['answer 1000', 'answer 1001', 'answer 1000', 'SOS'])
})

test('files are for the daemon to read, whatever the umask', async (t) => {
  const { send, spool, meanwhile } = await modem(t)
  const former = process.umask(0o077)
  t.after(() => process.umask(former))
  meanwhile(async () => {
    const [name = ''] = await spool.names('outbox')
    assert.equal((await stat(join(spool.path, 'outbox', name))).mode & 0o777, 0o660)
    await spool.moves(name)
  })
  assert.deepEqual(await send(sms()), SENT)
})
