import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { OperatorNeeds } from '../../../../../src/adapters/inbound/http/operator/routes.ts'
import { boardItem } from '../../../../../src/app/operator/board-item.ts'
import { incidentCase } from '../../../../../src/app/operator/incident-case.ts'
import { isUuid } from '../../../../../src/core/ingest/topic.ts'
import { momentAt, pressed } from '../../../../core/build.ts'
import { NOW } from '../stand-in.ts'
import { HUT, operatorApi, operatorStandIn, type Person, withCookie } from './stand-in.ts'

const MARKUP = `<img src=x onerror=alert(1)>"'&`
const CONTACT = '0197f6a0-9b8c-7d6e-8f50-a1b2c3d4e5f6'
const INCIDENT = '0197f6a2-77b0-7c11-9a55-1f2e3d4c5b6a'
const APP = '0a000000-0000-7000-8000-00000000000b'

/** A case as the use cases answer it: the person, a contact, an operator and a note are called `name`. */
function caseCalled(name: string) {
  const sos = pressed({ contacts: ['Ana'], settings: { watchMinutes: 30 } })
  sos.runTo(10)
  sos.does(20, { type: 'acknowledge', contactId: 'contact-Ana', promise: { kind: 'coming', etaMinutes: 30 } })
  const { incident: before } = sos
  const contacts = before.contacts.map((contact) => ({ ...contact, contactId: CONTACT, name }))
  const deliveries = before.deliveries.map((row) => ({ ...row, contactId: row.contactId && CONTACT }))
  const creation = { ...before.creation, warnings: [{ field: 'latitude', message: `is missing: heard by ${name}` }] }
  const incident = { ...before, id: INCIDENT, appId: APP, contacts, deliveries, creation }
  const position = { latitude: 47.07133, longitude: 11.40412, altitude: 2140, at: '2026-01-01T12:00:00Z' }
  const record = {
    incident,
    lastPosition: position,
    person: { name, phone: '+43660' },
    applicationName: name,
    presses: 1,
    isCalledBack: false,
  }
  const at = momentAt(30)
  const parts = {
    record,
    user: null,
    attempts: deliveries,
    trail: [position],
    pressTimes: [incident.openedAt, momentAt(5)].map((at) => ({ pressedAt: at, receivedAt: at })),
    actions: [],
    notes: [{ id: 'n', by: name, at, text: name }],
    calledBack: [{ contactId: CONTACT, by: name, at }],
  }
  return { item: boardItem(record), found: incidentCase(parts, { operatorId: 'me', now: at }) }
}
const { found, item } = caseCalled('Mia')
const { incidentId } = found.incident
const ONE = `/incidents/${incidentId}`

/** Use cases that answer with this case. */
const answering = (answer: { case: typeof found } | { refused: never; case: typeof found }): OperatorNeeds => {
  const standIn = operatorStandIn()
  const done = async () => answer
  const acts = {
    seen: done,
    take: done,
    untake: done,
    resolve: done,
    resume: done,
    addNote: done,
    tickCalledBack: done,
    resend: done,
  }
  return { ...standIn, incidents: { ...standIn.incidents, ...acts, one: async () => ({ case: found }) } }
}

