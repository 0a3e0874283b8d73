import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { boardItem } from '../../../src/app/operator/board-item.ts'
import { decide } from '../../../src/core/incident/decide.ts'
import type { Incident } from '../../../src/core/incident/incident.ts'
import { messageText } from '../../../src/core/message/message-text.ts'
import { isGsm7, segmentsOf } from '../../../src/core/text/gsm7.ts'
import { languages } from '../../../src/core/text/own-texts.ts'
import { fixedWords } from '../../../src/core/text/phrases.ts'
import { alertAt, planOf, raiseAt } from '../build.ts'
import { factsOf, forms, purposes } from '../message/facts.ts'

// devices.md#unknown-devices

const EUI = 'A8-40-41-17-D1-85-12-34'
const plan = planOf({ contacts: ['Ana'] })
const pressed = (seconds: number, deviceId: string | null, incident: Incident | null = null, unknownDevice = true) => {
  const command = raiseAt(seconds, alertAt(seconds, { deviceId }), { incidentId: 'i1' })
  return decide({ incident, plan, unknownDevice }, command).incident!
}

suite('an SOS with a device that nobody has paired', () => {
  test('opens the incident of its reporter, which names the last five devices, each once', () => {
    const steps: readonly [deviceId: string | null, isUnknown: boolean, named: readonly string[] | undefined][] = [
      ['T-1', false, undefined],
      [EUI, true, [EUI]],
      ['T-2', true, [EUI, 'T-2']],
      ['a8404117d1851234', true, ['T-2', 'a8404117d1851234']],
      [null, false, ['T-2', 'a8404117d1851234']],
      ['T-3', true, ['T-2', 'a8404117d1851234', 'T-3']],
      ['T-4', true, ['T-2', 'a8404117d1851234', 'T-3', 'T-4']],
      ['T-5', true, ['T-2', 'a8404117d1851234', 'T-3', 'T-4', 'T-5']],
      ['T-6', true, ['a8404117d1851234', 'T-3', 'T-4', 'T-5', 'T-6']],
    ]
    let incident: Incident | null = null
    for (const [at, [deviceId, isUnknown, named]] of steps.entries()) {
      incident = pressed(at, deviceId, incident, isUnknown)
      assert.deepEqual(incident.unknownDevices, named, `${deviceId}`)
      const person = { name: 'Gateway', phone: null }
      const item = boardItem({
        incident,
        lastPosition: null,
        person,
        applicationName: 'Hut',
        presses: 1,
        isCalledBack: false,
      })
      assert.deepEqual(item.unknownDevices, named)
    }
  })

  for (const language of languages) {
    test(`${language}: alarms, questions and calls name it; the end does not`, () => {
      const said = fixedWords[language].unknownDevice.replace('{device}', 'T-1000')
      assert.ok(isGsm7(said))
      for (const form of forms) {
        for (const purpose of purposes) {
          const facts = { unknownDevice: 'T-1000', endsAt: factsOf().now, answeredBy: 'Ana' }
          const text = messageText(form, purpose, [language], factsOf(facts))
          assert.equal(text.includes(said), purpose !== 'all_clear', `${form} ${purpose}: ${text}`)
          if (form === 'sms') assert.ok(segmentsOf(text) <= 2, text)
          assert.ok(!messageText(form, purpose, [language], factsOf()).includes(said.slice(0, 12)), 'else not')
        }
      }
    })
  }

  test('an id makes no link, and one in another script does not cost an SMS its position', () => {
    const linked = messageText('sms', 'alarm', ['en'], factsOf({ unknownDevice: 'evil.example/x' }))
    assert.ok(!linked.includes('evil.example'), linked)
    const foreign = factsOf({ unknownDevice: '設備一号' })
    assert.equal(messageText('sms', 'alarm', ['en'], foreign), messageText('sms', 'alarm', ['en'], factsOf()))
  })
})
