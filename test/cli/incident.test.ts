import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { type TestContext, test } from 'node:test'
import { watchIncidents } from '../../src/cli/incident-watch.ts'
import { alertFrom } from '../../src/core/ingest/alert.ts'
import { openHere } from '../fixtures/store-place.ts'
import { until } from '../harness/wait.ts'
import { bin, commandLine } from './command-line.ts'

const PREFIX = '01a1fc3b'
const incidentId = (more: string): string => `${PREFIX}-${more}-7000-8000-000000000001`

/** A site with an application, a user called Mia with two contacts, and a command line. */
async function siteOf(t: TestContext) {
  const line = await commandLine(t)
  const { appId } = await line.answer('app', 'create', '--name', 'Hut')
  const store = await openHere(t, line.dataDir, { leaveNotices: true })
  const now = Date.now()
  const settled = async (externalUserId: string, name: string, contacts: Readonly<Record<string, string>>) => {
    const user = await store.ensureUser({ appId, externalUserId, id: randomUUID(), now })
    await store.updateProfile(user.id, { name, phone: '+436601234567' }, now)
    for (const [contactName, phone] of Object.entries(contacts)) {
      const fields = { name: contactName, phone }
      await store.addContact(user.id, { id: randomUUID(), fields, now, limit: 10 })
    }
    return user
  }
  const presses = async (userId: string, id: string, at = now) => {
    const payload = { timestamp: new Date(at).toISOString(), latitude: 47.07, longitude: 12.69 }
    const incident = { incidentId: id, linkSecret: 'a secret of links' }
    const reporter = { appId, userId, deviceId: null }
    const raise = { type: 'raise', now: at, alert: alertFrom(payload, at), reporterId: userId, ...incident } as const
    await store.changeIncident({ reporter }, raise)
  }
  const mia = await settled('hiker-1', 'Mia \u001b[31mMoser\u202e', { Ana: '+436600001', Annika: '+436600002' })
  return { ...line, appId, store, now, settled, presses, mia }
}

test('an incident is listed and shown in words to act on, and unchanged as JSON', async (t) => {
  const { tocsin, answer, presses, store, mia, now } = await siteOf(t)
  assert.equal((await tocsin('incident', 'list')).stdout, 'No incidents yet.\n')
  const id = incidentId('0001')
  await presses(mia.id, id, now - 5 * 60_000)
  const claim = { type: 'proceed', now: now - 4 * 60_000, inFlight: [] } as const
  const { claimed } = await store.changeIncident({ incidentId: id }, claim)
  const [sms] = claimed
  assert.ok(sms)
  const outcome = { kind: 'sent', provider: 'twilio', providerRef: 'SM1' } as const
  const sent = {
    type: 'recordOutcome',
    now: now - 4 * 60_000,
    attemptId: sms.id,
    outcome,
    jitter: 0.5,
    earlierTries: 0,
  } as const
  await store.changeIncident({ incidentId: id }, sent)

  const { stdout: list } = await tocsin('incident', 'list')
  assert.match(list, /^ID +WHO +PHONE +STATUS +TOLD\n01a1fc3b-0001-7000-8000-000000000001 +Mia /)
  assert.match(list, /\(hiker-1\) +\+436601234567 +active for 5 min, nobody has answered +Ana; not Annika\n$/)
  const { stdout: shown } = await tocsin('incident', 'show', PREFIX)
  assert.doesNotMatch(shown + list, /[^\P{Cc}\n]|\u202e/u, 'a terminal obeys control characters')
  for (const part of [
    /^who +Mia .*Moser.* \(hiker-1\)$/m,
    /^phone +\+436601234567$/m,
    /^application +Hut$/m,
    /^map +https:\/\/www\.openstreetmap\.org\/\?mlat=47\.07&mlon=12\.69/m,
    /^1 +Ana +\+436600001 +no$/m,
    /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d {2}SMS to Ana: sent \[twilio\]$/m,
    /^now: SMS to Annika: scheduled$/m,
    /^Positions, oldest first\n.* 47\.07, 12\.69$/m,
    new RegExp(`^Someone is on it: +tocsin incident acknowledge ${id} \\[--contact NAME\\]$`, 'm'),
  ]) {
    assert.match(shown, part)
  }
  const [row, ...others] = await answer('incident', 'list', '--open')
  assert.deepEqual(others, [])
  assert.deepEqual([row.incidentId, row.externalUserId, row.status], [id, 'hiker-1', 'active'])
  assert.deepEqual(await answer('incident', 'show', PREFIX), row)
})

