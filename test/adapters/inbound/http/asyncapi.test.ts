import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import specs from '@asyncapi/specs'
import { Ajv, type ValidateFunction } from 'ajv'
import { type EventType, incidentEvent } from '../../../../src/core/incident/event.ts'
import { payloadFields } from '../../../../src/core/ingest/payload.ts'
import { ANA, ask, NOW, openedIncident, type Site, sharedHttp } from './stand-in.ts'

const ajv = () => new Ajv({ strict: false, validateFormats: false, allErrors: true })

const document = async (site: Site): Promise<any> => (await ask(site, 'GET', '/asyncapi.json')).json

/** The schema of a message, with those that it refers to. */
const schemaOf = ({ components }: any, name: string) => {
  const { $ref } = components.messages[name].payload
  return { $ref, components: { schemas: components.schemas } }
}
const fieldsOf = ({ components }: any, name: string): string[] => {
  const named = ({ $ref }: { $ref: string }) => components.schemas[$ref.split('/').at(-1)!]
  const schema = named(components.messages[name].payload)
  return Object.keys((schema.properties ? schema : named(schema.allOf[0])).properties)
}

const events = ['processed', 'sos.actuator_update', 'acknowledged', 'cancelled', 'resolved'] as const

suite('the AsyncAPI document', () => {
  const shared = sharedHttp()
  test('names its schemas, as programs made of it will, and lets nobody misspell a field', async () => {
    const { components } = await document(shared())
    const named = events.map((type) => components.messages[type].payload.$ref.split('/').at(-1))
    assert.deepEqual(named, [
      'ProcessedEvent',
      'ActuatorUpdateEvent',
      'AcknowledgedEvent',
      'CancelledEvent',
      'ResolvedEvent',
    ])
    for (const name of [
      ...named,
      'Alert',
      'Telemetry',
      'TimerMessage',
      'TimerReminder',
      'Snapshot',
      'ContactAttempt',
    ]) {
      assert.ok(name in components.schemas, name)
    }
    assert.ok(!JSON.stringify(components).includes('additionalProperties'))
  })

  test('is valid AsyncAPI 3.0', async () => {
    // Its own copy of the JSON Schema meta-schema has the same id as the one in ajv.
    const isValid = new Ajv({ strict: false, validateFormats: false, meta: false, validateSchema: false }).compile(
      specs.schemas['3.0.0'] as object,
    )
    const described = await document(shared())
    const spoilt = { ...described, operations: { x: { action: 'shout', channel: {} } } }
    assert.ok(isValid(described), JSON.stringify(isValid.errors?.slice(0, 5), null, 2))
    // The control: an invalid document fails.
    assert.ok(!isValid(spoilt))
  })

  test('names the topics of the specification, and which side sends on them', async () => {
    const { channels, operations } = await document(shared())
    const topics = Object.values<any>(operations).map(({ action, channel }) => [
      action,
      channels[channel.$ref.split('/').at(-1)].address,
    ])
    assert.deepEqual(topics, [
      ['receive', 'sos/alerts/{sdkUserId}'],
      ['receive', 'tel/{sdkUserId}/data'],
      ['receive', 'sos/timers/{sdkUserId}'],
      ['send', 'sos/timers/{sdkUserId}'],
      ['send', 'sos/messages/{sdkUserId}'],
      ['send', 'sos/messages/{sdkUserId}'],
      ['send', 'sos/events/{sdkUserId}'],
    ])
    assert.deepEqual(Object.keys(channels.events.messages), events)
    assert.deepEqual(Object.keys(channels.timers.messages), ['timer', 'timer.reminder'])
  })

  test('contains every reference that it makes', async () => {
    const described = await document(shared())
    for (const [, path] of JSON.stringify(described).matchAll(/"\$ref":"#\/([^"]+)"/g)) {
      const found = path!.split('/').reduce((at: any, key) => at?.[key], described)
      assert.notEqual(found, undefined, path)
    }
  })

  test('describes the ingest payload by its fields', async () => {
    const described = await document(shared())
    for (const name of ['alert', 'telemetry']) {
      const fields = [...Object.keys(payloadFields), ...(name === 'alert' ? ['silent'] : [])]
      assert.deepEqual(fieldsOf(described, name), fields)
      const isValid = ajv().compile(schemaOf(described, name))
      assert.ok(isValid({ occurredAt: '2026-05-01T14:06:40Z' }))
      assert.ok(!isValid({ latitude: 47, longitude: 11 }), 'one of the two times')
      assert.ok(isValid({ timestamp: '2026-05-01T14:06:40Z', latitude: 47, altitude: null, unknown: 1 }))
      assert.ok(!isValid({ timestamp: 7 }))
      assert.ok(!isValid({ latitude: 91 }))
    }
  })

  test('describes the published events: each fits its own message and no other', async () => {
    const described = await document(shared())
    const fits = Object.fromEntries(events.map((type) => [type, ajv().compile(schemaOf(described, type))])) as Record<
      EventType,
      ValidateFunction
    >
    for (const type of events) {
      const overdue = { dueAt: NOW, note: 'Glungezer' }
      const { message, topics } = incidentEvent(type, { ...openedIncident(), overdue, silent: true })
      assert.deepEqual(topics, [`sos/events/${ANA.userId}`])
      const json = JSON.parse(JSON.stringify(message))
      assert.deepEqual(
        events.filter((other) => fits[other](json)),
        [type],
        JSON.stringify(fits[type].errors),
      )
      // Everything that is published is described.
      assert.deepEqual(Object.keys(json).sort(), fieldsOf(described, type).sort())
    }
  })
})