suite('incidents of the operator API', () => {
  test('a list asks for what the query says, within what the caller may see', async (t) => {
    const operator = operatorStandIn()
    const asked: unknown[][] = []
    const list: OperatorNeeds['incidents']['list'] = async (...args) => {
      asked.push(args)
      return { items: [item], after: 'next' }
    }
    const { as } = await operatorApi(t, { operator: { incidents: { ...operator.incidents, list } } })
    const { status, json } = await as('viewer', 'GET', '/incidents')
    assert.equal(status, 200)
    assert.deepEqual(json, { items: [JSON.parse(JSON.stringify(item))], nextCursor: 'next', hasMore: true })
    const query = `state=closed&status=cancelled,resolved&app=${APP}&from=2026-01-01T00:00:00Z&text=%20mia%20&limit=7&cursor=abc`
    await as('hutViewer', 'GET', `/incidents?${query}`)
    assert.deepEqual(asked[0]?.slice(1), [
      { state: 'open', application: null, from: null, to: null, text: null, statuses: null },
      { after: null, limit: 1_000 },
    ])
    assert.deepEqual(asked[1]?.slice(1), [
      {
        state: 'closed',
        application: APP,
        from: Date.UTC(2026, 0, 1),
        to: null,
        text: 'mia',
        statuses: ['cancelled', 'resolved'],
      },
      { after: 'abc', limit: 7 },
    ])
  })

  test('a cursor that is none of the board is refused: an empty page would say that nobody needs help', async (t) => {
    const operator = operatorStandIn()
    const list = async () => ({ items: [], after: null, badCursor: true }) as const
    const { as } = await operatorApi(t, { operator: { incidents: { ...operator.incidents, list } } })
    const { status, json } = await as('viewer', 'GET', '/incidents?cursor=abc')
    assert.deepEqual([status, json.error.code, json.error.reason], [400, 'E_OPERATOR_VALIDATION', 'bad_cursor'])
  })

  test('bad input is refused with the field that is bad', async (t) => {
    const { as, calls } = await operatorApi(t)
    for (const [query, field] of [
      ['state=closing', 'state'],
      ['status=active,gone', 'status'],
      ['app=hut', 'app'],
      ['from=yesterday', 'from'],
      ['limit=1001', 'limit'],
      ['limit=0', 'limit'],
      [`text=${'x'.repeat(201)}`, 'text'],
    ] as const) {
      const { status, json } = await as('viewer', 'GET', `/incidents?${query}`)
      assert.equal(status, 400, query)
      assert.match(json.error.fields[0].field, new RegExp(`^${field}`), query)
    }
    for (const text of ['', '   ', 'x'.repeat(2_001), 'a\u0000b', 'a\ud800']) {
      assert.equal((await as('operator', 'POST', `${ONE}/notes`, { body: { text } })).status, 400, JSON.stringify(text))
    }
    assert.equal((await as('operator', 'POST', `${ONE}/resend`, { body: { contactId: 'Ana' } })).status, 400)
    assert.equal((await as('operator', 'POST', '/incidents/not-an-id/take')).status, 400)
    // Whoever counts or ends from a list says what it showed.
    const id = incidentId
    for (const [path, body, field] of [
      ['major', {}, 'id'],
      ['major', { id: 'first' }, 'id'],
      ['major', { id, head: 'safe' }, 'presses'],
      ['major', { id, head: 'lost', presses: 1 }, 'head'],
      ['major', { id, assignedTo: 'Team\n2' }, 'assignedTo'],
      ['major', { id, assignedTo: 'x'.repeat(101) }, 'assignedTo'],
      ['major/resolve', { major: id, outcome: 'found_safe' }, 'presses'],
      ['major/resolve', { major: id, presses: 1 }, 'outcome'],
      ['major/resolve', { presses: 1, outcome: 'found_safe' }, 'major'],
    ] as const) {
      const { status, json } = await as('operator', 'POST', `${ONE}/${path}`, { body })
      assert.deepEqual([status, json.error.fields?.[0].field], [400, field], JSON.stringify(body))
    }
    assert.equal((await as('viewer', 'POST', `${ONE}/major`, { body: { id } })).status, 403)
    for (const action of ['take', 'resolve', 'seen']) {
      assert.equal((await as('operator', 'POST', `${ONE}/${action}?presses=some`)).status, 400, action)
    }
    assert.deepEqual(
      calls.filter(({ use }) => use !== 'of'),
      [],
    )
  })

  test('each action answers with how things stand; a note and a tick take what was written', async (t) => {
    const seen: unknown[] = []
    const standIn = answering({ case: found })
    const incidents: OperatorNeeds['incidents'] = {
      ...standIn.incidents,
      addNote: async (asker, id, text, { key } = {}) => {
        seen.push([asker.actor.name, asker.address, isUuid(id), text, key])
        return { case: found }
      },
      take: async (_asker, _id, presses) => {
        seen.push(presses)
        return { case: found }
      },
      resolve: async (_asker, _id, remark, presses) => {
        seen.push([remark, presses])
        return { case: found }
      },
      tickCalledBack: async (_asker, _id, contactId) => {
        seen.push(contactId)
        return { case: found }
      },
    }
    const { as } = await operatorApi(t, { operator: { incidents } })
    for (const action of ['take', 'untake', 'resolve', 'resume']) {
      const { status, json } = await as('operator', 'POST', `${ONE}/${action}?presses=2`)
      assert.deepEqual([status, json], [200, JSON.parse(JSON.stringify(found))], action)
    }
    const note = { text: ' on the\nridge ', id: 'of-mine-1' }
    assert.equal((await as('operator', 'POST', `${ONE}/notes`, { body: note })).status, 200)
    assert.equal((await as('operator', 'POST', `${ONE}/called-back`, { body: { contactId: null } })).status, 200)
    assert.deepEqual(seen, [2, [{}, 2], ['operator', '127.0.0.1', true, 'on the\nridge', 'of-mine-1'], null])
    assert.deepEqual((await as('viewer', 'GET', ONE)).json, JSON.parse(JSON.stringify(found)))
  })

  test('an end may say how it turned out, in a body that may be left out', async (t) => {
    const said: unknown[] = []
    const standIn = operatorStandIn()
    const incidents: OperatorNeeds['incidents'] = {
      ...standIn.incidents,
      resolve: async (_asker, _id, remark) => {
        said.push(remark)
        return { case: found }
      },
    }
    const { as } = await operatorApi(t, { operator: { incidents } })
    const ends = (body?: object) => as('operator', 'POST', `${ONE}/resolve`, body && { body })
    for (const body of [undefined, {}, { outcome: null, note: null, other: 1 }]) {
      assert.equal((await ends(body)).status, 200)
      assert.deepEqual(said.pop(), {})
    }
    const remark = { outcome: 'handed_over', note: 'To the police of Imst' }
    assert.equal((await ends({ ...remark, note: ` ${remark.note} ` })).status, 200)
    assert.deepEqual(said.splice(0), [remark])
    for (const [field, body] of [
      ['outcome', { outcome: 'rescued' }],
      ['note', { note: 'x'.repeat(501) }],
      ['presses', { presses: -1 }],
      ['presses', { presses: 1.5 }],
      ['presses', { presses: '1' }],
    ] as const) {
      const { status, json } = await ends(body)
      assert.deepEqual([status, json.error.fields[0].field], [400, field])
    }
    // One that was cut off may have said of how many presses it is.
    for (const body of ['{"presses":1', '[]', 'null', 'x']) {
      assert.equal((await as('operator', 'POST', `${ONE}/resolve`, { text: body })).status, 400, body)
    }
    assert.deepEqual(said, [], 'what is malformed ends nothing')
  })

  test('an end says how many presses it is for in its query or its body; of two the smaller one counts', async (t) => {
    const seen: unknown[] = []
    const standIn = operatorStandIn()
    const incidents: OperatorNeeds['incidents'] = {
      ...standIn.incidents,
      resolve: async (_asker, _id, _remark, presses) => {
        seen.push(presses)
        return { case: found }
      },
    }
    const { as } = await operatorApi(t, { operator: { incidents } })
    for (const [query, body, presses] of [
      ['', undefined, undefined],
      ['', { presses: null }, undefined],
      ['', { presses: 0 }, 0],
      ['?presses=2', {}, 2],
      ['?presses=2', { presses: 1 }, 1],
      ['?presses=1', { presses: 2 }, 1],
    ] as const) {
      assert.equal((await as('operator', 'POST', `${ONE}/resolve${query}`, body && { body })).status, 200)
      assert.deepEqual(seen.splice(0), [presses], `${query} ${JSON.stringify(body)}`)
    }
    for (const count of ['-1', '1.5', 'one', '']) {
      assert.equal((await as('operator', 'POST', `${ONE}/resolve?presses=${count}`)).status, 400, count)
    }
    assert.deepEqual(seen, [])
  })

  test('who was not first gets a sentence that helps, and the incident as it is', async (t) => {
    for (const [refused, status] of [
      ['taken_by_another', 409],
      ['pressed_again', 409],
      ['undo_too_late', 409],
      ['incident_closed', 409],
      ['incident_held', 409],
      ['contact_stopped', 409],
    ] as const) {
      const { as } = await operatorApi(t, { operator: answering({ refused: refused as never, case: found }) })
      const { status: told, json } = await as('operator', 'POST', `${ONE}/take`)
      assert.deepEqual([told, json.error.reason], [status, refused])
      assert.match(json.error.message, /\. /)
      assert.equal(json.error.incident.incident.incidentId, incidentId)
    }
    const standIn = operatorStandIn()
    const resend = async () => ({ refused: 'resent_too_soon', retryAfterMs: 12_100 }) as const
    const { as } = await operatorApi(t, { operator: { incidents: { ...standIn.incidents, resend } } })
    const { status, headers } = await as('operator', 'POST', `${ONE}/resend`, { body: { contactId: CONTACT } })
    assert.deepEqual([status, headers['retry-after']], [429, '13'])
  })

  test('a viewer looks and does nothing; without a sign-in there is nothing to see', async (t) => {
    const { as, ask, calls } = await operatorApi(t)
    for (const action of ['take', 'untake', 'resolve', 'resume', 'notes', 'called-back', 'resend']) {
      assert.equal((await as('viewer', 'POST', `${ONE}/${action}`, { body: {} })).status, 403, action)
      const forged = { ...withCookie('operator'), origin: 'https://evil.example' }
      assert.equal((await ask('POST', `${ONE}/${action}`, { headers: forged, body: {} })).status, 403, action)
    }
    for (const path of ['/incidents', ONE]) assert.equal((await ask('GET', path)).status, 401, path)
    for (const path of [
      `${ONE}/export.json`,
      `${ONE}/trail.gpx`,
      `${ONE}/trail.csv`,
      `${ONE}/report`,
      '/incidents.csv',
      `/major-incidents/${incidentId}/people.csv`,
    ]) {
      assert.equal((await as('viewer', 'GET', path)).status, 403, path)
      assert.equal((await ask('GET', path)).status, 401, path)
    }
    assert.deepEqual(
      calls.filter(({ use }) => use !== 'of'),
      [],
    )
    assert.equal((await as('viewer', 'GET', ONE)).status, 404)
    assert.equal((await as('operator', 'GET', `${ONE}/report`)).json.error.reason, 'incident_not_found')
  })
})

