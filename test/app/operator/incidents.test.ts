import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { Asker } from '../../../src/app/operator/incident-access.ts'
import { operatorIncidents } from '../../../src/app/operator/incidents.ts'
import type { Cards } from '../../../src/app/user/cards.ts'
import { nextActionAt } from '../../../src/core/incident/next-action.ts'
import type { AuditEntry } from '../../../src/core/operator/audit.ts'
import type { Role } from '../../../src/core/operator/role.ts'
import type { BoardRecord, CalledBack, IncidentFilter, IncidentNote, TelemetryRow } from '../../../src/ports/store.ts'
import { APP, momentAt, pressed, type Story } from '../../core/build.ts'

const asker = (name: string, role: Role = 'operator', applications: readonly string[] | null = null): Asker => ({
  actor: { kind: 'operator', id: `id of ${name}`, name },
  grant: { role, applications },
  address: '192.0.2.1',
})
const EVA = asker('Eva')
const IVO = asker('Ivo')
const ELSEWHERE = asker('Lea', 'admin', ['another application'])

/** A story behind the use cases, at `seconds` from the press. `rows`: the audit log of changes. */
function duty(
  story: Story = pressed({ contacts: ['Ana', 'Ben'], settings: { voice: false, watchMinutes: 30 } }),
  given: Awaited<ReturnType<Cards['opened']>> = { card: null, value: null, updatedAt: null },
) {
  const rows: AuditEntry[] = []
  const looks: string[] = []
  const ends: string[] = []
  const notes: IncidentNote[] = []
  const ticks: CalledBack[] = []
  const filters: IncidentFilter[] = []
  const reports: TelemetryRow[] = []
  const time = { seconds: 0 }
  const arrivals = [story.incident.openedAt]
  const written = { at: null as number | null, isAnswered: false }
  const record = (): BoardRecord => ({
    incident: story.incident,
    lastPosition: null,
    person: { name: 'Mia', phone: '+43660' },
    applicationName: 'Hut',
    presses: arrivals.length,
    isCalledBack: ticks.some(({ contactId }) => contactId === null),
    ...(written.at !== null && { heardAt: written.at }),
    ...(written.at !== null && !written.isAnswered && { messageAt: written.at }),
  })
  const use = operatorIncidents({
    clock: { now: () => momentAt(time.seconds) },
    machineTimeZone: () => 'Europe/Vienna',
    cards: { opened: async () => given },
    ids: { uuid: () => `note ${notes.length + 1}`, secret: () => 'secret' },
    noteLook: ({ action, subject }) => looks.push(`${action} ${subject}`),
    ended: (outcome) => ends.push(outcome),
    door: {
      async change(_key, command, audit) {
        const { now, ...timeless } = command
        assert.equal(now, momentAt(time.seconds))
        const decision = story.does(time.seconds, timeless as Parameters<Story['does']>[1])
        if (audit !== undefined && decision.verdict !== 'unchanged') rows.push(audit)
        return {
          ...decision,
          incidentId: story.incident.id,
          lastPosition: null,
          nextActionAt: nextActionAt(story.incident),
          unknownDevice: false,
          attempt: null,
        }
      },
    },
    meter: { count: () => {} },
    talk: { tell: () => {} },
    store: {
      contacts: async () => [],
      talkLines: async () => [],
      phoneProof: async () => null,
      smsAlerts: async () => [],
      addTalkLine: async () => ({ refused: 'no_talk' }),
      async board(filter) {
        filters.push(filter)
        return { items: [record()], after: null }
      },
      boardRecord: async (id) => (id === story.incident.id ? record() : null),
      pressTimes: async (_id, max) => arrivals.slice(-max).map((at) => ({ pressedAt: at, receivedAt: at })),
      majorParts: async () => [],
      openMajors: async () => 0,
      majorRecords: async () => [],
      incidentActions: async () => rows.map((row, id) => ({ ...row, id })),
      attempts: async () => story.incident.deliveries,
      positionTrail: async () => [],
      user: async () => null,
      card: async () => null,
      addAuditRow: async (row) => void rows.push(row),
      application: async () => null,
      async addIncidentNote(_id, note, limit, audit) {
        if (notes.length >= limit) return { refused: 'note_limit' }
        notes.push(note)
        rows.push(audit)
        return { added: true }
      },
      incidentNotes: async () => notes,
      async tickCalledBack(_id, tick, audit) {
        ticks.push(tick)
        rows.push(audit)
        return { ticked: true }
      },
      telemetryHistory: async () => ({ items: reports, after: null }),
      calledBackTicks: async () => ticks,
    },
  })
  const log = () => rows.map(({ actor, action, subject }) => `${actor.name} ${action} ${subject === story.incident.id}`)
  return { use, story, time, arrivals, written, reports, rows, log, looks, ends, filters, id: story.incident.id }
}

