import { z } from 'zod'
import { carriesActuators, carriesAnswer, type EventType } from '../../../../core/incident/event.ts'
import { timerMessageSchema } from '../../../../core/timer/timer-schema.ts'
import { release } from '../../../../lib/release.ts'
import { incidentSchema } from '../sdk/incident.ts'
import { readersEventSchema, talkEventSchema } from '../sdk/messages.ts'
import { alertSchema, ingestSchema } from '../sdk/payload.ts'
import { Shapes } from './shapes.ts'

/** The REST `incident` object without the fields that only REST adds. */
const everything = incidentSchema.omit({ lastPosition: true, relayedPosition: true, relay: true })
const answer = { acknowledgedBy: true } as const
const snapshot = { snapshotVersion: true, actuators: true } as const
const envelope = everything.omit({ ...answer, ...snapshot })

const eventNames = {
  processed: 'ProcessedEvent',
  'sos.actuator_update': 'ActuatorUpdateEvent',
  acknowledged: 'AcknowledgedEvent',
  cancelled: 'CancelledEvent',
  resolved: 'ResolvedEvent',
} as const satisfies Record<EventType, string>

/** The events on `sos/events/…`, by type (protocol.md#events). */
const eventSchemas = (Object.keys(carriesActuators) as EventType[]).map((type) => ({
  type,
  schema: z
    .object({
      type: z.literal(type),
      ...envelope.shape,
      ...(carriesAnswer[type] && everything.pick(answer).shape),
      ...(carriesActuators[type] && everything.pick(snapshot).shape),
    })
    .meta({ id: eventNames[type] }),
}))

/** The reminder of an overdue timer; it belongs to no incident. */
const timerReminderSchema = z
  .object({
    type: z.literal('timer.reminder'),
    appId: z.uuid(),
    userId: z.uuid(),
    timerId: z.uuid(),
    dueAt: z.iso.datetime(),
    opensAt: z.iso.datetime().meta({ description: 'When the SOS is raised unless the timer is ended or extended' }),
    note: z.string().nullable(),
  })
  .meta({ id: 'TimerReminder' })
const timerSchema = timerMessageSchema.meta({ id: 'TimerMessage' })

const ref = (path: string) => ({ $ref: `#/${path}` })

/** Occasion of each event (protocol.md#events, second column). */
const emittedWhen = {
  processed: 'Sent once, right after an incident opens: the planned attempts',
  'sos.actuator_update': 'Sent every time an actuator changes state',
  acknowledged: 'A contact acknowledged through the public link',
  cancelled: 'The user cancelled',
  resolved: 'The operator or the system resolved the incident',
} as const satisfies Record<EventType, string>

const parameters = { sdkUserId: ref('components/parameters/sdkUserId') }
const security = [ref('components/securitySchemes/userHash')]
const variables = { mqttHost: { description: 'The host name of this service' } }
/** protocol.md#mqtt. */
const shared = { security, bindings: { mqtt: { cleanSession: true, keepAlive: 30, bindingVersion: '0.2.0' } } }
const publishing = { mqtt: { qos: 1, retain: false, bindingVersion: '0.2.0' } }

const channel = (address: string, description: string, names: readonly string[]) => ({
  address,
  description,
  parameters,
  messages: Object.fromEntries(names.map((name) => [name, ref(`components/messages/${name}`)])),
})

const operation = (action: 'send' | 'receive', to: string, summary: string, names: readonly string[]) => ({
  action,
  channel: ref(`channels/${to}`),
  summary,
  messages: names.map((name) => ref(`channels/${to}/messages/${name}`)),
  bindings: publishing,
})

const message = (name: string, summary: string, payload: object) => ({
  name,
  summary,
  contentType: 'application/json',
  payload,
})

const types = Object.keys(eventNames)

/**
 * The MQTT side from the service's point of view: it receives alerts and telemetry and sends events
 * (protocol.md#topics; AsyncAPI 3.0).
 */
