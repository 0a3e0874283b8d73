import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Asker } from '../../../src/app/operator/incident-access.ts'
import { MAX_MAJOR_ALARMS, majorIncidents } from '../../../src/app/operator/major-incidents.ts'
import { SIMULATION_ID } from '../../../src/app/operator/simulation.ts'
import type { Incident } from '../../../src/core/incident/incident.ts'
import type { BoardRecord, MajorPart } from '../../../src/ports/store.ts'
import { APP, momentAt, PRESSED, pressed } from '../../core/build.ts'

const EVA: Asker = {
  actor: { kind: 'operator', id: 'eva', name: 'Eva' },
  grant: { role: 'operator', applications: null },
  address: null,
}
const recordOf = (over: Partial<Incident> = {}): BoardRecord => ({
  incident: { ...pressed({ contacts: ['Ana'] }).incident, ...over },
  lastPosition: null,
  person: { name: 'Mia', phone: null },
  applicationName: 'Hut',
  presses: 1,
  isCalledBack: false,
})
const MAJOR = { id: 'first', startedAt: momentAt(-60) }
const FIRST = recordOf({ id: 'first', major: MAJOR })
const part = (over: Partial<MajorPart> = {}): MajorPart => ({
  ...{ appId: APP, isDrill: false, alarms: 1, incidentId: 'first' },
  ...over,
})

/** Around the alarms of the major incident `first`. `open`: other major incidents. */
function use(parts: readonly MajorPart[], open = 0, records: readonly BoardRecord[] = [FIRST]) {
  const looks: unknown[] = []
  const used = majorIncidents(
    {
      store: {
        majorParts: async (id) => (id === 'first' ? parts : []),
        openMajors: async () => open,
        majorRecords: async () => records,
        telemetryHistory: async () => ({ items: [], after: null }),
        incidentNotes: async (id) => [{ id: 'n', by: 'Eva', at: PRESSED, text: id }],
      },
      noteLook: ({ subject, action, details }) => looks.push(details ? [action, details] : subject),
    },
    { find: async (_, id) => (id === 'first' ? FIRST : null) },
  )
  return { ...used, looks }
}

test('an alarm joins one that its operator sees, or begins its own, never with an exercise, and within bounds', async () => {
  const alone = recordOf({ id: 'second' })
  const { openedAt } = alone.incident
  const elsewhere = { ...EVA, grant: { role: 'operator', applications: ['another'] } } as const
  const simulation = recordOf({ id: 'second', appId: SIMULATION_ID })
  const exercise = recordOf({ id: 'second', drill: { toContacts: false } })
  const overdue = recordOf({ id: 'second', overdue: { dueAt: PRESSED, note: null } })
  const joins = (parts: readonly MajorPart[], id = 'first', record = alone, by: Asker = EVA, open = 0) =>
    use(parts, open).joins(by, record, id)
  assert.deepEqual(await joins([part()]), MAJOR)
  assert.deepEqual(await joins([], 'second'), { id: 'second', startedAt: openedAt })
  assert.deepEqual(await joins([], 'second', overdue), { id: 'second', startedAt: openedAt })
  assert.deepEqual(await joins([], 'second', alone, EVA, 20), { refused: 'major_limit' })
  assert.deepEqual(await joins([]), { refused: 'major_not_found' }, 'another alarm cannot name a new one')
  assert.deepEqual(await joins([part()], 'first', alone, elsewhere), { refused: 'major_not_found' })
  for (const one of [simulation, exercise]) {
    assert.deepEqual(await joins([part()], 'first', one), { refused: 'major_mixed' })
  }
  assert.deepEqual(await joins([part({ isDrill: true })]), { refused: 'major_mixed' })
  assert.deepEqual(await joins([part({ isDrill: true })], 'first', exercise), MAJOR)
  const full = [part({ alarms: MAX_MAJOR_ALARMS - 1 }), part({ appId: 'another' })]
  assert.deepEqual(await joins(full), { refused: 'major_limit' })
  assert.deepEqual(await joins(full, 'first', FIRST), MAJOR, 'it is in it')
})

test('its alarms and their head count are those that the caller may see; a look is one at the list', async () => {
  const counted = { state: 'safe', at: momentAt(1), name: 'Eva', alertAt: PRESSED } as const
  const hers = recordOf({ id: 'second', appId: 'lake', major: { ...MAJOR, head: counted } })
  const { majorIncident, looks } = use([], 0, [FIRST, hers])
  const found = await majorIncident(EVA, 'first')
  assert.ok('items' in found)
  assert.deepEqual(
    [found.startedAt, found.count],
    [new Date(MAJOR.startedAt).toISOString(), { pressed: 2, answered: 0, safe: 1, handedOver: 0, ended: 0 }],
  )
  const lake = await majorIncident({ ...EVA, grant: { role: 'viewer', applications: ['lake'] } }, 'first')
  assert.ok('items' in lake)
  assert.deepEqual([lake.items.map(({ incidentId }) => incidentId), lake.count.pressed], [['second'], 1])
  assert.deepEqual(looks, [null, null])
  const nobodys = { ...EVA, grant: { role: 'viewer', applications: ['else'] } } as const
  assert.deepEqual(await majorIncident(nobodys, 'first'), { refused: 'major_not_found' })
})

test('a list of its persons has those that the caller may export, with their notes, and the log says of which one', async () => {
  const hers = recordOf({ id: 'second', appId: 'lake', major: MAJOR })
  const { majorPeople, looks } = use([], 0, [FIRST, hers])
  const asked = async (asker: Asker) => {
    const found = await majorPeople(asker, 'first')
    return 'refused' in found ? found.refused : found.people.map(({ item, notes }) => [item.incidentId, notes])
  }
  const both = [
    ['first', 1],
    ['second', 1],
  ]
  assert.deepEqual(await asked(EVA), both)
  assert.deepEqual(await asked({ ...EVA, grant: { role: 'operator', applications: ['lake'] } }), both.slice(1))
  assert.deepEqual(await asked({ ...EVA, grant: { role: 'viewer', applications: null } }), 'major_not_found')
  const row = ['incident.export', { major: 'first' }]
  assert.deepEqual(looks, [row, row])
})