/** The case of an answer that was not refused. */
function done<T extends object>(answer: T): Extract<T, { readonly case: unknown }>['case'] {
  if ('refused' in answer) assert.fail(`refused: ${String(answer.refused)}`)
  return (answer as Extract<T, { readonly case: unknown }>).case
}
const refusal = (answer: object): unknown => ('refused' in answer ? answer.refused : null)

suite('an operator and an incident', () => {
  test('the board has the newest battery with its time, the list of what is over that of the press', async () => {
    const { use, story, reports, id } = duty()
    const at = { ms: momentAt(60), nanos: 0, text: '' } as TelemetryRow['at']
    reports.push({ at, receivedAt: momentAt(60), payload: { mobileBattery: 9 }, source: 'session' } as TelemetryRow)
    const every = { state: 'all', statuses: null, from: null, to: null, text: null, application: null } as const
    const battery = async () => (await use.list(EVA, every, { after: null, limit: 10 })).items[0]!.battery
    const newest = { phone: 9, phoneAt: new Date(momentAt(60)).toISOString() }
    assert.deepEqual(await battery(), newest)
    assert.deepEqual(done(await use.one(EVA, id)).incident.battery, newest)
    story.runTo(10)
    await use.resolve(EVA, id)
    assert.equal(await battery(), null)
  })

  test('a case is put together in pieces: alarms get their turn before each', async () => {
    const { use, id } = duty()
    let turns = 0
    let isOver = false
    const count = (): void => {
      turns += 1
      if (!isOver) setImmediate(count)
    }
    setImmediate(count)
    const found = await use.one(EVA, id, 'incident.view')
    isOver = true
    assert.equal(done(found).incident.incidentId, id)
    assert.ok(turns >= 9, `${turns} turns`)
  })

  test('whatever answers with the case is a look at it, also if it changed nothing and left no row', async () => {
    const { use, looks, rows, story, id } = duty()
    story.runTo(10)
    await use.take(EVA, id)
    const before = [looks.length, rows.length]
    assert.equal(refusal(await use.take(IVO, id)), 'taken_by_another')
    assert.equal(refusal(await use.resume(IVO, id)), null)
    assert.equal(refusal(await use.tickCalledBack(IVO, id, null)), 'incident_open')
    assert.deepEqual([looks.length, rows.length], [before[0]! + 3, before[1]])
    assert.equal(looks.at(-1), `incident.view ${id}`)
    assert.equal(refusal(await use.take(ELSEWHERE, id)), 'incident_not_found')
    assert.equal(looks.length, before[0]! + 3, 'who sees nothing has looked at nothing')
  })

  test('in a major incident: counted on what the screen showed, ended only while that holds, by nobody else', async () => {
    const { use, story, time, arrivals, written, rows, id } = duty()
    story.runTo(10)
    const end = async (who = EVA, presses = 1) => refusal(await use.resolve(who, id, {}, presses, id))
    assert.equal(refusal(await use.major(EVA, id, { id: 'unknown' })), 'major_not_found')
    assert.equal(refusal(await use.major(EVA, id, { id, assignedTo: 'Team 2' })), null)
    assert.deepEqual(rows.at(-1)?.details, { major: id, assigned: true }, 'the log has no text')
    assert.equal(await end(), 'not_counted')
    time.seconds = 20
    const { major } = done(await use.major(IVO, id, { id, head: 'safe', presses: 1 })).incident
    assert.deepEqual([major?.assignedTo, major?.head?.name, major?.head?.state], ['Team 2', 'Ivo', 'safe'])
    written.at = momentAt(30)
    assert.equal(await end(), 'not_counted', 'somebody has written since')
    assert.equal(done(await use.one(EVA, id)).incident.major?.head, undefined)
    written.isAnswered = true
    assert.equal(await end(), 'not_counted', 'an answer counts nobody anew')
    const what = (of: object): unknown => (of as { readonly news?: { readonly what: string } }).news?.what
    const { incident } = done(await use.one(EVA, id))
    assert.deepEqual([incident.messageAt, what(incident)], [undefined, 'pressed'])
    assert.equal(what(done(await use.seen(EVA, id, 1)).incident), 'message', 'it came after this look')
    written.at = null
    story.presses(40)
    arrivals.push(momentAt(40))
    time.seconds = 50
    assert.equal(refusal(await use.seen(EVA, id, 1)), 'pressed_again')
    assert.equal(refusal(await use.major(EVA, id, { id, head: 'safe', presses: 1 })), 'pressed_again')
    assert.equal(await end(), 'pressed_again')
    assert.equal(await end(EVA, 2), 'not_counted')
    assert.equal(refusal(await use.major(EVA, id, { id, head: 'safe', presses: 2 })), null)
    await use.take(IVO, id, 2)
    assert.equal(await end(EVA, 2), 'taken_by_another')
    assert.equal(await end(IVO, 2), null)
    assert.equal(refusal(await use.major(EVA, id, { id, head: null })), 'incident_closed')
    assert.equal(done(await use.one(EVA, id)).incident.major?.head?.state, 'safe')
    assert.equal(refusal(await use.major(ELSEWHERE, id, { id })), 'incident_not_found')
  })

  test('a case that a screen keeps at hand is no look at it, but one at the list', async () => {
    const { use, looks, id } = duty()
    assert.equal(done(await use.ahead(EVA, id)).incident.incidentId, id)
    assert.deepEqual(looks, ['incident.view null'])
    await use.one(EVA, id)
    assert.deepEqual(looks.slice(1), [`incident.view ${id}`])
    assert.equal(refusal(await use.ahead(ELSEWHERE, id)), 'incident_not_found')
    assert.equal(looks.length, 2)
  })

  test('takes it: the cascade stops, the board says who, and the log has a row', async () => {
    const { use, story, time, log, id } = duty()
    story.runTo(10)
    time.seconds = 20
    const taken = done(await use.take(EVA, id))
    assert.deepEqual(taken.incident.answer, {
      by: { kind: 'operator', name: 'Eva' },
      kind: 'acknowledged',
      at: new Date(momentAt(20)).toISOString(),
      overdue: false,
    })
    assert.deepEqual([taken.incident.status, taken.incident.urgency], ['acknowledged', 4])
    assert.equal(taken.mayUndoTakeUntil, new Date(momentAt(80)).toISOString())
    assert.deepEqual(
      taken.timeline.map((entry) => [entry.kind, 'by' in entry ? entry.by : null]),
      [
        ['pressed', null],
        ['message', null],
        ['action', 'Eva'],
      ],
    )
    assert.equal(refusal(await use.take(EVA, id)), null, 'asked for twice, because the first answer was lost')
    assert.deepEqual(log(), ['Eva incident.take true'])
  })

  test('another one is first: told so, with how things stand, and nothing is changed', async () => {
    const { use, story, time, log, id } = duty()
    story.runTo(10)
    time.seconds = 20
    const answers = await Promise.all([use.take(EVA, id), use.take(IVO, id)])
    assert.deepEqual(answers.map(refusal), [null, 'taken_by_another'])
    const [, late] = answers
    assert.equal('case' in late && late.case.incident.answer?.by.name, 'Eva')
    assert.equal('case' in late && late.case.mayUndoTakeUntil, null)
    assert.equal(refusal(await use.untake(IVO, id)), 'taken_by_another')
    assert.deepEqual(log(), ['Eva incident.take true'])
  })

  test('takes it back within a minute, and the cascade goes on; later it is too late', async () => {
    const { use, story, time, log, id } = duty()
    story.runTo(10)
    time.seconds = 20
    await use.take(EVA, id)
    time.seconds = 70
    assert.equal(done(await use.untake(EVA, id)).incident.answer, null)
    assert.equal(refusal(await use.untake(EVA, id)), null, 'already taken back')
    story.runTo(70)
    assert.deepEqual(story.told.slice(-2), ['70 sms Ana', '70 sms Ben'])
    time.seconds = 80
    await use.take(EVA, id)
    time.seconds = 141
    assert.equal(refusal(await use.untake(EVA, id)), 'undo_too_late')
    assert.deepEqual(log(), ['Eva incident.take true', 'Eva incident.untake true', 'Eva incident.take true'])
  })

  test('two resolve it at once: one closes it, the other hears who did', async () => {
    const { use, story, time, log, id } = duty()
    story.runTo(10)
    time.seconds = 20
    const answers = await Promise.all([use.resolve(EVA, id), use.resolve(IVO, id)])
    assert.deepEqual(answers.map(refusal), [null, 'incident_closed'])
    const [, late] = answers
    assert.equal('case' in late && late.case.incident.closing?.name, 'Eva')
    for (const late of [
      use.take(IVO, id),
      use.untake(IVO, id),
      use.resume(IVO, id),
      use.resend(IVO, id, 'contact-Ana'),
    ])
      assert.equal(refusal(await late), 'incident_closed')
    assert.equal(refusal(await use.resolve(EVA, id)), null, 'asked for twice')
    assert.deepEqual(log(), ['Eva incident.resolve true'])
  })

  test('says how it turned out as they end it: in item and timeline, and with no word in the audit log', async () => {
    const { use, story, time, rows, ends, id } = duty()
    story.runTo(10)
    time.seconds = 20
    const remark = { outcome: 'hospital', note: 'Broken leg' } as const
    const { incident, timeline } = done(await use.resolve(EVA, id, remark))
    assert.deepEqual(incident.closing, {
      ...{ kind: 'resolved', by: 'operator', name: 'Eva', confirmed: true, ...remark },
      at: new Date(momentAt(20)).toISOString(),
    })
    const { outcome, note, kind } = timeline.at(-1) as typeof remark & { readonly kind: string }
    assert.deepEqual([kind, outcome, note], ['closed', 'hospital', 'Broken leg'])
    assert.deepEqual(
      rows.map(({ details }) => details),
      [{}],
    )
    // The first word stays, and an end without one says nothing.
    assert.equal(done(await use.resolve(EVA, id, { outcome: 'test' })).incident.closing?.outcome, 'hospital')
    assert.deepEqual(ends, ['hospital'], 'counted once')
    const silent = duty()
    const ended = done(await silent.use.resolve(EVA, silent.id))
    assert.ok(ended.incident.closing !== null && !('outcome' in ended.incident.closing))
    assert.deepEqual(silent.ends, ['none'])
  })

  test('takes one over from the operator who has it, and not from one who had it', async () => {
    const { use, story, time, rows, log, id } = duty()
    story.runTo(10)
    const eva = EVA.actor.id
    assert.equal(refusal(await use.takeOver(IVO, id, eva)), 'not_taken')
    time.seconds = 20
    await use.take(EVA, id)
    time.seconds = 90
    assert.equal(refusal(await use.takeOver(IVO, id, null)), 'taken_by_another')
    const taken = done(await use.takeOver(IVO, id, eva))
    const at = new Date(momentAt(90)).toISOString()
    assert.deepEqual(taken.incident.takenBy, {
      ...{ operatorId: IVO.actor.id, name: 'Ivo', at },
      from: { operatorId: eva, name: 'Eva' },
    })
    const entry = taken.timeline.at(-1) as { readonly action?: string; readonly by?: string; readonly from?: string }
    assert.deepEqual([entry.action, entry.by, entry.from], ['take_over', 'Ivo', 'Eva'])
    assert.deepEqual(rows.at(-1)?.details, { from: 'Eva' })
    assert.equal(taken.mayUndoTakeUntil, null, 'it goes back by another take-over')
    assert.equal(refusal(await use.takeOver(IVO, id, eva)), null, 'asked for twice')
    assert.equal(refusal(await use.takeOver(ELSEWHERE, id, IVO.actor.id)), 'incident_not_found')
    time.seconds = 120
    story.does(120, { type: 'leave', operatorId: IVO.actor.id, isAlone: false })
    const left = done(await use.one(EVA, id))
    assert.deepEqual(left.incident.wasWith, { name: 'Ivo', at: new Date(momentAt(120)).toISOString() })
    assert.deepEqual([left.incident.status, left.incident.takenBy], ['acknowledged', undefined])
    assert.deepEqual(log(), ['Eva incident.take true', 'Ivo incident.take_over true'])
  })

  test('is taken only as the operator sees it: not once the person has pressed again', async () => {
    const { use, story, time, log, id } = duty()
    story.runTo(10)
    assert.equal(refusal(await use.take(EVA, id, 0)), 'pressed_again', 'the record has one press')
    time.seconds = 20
    const racing = use.take(EVA, id, 1)
    story.presses(15)
    assert.equal(refusal(await racing), 'pressed_again', 'a press between the look and the commit')
    assert.equal(story.incident.takenBy, undefined)
    // A contact's answer refuses nothing.
    story.acknowledges(19, 'Ana')
    assert.equal(refusal(await use.take(EVA, id, 1)), null)
    assert.equal(refusal(await use.take(IVO, id, 1)), 'taken_by_another')
    assert.equal(refusal(await use.take(EVA, id, 1)), null, 'asked for twice')
    assert.deepEqual(log(), ['Eva incident.take true'])
  })

  test('is ended only as the operator sees it: not once the person has pressed again', async () => {
    const { use, story, time, log, id } = duty()
    story.runTo(10)
    assert.equal(refusal(await use.resolve(EVA, id, {}, 0)), 'pressed_again', 'the record has one press')
    time.seconds = 20
    const racing = use.resolve(EVA, id, {}, 1)
    story.presses(15)
    assert.equal(refusal(await racing), 'pressed_again', 'a press between the look and the commit')
    assert.equal(story.incident.state.closedAt, null)
    assert.deepEqual(log(), [])
    assert.equal(refusal(await use.resolve(EVA, id, {}, 1)), null)
    for (const presses of [0, 1])
      assert.equal(refusal(await use.resolve(EVA, id, {}, presses)), null, 'asked for twice')
    assert.equal(refusal(await use.resolve(IVO, id, {}, 1)), 'incident_closed')
    assert.deepEqual(log(), ['Eva incident.resolve true'])
  })

  test('is taken and ended beside presses that no hand makes, but not after a pause in them', async () => {
    const { use, story, time, arrivals, id } = duty()
    story.runTo(10)
    time.seconds = 40
    for (let at = 1; at <= 30; at += 1) arrivals.push(story.incident.openedAt + at * 700)
    assert.equal(refusal(await use.take(EVA, id, 19)), 'pressed_again', 'a hand may have made 19')
    assert.equal(refusal(await use.take(EVA, id, 20)), null)
    arrivals.push(arrivals.at(-1)! + 16_000)
    assert.equal(refusal(await use.resolve(EVA, id, {}, 31)), 'pressed_again')
    assert.equal(refusal(await use.resolve(EVA, id, {}, 32)), null)
  })

  test('keeps the time at which a note was written without a connection, within a day', async () => {
    const { use, time, id } = duty()
    time.seconds = 200_000
    for (const written of [199_000, 300_000, 100_000, undefined]) {
      await use.addNote(EVA, id, 'x', { written: written === undefined ? undefined : momentAt(written) })
    }
    const { notes } = done(await use.one(EVA, id))
    assert.deepEqual(
      notes.map(({ at }) => (Date.parse(at) - momentAt(0)) / 1000),
      [199_000, 200_000, 113_600, 200_000],
    )
  })

  test('is new until somebody has opened it, which is in the log once and stops nothing', async () => {
    const { use, story, log, id } = duty()
    const found = done(await use.one(EVA, id))
    assert.deepEqual([found.incident.new, found.incident.firstMessage?.channel], [true, 'sms'])
    assert.equal(done(await use.seen(EVA, id)).incident.new, false)
    assert.equal(done(await use.seen(IVO, id)).incident.new, false)
    assert.deepEqual(log(), ['Eva incident.seen true'])
    story.runTo(60)
    assert.deepEqual(story.told, ['10 sms Ana', '40 sms Ben'])
    const other = duty()
    assert.equal(done(await other.use.take(EVA, other.id)).incident.new, false)
  })

  test('has one contact alarmed once more, at most once a minute, and says how long to wait', async () => {
    const { use, story, time, rows, id } = duty()
    story.runTo(50)
    time.seconds = 60
    done(await use.resend(EVA, id, 'contact-Ben'))
    story.runTo(60)
    assert.equal(story.told.at(-1), '60 sms Ben')
    time.seconds = 90
    assert.deepEqual(await use.resend(IVO, id, 'contact-Ben'), { refused: 'resent_too_soon', retryAfterMs: 30_000 })
    assert.equal(refusal(await use.resend(EVA, id, 'stranger')), 'contact_not_found')
    assert.deepEqual(
      rows.map(({ action, details }) => [action, details]),
      [['incident.resend', { contactId: 'contact-Ben' }]],
    )
    story.does(95, { type: 'restore' })
    assert.equal(refusal(await use.resend(EVA, id, 'contact-Ana')), 'incident_held')
    assert.equal(done(await use.resume(EVA, id)).incident.held, false)
  })

  test('writes notes and ticks who was called back after the end', async () => {
    const { use, story, time, id } = duty()
    story.runTo(10)
    time.seconds = 20
    const noted = done(await use.addNote(EVA, id, '<b>stuck</b> on the ridge'))
    assert.deepEqual(noted.notes, [
      { id: 'note 1', by: 'Eva', at: new Date(momentAt(20)).toISOString(), text: '<b>stuck</b> on the ridge' },
    ])
    assert.deepEqual(
      noted.timeline.map(({ kind }) => kind),
      ['pressed', 'message', 'note'],
    )
    assert.equal(refusal(await use.tickCalledBack(EVA, id, null)), 'incident_open')
    story.cancels(30)
    assert.equal(done(await use.one(EVA, id)).incident.toCallBack, 1)
    assert.equal(refusal(await use.tickCalledBack(EVA, id, 'stranger')), 'contact_not_found')
    const ticked = done(await use.tickCalledBack(EVA, id, null))
    assert.equal(ticked.incident.toCallBack, 0)
    assert.deepEqual(ticked.incident.closing, {
      kind: 'cancelled',
      by: 'user',
      name: null,
      at: new Date(momentAt(30)).toISOString(),
      confirmed: true,
    })
    // With the same key it is the same note, of this operator and this incident.
    for (const [who, key] of [
      [EVA, 'k'],
      [EVA, 'k'],
      [EVA, 'l'],
      [IVO, 'k'],
    ] as const)
      await use.addNote(who, id, 'keyed', { key })
    const keyed = done(await use.one(EVA, id)).notes.slice(1)
    assert.deepEqual(new Set(keyed.map((note) => note.id)).size, 3)
    for (let count = keyed.length + 1; count < 500; count += 1) await use.addNote(EVA, id, 'again')
    assert.equal(refusal(await use.addNote(EVA, id, 'one too many')), 'note_limit')
  })

  test('of another application, or with a lesser role, it does not exist', async () => {
    const { use, id, looks, rows } = duty()
    const viewer = asker('Vic', 'viewer')
    const asked = (who: Asker) => [
      use.take(who, id),
      use.seen(who, id),
      use.untake(who, id),
      use.resolve(who, id),
      use.resume(who, id),
      use.resend(who, id, 'contact-Ana'),
      use.addNote(who, id, 'x'),
      use.tickCalledBack(who, id, null),
      use.one(who, id, 'incident.export'),
    ]
    for (const who of [viewer, ELSEWHERE]) {
      for (const answer of await Promise.all(asked(who))) assert.deepEqual(answer, { refused: 'incident_not_found' })
    }
    assert.deepEqual(await use.one(ELSEWHERE, id), { refused: 'incident_not_found' })
    assert.deepEqual(await use.take(EVA, 'no such id'), { refused: 'incident_not_found' })
    assert.deepEqual([looks, rows], [[], []])
    done(await use.one(viewer, id))
    assert.deepEqual(looks, [`incident.view ${id}`])
  })

  test('a list is bounded by what its reader may see', async () => {
    const { use, filters, looks } = duty()
    const search = { state: 'open', statuses: null, application: null, from: null, to: null, text: null } as const
    const page = { after: null, limit: 10 }
    const hut = asker('Hut', 'viewer', [APP])
    for (const [who, asked] of [
      [EVA, search],
      [hut, search],
      [hut, { ...search, application: APP }],
    ] as const) {
      await use.list(who, asked, page)
      use.noteList(who, asked)
    }
    assert.deepEqual(
      filters.map(({ applications }) => applications),
      [null, [APP], [APP]],
    )
    assert.deepEqual(await use.list(ELSEWHERE, { ...search, application: APP }, page), { items: [], after: null })
    use.noteList(ELSEWHERE, { ...search, application: APP })
    assert.equal(filters.length, 3)
    assert.deepEqual(looks, ['incident.view null', 'incident.view null', 'incident.view null'])
    for await (const rows of use.table(asker('Vic', 'viewer'), search)) assert.fail(`${rows.length} rows for a viewer`)
  })
})
