import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createIncidentDoor } from '../../src/app/incident-door.ts'
import type { Committed } from '../../src/ports/store.ts'

const log = { info() {}, warn() {}, error() {} }
const overtaken = { incidentId: 'drill', events: [], nextActionAt: 7 }
const committed = { incidentId: 'alarm', events: [], nextActionAt: 1, overtaken: [overtaken] } as unknown as Committed

// preparing.md#drills: the dispatcher, screens and contacts' pages show the end of the exercise at once.
test('a press that ends a drill announces the alarm, then the end of the drill, also from another node’s turn', async () => {
  for (const announcesNow of [() => true, () => false]) {
    const heard: (string | null)[] = []
    const door = createIncidentDoor({ store: { changeIncident: async () => committed, announcesNow }, log })
    door.follow(({ incidentId }) => void heard.push(incidentId))
    await door.change({ openOf: 'mia' }, { type: 'cancel', now: 1 })
    assert.deepEqual(heard, announcesNow() ? ['alarm', 'drill'] : ['drill'])
  }
})