test('an incident is found by the start of its id, an application by its name', async (t) => {
  const { tocsin, answer, presses, settled, mia, appId } = await siteOf(t)
  const ben = await settled('hiker-2', 'Ben', {})
  await presses(mia.id, incidentId('0001'))
  await presses(ben.id, incidentId('0002'))
  for (const named of [incidentId('0002'), '01a1fc3b-0002', '01A1FC3B-0002']) {
    assert.equal((await answer('incident', 'show', named)).externalUserId, 'hiker-2', named)
  }
  const several = await tocsin('incident', 'show', PREFIX)
  assert.deepEqual(
    [several.code, several.stderr],
    [1, `error: more than one incident begins with ${PREFIX}: ${incidentId('0001')}, ${incidentId('0002')}\n`],
  )
  for (const named of ['01a', 'ffff', '%', '01a1fc3b_0002', incidentId('0003')]) {
    const { code, stderr } = await tocsin('incident', 'resolve', named)
    assert.deepEqual(
      [code, stderr],
      [1, 'error: there is no incident with this id; list them with: tocsin incident list\n'],
      named,
    )
  }

  assert.equal((await answer('app', 'show', 'hut')).appId, appId)
  assert.equal((await answer('user', 'list', 'Hut')).length, 2)
  const unknown = await tocsin('app', 'show', 'Cabin')
  assert.equal(unknown.stderr, 'error: there is no application with this id or name; list them with: tocsin app list\n')
  await answer('app', 'create', '--name', 'HUT')
  const twice = await tocsin('app', 'show', 'hut')
  assert.equal(twice.code, 1)
  assert.match(twice.stderr, /^error: more than one application is called hut: [0-9a-f-]{36}, [0-9a-f-]{36}\n$/)
})

test('an operator answers for the contact who has called', async (t) => {
  const { tocsin, answer, presses, mia } = await siteOf(t)
  const id = incidentId('0001')
  await presses(mia.id, id)
  const fails = async (sentence: RegExp, ...args: readonly string[]) => {
    const { code, stderr } = await tocsin('incident', 'acknowledge', id, ...args)
    assert.equal(code, 1)
    assert.match(stderr, sentence)
  }
  await fails(/no contact is called Carl; the contacts are Ana, Annika\n$/, '--contact', 'Carl')
  await fails(/more than one contact is called an: Ana \(.*\), Annika \(.*\)\n$/, '--contact', 'an')
  const row = await answer('incident', 'acknowledge', PREFIX, '--contact', 'ana')
  assert.equal(row.status, 'acknowledged')
  const [ana, annika] = row.actuators.items[0].contacts
  assert.deepEqual([ana.acknowledgedAt, annika.acknowledgedAt], [row.acknowledgedAt, undefined])
  assert.deepEqual(await answer('incident', 'acknowledge', id, '--contact', ana.contactId), row)
  const { stdout } = await tocsin('incident', 'list')
  assert.match(stdout, /answered \d+ s ago by Ana/)
  for (const [option, value, said] of [
    ['--outcome', 'rescued', /found_safe, hospital, false_alarm, test, handed_over/],
    ['--note', ' ', /must not be empty/],
  ] as const) {
    const refused = await tocsin('incident', 'resolve', id, option, value)
    assert.equal(refused.code, 2)
    assert.match(refused.stderr, said)
  }
  const ended = await tocsin('incident', 'resolve', id, '--outcome', 'hospital', '--note', 'Broken leg')
  assert.match(ended.stdout, /resolved by the operator \(brought to hospital: Broken leg\)/)
  await fails(/^error: the incident is already over: it was resolved\n$/, '--contact', 'Ana')
  const rows = (await answer('audit', 'list')).filter(({ subject }: any) => subject === id)
  assert.deepEqual(
    rows.toReversed().map(({ action, details }: any) => [action, details]),
    [
      ['incident.take', { contactId: ana.contactId }],
      ['incident.resolve', {}],
    ],
    'a row of each change, and of nothing else',
  )
})