export const asyncApi = () => {
  const shapes = new Shapes('draft-7')
  const sent = (name: string, summary: string, schema: z.ZodType) => message(name, summary, shapes.of(schema, 'output'))
  const taken = (name: string, summary: string, schema: z.ZodType) => message(name, summary, shapes.of(schema, 'input'))
  return {
    asyncapi: '3.0.0',
    info: {
      title: 'Tocsin',
      version: release.version,
      description:
        'Emergency SOS alerts over MQTT 3.1.1 and 5. A PUBACK means that the message is on disk. See `/openapi.json` for the REST API, and there `GET /v1/sdk/events` for the same events without MQTT.',
    },
    defaultContentType: 'application/json',
    servers: {
      mqtts: { host: '{mqttHost}:8883', protocol: 'secure-mqtt', variables, ...shared },
      wss: {
        host: '{mqttHost}:{port}',
        pathname: '/mqtt',
        protocol: 'wss',
        variables: { ...variables, port: { default: '443', description: 'As `https.port` says' } },
        ...shared,
      },
    },
    channels: {
      alerts: channel('sos/alerts/{sdkUserId}', 'Opens an incident for the user, or updates the open one.', ['alert']),
      telemetry: channel('tel/{sdkUserId}/data', 'Location and battery readings, also while no incident is open.', [
        'telemetry',
      ]),
      timers: channel('sos/timers/{sdkUserId}', 'Overdue timers: set, extended and ended; and reminders of them.', [
        'timer',
        'timer.reminder',
      ]),
      events: channel('sos/events/{sdkUserId}', 'Events of the user’s incidents.', types),
      messages: channel('sos/messages/{sdkUserId}', 'What is said during the user’s alarm, and to whom.', [
        'sos.message',
        'sos.readers',
      ]),
    },
    operations: {
      takeAlert: operation('receive', 'alerts', 'The user presses SOS', ['alert']),
      takeTelemetry: operation('receive', 'telemetry', 'A phone or tracker sends a reading', ['telemetry']),
      takeTimer: operation('receive', 'timers', 'A device sets, extends or ends a timer', ['timer']),
      sendReminder: operation('send', 'timers', 'A timer is about to run out', ['timer.reminder']),
      sendMessage: operation('send', 'messages', 'Someone has written during the alarm: also the user', [
        'sos.message',
      ]),
      sendReaders: operation('send', 'messages', 'Somebody has come to the rescue desk, or has left it', [
        'sos.readers',
      ]),
      sendEvent: operation('send', 'events', 'The service publishes an event of an incident', types),
    },
    components: {
      messages: {
        alert: taken('alert', 'An SOS alert. An invalid field is dropped; the alarm is raised anyway', alertSchema),
        telemetry: taken('telemetry', 'One telemetry row. A row with an invalid field is rejected', ingestSchema),
        timer: taken('timer', 'What cannot be done is kept as a dead letter', timerSchema),
        'timer.reminder': sent('timer.reminder', 'Sent 15 min before a timer is due', timerReminderSchema),
        'sos.message': sent('sos.message', 'Sent once for each message. Written by REST alone', talkEventSchema),
        'sos.readers': sent(
          'sos.readers',
          'Who reads may have changed: ask `readSosMessages` again',
          readersEventSchema,
        ),
        ...Object.fromEntries(
          eventSchemas.map(({ type, schema }) => [type, sent(type, emittedWhen[type], schema)] as const),
        ),
      },
      schemas: shapes.schemas,
      parameters: {
        sdkUserId: { description: 'The `id` from `GET /v1/sdk/me`. Only your own; no wildcards' },
      },
      securitySchemes: {
        userHash: {
          type: 'userPassword',
          description:
            'User name: `sdk:<app_id>:<external_user_id>`. Password: the user hash that REST takes as the bearer token',
        },
      },
    },
  }
}
