import { z } from 'zod'
import { carriesActuators, type EventType } from '../../../../core/incident/event.ts'
import { incidentSchema } from './incident.ts'

const snapshotFields = { snapshotVersion: true, actuators: true } as const

/** The REST `incident` object without the fields that only REST adds. */
const withSnapshot = incidentSchema.omit({ lastPosition: true, relayedPosition: true, relay: true })
const envelope = withSnapshot.omit(snapshotFields)

/** The events on `sos/events/…`, by type (protocol.md#events). */
export const eventSchemas = Object.entries(carriesActuators).map(([type, carries]) => ({
  type: type as EventType,
  schema: z.object({ type: z.literal(type), ...(carries ? withSnapshot : envelope).shape }),
}))

/** The reminder of an overdue timer, which is of no incident. */
export const timerReminderSchema = z.object({
  type: z.literal('timer.reminder'),
  appId: z.uuid(),
  userId: z.uuid(),
  timerId: z.uuid(),
  dueAt: z.iso.datetime(),
  opensAt: z.iso.datetime().meta({ description: 'When the SOS is raised unless the timer is ended or extended' }),
  note: z.string().nullable(),
})