suite('reports and files', () => {
  const reporting = (language: string): Partial<OperatorNeeds> => {
    const standIn = operatorStandIn()
    const { found: marked, item: row } = caseCalled(`${MARKUP}\u202e\u200b`)
    const one = async () => ({ case: marked })
    const report = async () => ({ case: marked, timeZone: 'Europe/Vienna', language, now: NOW })
    return {
      incidents: {
        ...standIn.incidents,
        one,
        report,
        async *table() {
          yield [row]
          yield [row]
        },
      },
    }
  }

  test('the report is in the language asked for, and no name becomes markup', async (t) => {
    const { text } = await operatorApi(t, { operator: reporting('it') })
    for (const [query, language, title] of [
      ['?language=de', 'de', 'Einsatzbericht'],
      ['?language=fr-CA', 'fr', 'Rapport'],
      ['?language=es', 'es', 'Informe'],
      ['?language=en', 'en', 'Incident report'],
      ['', 'it', 'Rapporto'],
    ] as const) {
      const { body, headers } = await text('operator', `${ONE}/report${query}`)
      assert.match(body, new RegExp(`<html lang="${language}">`))
      assert.match(body, new RegExp(`<h1>${title}`))
      assert.ok(!body.includes('<img') && body.includes('&lt;img src=x onerror=alert(1)&gt;&quot;&#39;&amp;'))
      assert.doesNotMatch(body, /[\u202e\u200b]/, 'nothing turns the words beside it around')
      assert.doesNotMatch(body, /<script|https?:\/\/|undefined|\[object/)
      assert.match(String(headers['content-security-policy']), /^default-src 'none'; style-src 'sha256-/)
      assert.equal(headers['cache-control'], 'no-store')
      for (const seen of ['47.07133, 11.40412', '32T', '+43660', incidentId]) assert.ok(body.includes(seen), seen)
    }
  })

  test('the report says how it turned out, among the facts and in the timeline', async (t) => {
    const standIn = operatorStandIn()
    const closing = {
      kind: 'resolved',
      by: 'operator',
      name: 'Eva',
      at: found.incident.openedAt,
      confirmed: true,
    } as const
    const remark = { outcome: 'found_safe', note: 'At the <hut>' } as const
    const ended = {
      ...found,
      incident: { ...found.incident, closing: { ...closing, ...remark } },
      timeline: [
        { at: closing.at, kind: 'closed', status: 'resolved', by: 'operator', name: 'Eva', ...remark } as const,
      ],
    }
    const report = async () => ({ case: ended, timeZone: 'UTC', language: 'en', now: NOW })
    const { text } = await operatorApi(t, { operator: { incidents: { ...standIn.incidents, report } } })
    const { body } = await text('operator', `${ONE}/report?language=en`)
    assert.match(body, /<dt>Outcome<\/dt><dd>found safe: At the &lt;hut&gt;<\/dd>/)
    assert.match(body, /resolved, by an operator, Eva · found safe: At the &lt;hut&gt;</)
    assert.match((await text('operator', `${ONE}/report?language=de`)).body, /wohlbehalten gefunden: At the/)
  })

  test('the report gives each place with its source, and who has raised it', async (t) => {
    const standIn = operatorStandIn()
    const place = { latitude: 47.1, longitude: 11.3, altitude: null, at: '2026-01-01T12:00:00Z' }
    const places = [
      { ...place, latitude: 46.5, source: 'other' as const },
      { ...place, source: 'session' as const },
    ]
    const incident = { ...found.incident, position: places[0]!, places, raisedThrough: { deviceId: 'TRK-<1>' } }
    const report = async () => ({ case: { ...found, incident }, timeZone: 'UTC', language: 'en', now: NOW })
    const { text } = await operatorApi(t, { operator: { incidents: { ...standIn.incidents, report } } })
    const { body } = await text('operator', `${ONE}/report?language=en`)
    assert.match(body, /<dd>tracker, through another user: 46\.50000, 11\.30000/)
    assert.match(body, /<dd>phone: 47\.10000, 11\.30000/)
    assert.match(body, /Raised through TRK-&lt;1&gt;, by another user of the service\./)
    assert.match((await text('operator', `${ONE}/report?language=it`)).body, /<dd>telefono: 47\.10000/)
  })

  test('files have names and types of their own, and are whole', async (t) => {
    const { text } = await operatorApi(t, { operator: reporting('en') })
    const gpx = await text('operator', `${ONE}/trail.gpx`)
    assert.match(String(gpx.headers['content-type']), /^application\/gpx\+xml/)
    assert.match(String(gpx.headers['content-disposition']), /^attachment; filename="incident-[0-9a-f-]{36}\.gpx"$/)
    assert.match(gpx.body, /<trkpt lat="47\.07133" lon="11\.40412"><ele>2140<\/ele>/)
    assert.ok(!gpx.body.includes('<img'))
    const csv = await text('operator', `${ONE}/trail.csv`)
    assert.equal(csv.body.split('\r\n').length, 3)
    const json = await text('operator', `${ONE}/export.json`)
    assert.equal(JSON.parse(json.body).incident.incidentId, incidentId)
    const table = await text('operator', '/incidents.csv?from=2026-01-01T00:00:00Z')
    assert.equal(table.body.trimEnd().split('\r\n').length, 3)
    assert.match(String(table.headers['content-disposition']), /incidents\.csv/)
  })
})

suite('many requests at once', () => {
  const tick = () => new Promise<void>((resolve) => setImmediate(resolve))

  test('two read at a time, forty of a caller wait, and more are refused: alarms need the same thread', async (t) => {
    const running: (() => void)[] = []
    let most = 0
    const incidents: OperatorNeeds['incidents'] = {
      ...operatorStandIn().incidents,
      async list() {
        await new Promise<void>((end) => {
          running.push(end)
          most = Math.max(most, running.length)
        })
        return { items: [], after: null }
      },
    }
    const { as } = await operatorApi(t, { operator: { incidents } })
    const statuses: number[] = []
    const asked = Array.from({ length: 50 }, async () => {
      const { status, json, headers } = await as('viewer', 'GET', '/incidents')
      statuses.push(status)
      if (status !== 200) {
        assert.deepEqual([status, json.error.reason, headers['retry-after']], [429, 'too_many_at_once', '2'])
      }
    })
    while (statuses.length < 8) await tick()
    assert.deepEqual([running.length, statuses.length], [2, 8])
    while (statuses.length < 50) {
      running.shift()?.()
      await tick()
    }
    await Promise.all(asked)
    assert.deepEqual([most, statuses.filter((status) => status === 200).length], [2, 42])
  })

  test('a HEAD is a read: nobody who may only look takes the turns of changes', async (t) => {
    const ends: (() => void)[] = []
    const waits = () => new Promise<void>((end) => ends.push(end))
    const incidents: OperatorNeeds['incidents'] = {
      ...operatorStandIn().incidents,
      async list() {
        await waits()
        return { items: [], after: null }
      },
    }
    const drills: OperatorNeeds['drills'] = {
      ...operatorStandIn().drills,
      end: async () => [],
    }
    const { as } = await operatorApi(t, { operator: { incidents, drills } })
    const looking = Array.from({ length: 4 }, () => as('viewer', 'HEAD', '/incidents'))
    while (ends.length < 2) await tick()
    let status = 0
    const ended = as('operator', 'POST', '/drills/end', { body: { app: HUT } }).then((answer) => {
      status = answer.status
    })
    for (let n = 0; n < 200; n += 1) await tick()
    const whileTheyLook = status
    let areDone = false
    const all = Promise.all([ended, ...looking]).then(() => {
      areDone = true
    })
    while (!areDone) {
      ends.shift()?.()
      await tick()
    }
    await all
    assert.equal(whileTheyLook, 200)
  })

  test('a list that several wait for is read once for those who may see the same, and never for others', async (t) => {
    const begun: { readonly applications: readonly string[] | null; readonly end: () => void }[] = []
    const incidents: OperatorNeeds['incidents'] = {
      ...operatorStandIn().incidents,
      async list({ grant: { applications } }) {
        await new Promise<void>((end) => begun.push({ applications, end }))
        return { items: [], after: applications === null ? 'of all' : `of ${applications}` }
      },
    }
    const { as } = await operatorApi(t, { operator: { incidents } })
    const asks = async (person: Person) => (await as(person, 'GET', '/incidents')).json.nextCursor as string
    // Two reads are under way, so that all others wait, and a read that begins then answers all of them.
    const first = [asks('admin'), asks('operator')]
    while (begun.length < 2) await tick()
    const asked = (['viewer', 'hutViewer', 'operator', 'hutOperator'] as const).map(asks)
    for (let n = 0; n < 20; n++) await tick()
    let isOver = false
    const answers = Promise.all([...first, ...asked]).finally(() => {
      isOver = true
    })
    for (let n = 0; !isOver; await tick()) if (n < begun.length) begun[n++]!.end()
    assert.deepEqual((await answers).slice(2), ['of all', `of ${HUT}`, 'of all', `of ${HUT}`])
    assert.equal(begun.length, 4)
  })

  test('a table is made for those who read it', async (t) => {
    const { as, calls } = await operatorApi(t)
    await as('operator', 'HEAD', '/incidents.csv')
    assert.ok(calls.every(({ use }) => use !== 'table'))
  })
})