test('an operator answers in no contact’s name', async (t) => {
  const { tocsin, answer, presses, mia } = await siteOf(t)
  const id = incidentId('0001')
  await presses(mia.id, id)
  const row = await answer('incident', 'acknowledge', PREFIX)
  assert.equal(row.status, 'acknowledged')
  const { stdout } = await tocsin('incident', 'show', id)
  assert.match(stdout, /^status +answered \d+ s ago by the operator$/m)
  assert.match(stdout, / the operator answered$/m)
})

test('watch says how long ago something was by the clock of the store', async (t) => {
  const { presses, store, mia, now } = await siteOf(t)
  await presses(mia.id, incidentId('0001'))
  const said: string[] = []
  const watching = watchIncidents(null, {
    store,
    personOf: async ({ externalUserId }) => ({ externalUserId, name: 'Mia', phone: null, application: 'Hut' }),
    rowOf: ({ incident }) => incident,
    readNow: async () => now + 2 * 3600_000,
    say: (answer) => {
      if ('text' in answer) said.push(answer.text)
      throw new Error('seen enough')
    },
  })
  await assert.rejects(watching, /seen enough/)
  assert.match(said[0] ?? '', /Mia .*: active for 2 h/)
})

test('watch prints each change as it happens, until Ctrl-C', async (t) => {
  const { dataDir, answer, presses, mia } = await siteOf(t)
  const watch = (...args: readonly string[]) => {
    const env = { PATH: process.env.PATH, TOCSIN_CONFIG: '', TOCSIN_DATA_DIR: dataDir }
    const child = spawn(process.execPath, [bin, 'incident', 'watch', ...args], { env })
    t.after(() => child.kill('SIGKILL'))
    const lines: string[] = []
    createInterface(child.stdout).on('line', (line) => lines.push(line))
    return { child, lines, ended: once(child, 'exit') }
  }
  const [words, json] = [watch(), watch('--json')]
  const id = incidentId('0001')
  await presses(mia.id, id)
  const rows = () => json.lines.map((line) => JSON.parse(line))
  await until('the incident is told', () => words.lines.length >= 2 && rows().length >= 1)
  assert.match(words.lines[0] ?? '', new RegExp(`^${id} {2}Mia .*: active for \\d+ s, nobody has answered$`))
  assert.match(words.lines[1] ?? '', /alarm arrived, pressed /)
  await answer('incident', 'acknowledge', id, '--contact', 'Ana')
  await until('the answer is told', () => words.lines.some((line) => /Ana answered {2}\(Mia /.test(line)))
  // A process of its own, which looks when it looks: two changes between two looks are one line.
  await until('both have seen it', () => rows().at(-1)?.status === 'acknowledged')
  await answer('incident', 'resolve', id)
  await until('the end is told', () => words.lines.some((line) => / resolved by the operator {2}\(Mia /.test(line)))
  await until('every state is told', () => rows().at(-1)?.status === 'resolved')
  assert.deepEqual([...new Set(rows().map(({ status }) => status))], ['active', 'acknowledged', 'resolved'])
  assert.deepEqual(rows().at(-1), await answer('incident', 'show', id))
  for (const { child, ended } of [words, json]) {
    child.kill('SIGINT')
    assert.deepEqual(await ended, [0, null])
  }
})

test('presses that are put off count as open, and alarm when the operator says so', async (t) => {
  const { answer, tocsin, presses, store, mia, now } = await siteOf(t)
  const id = incidentId('0009')
  for (let k = 0; k < 20; k += 1) await presses(mia.id, id, now - (30 - k) * 1000)
  assert.match((await tocsin('incident', 'alarm-now', id)).stderr, /nothing of this incident is put off/)
  await store.changeIncident({ incidentId: id }, { type: 'resolve', now: now - 10_000, by: 'operator' })
  await presses(mia.id, incidentId('0010'), now - 9000)
  const [row, ...more] = await answer('incident', 'list', '--open')
  const until = new Date(now - 9000 + 15 * 60_000).toISOString()
  assert.deepEqual([row.incidentId, row.status, row.putOff, more], [id, 'resolved', { until }, []])
  assert.match((await tocsin('incident', 'list', '--open')).stdout, /still pressing, put off for 1[45] min/)
  const raised = await answer('incident', 'alarm-now', id)
  assert.deepEqual([raised.status, raised.incidentId === id], ['active', false])
  assert.deepEqual(
    (await answer('incident', 'list', '--open')).map((one: any) => one.incidentId),
    [raised.incidentId],
  )
})
